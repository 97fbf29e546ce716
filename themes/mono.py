"""No colour at all: weight, underline and reverse only. What NO_COLOR gets."""

from themes.tokens import Look, Palette

PALETTE = Palette(
    name="mono",
    dark=True,
    native=True,
    ground="ansi_default",
    raised="ansi_default",
    frame="ansi_default",
    frame_focus="ansi_default",
    cursor="ansi_default",
    cursor_style="reverse",
    inks={
        "text": Look("ansi_default"),
        "dim": Look("ansi_default", "dim"),
        "strong": Look("ansi_default", "bold"),
        "good": Look("ansi_default"),
        "bad": Look("ansi_default", "bold"),
        "warn": Look("ansi_default", "underline"),
        "busy": Look("ansi_default", "bold"),
        "accent": Look("ansi_default"),
        "reviewer": Look("ansi_default", "bold"),
        "executor": Look("ansi_default", "bold"),
        "debate": Look("ansi_default", "bold"),
        "banner": Look("ansi_default", "bold reverse"),
        "match": Look("ansi_default", "reverse"),
    },
)
