"""Light palette: dark text on paper, every ink at least 4.5:1 on the ground."""

from themes.tokens import Look, Palette

PALETTE = Palette(
    name="light",
    dark=False,
    native=False,
    ground="#fbfaf7",
    raised="#efede6",
    frame="#b8b4a8",
    frame_focus="#0b62c4",
    cursor="#d6e4f5",
    cursor_style="none",
    inks={
        "text": Look("#22262c"),
        "dim": Look("#666c75"),
        "strong": Look("#0b0d10", "bold"),
        "good": Look("#0f6b4f"),
        "bad": Look("#b0361a", "bold"),
        "warn": Look("#7d5a00"),
        "busy": Look("#0b62c4", "bold"),
        "accent": Look("#0b62c4"),
        "reviewer": Look("#8a2aa8", "bold"),
        "executor": Look("#0b62c4", "bold"),
        "debate": Look("#7d5a00", "bold"),
        "banner": Look("#7d5a00", "bold reverse"),
        "match": Look("#7d5a00", "reverse"),
    },
)
