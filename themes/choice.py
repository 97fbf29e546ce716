"""Which palette a face wears, and the palette as a Textual theme.

Belongs here: the list of palettes, the choice by setting and terminal. Not here: colour values.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from themes import ansi, contrast, dark, light, mono
from themes.tokens import INKS, Palette

if TYPE_CHECKING:
    from textual.theme import Theme

PALETTES: dict[str, Palette] = {p.PALETTE.name: p.PALETTE for p in (dark, light, ansi, contrast, mono)}


def choose(setting: str, environment: Mapping[str, str]) -> Palette:
    """The palette for a setting (`auto` or a name) on a terminal described by `environment`.

    NO_COLOR outranks the setting. `auto` believes COLORFGBG (its last field is the background:
    7 or 15 = light), 16-colour terminals get `ansi`, else dark.

    Raises:
        KeyError: no palette of that name.
    """
    if environment.get("NO_COLOR"):
        return PALETTES["mono"]
    if setting != "auto":
        return PALETTES[setting]
    if environment.get("COLORFGBG", "").rpartition(";")[2] in ("7", "15"):
        return PALETTES["light"]
    rich = "256" in environment.get("TERM", "") or environment.get("COLORTERM", "") in ("truecolor", "24bit")
    return PALETTES["dark"] if rich else PALETTES["ansi"]


def variables(palette: Palette) -> dict[str, str]:
    """CSS variables: `$ink-good`, `$ink-good-style`, `$frame`, `$frame-focus`, `$cursor`, `$cursor-style`."""
    found = {"frame": palette.frame, "frame-focus": palette.frame_focus, "cursor": palette.cursor,
             "cursor-style": palette.cursor_style}  # fmt: skip
    for ink in INKS:
        found[f"ink-{ink}"] = palette.inks[ink].color
        found[f"ink-{ink}-style"] = palette.inks[ink].style
    return found


def textual_theme(palette: Palette) -> Theme:
    """`palette` for Textual's own widgets (inputs, palette, toasts) and for our inks."""
    from textual.theme import Theme

    inks = palette.inks
    return Theme(
        name=f"cockpit-{palette.name}",
        primary=inks["accent"].color,
        secondary=inks["executor"].color,
        warning=inks["warn"].color,
        error=inks["bad"].color,
        success=inks["good"].color,
        accent=inks["accent"].color,
        foreground=inks["text"].color,
        background=palette.ground,
        surface=palette.ground,
        panel=palette.raised,
        boost=palette.raised,
        dark=palette.dark,
        ansi=palette.native,
        variables=variables(palette) | _blocks(palette),
    )


def _blocks(palette: Palette) -> dict[str, str]:
    """Textual's own cursors and selections; on a native palette they must be plain reversals."""
    plain = palette.inks["text"].color
    if not palette.native:
        return {
            "ansi-background": "ansi_black",
            "ansi-foreground": "ansi_white",
            "block-cursor-background": palette.cursor,
            "block-cursor-foreground": palette.inks["strong"].color,
            "block-cursor-text-style": "bold",
            "border": palette.frame_focus,
            "border-blurred": palette.frame,
        }
    names = (
        "ansi-background", "ansi-foreground", "block-cursor-foreground", "block-cursor-background",
        "input-cursor-background", "input-cursor-foreground", "input-selection-background",
        "input-selection-foreground", "screen-selection-background", "screen-selection-foreground",
    )  # fmt: skip
    styles = {"block-cursor-text-style": "reverse", "input-cursor-text-style": "reverse"}
    return dict.fromkeys(names, plain) | styles | {"border": palette.frame_focus, "border-blurred": palette.frame}
