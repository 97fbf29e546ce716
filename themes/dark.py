"""Dark palette: the default on a dark terminal. Hues keep apart under red-green colour blindness."""

from themes.tokens import Look, Palette

PALETTE = Palette(
    name="dark",
    dark=True,
    native=False,
    ground="#14171c",
    raised="#1d222a",
    frame="#3a4350",
    frame_focus="#6cb6ff",
    cursor="#2b3a4d",
    cursor_style="none",
    inks={
        "text": Look("#d5dbe3"),
        "dim": Look("#8a95a5"),
        "strong": Look("#f2f5f9", "bold"),
        "good": Look("#5fc9a8"),
        "bad": Look("#ff8f73", "bold"),
        "warn": Look("#f0c457"),
        "busy": Look("#6cb6ff", "bold"),
        "accent": Look("#6cb6ff"),
        "reviewer": Look("#e3a5f5", "bold"),
        "executor": Look("#6cb6ff", "bold"),
        "debate": Look("#f0c457", "bold"),
        "banner": Look("#f0c457", "bold reverse"),
        "match": Look("#f0c457", "reverse"),
    },
)
