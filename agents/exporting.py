"""Stage 22: `final/`, complete: paper with its history, PDF from a clean copy, data, code, reports, provenance.

Belongs here: what goes into the package and from where. Not here: what the documents say
(`packaging_texts.py`, `recommending.py`), the status (the engine's routing said it).
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field

from agents import conduct, packaging_texts
from agents.manuscript import FIGURES, REFERENCES, RENDERED, Material, gather
from agents.publishing import Published, publish
from agents.recommending import recommendation
from agents.venues import venue
from cockpit.kernel.exits import EXIT_OF
from cockpit.kernel.model import JsonObject, pretty
from cockpit.kernel.plan import Condition
from cockpit.kernel.protocols import Desk, StageReport
from cockpit.kernel.stages import ANA_A, EXEC_A, FINAL, PLAN_A, VER_A, WRITE_A
from gates import artifacts

PAPER, BIB, PDF = f"{FINAL}/paper.tex", f"{FINAL}/references.bib", f"{FINAL}/paper.pdf"
DATA, CODE, SUPPLEMENT = f"{FINAL}/experiment_data/", f"{FINAL}/code/", f"{FINAL}/supplementary/"
END_OF_BODY = "\\bibliographystyle"
SUPPLEMENTS = (f"{PLAN_A}/exp_plan.yaml", f"{PLAN_A}/hypotheses.json", f"{ANA_A}/analysis.md",
               f"{ANA_A}/statistical_tests.json", f"{VER_A}/number_map.json", f"{VER_A}/claims.json",
               f"{WRITE_A}/changes.json")  # fmt: skip
KINDS: dict[str, tuple[str, ...]] = {"main": ("main", "baseline", "control"), "ablation": ("ablation",)}


@dataclass
class Package:
    """Writes the package and remembers where each file is from."""

    desk: Desk
    files: dict[str, bytes] = field(default_factory=dict)
    sources: dict[str, str] = field(default_factory=dict)

    def put(self, path: str, content: str | bytes) -> None:
        """A file that is made here."""
        data = content.encode() if isinstance(content, str) else content
        self.files[path] = data
        self.desk.write(path, data)

    def copy(self, source: str, path: str) -> None:
        """A file of the run, byte for byte, if it is there."""
        if self.desk.tree.exists(source):
            self.put(path, self.desk.tree.read(source))
            self.sources[path] = source


async def export(desk: Desk) -> StageReport:
    """Make `final/`."""
    material = gather(desk.tree, desk.view)
    package = Package(desk)
    _clear(desk)
    _paper(package, material)
    _data(package, material)
    _code(package, material)
    for path in SUPPLEMENTS:
        package.copy(path, f"{SUPPLEMENT}{path.rsplit('/', 1)[-1]}")
    made = await publish(desk, at=PAPER, bib=BIB, figures=f"{FINAL}/figures/", pdf=PDF, owner=17)
    if made.typeset.pdf is not None:
        package.files[PDF] = made.typeset.pdf
    word = status(desk, material)
    advice = recommendation(desk, material, word)
    package.put(f"{FINAL}/review_report.md", packaging_texts.review_report(desk))
    package.put(f"{FINAL}/submission_checklist.md", packaging_texts.checklist(desk, material, word, made.sentence))
    package.put(f"{FINAL}/submission_recommendation.json", pretty(advice))
    package.put(f"{FINAL}/STATUS", f"{word}\n")
    desk.write(f"{FINAL}/PROVENANCE.json", pretty(provenance(desk, package, word)))
    return _report(package, made, word, advice)


def _report(package: Package, made: Published, word: str, advice: JsonObject) -> StageReport:
    count = len(package.files) + 1
    body = f"Status {word}. {advice['advice']}"
    return StageReport(
        summary=f"{word}: {count} files in final/; {made.sentence}",
        body=body,
        findings=made.findings,
        audits=made.audits,
        fields={"status": word, "files": count, "pdf": made.typeset.fields()},
    )


def status(desk: Desk, material: Material) -> str:
    """The one word of `final/STATUS`: as the rounds were left; a paper without experiments is unpublishable."""
    if material.unpublishable:
        return "unpublishable"
    rounds = desk.view.rounds
    word = rounds[-1].outcome if rounds else ""
    if word in EXIT_OF:
        return word
    blocked = desk.view.verdict is None or desk.view.verdict.outcome == "BLOCK"
    return "blocked" if blocked else "best-effort"


def _clear(desk: Desk) -> None:
    """Take away what an earlier export left, so that the package is a clean copy."""
    for folder in (f"{FINAL}/figures/", SUPPLEMENT, DATA, CODE):
        for path in desk.tree.list(folder):
            desk.remove(path)


def _paper(package: Package, material: Material) -> None:
    desk = package.desk
    text = desk.tree.read(RENDERED).decode("utf-8", "replace")
    history = conduct.section(material, desk.view, desk.settings)
    if venue(desk.settings.venue)[0].anonymity == "double":
        package.put(f"{SUPPLEMENT}how_this_paper_was_made.tex", history)
    else:
        text = with_history(text, history)
    package.put(PAPER, text)
    package.copy(REFERENCES, BIB)
    for path in desk.tree.list(FIGURES):
        package.copy(path, f"{FINAL}/figures/{path.removeprefix(FIGURES)}")


def with_history(paper: str, history: str) -> str:
    """The rendered paper with the section before its bibliography (or its end)."""
    at = paper.rfind(END_OF_BODY)
    if at < 0:
        at = paper.rfind("\\end{document}")
    return f"{paper[:at]}{history}\n{paper[at:]}" if at >= 0 else f"{paper}\n{history}"


def _data(package: Package, material: Material) -> None:
    """Raw files as they are, and one summary a kind: which condition, which seed, which rows, which file."""
    current = material.current
    package.copy(f"{EXEC_A}/current_results.json", f"{DATA}current_results.json")
    if current is None:
        return
    raw = f"{EXEC_A}/raw_results/"
    for result in current.results:
        package.copy(result.file, f"{DATA}raw/{result.file.removeprefix(raw)}")
    for name, kinds in KINDS.items():
        chosen = [c for c in material.plan.conditions if c.kind in kinds]
        package.put(f"{DATA}{name}_results.json", pretty(_summary(package, material, chosen, name)))
    costs = _summary(package, material, list(material.plan.conditions), "efficiency")
    package.put(f"{DATA}efficiency_results.json", pretty(costs))


def _summary(package: Package, material: Material, conditions: list[Condition], kind: str) -> JsonObject:
    costs = set(material.plan.efficiency)
    wanted = {m.name for m in material.plan.metrics if kind != "efficiency" or m.name in costs}
    listed = [
        {
            "id": c.id,
            "label": c.label,
            "kind": c.kind,
            "aggregates": {v.key: v.value for v in material.values if v.condition == c.id and v.metric in wanted},
            "seeds": _seeds(package, material, c, wanted),
        }
        for c in conditions
    ]
    return {"kind": kind, "block": material.current.block if material.current else "", "conditions": listed}


def _seeds(package: Package, material: Material, condition: Condition, wanted: set[str]) -> list[JsonObject]:
    found = []
    for result in material.current.results if material.current else ():
        if result.condition != condition.id:
            continue
        file = artifacts.result_of(package.desk.tree, result.file).value
        rows = [r.model_dump(mode="json") for r in (file.rows if file else ()) if r.metric in wanted]
        found.append({"seed": result.seed, "file": f"raw/{result.file.split('raw_results/', 1)[-1]}",
                      "sha256": result.sha256, "job": result.job, "rows": rows})  # fmt: skip
    return found


def _code(package: Package, material: Material) -> None:
    for path in package.desk.tree.list(f"{EXEC_A}/scripts/"):
        package.copy(path, f"{CODE}scripts/{path.removeprefix(f'{EXEC_A}/scripts/')}")
    package.copy(f"{EXEC_A}/requirements.txt", f"{CODE}requirements.txt")
    package.put(f"{CODE}README.md", packaging_texts.code_readme(material))


def blob(data: bytes) -> str:
    """The name git gives these bytes."""
    return hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


def provenance(desk: Desk, package: Package, word: str) -> JsonObject:
    """Where every file of the package is from: content hashes and tags; no commits, times or hosts."""
    rounds = desk.view.rounds
    exported = rounds[-1].export_round if rounds and rounds[-1].export_round else desk.position.round
    return {
        "schema": "cockpit.provenance/1",
        "status": word,
        "exported_round": exported,
        "tag": f"round-{exported}",
        "tags": [f"round-{r.round}" for r in rounds] + [f"pivot-{n}" for n in range(1, desk.view.pivots + 1)],
        "plan": {"version": material_version(desk), "sha256": desk.view.plan_sha256},
        "rehearsal": desk.settings.rehearsal.on,
        "files": {path: {"sha256": hashlib.sha256(data).hexdigest(), "blob": blob(data),
                         "from": package.sources.get(path, "made at export")}
                  for path, data in sorted(package.files.items())},
    }  # fmt: skip


def material_version(desk: Desk) -> int:
    """The plan version in force."""
    plan = artifacts.plan_of(desk.tree).value
    return plan.version if plan else desk.view.plan_version
