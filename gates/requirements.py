"""How each requirement of the policy is checked, and the reasons it gives.

Belongs here: one check a requirement, by table; flags. Not here: which level requires what and the
outcome (`policy.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from pydantic import ValidationError

from cockpit.kernel.events import LedgerEvent, ObligationOpened, read_event_json
from cockpit.kernel.findings import AuditRun, GateReason, Obligation, Span
from cockpit.kernel.ids import Fingerprint
from cockpit.kernel.ledger_lines import EVIDENCE_FOLDER, LEDGER_FILE
from cockpit.kernel.levels import ASSURANCES, Assurance
from cockpit.kernel.protocols import Tree
from cockpit.kernel.reviews import Score
from cockpit.kernel.view import RunView
from gates import citations, contracts, contracts_paper, honesty, references
from gates.artifacts import FINAL_PAPER, PAPER_BIB, papers_of, text_of
from gates.auditors import AUDITORS, FINAL_PROGRAMS, Audit, audit_final, final_inputs, final_name
from gates.fingerprints import fingerprint
from gates.overlay import touched_lines
from gates.projection import line_seq

SHOWN = 5  # touched lines that are named
Check = Callable[[Tree, RunView], Iterator[GateReason]]
PROGRAMS = ("numbers", "references", "collapse", "static", "receipts", "plan", "ablations", "passages", "figures")
RECORDED = {"compile": "compile", "related-work": "related-work",
            "experiment-audit": "experiment", "claim-audit": "claims", "anonymity": "anonymity",
            "kill-argument": "kill-argument", "acceptance-contract": "acceptance-contract",
            "counter-evidence": "counter-evidence", "reproduction": "reproduction"}  # fmt: skip


def check(name: str, tree: Tree, view: RunView) -> Iterator[GateReason]:
    """Reasons why requirement `name` is not met here; none = it is."""
    try:
        yield from _CHECKS[name](tree, view)
    except Exception as error:  # noqa: BLE001 — a check that breaks must block by name; nothing passes by breaking
        yield _block("check-failed", f"{name} could not be checked ({type(error).__name__}: {error})")


def _contracts(tree: Tree, view: RunView) -> Iterator[GateReason]:
    assert view.run is not None
    first = view.run.settings.from_stage or 1
    for number in range(first, 20):
        for sentence in contracts.unmet(number, tree, view):
            yield _block("contract-unmet", f"stage {number}: {sentence}", stage=number)


def _program(name: str) -> Check:
    """The program has run on these very bytes, and says now what the ledger already holds."""

    def look(tree: Tree, view: RunView) -> Iterator[GateReason]:
        auditor = AUDITORS[name]
        yield from _fresh(name, latest(view, name), {p: str(tree.sha(p)) for p in auditor.inputs(tree)})
        yield from unrecorded(auditor.run(tree, view), view)
        if name in FINAL_PROGRAMS and tree.exists(FINAL_PAPER):
            run = latest(view, final_name(name))
            if run is not None:
                yield from _exported(name, run, tree)
            yield from unrecorded(audit_final(name, tree, view), view)

    return look


def _fresh(name: str, run: AuditRun | None, present: dict[str, str]) -> Iterator[GateReason]:
    """The recorded run judged what is there now, all of it."""
    if run is None:
        yield _block("audit-missing", f"the {name} program has not run")
    elif run.verdict in ("ERROR", "BLOCKED"):
        yield _block("audit-unavailable", f"the {name} program could not judge: {run.reason}")
    elif run.inputs != present:
        changed = sorted(p for p in {*run.inputs, *present} if run.inputs.get(p) != present.get(p))
        yield _block("audit-stale", f"{changed[0]} has changed since the {name} program judged it")


def _exported(name: str, run: AuditRun, tree: Tree) -> Iterator[GateReason]:
    """The package is as it was judged; where its paper was touched, by line."""
    yield from _fresh(final_name(name), run, final_inputs(name, tree))
    if name == "numbers" and run.inputs.get(FINAL_PAPER) != str(tree.sha(FINAL_PAPER)):
        for line in touched_lines(tree)[:SHOWN]:
            text = f"{FINAL_PAPER}:{line} is not what was exported"
            span = Span(file=FINAL_PAPER, line=line)
            yield GateReason(code="export-touched", severity="block", text=text, span=span)


def latest(view: RunView, auditor: str) -> AuditRun | None:
    """The last run of an auditor."""
    return next((r.run for r in reversed(view.audits) if r.run.auditor == auditor), None)


def unrecorded(audit: Audit, view: RunView) -> Iterator[GateReason]:
    """What a program finds now that is not on the books: somebody changed the bytes since."""
    if audit.verdict in ("ERROR", "BLOCKED"):
        yield _block("audit-unavailable", f"the {audit.auditor} program cannot judge: {audit.reason}")
    for found in audit.findings:
        known = view.ledger.obligations.get(fingerprint(found))
        if found.severity == "info" or (known is not None and known.state in ("open", "waived")):
            continue
        span = found.spans[0] if found.spans else None
        yield GateReason(
            code="finding-not-on-the-books",
            severity="block" if found.severity in ("critical", "major") else "warn",
            text=f"{span or audit.auditor}: {found.title}",
            span=span,
            stage=None if audit.auditor.endswith(":final") else min(found.owner, 17),
        )


def _ledger(tree: Tree, view: RunView) -> Iterator[GateReason]:
    """The file is well-formed and speaks only of what the journal holds; evidence copies are what they were."""
    yield from _evidence(tree, view)
    text = text_of(tree, LEDGER_FILE)
    before = [o for o in view.ledger.obligations.values() if view.position and o.opened < view.position]
    if text.value is None:
        if before or tree.exists(LEDGER_FILE):
            yield _block("ledger-malformed", text.problem)
        return
    last = 0
    opened: set[Fingerprint] = set()
    for number, line in enumerate(text.value.splitlines(), 1):
        fault, seq, print_ = _line(line, last, view)
        if fault:
            yield _block("ledger-tampered", f"{LEDGER_FILE}:{number}: {fault}")
        last = max(last, seq)
        opened |= {print_} if print_ else set()
    yield from (_block("ledger-tampered", f"{LEDGER_FILE}: the record that opened #{o.number} is gone")
                for o in before if o.fingerprint not in opened)  # fmt: skip


def _line(line: str, last: int, view: RunView) -> tuple[str, int, Fingerprint | None]:
    seq = line_seq(line)
    if seq is None:
        return "not a ledger record", 0, None
    try:
        event = read_event_json(line.replace(f',"seq":{seq}', "", 1).replace(f'"seq":{seq},', "", 1))
    except ValidationError:
        return "not a ledger record", seq, None
    if not isinstance(event, LedgerEvent):
        return f"a record of kind {event.kind}", seq, None
    print_ = event.obligation.fingerprint if isinstance(event, ObligationOpened) else event.fingerprint
    known = view.ledger.obligations.get(print_)
    if seq <= last:
        return f"record {seq} is out of order", seq, print_
    if seq > view.seq or known is None:
        return f"record {seq} is not in the journal", seq, print_
    if event.kind == "obligation-opened" and _differs(event.obligation, known):
        return f"record {seq} is not what the journal says about #{known.number}", seq, print_
    return "", seq, print_


def _differs(line: Obligation, known: Obligation) -> bool:
    then, now = line.finding, known.finding
    return (line.number, line.opened, [p.text for p in line.parts], then.title, then.owner, then.parts) != (
        known.number, known.opened, [p.text for p in known.parts], now.title, now.owner, now.parts)  # fmt: skip


def _evidence(tree: Tree, view: RunView) -> Iterator[GateReason]:
    """The copies that resolutions rest on, re-hashed."""
    wanted = sorted({(e.sha256, o.number) for o in view.ledger.obligations.values() for p in o.parts for e in p.evidence
                     if view.position is None or e.position < view.position})  # fmt: skip
    for digest, number in wanted:
        copy = f"{EVIDENCE_FOLDER}{digest}"
        if not tree.exists(copy):
            yield _block("evidence-missing", f"{copy}, which closed #{number}, is missing")
        elif tree.sha(copy) != digest:
            yield _block("evidence-tampered", f"{copy}, which closed #{number}, has other bytes")


def _reviews(tree: Tree, view: RunView) -> Iterator[GateReason]:
    for sentence in contracts_paper.confirmed(tree, view):
        yield _block("review-missing", sentence)


def _citations_verified(tree: Tree, view: RunView) -> Iterator[GateReason]:
    entries = pending_citations(tree)
    for entry in entries[:1]:
        more = f" (and {len(entries) - 1} more)" if len(entries) > 1 else ""
        yield _block("citations-unverified", f"reference {entry.key}: {entry.verdict}: {entry.why}{more}")


def pending_citations(tree: Tree) -> list[citations.EntryVerdict]:
    """References of the paper that are not verified."""
    cited = set(references.entries(tree, PAPER_BIB))
    records = papers_of(tree).value or ()
    mine = tuple(r for r in records if r.key in cited)
    return [v for v in citations.judge_all(mine, citations.lookups_of(tree)) if v.verdict != "verified"]


def _lint_clean(tree: Tree, view: RunView) -> Iterator[GateReason]:
    yield from _program("lint")(tree, view)
    for o in view.ledger.open:
        if o.finding.pattern.startswith("lint-") and o.finding.severity != "info":
            yield _block("lint-open", f"#{o.number} {o.finding.title}", stage=17)


def _recorded(auditor: str) -> Check:
    """An audit that a model or another room made: there, readable, on these bytes."""

    def look(tree: Tree, view: RunView) -> Iterator[GateReason]:
        run = latest(view, auditor)
        if run is None:
            yield _block("audit-missing", f"the audit {auditor} is required at this level and has not run")
        elif run.verdict in ("FAIL", "BLOCKED", "ERROR"):
            yield _block("audit-unavailable", f"the audit {auditor} says {run.verdict} {run.reason}".rstrip())
        elif not run.inputs and run.verdict != "NOT_APPLICABLE":
            yield _block("audit-stale", f"the audit {auditor} names no input")
        else:
            stale = [p for p, sha in sorted(run.inputs.items()) if not tree.exists(p) or tree.sha(p) != sha]
            yield from (_block("audit-stale", f"{path} has changed since the audit {auditor}") for path in stale[:1])

    return look


def _acknowledged(tree: Tree, view: RunView) -> Iterator[GateReason]:
    if not _decided(view, "acknowledged"):
        yield GateReason(
            code="warns-unacknowledged", severity="pending", text="no person has acknowledged the warnings"
        )


def _signed(tree: Tree, view: RunView) -> Iterator[GateReason]:
    if not _decided(view, "signed-off"):
        yield GateReason(code="sign-off", severity="pending", text="no person has signed off")


def _decided(view: RunView, what: str) -> bool:
    return any(d.what == what and (d.position is None or d.position.round == view.round) for d in view.decisions)


def capped(view: RunView) -> Iterator[GateReason]:
    """The level is out of this run's reach."""
    assert view.run is not None
    level, cap = view.run.settings.assurance, view.run.assurance_cap
    if _above(level, cap):
        why = "; ".join(view.run.caps) or "as said at the start"
        yield _block("level-capped", f"{level} was asked for, this run can reach {cap}: {why}")
    loose = sorted({str(r.job) for r in view.receipts if not r.isolated})
    if loose and _above(level, "draft"):
        yield _block(
            "level-capped", f"{len(loose)} jobs ran without isolation ({loose[0]}), which caps the level at draft"
        )


def _above(level: Assurance, cap: Assurance) -> bool:
    return ASSURANCES.index(level) > ASSURANCES.index(cap)


def open_criticals(view: RunView) -> Iterator[GateReason]:
    """Open critical obligations, whoever may close them."""
    for o in view.ledger.open:
        if o.finding.severity == "critical":
            yield _open(o, "open-critical", "block")


def open_others(view: RunView) -> Iterator[GateReason]:
    """Open obligations that weigh less."""
    for o in view.ledger.open:
        if o.finding.severity in ("major", "minor"):
            yield _open(o, "open-obligation", "warn")


def _open(o: Obligation, code: str, severity: str) -> GateReason:
    span = o.finding.spans[0] if o.finding.spans else None
    gone = " (vanished, still open)" if o.vanished else ""
    reason = GateReason(code=code, severity="warn", text=f"#{o.number} {o.finding.title}{gone}", span=span,
                        stage=min(o.finding.owner, 17))  # fmt: skip
    return reason.model_copy(update={"severity": severity})


def soft(tree: Tree, view: RunView, score: Score | None) -> Iterator[GateReason]:
    """What is said beside: provisional reviews, pending citations, an honest negative, degenerate results."""
    loose = [r for r in contracts_paper.confirmations(tree, view) if r.review.receipt.independence != "independent"]
    for record in loose[:1]:
        name = record.review.reviewer
        text = f"{len(loose)} reviews are provisional: {name} is not known to be independent of the author"
        yield GateReason(code="review-provisional", severity="warn", text=text)
    try:
        waiting = [v for v in pending_citations(tree) if v.verdict == "pending"]
    except ValueError as error:
        yield _block("citations-unreadable", str(error))
        waiting = []
    if waiting:
        text = f"{len(waiting)} references are pending: {waiting[0].key}: {waiting[0].why}"
        yield GateReason(code="citations-pending", severity="warn", text=text)
    yield from honesty.flags(tree, view, score)


def _block(code: str, text: str, stage: int | None = None) -> GateReason:
    return GateReason(code=code, severity="block", text=text, stage=stage)


_CHECKS: dict[str, Check] = {
    "contracts": _contracts,
    "ledger": _ledger,
    "reviews": _reviews,
    "independent-reviews": _reviews,
    "citations-verified": _citations_verified,
    "lint-clean": _lint_clean,
    "warns-acknowledged": _acknowledged,
    "sign-off": _signed,
    **{name: _program(name) for name in PROGRAMS},
    **{name: _recorded(auditor) for name, auditor in RECORDED.items()},
}
