"""A loopback HTTP server that plays a model over the OpenAI chat-completions wire format.

Belongs here: the wire, ordinary and bad manners, a log of every request. Not here: what is answered
(`agents.rehearsal.brain`, or a test's own behaviour).

    python -m tests.models_server.server --port 0 --study micro --seed 0 [--faults a,b] [--log FILE]
        [--manners prose,fences,truncated-once,429-once]

The first line on stdout is {"port": N}. Each line of the log is one request; `key` is a hash of its
messages without the run's own tokens, so that what was asked twice can be counted, and two runs compared.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import re
import socket
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Literal

from agents.rehearsal.brain import answer
from cockpit.kernel.model import canonical, sha256
from cockpit.kernel.settings import RehearsalSettings

PIECES = 8
TOKEN = re.compile(r"\b[0-9a-f]{10,64}\b")  # fence markers and nonces differ from run to run
End = Literal["whole", "cut", "no-end", "stall", "keep-alive", "in-band-error"]
MANNERS = ("prose", "fences", "truncated-once", "429-once")


@dataclass(frozen=True)
class Manner:
    """How one request is answered. `end` other than whole stops after half of the text."""

    text: str = "{}"
    status: int = 200
    error: dict[str, Any] = field(default_factory=dict)
    headers: dict[str, str] = field(default_factory=dict)
    finish: str = "stop"
    end: End = "whole"
    reported: str | None = None  # None = the model that was asked for
    usage: bool = True
    reasoning: str = ""
    refusal: str = ""


Behaviour = Callable[[dict[str, Any], int], Manner]  # request, number of the request from 1


class ModelsServer(ThreadingHTTPServer):
    """Threads, loopback only. `requests` are the bodies in order, `authorizations` their headers."""

    daemon_threads = True
    block_on_close = False

    def __init__(self, behave: Behaviour, *, port: int = 0, log: Path | None = None) -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        self.behave, self.log = behave, log
        self.requests: list[dict[str, Any]] = []
        self.authorizations: list[str] = []
        self.closed_early = 0
        self.released = threading.Event()  # ends stalls
        self._lock = threading.Lock()
        self._asked: Counter[str] = Counter()

    @property
    def base(self) -> str:
        """The `api_base` to configure."""
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    def note(self, request: dict[str, Any], authorization: str) -> Manner:
        """Count and log a request, before it is answered."""
        with self._lock:
            self.requests.append(request)
            self.authorizations.append(authorization)
            number = len(self.requests)
            key = sha256(TOKEN.sub("·", canonical(request.get("messages")).decode()))
            self._asked[key] += 1
            manner = self.behave(request, number)
            if self.log is not None:
                line = {"number": number, "key": key, "times": self._asked[key], "model": request.get("model"),
                        "status": manner.status, "finish": manner.finish, "task": _task(request)}  # fmt: skip
                with self.log.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(line) + "\n")
        return manner

    def start(self) -> None:
        """Serve in a thread of its own."""
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()

    def stop(self) -> None:
        """End stalls and the serving thread."""
        self.released.set()
        self.shutdown()
        self.server_close()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that goes away in mid-answer is ordinary here."""
        with self._lock:
            self.closed_early += 1


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: ModelsServer
    disable_nagle_algorithm = True

    def log_message(self, format: str, *args: Any) -> None:
        """The log is `ModelsServer.log`."""

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["content-length"])))
        manner = self.server.note(request, self.headers.get("authorization", ""))
        if manner.status != 200:
            self._whole(manner.status, {"error": manner.error or {"message": "no"}}, manner.headers)
        elif request.get("stream"):
            self._streamed(request, manner)
        else:
            self._whole(200, _completion(request, manner), {})

    def _whole(self, status: int, body: dict[str, Any], headers: dict[str, str]) -> None:
        data = json.dumps(body).encode()
        self.send_response(status)
        for name, value in {"content-type": "application/json", "content-length": str(len(data)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def _streamed(self, request: dict[str, Any], manner: Manner) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        text = manner.text if manner.end == "whole" else manner.text[: len(manner.text) // 2]
        self._send({"role": "assistant", "content": ""}, request, manner)
        if manner.reasoning:
            self._send({"reasoning_content": manner.reasoning}, request, manner)
        if manner.refusal:
            self._send({"refusal": manner.refusal}, request, manner)
        size = max(1, -(-len(text) // PIECES))
        for at in range(0, len(text), size):
            self._send({"content": text[at : at + size]}, request, manner)
        if self._ended_badly(manner):
            return
        self._send({}, request, manner, finish=manner.finish)
        if manner.usage:
            self._event({**_base(request, manner), "choices": [], "usage": _usage(request, manner)})
        self._line("data: [DONE]\n\n")
        self.wfile.write(b"0\r\n\r\n")

    def _ended_badly(self, manner: Manner) -> bool:
        match manner.end:
            case "whole":
                return False
            case "cut":
                self.connection.shutdown(socket.SHUT_RDWR)
            case "no-end":
                self.wfile.write(b"0\r\n\r\n")
            case "in-band-error":
                self._event({"error": {"message": "overloaded", "type": "server_error", "code": 500}})
                self.wfile.write(b"0\r\n\r\n")
            case "stall":
                self.server.released.wait(20)
            case "keep-alive":
                until = time.monotonic() + 20
                while time.monotonic() < until and not self.server.released.wait(0.05):
                    self._line(": keep-alive\n\n")
        self.close_connection = True
        return True

    def _send(self, delta: dict[str, Any], request: dict[str, Any], manner: Manner, finish: str | None = None) -> None:
        self._event({**_base(request, manner), "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]})

    def _event(self, data: dict[str, Any]) -> None:
        self._line(f"data: {json.dumps(data)}\n\n")

    def _line(self, text: str) -> None:
        data = text.encode()
        self.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")


def _base(request: dict[str, Any], manner: Manner) -> dict[str, Any]:
    model = request.get("model") if manner.reported is None else manner.reported
    return {"id": "chatcmpl-played", "object": "chat.completion.chunk", "created": 0, "model": model}


def _completion(request: dict[str, Any], manner: Manner) -> dict[str, Any]:
    message = {"role": "assistant", "content": manner.text}
    choice = {"index": 0, "message": message, "finish_reason": manner.finish}
    return {
        **_base(request, manner),
        "object": "chat.completion",
        "choices": [choice],
        "usage": _usage(request, manner),
    }


def _usage(request: dict[str, Any], manner: Manner) -> dict[str, Any]:
    asked = sum(len(str(m.get("content") or "")) for m in request.get("messages", [])) // 4 + 1
    said = len(manner.text) // 4 + 1
    return {"prompt_tokens": asked, "completion_tokens": said, "total_tokens": asked + said}


def _task(request: dict[str, Any]) -> str:
    texts = [str(m.get("content") or "") for m in request.get("messages", []) if m.get("role") == "user"]
    return texts[0].split("\n", maxsplit=1)[0].removeprefix("# Task ") if texts else ""


def rehearsed(how: RehearsalSettings, manners: tuple[str, ...] = ()) -> Behaviour:
    """Answers of the rehearsal brain, with ordinary bad manners around them; the once-only ones in turn."""
    left = [name for name in manners if name.endswith("-once")]

    def behave(request: dict[str, Any], number: int) -> Manner:
        if left and number > 1:  # the first request shows that all is well otherwise
            match left[0]:
                case "429-once":
                    left.pop(0)
                    error = {"message": "slow down", "type": "rate_limit_error", "code": "rate_limit_exceeded"}
                    return Manner(status=429, error=error, headers={"retry-after": "0.05"})
                case "truncated-once":
                    left.pop(0)
                    text = answer(request["messages"], _played(request), how)
                    return Manner(text[: len(text) // 2], finish="length", reported=_reported(request))
        text = answer(request["messages"], _played(request), how)
        return Manner(_dressed(text, manners, number), reported=_reported(request))

    return behave


def _played(request: dict[str, Any]) -> str:
    """`rehearsal/a` however the client spells it."""
    name = str(request.get("model", "")).rsplit("/", maxsplit=1)[-1]
    return f"rehearsal/{name if name in ('a', 'b') else 'a'}"


def _reported(request: dict[str, Any]) -> str | None:
    """The rehearsal's own names are reported in full; any other model reports the name it was asked by."""
    name = str(request.get("model", "")).rsplit("/", maxsplit=1)[-1]
    return _played(request) if name in ("a", "b") else None


def _dressed(text: str, manners: tuple[str, ...], number: int) -> str:
    bare = text.lstrip().startswith("{")
    if bare and "fences" in manners and number % 2:
        text = f"```json\n{text}\n```"
    if "prose" in manners and number % 3:
        text = f"Certainly. Here is what you asked for:\n\n{text}\n\nTell me if anything should change {{or not}}."
    return text


def main(arguments: list[str] | None = None) -> None:
    """Serve until killed."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--study", default="micro")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--faults", default=None, help="comma-separated; all when not given, none when empty")
    parser.add_argument("--log", type=Path, default=None)
    parser.add_argument("--manners", default="")
    given = parser.parse_args(arguments)
    manners = tuple(name for name in given.manners.split(",") if name)
    if unknown := set(manners) - set(MANNERS):
        parser.error(f"unknown manners: {', '.join(sorted(unknown))}")
    how: dict[str, Any] = {"on": True, "study": given.study, "seed": given.seed}
    if given.faults is not None:
        how["faults"] = tuple(name for name in given.faults.split(",") if name)
    server = ModelsServer(rehearsed(RehearsalSettings.model_validate(how), manners), port=given.port, log=given.log)
    sys.stdout.write(json.dumps({"port": server.server_address[1]}) + "\n")
    sys.stdout.flush()
    with contextlib.suppress(KeyboardInterrupt):
        server.serve_forever(poll_interval=0.1)


if __name__ == "__main__":
    main()
