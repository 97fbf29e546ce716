"""`python -m cockpit`: the same as the console script."""

from cockpit.entry import main

if __name__ == "__main__":
    main()
