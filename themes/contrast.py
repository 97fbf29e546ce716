"""High contrast: pure black ground, every ink at least 10:1."""

from themes.tokens import Look, Palette

PALETTE = Palette(
    name="contrast",
    dark=True,
    native=False,
    ground="#000000",
    raised="#000000",
    frame="#bfbfbf",
    frame_focus="#ffff00",
    cursor="#00389e",
    cursor_style="bold",
    inks={
        "text": Look("#ffffff"),
        "dim": Look("#d0d0d0"),
        "strong": Look("#ffffff", "bold"),
        "good": Look("#8dffda"),
        "bad": Look("#ffb199", "bold underline"),
        "warn": Look("#ffe066"),
        "busy": Look("#9ed0ff", "bold"),
        "accent": Look("#9ed0ff"),
        "reviewer": Look("#f2c6ff", "bold"),
        "executor": Look("#9ed0ff", "bold"),
        "debate": Look("#ffe066", "bold"),
        "banner": Look("#ffe066", "bold reverse"),
        "match": Look("#ffe066", "reverse"),
    },
)
