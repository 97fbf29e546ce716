"""The parent of one job from its start to its end, and the only one who can say how it ended.

Belongs here: starting one command, keeping its limits, ending what it leaves behind, saying so in
`exit.json`. Not here: boxes (`box.py`), receipts (`receipts.py`), anything of the cockpit.

Runs in an interpreter and a session of its own (`job.py`), so that it and its job outlive the cockpit.
Standard library only, and heavy imports only after the job has started: each millisecond before that
is paid by every job. Its environment is the job's environment. It writes, in the job's folder:

`job.json`   who runs: attempt, pid, ticks, init, init_ticks, boot, group
`exit.json`  how it ended: attempt, boot, code, reason, why, started_s, ended_s, wall_s (less the time on
             hold), cpu_s, peak_mb, swept, synced, dropped
`live`       one padded line of JSON, rewritten at each sample
`log`        what the job printed

Signals: TERM cancels, USR1 holds (the wall clock stands still), USR2 releases.
"""

from __future__ import annotations

import ctypes
import os
import resource
import select
import signal
import time

from sandbox import ceiling
from sandbox.output import CappedLog, disk_used, sync_tree
from sandbox.processes import boot_id, cpu_seconds, descendants, proportional, resident, stat, tell, ticks

PR_SET_CHILD_SUBREAPER = 36
MIB = 1 << 20
LIVE_WIDTH = 160
SLOW_S, FAST_S, DISK_S = 0.1, 0.01, 1.0  # seconds between samples; fast at the start and near a ceiling
SYNC_AFTER_S = 10.0  # outputs of longer jobs are made durable before exit.json says they are there


def put(name: str, value: dict[str, object]) -> None:
    """Write `name` as JSON, whole or not at all, durably."""
    import json

    with open(name + ".tmp", "w") as file:
        file.write(json.dumps(value, sort_keys=True) + "\n")
        file.flush()
        os.fsync(file.fileno())
    os.rename(name + ".tmp", name)  # noqa: PTH104  pathlib would cost each job milliseconds


class Output:
    """The job's output on its way from a pipe to `log`."""

    def __init__(self, cap: int) -> None:
        self.log = CappedLog("log", cap)
        self.read_end, self.write_end = os.pipe()
        os.set_blocking(self.read_end, False)
        self.open = True

    def pump(self) -> None:
        """Copy what is there, at most 1 MiB so that samples keep their rhythm."""
        for _ in range(16):
            try:
                data = os.read(self.read_end, 65536)
            except BlockingIOError:
                return
            self.open = bool(data)
            if not data:
                return
            self.log.take(data)

    def finish(self) -> None:
        """Take what is still in the pipe: its writers are dead."""
        until = time.monotonic() + 0.2
        while self.open and time.monotonic() < until:
            self.pump()
            select.select([self.read_end], [], [], 0.02)
        self.log.finish()


class Launcher:
    """One job. `ask` holds the ceilings: attempt, wall_s, memory_mb, tasks, disk_mb, output_mb, cpu_s, boxed."""

    def __init__(self, ask: dict[str, str], command: list[str]) -> None:
        self.attempt, self.command, self.boxed = int(ask["attempt"]), command, ask["boxed"] == "1"
        self.wall, self.tasks = float(ask["wall_s"]), int(ask["tasks"])
        self.memory, self.disk = int(ask["memory_mb"]) * MIB, int(ask["disk_mb"]) * MIB
        self.cpu_limit, self.output = int(ask["cpu_s"]), Output(int(ask["output_mb"]) * MIB)
        self.me = os.getpid()
        self.reason = self.why = ""
        self.code: int | None = None
        self.cpu, self.cpu_reaped, self.peak, self.swept = 0.0, 0.0, 0, 0
        self.held_since: float | None = None
        self.next_disk, self.next_sample, self.pace = 0.0, 0.0, FAST_S
        self.box = self.init = 0
        self.box_says = b""
        self.live = os.open("live", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)

    def run(self) -> None:
        """From start to `exit.json`."""
        self.wake, wake_write = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        for number in (signal.SIGCHLD, signal.SIGTERM, signal.SIGUSR1, signal.SIGUSR2):
            signal.signal(number, lambda *_: None)
        signal.set_wakeup_fd(wake_write, warn_on_full_buffer=False)
        self.began = self.clock = time.monotonic()
        self.began_at = time.time()
        self.group = ceiling.make_group(f"cockpit-{self.me}-{ticks(self.me)}", self.tasks)
        self.start()
        self.say_who()
        while not self.ended():
            self.attend()
        wall = (self.held_since or time.monotonic()) - self.clock
        self.sweep()
        self.output.finish()
        if wall > SYNC_AFTER_S:
            sync_tree("work")
        self.say_how(wall)

    def start(self) -> None:
        """Fork and exec the job. A command that cannot be executed ends as could-not-start."""
        self.box_status, status_write = os.pipe()
        failed_read, failed_write = os.pipe()
        self.box = os.fork()
        if self.box == 0:
            try:
                self.become_the_job(status_write)
            except OSError as error:
                os.write(failed_write, str(error).encode())
            finally:
                os._exit(127)
        for fd in (status_write, failed_write, self.output.write_end):
            os.close(fd)
        os.set_blocking(self.box_status, False)
        self.init, self.box_open = (0, True) if self.boxed else (self.box, False)
        if failure := os.read(failed_read, 4096).decode(errors="replace"):
            self.reason, self.why = "could-not-start", f"{self.command[0]}: {failure}"
        os.close(failed_read)

    def become_the_job(self, status: int) -> None:
        nothing = os.open(os.devnull, os.O_RDONLY)
        for fd, target in ((nothing, 0), (self.output.write_end, 1), (self.output.write_end, 2)):
            os.dup2(fd, target)
        for number in (signal.SIGPIPE, signal.SIGXFSZ):
            signal.signal(number, signal.SIG_DFL)  # Python ignores them, and ignored ones are inherited
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_FSIZE, (self.disk, self.disk))
        resource.setrlimit(resource.RLIMIT_CPU, (self.cpu_limit, self.cpu_limit + 5))  # soft < hard: XCPU, not KILL
        ceiling.enter(self.group, self.tasks, self.boxed)
        command = self.command
        if self.boxed:
            os.set_inheritable(status, True)
            command = [command[0], "--json-status-fd", str(status), *command[1:]]
        else:
            os.chdir("work")
        os.execvp(command[0], command)

    def say_who(self) -> None:
        who = {"attempt": self.attempt, "pid": self.me, "ticks": ticks(self.me), "boot": boot_id()}
        who |= {"group": self.group}
        put("job.json", who | {"init": self.init, "init_ticks": ticks(self.init) if self.init else -1})

    def attend(self) -> None:
        """Wait for the next thing to happen, and see to it."""
        pause = max(0.0, self.next_sample - time.monotonic()) if self.held_since is None else None
        ready, _, _ = select.select(self.sources(), [], [], pause)
        if self.output.read_end in ready:
            self.output.pump()
        if self.box_status in ready:
            self.hear_box()
        for number in os.read(self.wake, 64) if self.wake in ready else b"":
            if number == signal.SIGTERM:
                self.end("cancelled")
            elif number == signal.SIGUSR1:
                self.hold()
            elif number == signal.SIGUSR2:
                self.release()
        if self.held_since is None and time.monotonic() >= self.next_sample:
            self.sample()

    def sources(self) -> list[int]:
        asked = ((self.wake, True), (self.output.read_end, self.output.open), (self.box_status, self.box_open))
        return [fd for fd, still in asked if still]

    def hear_box(self) -> None:
        """bubblewrap says which process is pid 1 of the box: the one whose death ends it all."""
        said = os.read(self.box_status, 4096)
        self.box_says += said
        if b'"child-pid":' in self.box_says:
            self.init = int(self.box_says.split(b'"child-pid":', 1)[1].split(b",", 1)[0])
            self.say_who()
        self.box_open = bool(said) and not self.init  # what comes later is read at the end

    def ended(self) -> bool:
        """Reap whoever ended; True once the job's own process has."""
        while True:
            try:
                pid, status, usage = os.wait4(-1, os.WNOHANG)
            except ChildProcessError:
                return True
            if pid == 0:
                return False
            self.reap(usage)
            if pid == self.box:
                code = os.waitstatus_to_exitcode(status)
                self.code = code if code >= 0 else 128 - code
                return True

    def reap(self, usage: resource.struct_rusage) -> None:
        """Each reaped process carries the usage of all that it had waited for; pid 1 of the box, that of the job."""
        self.cpu_reaped += usage.ru_utime + usage.ru_stime
        self.peak = max(self.peak, usage.ru_maxrss * 1024)

    def end(self, reason: str, why: str = "") -> None:
        """Kill the job; the first reason stays."""
        if not self.reason:
            self.reason, self.why = reason, why
        self.next_sample = time.monotonic() + SLOW_S
        ceiling.shut(self.group)
        tell([self.init] if self.init else [], signal.SIGKILL)
        tell(descendants(self.me)[0], signal.SIGKILL)

    def sweep(self) -> None:
        """End and reap everything below: bubblewrap leaves processes behind at a normal end too."""
        while left := descendants(self.me)[0]:
            self.swept += sum(pid != self.init and (stat(pid) or "Z")[0] != "Z" for pid in left)
            ceiling.shut(self.group)
            tell(left, signal.SIGKILL)
            self.reap_all(left)
        ceiling.remove_group(self.group)

    def reap_all(self, dying: list[int]) -> None:
        """Reap what was killed: wait for one, then take all that are ready, before the tree is walked again."""
        flags = 0
        for _ in dying:
            try:
                pid, _, usage = os.wait4(-1, flags)
            except ChildProcessError:
                return
            if pid == 0:
                return
            self.reap(usage)
            flags = os.WNOHANG

    def sample(self) -> None:
        """Measure the tree, write `live`, keep the ceilings."""
        now = time.monotonic()
        pids, tasks = descendants(self.me)
        mine = [pid for pid in pids if not (self.boxed and pid in (self.box, self.init))]
        memory = sum(map(resident, mine))
        self.peak = max(self.peak, memory)
        self.cpu = max(self.cpu, self.cpu_reaped + sum(map(cpu_seconds, pids)))
        tasks -= len(pids) - len(mine)
        self.write_live(now, memory, tasks)
        busy = now - self.clock < 0.2 or memory * 2 > self.memory or tasks * 2 > self.tasks
        self.pace = FAST_S if busy else min(SLOW_S, self.pace * 1.5)
        left = self.wall - (now - self.clock)
        self.next_sample = now + max(0.0, min(self.pace, left))
        if left <= 0:
            self.end("timed-out", f"over {self.wall:g} s of wall time")
        elif memory > self.memory and proportional(mine) > self.memory:
            self.end("out-of-memory", f"over {self.memory // MIB} MiB of memory")
        elif tasks > self.tasks:
            self.end("killed", f"over {self.tasks} processes and threads")
        elif now >= self.next_disk and now - self.clock > DISK_S / 2:
            self.next_disk = now + DISK_S
            if disk_used("work") > self.disk:
                self.end("killed", f"over {self.disk // MIB} MiB of files")

    def write_live(self, now: float, memory: int, tasks: int) -> None:
        held = "true" if self.held_since is not None else "false"
        line = (
            f'{{"at": {now:.3f}, "cpu_s": {self.cpu:.3f}, "mb": {memory / MIB:.1f}, "tasks": {tasks}, "held": {held}}}'
        )
        os.pwrite(self.live, line.ljust(LIVE_WIDTH - 1).encode() + b"\n", 0)

    def hold(self) -> None:
        """Freeze the tree: a fork between looking and stopping shows up in the next round."""
        if self.held_since is not None or self.reason:
            return
        for _ in range(50):
            running = [pid for pid in descendants(self.me)[0] if (stat(pid) or "Z")[0] not in "TtZ"]
            if not running:
                break
            tell(running, signal.SIGSTOP)
            time.sleep(0.002)
        self.held_since = time.monotonic()
        self.write_live(self.held_since, 0, 0)

    def release(self) -> None:
        if self.held_since is None:
            return
        self.clock += time.monotonic() - self.held_since  # a frozen job's clock stands still
        self.held_since = None
        tell(reversed(descendants(self.me)[0]), signal.SIGCONT)
        self.sample()

    def say_how(self, wall: float) -> None:
        """The verdict. A code that we caused ourselves is no code of the job."""
        if self.boxed and not self.reason:
            self.hear_the_end()
        match self.code:
            case _ if self.reason:
                self.code = None
            case 0:
                self.reason = "finished"
            case 137 | 143:
                self.reason, self.why = "killed", "killed from outside, perhaps by the kernel for lack of memory"
            case 152:
                self.reason, self.code, self.why = "timed-out", None, f"over {self.cpu_limit} s of CPU time"
            case _:
                self.reason = "failed"
        verdict = {
            "attempt": self.attempt,
            "boot": boot_id(),
            "code": self.code,
            "reason": self.reason,
            "why": self.why,
        }
        times = {"started_s": self.began_at, "ended_s": self.began_at + (time.monotonic() - self.began), "wall_s": wall}
        usage = {"cpu_s": max(self.cpu, self.cpu_reaped), "peak_mb": self.peak / MIB, "swept": self.swept}
        synced = {"synced": wall > SYNC_AFTER_S, "dropped": self.output.log.dropped}
        put("exit.json", verdict | times | usage | synced)

    def hear_the_end(self) -> None:
        """A box that failed before the job ran reports no exit code of a job."""
        try:
            self.box_says += os.read(self.box_status, 65536)
        except BlockingIOError:
            return
        if b'"exit-code":' not in self.box_says and self.code == 1:
            self.reason, self.why = "could-not-start", "bubblewrap could not make the box"


def claim(attempt: str) -> bool:
    """Only one may run an attempt: its launcher, or an adopter who found none and closes the door."""
    try:
        os.close(os.open(f"claim.{attempt}", os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644))
    except FileExistsError:
        return False
    return True


def launch(folder: str, words: list[str]) -> None:
    """Run one job: `words` are name=value, then -- and the command."""
    os.chdir(folder)
    cut = words.index("--")
    ask = dict(word.split("=", 1) for word in words[:cut])
    if not claim(ask["attempt"]):
        return
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    Launcher(ask, words[cut + 1 :]).run()
