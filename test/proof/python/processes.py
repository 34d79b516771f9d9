# SPDX-License-Identifier: Apache-2.0
"""Kills processes that write caches, and starts them without memory, files, descriptors or trust.

    python3 processes.py PROGRAM [--rounds N] [--steps N] [--seed N | --seed date] [--plant FAULT]

PROGRAM is kompute_proof. Each process must end with right results or an error that names the
reason: no signal, no hang, no wrong result. --rounds is the number of kills, --steps the number of
limits of the address space. --plant stale lets the tasks expect other results than right ones.
"""

from __future__ import annotations

import argparse
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from options import number, seed

SECONDS = 60
DONE, REFUSED = 0, 3
DRIVER_CRASHED = 5  # software drivers do if they get no memory
#: Mounts a file system with room for one small file at $0, and runs the rest there.
FULL_DISK = 'mount -t tmpfs -o size=8k none "$0" && exec "$@"'


class Failed(Exception):
    """Something did not hold."""


class Tasks:
    """Starts tasks with caches in one folder."""

    def __init__(self, program: str, plant: str) -> None:
        self.program = program
        self.plant = plant
        self.prefix: list[str] = []

    def start(
        self,
        folder: Path,
        seed: int,
        count: int = 20,
        prepare: Callable[[], None] | None = None,
        user: int | None = None,
    ) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [
                *self.prefix,
                self.program,
                "task",
                "--seed",
                str(seed),
                "--count",
                str(count),
                "--plant",
                self.plant,
            ],
            env={**os.environ, "KOMPUTE_CACHE_DIR": str(folder)},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            preexec_fn=prepare,
            user=user,
        )

    def finish(self, task: subprocess.Popen[str], what: str, allowed: tuple[int, ...]) -> int:
        try:
            output, _ = task.communicate(timeout=SECONDS)
        except subprocess.TimeoutExpired:
            task.kill()
            raise Failed(f"{what}: the process does not end") from None
        if task.returncode not in allowed:
            raise Failed(f"{what}: exit status {task.returncode}\n{output[-2000:]}")
        return task.returncode


def prove_kills(tasks: Tasks, dice: random.Random, rounds: int) -> str:
    """Two processes write the same caches and are killed. A third one must find nothing damaged."""
    killed = 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for number in range(rounds):
            if number % 10 == 0:
                shutil.rmtree(folder)
                folder.mkdir(mode=0o700)
            writers = [tasks.start(folder, dice.randrange(1000), 200) for _ in range(2)]
            deadline = time.monotonic() + 10
            while not any(f.is_file() for f in folder.rglob("*")) and time.monotonic() < deadline:
                time.sleep(0.01)
            time.sleep(dice.random() * 0.3)
            for writer in writers:
                if writer.poll() is None:
                    writer.send_signal(signal.SIGKILL)
                    killed += 1
            for writer in writers:
                tasks.finish(writer, f"writer of round {number}", (DONE, -signal.SIGKILL))
            reader = tasks.start(folder, dice.randrange(1000))
            tasks.finish(reader, f"reader of round {number}", (DONE,))
    return f"{rounds} rounds, {killed} processes killed"


def prove_damage(tasks: Tasks, dice: random.Random, rounds: int) -> str:
    """Cut and changed files of all caches are not used."""
    files = 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        tasks.finish(tasks.start(folder, 1), "first writer", (DONE,))
        for number in range(rounds):
            for file in folder.rglob("*"):
                if file.is_file() and dice.random() < 0.5:
                    data = bytearray(file.read_bytes())
                    if data and dice.random() < 0.5:
                        data[dice.randrange(len(data))] ^= 1 << dice.randrange(8)
                    else:
                        data = data[: dice.randrange(len(data) + 1)]
                    file.write_bytes(data)
                    files += 1
            tasks.finish(tasks.start(folder, 1), f"reader {number} of damaged files", (DONE,))
    return f"{files} damaged files"


def prove_folders(tasks: Tasks) -> str:
    """Folders that are read-only, full, absent, or no folders; files of other users."""
    proved = 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "cache"
        for what in ("file", "missing parent", "loop", "pipe"):
            path = folder / what
            folder.mkdir(exist_ok=True)
            if what == "file":
                path.write_text("x")
            elif what == "loop":
                path.symlink_to(path)
            elif what == "pipe":
                os.mkfifo(path)
            else:
                path = Path("/proc/1/nothing/here")
            tasks.finish(tasks.start(path, 1), f"cache folder that is a {what}", (DONE,))
            proved += 1
        full = Path("/dev/full")
        if full.exists():
            tasks.finish(tasks.start(full, 1), "cache folder that is /dev/full", (DONE,))
            proved += 1
        trusted = Path(name) / "trusted"
        trusted.mkdir(mode=0o700)
        if subprocess.run(["unshare", "-rm", "true"], capture_output=True).returncode == 0:
            full_disk = Tasks(tasks.program, tasks.plant)
            full_disk.prefix = ["unshare", "-rm", "sh", "-c", FULL_DISK, str(trusted)]
            tasks.finish(full_disk.start(trusted, 1), "full disk", (DONE,))
            proved += 1
        else:
            print("LEFT OUT: unshare is not allowed, so a full disk was NOT tried")
        tasks.finish(tasks.start(trusted, 1), "writer", (DONE,))
        # Others may write: their files are not trusted.
        for file in trusted.rglob("*"):
            if file.is_file():
                file.write_bytes(file.read_bytes()[:-1] + b"x")
                file.chmod(0o666)
        tasks.finish(tasks.start(trusted, 1), "files that others may write", (DONE,))
        proved += 1
        if os.geteuid() == 0:
            for file in (trusted, *trusted.rglob("*")):
                os.chown(file, 65534, 65534)
            tasks.finish(tasks.start(trusted, 1), "files of another user", (DONE,))
            proved += 1
        trusted.chmod(0o500)
        tasks.finish(tasks.start(trusted, 2), "folder that is read-only", (DONE,))
        trusted.chmod(0o700)
        proved += 1
    return f"{proved} kinds of folders"


def prove_limits(tasks: Tasks, steps: int) -> str:
    """Few descriptors, and less and less address space."""
    counts = {DONE: 0, REFUSED: 0, DRIVER_CRASHED: 0}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for descriptors in (4, 6, 8, 10, 12, 16, 24):

            def few(descriptors: int = descriptors) -> None:
                resource.setrlimit(resource.RLIMIT_NOFILE, (descriptors, descriptors))

            status = tasks.finish(
                tasks.start(folder, 1, prepare=few), f"{descriptors} descriptors", tuple(counts)
            )
            counts[status] += 1
        for step in range(steps):
            limit = int((100 + 900 * step / steps) * 2**20)

            def little(limit: int = limit) -> None:
                resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
                resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

            # Without memory, a process that crashes cannot always tell whose fault it was.
            for tries in (2, 1, 0):
                try:
                    status = tasks.finish(
                        tasks.start(folder, 1, prepare=little),
                        f"an address space of {limit >> 20} MiB",
                        tuple(counts),
                    )
                    break
                except Failed:
                    if tries == 0:
                        raise
            counts[status] += 1
    return (
        f"{counts[DONE]} limits allowed the work, {counts[REFUSED]} were reported, at "
        f"{counts[DRIVER_CRASHED]} the driver crashed"
    )


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--rounds", type=number(1), default=200)
    parser.add_argument("--steps", type=number(0), default=60)
    parser.add_argument("--seed", type=seed, default=1)
    parser.add_argument("--plant", choices=["", "stale"], default="")
    options = parser.parse_args()
    dice = random.Random(options.seed)
    tasks = Tasks(str(Path(options.program).resolve()), options.plant)
    try:
        print("kills:", prove_kills(tasks, dice, options.rounds), flush=True)
        print("damage:", prove_damage(tasks, dice, max(1, options.rounds // 10)), flush=True)
        print("folders:", prove_folders(tasks), flush=True)
        print("limits:", prove_limits(tasks, options.steps), flush=True)
    except Failed as error:
        print(f"seed {options.seed}: {error}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
