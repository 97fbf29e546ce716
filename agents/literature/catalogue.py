"""Which literature sources a run has: the local library, and the network sources of its settings.

Belongs here: putting sources together by name; a new source is a file and a line here. Not here: a
source. A rehearsal asks the network only where its settings name a source.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit

from agents.literature import arxiv, openalex
from agents.literature.library import read_library
from agents.literature.net import Net
from agents.literature.shelves import Literature, Source
from cockpit.kernel.settings import LiteratureSource, Settings

NETWORK: dict[str, Callable[[Net, LiteratureSource], Source]] = {
    "arxiv": lambda net, how: arxiv.Arxiv(net, how.base_url or arxiv.BASE),
    "openalex": lambda net, how: openalex.OpenAlex(net, how.base_url or openalex.BASE, how.key_env),
}
PACE = {urlsplit(arxiv.BASE).netloc: arxiv.PACE_S, urlsplit(openalex.BASE).netloc: openalex.PACE_S}


def shelves(settings: Settings, library: Path | None = None) -> Literature:
    """The sources of a run, local first.

    Raises:
        StageError: the library cannot be read.
    """
    sources: list[Source] = [read_library(library)] if library is not None else []
    net = Net(PACE)
    for name, make in sorted(NETWORK.items()):
        how = settings.literature.get(name)
        if how is None and not settings.rehearsal.on:
            how = LiteratureSource()
        if how is not None and how.enabled:
            sources.append(make(net, how))
    return Literature(sources, settings.offline, net)
