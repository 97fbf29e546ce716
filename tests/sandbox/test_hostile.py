"""Code that means harm, on the backends that isolate. Everything here is bounded, and runs only in a box."""

from __future__ import annotations

import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from sandbox_bench import Bench

CONNECT = """
import socket, sys
try:
    socket.create_connection(("127.0.0.1", int(sys.argv[1])), timeout=2).sendall(b"out")
    print("connected")
except OSError as error:
    print("refused")
"""
INTERFACES = "import socket\nprint(sorted(name for _, name in socket.if_nameindex()))\n"
BOMB = """
import os, time
for _ in range(9):  # at most 512 processes, should nothing stop it
    try:
        os.fork()
    except OSError:
        time.sleep(0.01)
time.sleep(10)
"""
WRITES = """
import os, stat
paths = ["/usr/x", "/etc/x", "/x", "/lib/x", "/dev/x", os.path.dirname(os.__file__) + "/x", "../log", "../exit.json"]
for top, names, files in os.walk("/proc"):
    names[:] = [n for n in names if not n.isdigit() and n not in ("self", "thread-self")]
    paths += [f"{top}/{name}" for name in files]
for path in paths:
    try:
        fd = os.open(path, os.O_WRONLY | (0 if path.startswith("/proc") else os.O_CREAT))
        if stat.S_ISREG(os.fstat(fd).st_mode) and not path.startswith("/proc/pressure/"):
            print("could write", path)
    except OSError:
        pass
print("tried", len(paths) > 500)
"""
IDENTITY = """
import os
status = dict(line.split(":", 1) for line in open("/proc/self/status"))
print(os.getuid(), status["CapEff"].strip(), status["CapBnd"].strip(), status["NoNewPrivs"].strip())
print(os.path.exists("/var/run/docker.sock"), len([p for p in os.listdir("/proc") if p.isdigit()]) < 10)
"""


@pytest.fixture
def listener() -> socket.socket:
    """A server of our own on the loopback of this machine."""
    server = socket.create_server(("127.0.0.1", 0))
    server.settimeout(0.5)
    return server


async def test_no_connection_leaves_the_box(isolated: Bench, listener: socket.socket, tmp_path: Path) -> None:
    port = str(listener.getsockname()[1])
    outside = subprocess.run([sys.executable, "-c", CONNECT, port], capture_output=True, text=True, check=True)  # noqa: ASYNC221
    assert outside.stdout.strip() == "connected"
    listener.accept()[0].close()

    assert (await isolated.ran(CONNECT, port)).tail == ("refused",)
    assert (await isolated.ran(INTERFACES)).tail == ("['lo']",)
    with pytest.raises(TimeoutError):
        listener.accept()


async def test_a_fork_bomb_is_stopped_and_nobody_else_notices(isolated: Bench) -> None:
    spec = isolated.spec(BOMB, limits={"processes": 12, "wall_s": 3})
    lag, stop = [0.0], threading.Event()

    def feel() -> None:
        while not stop.is_set():
            began = time.monotonic()
            stop.wait(0.01)
            lag[0] = max(lag[0], time.monotonic() - began - 0.01)

    thread = threading.Thread(target=feel)
    thread.start()
    result = await isolated.run(spec)
    stop.set()
    thread.join()

    assert result.receipt.reason in ("killed", "timed-out") and result.receipt.usage.wall_s < 5
    assert not isolated.leftovers(spec)
    assert lag[0] < 1.0


async def test_nothing_outside_the_folder_can_be_written(isolated: Bench) -> None:
    """Devices (masks are /dev/null) and /proc/pressure (open to everybody on any Linux, and only asks) do not count."""
    spec = isolated.spec(WRITES)
    result = await isolated.run(spec)

    assert result.tail == ("tried True",)
    assert sorted(p.name for p in (isolated.jobs / spec.id / "work").iterdir()) == ["run.py"]


async def test_a_job_is_nobody_with_no_capability(isolated: Bench) -> None:
    who, seen = (await isolated.ran(IDENTITY)).tail

    uid, effective, bounding, no_new_privileges = who.split()
    assert int(effective, 16) == 0 and no_new_privileges == "1" and uid != "0"
    assert isolated.backend.name == "bubblewrap" or int(bounding, 16) == 0
    assert seen == "False True"


async def test_memory_files_are_bounded_too(isolated: Bench) -> None:
    code = """
written = 0
for path in ("/tmp/big", "/dev/shm/big", "/dev/big"):
    try:
        with open(path, "wb") as file:
            for _ in range(64):
                written += file.write(bytes(1 << 20))
    except OSError:
        pass
print(written >> 20)
"""
    result = await isolated.ran(code, limits={"disk_mb": 8, "memory_mb": 128})
    assert result.receipt.reason == "finished" and int(result.tail[0]) <= 16


async def test_links_in_outputs_lead_nowhere(isolated: Bench) -> None:
    code = """
import os
os.symlink("/etc/passwd", "results.json")
os.mkfifo("pipe.json")
os.makedirs("shut/inner")
open("shut/inner/a.json", "w").close()
os.chmod("shut", 0)
"""
    spec = isolated.spec(code, outputs=("*.json",))
    result = await isolated.run(spec)

    assert result.ok and result.receipt.outputs == {}
    assert "[cockpit: results.json: a link]" in result.tail
    assert (await isolated.run(spec)).ok  # and the folder can be emptied for a new attempt
