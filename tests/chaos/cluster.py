"""Rounds of faults on a real Dask cluster: a run is disturbed one to three times, recovered, and compared.

Scheduler and workers are processes of their own, which stay over the rounds as far as the faults let them. The
coordinator is a fork of this process, with less patience than usual.
"""

from __future__ import annotations

import contextlib
import os
import resource
import shlex
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import distributed
import psutil

import setset
from setset.batches.ownership import TOKEN
from setset.executors.dask import executor as dask_executor
from setset.executors.dask.client import Timeouts
from setset.folder import WorkspaceFolder
from tests.chaos.cluster_worker import HANGING, TWICE, UNMOUNTED
from tests.chaos.commands import perform
from tests.chaos.processes import Outcome, wait_until
from tests.chaos.scene import Plan, Scene, Stage
from tests.chaos.sequences import Sequence, Verdict, judge, spoken
from tests.executors.dask.conftest import Cluster

PLANS = (
    Plan(18, (1_000, 5_000), (None, None), compacted=False),
    Plan(18, (1_000, 5_000), (None, "out"), compacted=False),
    Plan(16, (2_000, 20_000), (None, None), compacted=False),
)
"""Some dozens of sources, some hundred files: a second of work."""
WORKERS = 2
SOURCES = Path(setset.__file__).parents[1]
PATIENCE = Timeouts(
    connect=15,
    scheduler=15,
    other_workers=2,
    no_workers=60,
    lost_task=8,
    late_task=5,
    silent=3,
    recheck=1,
    interval=0.2,
)
OLDER = "$(git rev-list -1 HEAD -- setset/batches setset/cards.py setset/engine setset/tasks)~1"
"""The commit before the last change of the sources that decide the bytes of a file, in words of the shell."""
FEW_BYTES = 100
"""Smaller than any file: the disk is full."""
LONGEST = 400


class Servers:
    """A scheduler and its workers, as many of them as there should be whenever a round begins."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._made = folder, 0
        self.flags = folder / "flags"
        self.flags.mkdir(parents=True)
        self._cluster: Cluster | None = None
        self.workers: list[subprocess.Popen[bytes]] = []

    @property
    def address(self) -> str:
        return str(self.cluster.file)

    @property
    def cluster(self) -> Cluster:
        if self._cluster is None:
            self._made += 1
            sandbox = self._folder / str(self._made)
            sandbox.mkdir()
            self._cluster = Cluster(sandbox, DASK_DISTRIBUTED__WORKER__PROFILE__ENABLED="False")
        return self._cluster

    def make_ready(self) -> None:
        """Starts what is not there, whatever the last round did to it."""
        for flag in self.flags.iterdir():
            flag.unlink()
        if self._cluster is not None and self._cluster.scheduler.poll() is not None:
            self.close()
        for worker in self.workers:
            send(worker.pid, signal.SIGCONT)
        self.workers = [worker for worker in self.workers if worker.poll() is None]
        while len(self.workers) < WORKERS:
            preload = str(Path(__file__).with_name("cluster_worker.py"))
            flags = {"SETSET_CHAOS_FLAGS": str(self.flags)}
            self.workers.append(self.cluster.worker("--preload", preload, **flags))

    def start_other_build(self) -> None:
        """A worker of another build of the same version: an older commit, or, without one, an altered copy."""
        sandbox = self._folder / "other"
        if not sandbox.exists():
            sandbox.mkdir()
            command = f"git archive {OLDER} setset | tar -x -C {shlex.quote(str(sandbox))}"
            if subprocess.run(command, shell=True, cwd=SOURCES, capture_output=True).returncode:
                shutil.copytree(SOURCES / "setset", sandbox / "setset", dirs_exist_ok=True)
                with (sandbox / "setset/batches/format.py").open("a") as file:
                    file.write("# altered\n")
        self.workers.append(self.cluster.worker(PYTHONPATH=str(sandbox)))

    def close(self) -> None:
        if self._cluster is not None:
            self._cluster.close()
        self._cluster, self.workers = None, []


class Round:
    """A workspace, and the coordinator that is at work there."""

    def __init__(self, scene: Scene, servers: Servers, ship: bool) -> None:
        self.scene, self.servers, self.ship = scene, servers, ship
        self._log = scene.folder / "coordinator.log"
        self._pid: int | None = None

    @property
    def root(self) -> Path:
        """Storage root of the last size."""
        output = self.scene.plan.outputs[-1]
        return self.scene.folder / output if output else self.scene.workspace / "batches"

    def start(self) -> int:
        """The pid of the coordinator; a new one if the last has ended."""
        if self._pid is None or self.is_over():
            arguments = self.scene.arguments("run")
            sandbox = arguments.index("--workers")
            arguments[sandbox : sandbox + 2] = ["--executor", f"dask={self.servers.address}"]
            self._pid = _fork(self._log, *arguments, *(["--ship"] if self.ship else []))
        return self._pid

    def is_over(self) -> bool:
        """Whether the coordinator has ended."""
        if self._pid is None:
            return True
        ended, status = os.waitpid(self._pid, os.WNOHANG)
        if ended:
            code = os.waitstatus_to_exitcode(status)
            output = self._log.read_text() if self._log.exists() else ""
            self._log.unlink(missing_ok=True)
            self.scene.commands.append(("run on the cluster", Outcome(128 - code if code < 0 else code, output)))
            self._pid = None
        return bool(ended)

    def wait_for_files(self, count: int) -> None:
        """Waits until there are `count` files, or the run is over."""
        wait_until(lambda: len(self.scene.files()) >= count or self.is_over(), LONGEST)

    def finish(self) -> Outcome:
        """Waits for the end of the coordinator, and says how the last one ended."""
        if self._pid is not None:
            send(self._pid, signal.SIGCONT)
        if not wait_until(self.is_over, LONGEST):
            self.scene.problems.append("the coordinator hangs")
            send(self._pid or 0, signal.SIGKILL)
            wait_until(self.is_over)
        return next(outcome for name, outcome in reversed(self.scene.commands) if not name.startswith("["))


def _fork(log: Path, *arguments: str) -> int:
    """A command in a fork of this process, with less patience for the cluster than usual."""
    pid = os.fork()
    if pid == 0:
        try:
            dask_executor.Timeouts = lambda: PATIENCE  # type: ignore[assignment,misc]
            outcome = perform(*arguments)
            with contextlib.suppress(OSError):
                log.write_text(outcome.output, encoding="utf-8", errors="replace")
            os._exit(outcome.code % 256)
        finally:
            os._exit(99)
    return pid


def send(pid: int, number: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, number)


@contextlib.contextmanager
def _stopped(pid: int) -> Iterator[None]:
    send(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        send(pid, signal.SIGCONT)


def _stop(pid: int, seconds: float) -> None:
    with _stopped(pid):
        time.sleep(seconds)


def kill_worker(round_: Round, random: Random) -> None:
    victim = random.choice(round_.servers.workers)
    victim.kill()
    victim.wait()
    if random.random() < 0.5:
        round_.servers.make_ready()


def stop_worker(round_: Round, random: Random) -> None:
    _stop(random.choice(round_.servers.workers).pid, random.uniform(0.2, 2))


def execute_twice(round_: Round, random: Random) -> None:
    """Each task is executed twice at the same time, as Dask may; until the end of the round, or not so long."""
    flag = round_.servers.flags / TWICE
    flag.touch()
    if random.random() < 0.5:
        time.sleep(random.uniform(0.2, 2))
        flag.unlink(missing_ok=True)


def stop_scheduler(round_: Round, random: Random) -> None:
    _stop(round_.servers.cluster.scheduler.pid, random.uniform(0.2, 2))


def lose_scheduler(round_: Round, random: Random) -> None:
    """Killed, or stopped until the coordinator gives up."""
    if random.random() < 0.5:
        round_.servers.cluster.scheduler.kill()
        round_.servers.cluster.scheduler.wait()
        round_.finish()
        round_.servers.make_ready()
    else:
        with _stopped(round_.servers.cluster.scheduler.pid):
            round_.finish()


def kill_coordinator(round_: Round, _random: Random) -> None:
    send(round_.start(), signal.SIGKILL)
    round_.finish()


def interrupt_coordinator(round_: Round, random: Random) -> None:
    send(round_.start(), random.choice([signal.SIGINT, signal.SIGTERM]))
    round_.finish()


def stop_coordinator(round_: Round, random: Random) -> None:
    _stop(round_.start(), random.uniform(0.5, 5))


def _fill_disk(pid: int, seconds: float) -> None:
    with contextlib.suppress(psutil.Error):
        process = psutil.Process(pid)
        before = process.rlimit(resource.RLIMIT_FSIZE)
        process.rlimit(resource.RLIMIT_FSIZE, (FEW_BYTES, before[1]))
        time.sleep(seconds)
        process.rlimit(resource.RLIMIT_FSIZE, before)


def fill_disk_of_worker(round_: Round, random: Random) -> None:
    _fill_disk(random.choice(round_.servers.workers).pid, random.uniform(0.2, 1.5))


def fill_disk_of_coordinator(round_: Round, random: Random) -> None:
    _fill_disk(round_.start(), random.uniform(0.2, 1.5))


def lose_root(round_: Round, random: Random) -> None:
    """The disk with the files is not there for a while."""
    root, away = round_.root, round_.scene.folder / "away"
    if not root.exists():
        return
    root.rename(away)
    time.sleep(random.uniform(0.2, 1.5))
    if random.random() < 0.5:
        round_.finish()
    if root.exists():
        round_.scene.problems.append(f"{root} was made again while the disk was away")
        shutil.rmtree(root)
    away.rename(root)


def take_root(round_: Round, random: Random) -> None:
    """For a while the folder belongs to another workspace; nothing may be written there then."""
    token = round_.root / TOKEN
    if not token.exists():
        return
    token_bytes = token.read_bytes()
    workspace = round_.scene.folder / "other"
    if perform("run", "-q", "--size", "3", "--target", "18", "--workspace", str(workspace)).code:
        raise AssertionError("cannot make another workspace")
    token.write_bytes((workspace / "batches" / TOKEN).read_bytes())
    time.sleep(3)  # a file whose root was checked before may still be written, late on a busy machine
    before = round_.scene.files()
    time.sleep(random.uniform(0.2, 1))
    written = set(round_.scene.files()) - set(before)
    if written:
        round_.scene.problems.append(f"{min(written)} was written to another workspace's folder")
    token.write_bytes(token_bytes)
    shutil.rmtree(workspace)


def other_build(round_: Round, _random: Random) -> None:
    """A worker of another build joins while the others stand, and must be refused."""
    workers = WorkspaceFolder(round_.scene.workspace).workers
    with contextlib.ExitStack() as stopped:
        for worker in round_.servers.workers:
            stopped.enter_context(_stopped(worker.pid))
        round_.servers.start_other_build()
        if not wait_until(lambda: round_.is_over() or _has_refused(workers), LONGEST):
            round_.scene.problems.append("a worker of another build was not refused")


def _has_refused(activity: Path) -> bool:
    with contextlib.suppress(OSError):
        return '"state": "refused"' in activity.read_text(encoding="utf-8")
    return False


def keep_disk_full(round_: Round, random: Random) -> None:
    """The disk of one worker stays full; the other worker does the work."""
    victim = random.choice(round_.servers.workers)
    with contextlib.suppress(psutil.Error):
        psutil.Process(victim.pid).rlimit(resource.RLIMIT_FSIZE, (FEW_BYTES, FEW_BYTES))
    round_.finish()
    victim.kill()
    victim.wait()


def hang_task(round_: Round, random: Random) -> None:
    """The tasks of one worker hang, though its heartbeats go on; the other worker gets copies."""
    victim = random.choice(round_.servers.workers)
    (round_.servers.flags / f"{HANGING}-{victim.pid}").touch()
    round_.finish()
    victim.kill()
    victim.wait()


def lose_mount(round_: Round, random: Random) -> None:
    """One worker does not see the files any more, for a while or until the run is over."""
    flag = round_.servers.flags / f"{UNMOUNTED}-{random.choice(round_.servers.workers).pid}"
    flag.symlink_to(round_.root)
    if random.random() < 0.5:
        round_.finish()
    else:
        time.sleep(random.uniform(0.5, 3))
    flag.unlink(missing_ok=True)


def pause_worker(round_: Round, random: Random) -> None:
    """Dask pauses a worker that is short of memory, and lets it go on later."""

    def set_status(status: str, dask_worker: Any) -> None:
        """Travels by value: a worker of another build cannot import this module."""
        dask_worker.status = type(dask_worker.status)[status]

    with distributed.Client(round_.servers.cluster.address, set_as_default=False) as client:
        addresses = sorted(client.scheduler_info()["workers"])
        if addresses:
            victim = random.choice(addresses)
            client.run(set_status, "paused", workers=[victim])
            time.sleep(random.uniform(0.5, 10))
            client.run(set_status, "running", workers=[victim])


def cut_off_worker(round_: Round, random: Random) -> None:
    """Longer than a worker may be silent."""
    _stop(random.choice(round_.servers.workers).pid, random.choice([random.uniform(4, 12), 30]))


def restart_scheduler(round_: Round, _random: Random) -> None:
    """A new scheduler writes the same file, and new workers come."""
    round_.servers.cluster.restart_scheduler()
    for worker in round_.servers.workers:
        worker.kill()
        worker.wait()
    round_.servers.make_ready()


FAULTS: dict[str, Callable[[Round, Random], None]] = {
    "kill a worker": kill_worker,
    "stop a worker": stop_worker,
    "double answers": execute_twice,
    "stop the scheduler": stop_scheduler,
    "lose the scheduler": lose_scheduler,
    "kill the coordinator": kill_coordinator,
    "interrupt the coordinator": interrupt_coordinator,
    "stop the coordinator": stop_coordinator,
    "full disk of a worker": fill_disk_of_worker,
    "full disk of the coordinator": fill_disk_of_coordinator,
    "missing root": lose_root,
    "another workspace's root": take_root,
    "another build": other_build,
    "disk of a worker stays full": keep_disk_full,
    "hang a task": hang_task,
    "lost mount of a worker": lose_mount,
    "pause a worker": pause_worker,
    "cut off a worker": cut_off_worker,
    "restart the scheduler": restart_scheduler,
}


SPARING = {
    "another build",
    "disk of a worker stays full",
    "hang a task",
    "lost mount of a worker",
    "pause a worker",
    "cut off a worker",
}
"""Faults that leave a healthy worker: no source may be given up."""


def draw(seed: str) -> Sequence:
    """A round before it is played."""
    random = Random(seed)
    plan = random.choice(PLANS)
    steps = random.sample(sorted(FAULTS), random.choice([1, 1, 2, 3]))
    state = random.choice(["shared", "shared", "shared", "shipped"])
    return Sequence(seed, plan, state, tuple(steps))


def play(servers: Servers, sequence: Sequence, stage: Stage) -> Verdict:
    """Plays a round: the faults while a run is under way, recovery on the cluster and without, the comparison."""
    start = time.monotonic()
    expected = stage.expected(sequence.plan)
    scene = stage.set(sequence.plan, "partly")
    servers.make_ready()
    round_ = Round(scene, servers, ship=sequence.begun == "shipped")
    files, total = len(scene.files()), len(expected.files)
    try:
        for number, name in enumerate(sequence.steps):
            random = Random(f"{sequence.seed}/{number}/{name}")
            share = (number + random.random()) / len(sequence.steps)
            round_.start()
            round_.wait_for_files(files + int(share * (total - files)))
            scene.commands.append((f"[{name}]", Outcome(0, "")))
            FAULTS[name](round_, random)
        servers.make_ready()
        if round_.finish().code:
            scene.commands.append(("[recovery on the cluster]", Outcome(0, "")))
            round_.start()
            round_.finish()
    finally:
        round_.finish()
    given_up = [outcome.output for _, outcome in scene.commands if "given up" in outcome.output]
    if given_up and set(sequence.steps) <= SPARING:
        scene.problems.append(f"a source was given up though a worker was healthy: {given_up[0]}")
    scene.commands.append(("[recovery]", Outcome(0, "")))
    end, problems = judge(scene, expected)
    return Verdict(sequence, end, tuple(problems), spoken(scene), time.monotonic() - start)


@contextlib.contextmanager
def on_a_cluster(folder: Path) -> Iterator[Callable[[Sequence, Stage], Verdict]]:
    """Starts a cluster, yields a function that plays rounds on it, and stops the cluster."""
    servers = Servers(folder)
    try:
        yield partial(play, servers)
    finally:
        servers.close()
