"""Accusing: from verdicts to findings, hunks and rows of the report.

Belongs here: one fault → one finding, with its span in the source file, and the hunk that mends it.
Not here: verdicts (`judging.py`), shapes (`report.py`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from cockpit.kernel.findings import Finding, Severity, Span
from gates.latex.blocks import CITATION, CLOSE, REFERENCE, SUB, SUP, Block
from gates.latex.origin import RES, Origins, Place
from gates.numbers.bold import BoldClaim, emboldened, unbolded
from gates.numbers.claims import WordedClaim
from gates.numbers.mixups import grouped
from gates.numbers.patch import Hunk, HunkClass, HunkPlace
from gates.numbers.reading import PrintedNumber, Reading
from gates.numbers.report import ClaimRow, NumberRow, NumberSource
from gates.numbers.structural import NOT_COUNTED
from gates.numbers.verdicts import Judged
from gates.registry import Registry

OWNER = 17
STRUCTURAL_SHARE, STRUCTURAL_FLOOR = 0.15, 20  # of a paper's numbers; papers with fewer numbers are not asked
_MARKS = re.compile(f"[{REFERENCE}{CITATION}{SUB}{SUP}{CLOSE}\u200b]")


@dataclass
class Accusing:
    """Collects findings, hunks and claims of one paper."""

    reading: Reading
    registry: Registry
    where: Origins
    paper: str
    findings: list[Finding] = field(default_factory=list)
    hunks: list[Hunk] = field(default_factory=list)
    claims: list[ClaimRow] = field(default_factory=list)

    @property
    def text(self) -> str:
        return self.reading.document.text

    # numbers ----------------------------------------------------------------------------------
    def numbers(self, judged: list[Judged]) -> None:
        """Findings and hunks of bad numbers: one a number, one a pair of mixed-up rows; then the structural share."""
        bad = [e for e in judged if not e.good]
        for group in grouped(bad):
            self._accuse(group)
        self.hunks.extend(self._hunk(entry) for entry in bad)
        self._share(judged)

    def _accuse(self, group: list[Judged]) -> None:
        worst = group[0]
        pattern = worst.pattern or f"number-{worst.verdict}"
        spans = tuple(self._span(e.number) for e in group)
        evidence = tuple(self._evidence(e) for e in group)
        self.findings.append(
            Finding(
                auditor="numbers",
                pattern=pattern,
                severity=self._severity(worst),
                title=self._title(group),
                spans=spans,
                owner=OWNER,
                evidence=evidence,
            )
        )

    @staticmethod
    def _severity(entry: Judged) -> Severity:
        if entry.verdict == "ambiguous":
            return "major" if entry.strict else "minor"
        return "critical" if entry.strict else "major"

    def _title(self, group: list[Judged]) -> str:
        entry = group[0]
        said = entry.number.text + ("%" if entry.number.unit == "percent" else "")
        if len(group) > 1:
            return f"{', '.join(e.number.text for e in group)} stand in each other's rows"
        if entry.verdict == "wrong-place":
            return f"{said} is {entry.other}, and stands where {entry.key} belongs"
        if entry.verdict == "mismatch":
            right = f", which is {entry.suggestion}" if entry.suggestion else ""
            return f"{said} is not {entry.key}{right}"
        if entry.verdict == "ambiguous":
            return f"{said} may be several results; the words do not say which"
        return f"{said} is in no result: {entry.note or 'nothing binds it'}"

    @staticmethod
    def _evidence(entry: Judged) -> str:
        value = f" = {entry.value:.12g}" if entry.value is not None else ""
        return f"{entry.number.text}: {entry.verdict}" + (f", {entry.key}{value}" if entry.key else f", {entry.note}")

    def _span(self, number: PrintedNumber) -> Span:
        """The number's place; `text` is it with the few words around it (its row up to it), as the source has them."""
        place = self._place(number)
        found = self.where.source_line(number.line) if place.exact else None
        line = found[2] if found else self.where.lines[number.line - 1]
        start, end = (place.column, place.end) if found else (number.column, number.column + len(number.text))
        in_cell = number.cell is not None and "&" in line[: start - 1]
        text = _row_up_to(line, end - 1) if in_cell else quoted(line, start - 1, end - 1)
        return Span(file=place.file, line=place.line, column=place.column, end_column=place.end, text=text)

    def _place(self, number: PrintedNumber) -> Place:
        return self.where.place(number.line, number.column, number.column + number.offset_end - number.offset)

    def context(self, number: PrintedNumber) -> str:
        """The words around a number with the number itself in ⟦ ⟧; for a cell its row and column."""
        if number.cell is not None and not number.cell.header:
            heads = [*number.cell.row_header, number.cell.group, *number.cell.row_values, *number.cell.column_header]
            return _clean(f"{' | '.join(h for h in heads if h)} | {_around(number, 0, len(number.block.plain))}")
        start, end = number.block.sentence(number.start)
        return _clean(_around(number, max(start, number.start - 120), min(end, number.end + 120)))

    def _hunk(self, entry: Judged) -> Hunk:
        number, place = entry.number, self._place(entry.number)
        old = self.text[number.offset : number.offset_end]
        new = self._replacement(entry, old) if place.exact else None
        kind: HunkClass = "corrected-from-results" if new is not None else "needs-person"
        return Hunk(
            file=place.file,
            line=place.line,
            column=place.column,
            end_column=place.end,
            old=old,
            new=new,
            hunk_class=kind,
            key=entry.key,
            rule=entry.rule or entry.verdict,
            why=self._evidence(entry),
            pattern=entry.pattern or f"number-{entry.verdict}",
            rendered=HunkPlace(
                file=self.paper,
                line=number.line,
                column=number.column,
                end_column=number.column + number.offset_end - number.offset,
            ),
        )

    @staticmethod
    def _replacement(entry: Judged, old: str) -> str | None:
        """The right value as printed, for numbers that are surely bound; a sign only where one was."""
        if (
            entry.verdict not in ("mismatch", "wrong-place")
            or not entry.suggestion
            or not re.fullmatch(r"[+\-−]?[\d.,]+", old)
        ):
            return None
        return entry.suggestion

    def _share(self, judged: list[Judged]) -> None:
        counted = [e for e in judged if e.rule not in NOT_COUNTED or e.verdict != "structural"]
        structural = [e for e in counted if e.verdict == "structural"]
        if len(counted) >= STRUCTURAL_FLOOR and len(structural) > STRUCTURAL_SHARE * len(counted):
            self.findings.append(
                Finding(
                    auditor="numbers",
                    pattern="number-structural-share",
                    severity="minor",
                    owner=OWNER,
                    title=f"{len(structural)} of {len(counted)} numbers claim nothing by rule; more than 15 %",
                    spans=(Span(file=self.paper),),
                )
            )

    # claims -----------------------------------------------------------------------------------
    def bold(self, claims: list[BoldClaim]) -> None:
        """A finding and hunks for each column whose bold is not on the best."""
        for claim in claims:
            first = (claim.wrong or claim.bold)[0]
            self.claims.append(
                ClaimRow(
                    file=self.paper,
                    line=first.line,
                    kind="bold",
                    verdict="holds" if claim.holds else "fails",
                    text=f"bold {', '.join(n.text for n in claim.bold)}: best {claim.metric} ({claim.direction})",
                    cells=tuple(n.text for n in claim.best),
                )
            )
            if claim.holds:
                continue
            wrong, best = (", ".join(n.text for n in group) for group in (claim.wrong, claim.best))
            self.findings.append(
                Finding(
                    auditor="numbers",
                    pattern="claim-bold",
                    severity="critical",
                    owner=OWNER,
                    title=f"bold {wrong} is not the best {claim.metric} of its column; {best} is",
                    spans=tuple(self._span(n) for n in claim.wrong),
                    evidence=(f"{claim.direction} is better",),
                )
            )
            self._bold_hunks(claim)

    def _bold_hunks(self, claim: BoldClaim) -> None:
        removed = [unbolded(self.text, n) for n in claim.wrong]
        edits = [hunk for hunk in removed if hunk]
        missing = [n for n in claim.best if n not in claim.bold]
        if len(edits) == len(removed) and len(missing) == len(claim.best):  # none of the best is bold yet
            edits += [emboldened(self.text, n, edits[0]) for n in missing]
        for start, end, new in edits:
            self._bold_hunk(start, end, new)

    def _bold_hunk(self, start: int, end: int, new: str) -> None:
        """One edit of bold; a number inside it that is corrected too is corrected in the same hunk."""
        line, column = self.reading.document.lines.place(start)
        stop = column + end - start
        inside = [h for h in self.hunks if h.rendered.line == line and column <= h.rendered.column < stop and h.new]
        for hunk in inside:
            new = new.replace(hunk.old, hunk.new or hunk.old, 1)
            self.hunks.remove(hunk)
        place = self.where.place(line, column, stop)
        sure = place.exact and "\n" not in self.text[start:end]
        self.hunks.append(
            Hunk(
                file=place.file,
                line=place.line,
                column=place.column,
                end_column=place.end,
                old=self.text[start:end],
                new=new if sure else None,
                hunk_class="corrected-from-results" if sure else "needs-person",
                key=inside[0].key if inside else "",
                rule="bold",
                why="bold belongs to the best of the column",
                pattern="claim-bold",
                rendered=HunkPlace(file=self.paper, line=line, column=column, end_column=stop),
            )
        )

    def worded(self, claims: list[WordedClaim]) -> None:
        """Worded claims, and a finding for each that fails."""
        for claim in claims:
            span = self._span_of(claim.block, claim.start, claim.end, claim.text)
            self.claims.append(
                ClaimRow(
                    file=span.file,
                    line=span.line,
                    text=_clean(claim.text),
                    kind=claim.kind,
                    verdict=claim.verdict,
                    cells=claim.cells,
                    note=claim.note,
                )
            )
            if claim.verdict == "fails":
                strict = claim.block.where in ("abstract", "caption") or bool(claim.block.headings)
                self.findings.append(
                    Finding(
                        auditor="numbers",
                        pattern=f"claim-{claim.kind}",
                        severity="critical" if strict else "major",
                        owner=OWNER,
                        title=f"“{claim.block.plain[claim.start : claim.end].strip()}” does not hold: {claim.note}",
                        spans=(span,),
                        evidence=claim.cells,
                    )
                )

    def _span_of(self, block: Block, start: int, end: int, text: str) -> Span:
        line, column = self.reading.document.lines.place(block.at[start])
        last = self.reading.document.lines.place(block.at[max(start, end - 1)])
        stop = last[1] + 1 if last[0] == line else column + 1
        place = self.where.place(line, column, stop)
        words = quoted(self.where.lines[line - 1], column - 1, stop - 1)
        return Span(file=place.file, line=place.line, column=place.column, end_column=place.end, text=words)

    def unknown_keys(self) -> None:
        r"""`\res` with a key that no result has: printed as ??, and a finding."""
        seen: set[tuple[str, int, int]] = set()
        for line in self.where.map:
            source = self.where.source_line(line)
            for macro in RES.finditer(source[2]) if source and "\\res" in source[2] else ():
                place = (source[0], source[1], macro.start() + 1) if source else ("", 0, 0)
                if (
                    macro.group(2).strip() not in self.registry.facts
                    and place not in seen
                    and "#" not in macro.group(2)
                ):
                    seen.add(place)
                    self.findings.append(
                        Finding(
                            auditor="numbers",
                            pattern="number-unsupported",
                            severity="critical",
                            owner=OWNER,
                            title=f"no result has the key {macro.group(2).strip()}",
                            spans=(
                                Span(
                                    file=place[0],
                                    line=place[1],
                                    column=place[2],
                                    end_column=macro.end() + 1,
                                    text=macro.group(),
                                ),
                            ),
                        )
                    )

    # rows -------------------------------------------------------------------------------------
    def row(self, entry: Judged) -> NumberRow:
        """The report's row of a number."""
        number, place = entry.number, self._place(entry.number)
        fact = self.registry.facts.get(entry.key)
        source = (
            NumberSource(
                file=fact.files[0] if fact and fact.files else "",
                key=entry.key,
                value=f"{entry.value:.17g}" if entry.value is not None else "",
            )
            if entry.key
            else None
        )
        cell = number.cell
        return NumberRow(
            file=self.paper,
            line=number.line,
            column=number.column,
            end_column=number.column + number.offset_end - number.offset,
            source_file=place.file,
            source_line=place.line,
            source_column=place.column,
            text=number.text,
            value=f"{number.value:f}",
            precision=max(0, -int(number.ulp.adjusted())),
            unit=number.unit,
            where="table" if cell else number.block.where,
            section=number.block.headings[-1] if number.block.headings else "",
            row=" | ".join(cell.row_header) if cell else "",
            col=" | ".join(cell.column_header) if cell else "",
            strict=entry.strict,
            verdict=entry.verdict,
            rule=entry.rule or None,
            source=source,
            formula=entry.formula or None,
            suggestion=entry.suggestion or None,
            context=self.context(number),
            quote=self._span(number).text,
            note=entry.note,
        )


def _row_up_to(line: str, end: int) -> str:
    """A table's row from its label to `end`, as it stands."""
    return " ".join(re.split(r"\\\\", line[:end])[-1].split())


def quoted(line: str, start: int, end: int) -> str:
    """`line[start:end]` with up to five words on either side, within its sentence: enough to find it again."""
    left = re.split(r"(?<=[.!?])\s+|(?<=[。！？；])|\\\\", line[:start])[-1]
    right = re.split(r"[.!?](?=\s|$)|[。！？；]|\\\\", line[end:])[0]
    before, after = re.findall(r"\s*\S+", left)[-5:], re.findall(r"\S+\s*|\s+(?=\S)", right)[:6]
    return " ".join("".join((*before, left[len(left.rstrip()) :], line[start:end], *after)).split())


def _around(number: PrintedNumber, start: int, end: int) -> str:
    plain = number.block.plain
    return f"{plain[start : number.start]}⟦{number.text}⟧{plain[number.end : end]}"


def _clean(text: str) -> str:
    return re.sub(r"\s+", " ", _MARKS.sub("", text)).strip()
