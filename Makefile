# Short-hands; the README's commands do the same by hand.
.PHONY: demo test lint lock clean

.venv/ok: requirements.lock .ci/dev.lock pyproject.toml
	python3 -m venv .venv
	.venv/bin/pip install -q --require-hashes -r .ci/dev.lock
	.venv/bin/pip install -q --no-deps --no-build-isolation -e .
	touch .venv/ok

demo: .venv/ok
	.venv/bin/cockpit examples/ridge-small-n.md --auto --new

test: .venv/ok
	.venv/bin/python -m pytest

lint: .venv/ok
	.venv/bin/ruff check . && .venv/bin/ruff format --check .
	.venv/bin/mypy
	.venv/bin/lint-imports

# setuptools is in the locks since our own package is installed without build isolation
LOCKED = uv pip compile -q pyproject.toml - --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
	--no-annotate --no-header
lock:
	echo 'setuptools>=77,<85' | $(LOCKED) -o requirements.lock >/dev/null
	echo 'setuptools>=77,<85' | $(LOCKED) --extra dev -o .ci/dev.lock >/dev/null

clean:
	rm -rf .venv build *.egg-info
