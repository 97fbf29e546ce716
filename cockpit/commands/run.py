"""`cockpit IDEA.md`: a new run of an idea, or the unfinished one; on a screen, or with `--auto`.

Belongs here: options of a run. Not here: merging settings (front/configuration), checks (commission),
flying (launch).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, get_args

import click

from cockpit.commands.options import plain
from cockpit.kernel.exits import CockpitError
from cockpit.kernel.levels import Assurance, Effort, Mode, default_assurance
from cockpit.kernel.settings import Settings

CHOICES: dict[str, Any] = {"effort": Effort, "assurance": Assurance, "mode": Mode}


def choice(name: str) -> click.Choice[str]:
    """The values a level may have."""
    return click.Choice(get_args(CHOICES[name]))


@click.command("run")
@click.argument("idea", type=click.Path(path_type=Path))
@click.option("--auto", is_flag=True, help="No screen, no waiting; read `git log` in the morning.")
@click.option("--mode", type=choice("mode"), help="Where it pauses for you (default: co-pilot, full-auto with --auto).")
@click.option("--effort", type=choice("effort"), help="How much (default: balanced).")
@click.option("--assurance", type=choice("assurance"), help="How strictly (default: by effort).")
@click.option("--venue", help="Target venue.")
@click.option("--rounds", type=click.IntRange(1, 5), help="At most so many rounds.")
@click.option("--budget", type=click.FloatRange(0), metavar="USD", help="Stop before this much is spent.")
@click.option("--sandbox", type=click.Choice(["auto", "docker", "process"]), help="Where experiments run.")
@click.option("--unsafe-no-isolation", is_flag=True, help="Allow jobs without Docker or bubblewrap (caps at draft).")
@click.option("--library", type=click.Path(path_type=Path), help="Your papers: .jsonl or .bib.")
@click.option("--from", "from_stage", type=click.IntRange(1, 23), help="Begin at this stage.")
@click.option("--until", "until_stage", type=click.IntRange(1, 23), help="End when this stage is done.")
@click.option("--model", "models", multiple=True, metavar="ROLE=MODEL", help="executor=…, reviewer=…")
@click.option("--set", "sets", multiple=True, metavar="KEY=VALUE", help="Any setting, as in cockpit.yml.")
@click.option("--rehearsal", is_flag=True, help="Built-in models, no key: a demonstration, no result.")
@click.option("--new", is_flag=True, help="Start afresh, even if a run of this idea is unfinished.")
@click.option("--plain", "plain_face", is_flag=True, help="No full-screen face; lines on standard error.")
@click.option("--json", "as_json", is_flag=True, help="With --auto: events as JSON lines on standard output.")
def command(idea: Path, **given: Any) -> int:
    """Open the cockpit on IDEA, or fly it with --auto.

    \b
    Example: cockpit examples/ridge-small-n.md --auto
    """
    from cockpit import commission
    from cockpit.commands.flying import fly
    from cockpit.front import configuration

    read = commission.read_idea(idea)
    configured = configuration.resolve(given["sets"], flags(given))
    settings = configured.settings
    check_stages(settings)
    auto = settings.auto
    folder = None if given["new"] else commission.unfinished(read, settings)
    if (
        folder is not None
        and not auto
        and not click.confirm(f"Go on with the unfinished run {folder.run}?", default=True)
    ):
        folder = None
    if folder is None:
        start = commission.decide(read, settings, level_asked=given["assurance"] is not None)
        folder = commission.create(read, start)
        for line in (*start.caps, *start.notices, f"jobs: {start.sandbox}"):
            click.echo(plain(line), err=True)
    else:
        click.echo(f"going on with the unfinished run {folder.run}; `--new` starts afresh", err=True)
        for line in commission.not_applied(folder, configured.places, settings):
            click.echo(plain(line), err=True)
    return fly(folder, auto=auto, as_json=given["as_json"], plain_face=given["plain_face"])


def check_stages(settings: Settings) -> None:
    """Is there anything between --from and --until, and anything to begin from?

    Raises:
        CockpitError: it ends before it begins; it begins where earlier stages' work is needed.
    """
    first, last = settings.from_stage or 1, settings.until_stage or 23
    if last < first:
        raise CockpitError(
            f"the run would end (stage {last}) before it begins (stage {first})",
            where=f"--from {first} --until {last}",
            hint="Give --until a stage that comes later.",
        )
    if first > 1:
        raise CockpitError(f"stage {first} builds on the work of earlier stages, and a new run has none yet",
                           where=f"--from {first}", hint="Leave out --from; `--until` ends a run early, and"
                           " `cockpit reject` or `cockpit pivot` repeats stages of a run that flies.")  # fmt: skip


def flags(given: dict[str, Any]) -> dict[str, Any]:
    """Options as settings; None = not given."""
    effort: Effort = given["effort"] or "balanced"
    asked = given["assurance"] or (default_assurance(effort) if given["effort"] else None)
    mode = given["mode"] or ("full-auto" if given["auto"] else None)
    out: dict[str, Any] = {
        "auto": given["auto"] or None,
        "mode": mode,
        "effort": given["effort"],
        "assurance": asked,
        "venue": given["venue"],
        "rounds": given["rounds"],
        "budget_usd": given["budget"],
        "sandbox.backend": given["sandbox"],
        "sandbox.unsafe_no_isolation": given["unsafe_no_isolation"] or None,
        "library": str(given["library"]) if given["library"] else None,
        "from_stage": given["from_stage"],
        "until_stage": given["until_stage"],
        "rehearsal.on": given["rehearsal"] or None,
    }
    for text in given["models"]:
        role, equals, model = text.partition("=")
        if not equals or not role or not model:
            raise click.UsageError(f"--model {text} is not ROLE=MODEL, such as executor=anthropic/NAME")
        out[f"models.{role}.model"] = model
    return out
