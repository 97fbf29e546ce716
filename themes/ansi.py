"""The terminal's own sixteen colours on its own ground: obeys whatever the person has set there."""

from themes.tokens import Look, Palette

PALETTE = Palette(
    name="ansi",
    dark=True,
    native=True,
    ground="ansi_default",
    raised="ansi_default",
    frame="ansi_bright_black",
    frame_focus="ansi_blue",
    cursor="ansi_default",
    cursor_style="reverse",
    inks={
        "text": Look("ansi_default"),
        "dim": Look("ansi_default", "dim"),
        "strong": Look("ansi_default", "bold"),
        "good": Look("ansi_green"),
        "bad": Look("ansi_red", "bold"),
        "warn": Look("ansi_yellow"),
        "busy": Look("ansi_blue", "bold"),
        "accent": Look("ansi_cyan"),
        "reviewer": Look("ansi_magenta", "bold"),
        "executor": Look("ansi_blue", "bold"),
        "debate": Look("ansi_yellow", "bold"),
        "banner": Look("ansi_yellow", "bold reverse"),
        "match": Look("ansi_yellow", "reverse"),
    },
)
