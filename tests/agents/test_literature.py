"""Libraries on disk, services over loopback HTTP, records of one paper made one."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from memory_desk import MemoryDesk

from agents.errors import StageError
from agents.literature.arxiv import Arxiv
from agents.literature.catalogue import shelves
from agents.literature.library import Library, read_library
from agents.literature.merging import identities, merge
from agents.literature.net import Net
from agents.literature.openalex import OpenAlex
from agents.literature.shelves import Literature
from cockpit.kernel.papers import PaperRecord
from cockpit.kernel.settings import LiteratureSource, RehearsalSettings, Settings

PLACES = [folder / "shared" / "data" for folder in Path(__file__).parents]
DATA = next((place for place in PLACES if place.is_dir()), PLACES[0])
needs_data = pytest.mark.skipif(not DATA.is_dir(), reason="the shared data are not here")
Reply = tuple[int, dict[str, str], bytes]


class Service(ThreadingHTTPServer):
    """A literature service on loopback; `asked` are the paths with their queries."""

    daemon_threads = True

    def __init__(self, answer: Callable[[str, dict[str, list[str]]], Reply]) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.answer = answer
        self.asked: list[tuple[str, dict[str, list[str]]]] = []
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()

    @property
    def base(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class _Handler(BaseHTTPRequestHandler):
    server: Service

    def log_message(self, format: str, *args: Any) -> None:
        """Quiet."""

    def do_GET(self) -> None:
        split = urlsplit(self.path)
        query = parse_qs(split.query)
        self.server.asked.append((split.path, query))
        status, headers, body = self.server.answer(split.path, query)
        self.send_response(status)
        for name, value in {**headers, "content-length": str(len(body))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)


@pytest.fixture
def serve() -> Iterator[Callable[[Callable[[str, dict[str, list[str]]], Reply]], Service]]:
    started: list[Service] = []

    def start(answer: Callable[[str, dict[str, list[str]]], Reply]) -> Service:
        started.append(Service(answer))
        return started[-1]

    yield start
    for service in started:
        service.shutdown()
        service.server_close()


Serve = Callable[[Callable[[str, dict[str, list[str]]], Reply]], Service]


async def no_sleep(_seconds: float) -> None:
    """Pauses of the net are not waited for in tests."""


def paper(key: str, title: str, **more: Any) -> PaperRecord:
    return PaperRecord(key=key, title=title, **{"sources": ("library",), **more})


RECORDS = [
    {
        "key": "a2001ridge",
        "title": "Ridge regression for small samples",
        "abstract": "shrinkage of coefficients",
        "year": 2001,
    },
    {"key": "b2002lasso", "title": "The lasso", "abstract": "ridge regression is not the lasso", "doi": "10.1000/XYZ"},
    {"key": "c2003boot", "title": "Bootstrap intervals", "abstract": "coverage", "arxiv_id": "0712.0881v2"},
]


@pytest.fixture
def library(tmp_path: Path) -> Library:
    path = tmp_path / "refs.jsonl"
    path.write_text("\n".join(json.dumps(record) for record in RECORDS) + "\nnot json\n")
    return read_library(path)


async def test_a_library_is_searched_by_words(library: Library) -> None:
    state, found = await library.search("ridge regressions", 5)
    assert (state, [r.key for r in found]) == ("ok", ["a2001ridge", "b2002lasso"])
    assert await library.search("quantum the of", 5) == ("empty", [])
    assert library.problems == ("line 4 is no record with a title",)


async def test_a_paper_is_found_by_each_of_its_names(library: Library) -> None:
    for asked in (
        paper("x", "Another title", doi="https://doi.org/10.1000/xyz"),
        paper("x", "the LASSO!", doi="10.1000/xyz"),
        paper("x", "x", arxiv_id="arXiv:0712.0881v1"),
        paper("x", "{B}ootstrap Intervals."),
    ):
        state, found = await library.lookup(asked)
        assert state == "ok" and len(found) == 1
    assert (await library.lookup(paper("x", "No such paper anywhere")))[0] == "empty"


@pytest.mark.parametrize(
    ("name", "text"), [("a.jsonl", ""), ("a.txt", "x"), ("a.bib", "% nothing"), ("a.jsonl", "[1]")]
)
def test_an_unusable_library_is_an_error_before_anything_is_spent(tmp_path: Path, name: str, text: str) -> None:
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(StageError) as error:
        shelves(Settings(), path)
    assert error.value.code == 2
    with pytest.raises(StageError):
        read_library(tmp_path / "missing.bib")


def test_bibtex(tmp_path: Path) -> None:
    path = tmp_path / "refs.bib"
    path.write_text(
        '@article{zou2007, title={{On the {\\em degrees}}}, author={Zou, Hui and M{\\"u}ller, A.}, year={2007},'
        " eprint={0712.0881}, archivePrefix={arXiv}, journal={Annals}}\n@article{broken, title={x"
    )
    found = read_library(path)
    [record] = found.records
    assert record.authors == ("Zou, Hui", "Müller, A.")
    assert (record.arxiv_id, record.year, record.venue, record.url) == (
        "0712.0881", 2007, "Annals", "https://arxiv.org/abs/0712.0881")  # fmt: skip
    assert len(found.problems) == 1


@needs_data
def test_real_bibliographies_are_read_or_refused() -> None:
    read = 0
    for path in sorted((DATA / "bibtex").rglob("*.bib")):
        try:
            found = read_library(path)
        except StageError:
            continue
        read += 1
        keys = [record.key for record in found.records]
        assert len(set(keys)) == len(keys)
    assert read > 50


@needs_data
async def test_example_libraries_answer_their_topic() -> None:
    for name, query in (("shrinkage", "ridge regression"), ("bootstrap", "bootstrap"), ("schedules", "learning rate")):
        found = read_library(DATA / "library" / f"{name}.jsonl")
        state, records = await found.search(query, 60)
        assert state == "ok" and len(records) >= 15
        assert [r.key for r in (await found.search(query, 60))[1]] == [r.key for r in records]


def test_records_of_one_paper_become_one() -> None:
    same = [
        paper("a", "A long title about things", doi="10.1/A", sources=("library",)),
        paper("b", "Something else entirely", sources=("library",)),
        paper("c", "A Long Title, about things", arxiv_id="2001.00001v3", abstract="text", sources=("arxiv",)),
        paper("d", "Renamed in the journal", doi="doi:10.1/a", arxiv_id="2001.00001", sources=("openalex",)),
    ]
    merged = merge(same)
    assert [record.key for record in merged] == ["a", "b"]
    assert merged[0].sources == ("library", "arxiv", "openalex")
    assert (merged[0].abstract, merged[0].provenance["abstract"]) == ("text", "arxiv")
    assert merged[0].title == "A long title about things"


def test_two_groups_join_when_a_later_record_links_them() -> None:
    records = [
        paper("a", "One title of the paper", doi="10.1/a"),
        paper("b", "Other title of the paper", arxiv_id="2001.1"),
        paper("c", "Third", doi="10.1/a", arxiv_id="2001.1"),
    ]
    assert [record.key for record in merge(records)] == ["a"]


def test_two_papers_never_share_a_key() -> None:
    merged = merge([paper("k", f"A quite different title {n}") for n in "xyz"])
    assert [record.key for record in merged] == ["k", "kb", "kc"]


PAPERS = st.builds(
    paper,
    st.sampled_from(["k", "l", "m"]),
    st.sampled_from(["", "Introduction", "A title that is long enough", "Another title, long enough", "学习率"]),
    doi=st.sampled_from(["", "10.1/a", "https://doi.org/10.1/A", "10.48550/arXiv.2001.1"]),
    arxiv_id=st.sampled_from(["", "2001.1", "2001.1v2", "2002.9"]),
)


@given(st.lists(PAPERS, max_size=8))
@settings(max_examples=100, deadline=None)
def test_merging_loses_no_paper_and_settles(records: list[PaperRecord]) -> None:
    merged = merge(records)
    assert merge(merged) == merged
    names = [name for record in merged for name in identities(record)]
    assert len(set(names)) == len(names)
    assert sum(not identities(r) for r in records) <= len(merged) <= len(records)
    assert len({r.key for r in merged}) == len(merged)


ENTRY = """<entry><id>http://arxiv.org/abs/0712.0881v3</id><published>2007-12-06T00:00:00Z</published>
<title>On the  degrees of
freedom</title><summary>We study.</summary><author><name>Hui Zou</name></author>
<arxiv:doi xmlns:arxiv="http://arxiv.org/schemas/atom">10.1214/X</arxiv:doi></entry>"""
FEED = f'<?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom">{ENTRY}</feed>'.encode()
NOTHING = b'<?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom"></feed>'


async def test_arxiv(serve: Serve) -> None:
    service = serve(lambda *_: (200, {}, FEED))
    source = Arxiv(Net(), service.base)
    state, [record] = await source.search("degrees of the lasso", 5)
    assert (state, record.key, record.arxiv_id) == ("ok", "zou2007degrees", "0712.0881")
    assert (record.title, record.doi, record.year) == ("On the degrees of freedom", "10.1214/x", 2007)
    assert service.asked[0][1]["search_query"] == ["all:degree AND all:lasso"]
    assert (await source.lookup(paper("x", "t", arxiv_id="0712.0881v1")))[0] == "ok"
    assert service.asked[1][1]["id_list"] == ["0712.0881"]
    assert await source.lookup(paper("x", "A title without an identifier")) == ("not-asked", [])


BOMB = b'<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b "c">]><feed xmlns="http://www.w3.org/2005/Atom">&b;</feed>'


@pytest.mark.parametrize(
    ("reply", "state", "requests"),
    [
        ((200, {}, NOTHING), "empty", 1),
        ((404, {}, b"no"), "empty", 1),
        ((429, {"retry-after": "3600"}, b"slow"), "limited", 2),
        ((500, {}, b"oops"), "down", 2),
        ((403, {}, b"no"), "down", 1),
        ((200, {}, b"<html>captive portal"), "down", 1),
        ((200, {}, BOMB), "down", 1),
        ((200, {}, b"\xff\xfe\x00"), "down", 1),
    ],
)
async def test_a_failure_is_a_state_and_never_nothing_found(
    serve: Serve, reply: Reply, state: str, requests: int
) -> None:
    service = serve(lambda *_: reply)
    assert await Arxiv(Net(sleep=no_sleep), service.base).search("lasso", 5) == (state, [])
    assert len(service.asked) == requests


async def test_a_limit_that_passes_is_waited_for_within_reason(serve: Serve) -> None:
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    replies = iter([(429, {"retry-after": "3600"}, b""), (200, {}, FEED)])
    service = serve(lambda *_: next(replies))
    state, found = await Arxiv(Net(sleep=sleep), service.base).search("lasso", 5)
    assert (state, len(found), slept) == ("ok", 1, [10.0])


async def test_an_unreachable_service_is_known_after_one_try(serve: Serve) -> None:
    service = serve(lambda *_: (200, {}, FEED))
    service.shutdown()
    service.server_close()
    net = Net(sleep=no_sleep)
    source = Arxiv(net, service.base)
    assert await source.search("lasso", 5) == ("down", [])
    assert await source.search("ridge", 5) == ("down", [])


WORK = {"id": "https://openalex.org/W1", "title": "On the degrees of freedom", "doi": "https://doi.org/10.1/ABC",
        "publication_year": 2007, "authorships": [{"author": {"display_name": "Hui Zou"}}], "is_retracted": True,
        "abstract_inverted_index": {"study": [1], "We": [0], "it": [2]},
        "primary_location": {"source": {"display_name": "Annals"}, "landing_page_url": "https://x.org/1"}}  # fmt: skip


async def test_openalex(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    def answer(path: str, query: dict[str, list[str]]) -> Reply:
        if path.startswith("/works/doi:"):
            return (200, {}, json.dumps(WORK).encode()) if path.endswith("10.1/abc") else (404, {}, b"")
        return 200, {}, json.dumps({"results": [WORK, {"title": None}]}).encode()

    service = serve(answer)
    monkeypatch.setenv("PLAYED_KEY", "k1")
    source = OpenAlex(Net(), service.base, "PLAYED_KEY")
    state, [record] = await source.search("degrees", 5)
    assert (state, record.abstract, record.venue, record.doi) == ("ok", "We study it", "Annals", "10.1/abc")
    assert service.asked[0][1]["api_key"] == ["k1"]
    assert (await source.lookup(paper("x", "other", doi="10.1/ABC")))[0] == "ok"
    assert (await source.lookup(paper("x", "On the Degrees of Freedom", doi="10.9/none")))[0] == "ok"
    assert (await source.lookup(paper("x", "A title that nobody wrote", doi="10.9/none"))) == ("empty", [])


@needs_data
async def test_real_answers_are_read(serve: Serve) -> None:
    atoms = sorted((DATA / "literature" / "arxiv_atom").glob("*.xml"))
    works = sorted((DATA / "literature" / "openalex").glob("*_search_*http200.json"))
    for path in (*atoms, *works):
        body = path.read_bytes()
        service = serve(lambda *_, body=body: (200, {}, body))
        source: Any = Arxiv(Net(), service.base) if path.suffix == ".xml" else OpenAlex(Net(), service.base)
        state, records = await source.search("testing", 100)
        assert state in ("ok", "empty"), path.name
        assert all(record.title and record.key for record in records)


async def test_what_a_service_said_is_journalled_and_not_asked_again(serve: Serve, library: Library) -> None:
    service = serve(lambda *_: (200, {}, FEED))
    shelf = Literature([library, Arxiv(Net(), service.base)])
    desk = MemoryDesk(Settings(), stage_number=4)
    found = await shelf.search(desk, "ridge degrees", limit=10, path="search/q1")
    assert found.states == {"arxiv": "ok", "library": "ok"}
    # the arXiv entry is the library's third record: same identifier, so one paper
    again = await shelf.search(MemoryDesk(Settings(), stage_number=4, store=desk.store), "ridge degrees", limit=10,
                               path="search/q1")  # fmt: skip
    assert again == found
    assert len(service.asked) == 1
    assert desk.kinds() == ["effect-recorded"]


async def test_offline_asks_nobody(serve: Serve, library: Library) -> None:
    service = serve(lambda *_: (200, {}, FEED))
    shelf = Literature([library, Arxiv(Net(), service.base)], offline=True)
    desk = MemoryDesk(Settings(), stage_number=23)
    look = await shelf.lookup(desk, paper("c", "Bootstrap intervals"), path="lookup/c")
    assert look.outcomes == {"library": "ok", "arxiv": "not-asked"}
    assert look.in_library and look.found is None and not look.retracted
    assert service.asked == []


async def test_a_retraction_is_passed_on(serve: Serve) -> None:
    service = serve(lambda *_: (200, {}, json.dumps(WORK).encode()))
    shelf = Literature([OpenAlex(Net(), service.base)])
    look = await shelf.lookup(MemoryDesk(Settings(), stage_number=23), paper("c", "x", doi="10.1/abc"), path="l/c")
    assert look.retracted and not look.in_library


def test_which_sources_a_run_has() -> None:
    def names(s: Settings) -> list[str]:
        return [source.name for source in shelves(s).sources]

    rehearsal = RehearsalSettings(on=True)
    local = {"arxiv": LiteratureSource(base_url="http://127.0.0.1:1")}
    assert names(Settings()) == ["arxiv", "openalex"]
    assert names(Settings(literature={"openalex": LiteratureSource(enabled=False)})) == ["arxiv"]
    assert names(Settings(rehearsal=rehearsal)) == []
    assert names(Settings(rehearsal=rehearsal, literature=local)) == ["arxiv"]
