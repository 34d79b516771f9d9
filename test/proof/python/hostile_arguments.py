# SPDX-License-Identifier: Apache-2.0
"""Calls everything in the stub of the Python package with hostile arguments.

    python hostile_arguments.py [--count N] [--seed N | --seed date] [--only CALL] [--plant FAULT]

Children make the calls. A call fails the proof if its process dies of a signal, if it takes longer
than 90 seconds, if it raises SystemError, or if a simple program gives a wrong result afterwards.
The seed and the number of the call are printed; --seed and --only run it again, with the calls of
its child that came before it. --plant signal, hang or error adds a callable with that fault.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import os
import random
import resource
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from hostile_world import SHADER, Callable, World, read_stub
from options import number
from options import seed as seed_option

CALLS_PER_CHILD = 250
CALLS_PER_WORLD = 25
SECONDS_PER_CALL = 90
ADDRESS_SPACE = 6 << 30  # huge sizes must fail on every machine


# --- the child ----------------------------------------------------------------------------------


def make_call(world: World, what: Callable) -> None:
    dice = world.dice
    positional = [world.argument(annotation) for _, annotation in what.positional]
    if dice.random() < 0.2:
        positional = positional[: dice.randrange(len(positional) + 1)]
    if dice.random() < 0.05:
        positional.append(world.hostile())
    keywords = {
        name: world.argument(annotation)
        for name, annotation in what.keywords
        if dice.random() < 0.3
    }
    if what.kind == "function":
        result = getattr(world.module, what.name)(*positional, **keywords)
    elif what.kind == "new":
        result = getattr(world.module, what.owner)(*positional, **keywords)
    elif what.kind == "static":
        result = getattr(getattr(world.module, what.owner), what.name)(*positional, **keywords)
    else:
        receiver = world.any(what.owner)
        if what.kind == "set":
            setattr(receiver, what.name, world.hostile())
            return
        result = getattr(receiver, what.name)
        if what.kind == "method":
            result = result(*positional, **keywords)
    if hasattr(result, "close"):
        result.close()
    if dice.random() < 0.3 and type(result).__module__.startswith("kp"):
        world.add(result)


def planted(fault: str) -> Callable:
    call = read_stub()[0]
    call.owner, call.name, call.kind = "", f"planted {fault}", "planted"
    return call


def run_planted(what: Callable) -> None:
    if "signal" in what.name:
        os.kill(os.getpid(), 11)
    elif "hang" in what.name:
        time.sleep(SECONDS_PER_CALL * 10)
    else:
        raise SystemError("planted")


def child(seed: int, first: int, count: int, fault: str) -> int:
    import faulthandler
    import gc
    import logging
    import warnings

    resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE, ADDRESS_SPACE))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    faulthandler.enable()
    if os.environ.get("KOMPUTE_BACKTRACE"):
        import ctypes

        ctypes.CDLL(os.environ["KOMPUTE_BACKTRACE"]).install_backtrace()
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    sys.unraisablehook = lambda _: None  # traps raise in __del__, too
    threading.excepthook = lambda _: None
    callables = read_stub() + ([planted(fault)] * 20 if fault else [])
    world = None
    for number in range(first, first + count):
        dice = random.Random(f"{seed} {number}")
        what = dice.choice(callables)
        print(f"{number} {what}", flush=True)
        faulthandler.dump_traceback_later(SECONDS_PER_CALL, exit=True)
        try:
            if world is None or (number - first) % CALLS_PER_WORLD == 0:
                world = World(random.Random(f"world {seed} {number}"), callables)
            world.dice = dice
            if what.kind == "planted":
                run_planted(what)
            else:
                make_call(world, what)
        except SystemError as error:
            import traceback

            traceback.print_exc()
            print(f"SystemError: {error}", file=sys.stderr)
            return 3
        except Exception:
            pass
    faulthandler.dump_traceback_later(SECONDS_PER_CALL, exit=True)
    world = None
    gc.collect()
    import kp

    with kp.Manager() as manager:
        tensor = manager.tensor([1.0, 2.0])
        algorithm = manager.algorithm([tensor], kp.compile(SHADER), push_consts=[2.0])
        manager.sequence().record(kp.OpSyncDevice([tensor])).record(
            kp.OpAlgoDispatch(algorithm)
        ).record(kp.OpSyncLocal([tensor])).eval()
        if list(tensor.data()) != [3.0, 4.0]:
            print(f"wrong result afterwards: {list(tensor.data())}", file=sys.stderr)
            return 4
    print("done", flush=True)
    return 0


# --- the parent ---------------------------------------------------------------------------------


def run_child(seed: int, first: int, count: int, fault: str) -> str:
    """Return a description of what went wrong, or nothing."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, str(Path(__file__).resolve()), "--child", str(first)]
        command += ["--count", str(count), "--seed", str(seed), "--plant", fault]
        environment = {"KOMPUTE_CACHE_DIR": os.path.join(tempfile.gettempdir(), "kompute-proof")}
        try:
            done = subprocess.run(
                command,
                capture_output=True,
                text=True,
                errors="replace",
                cwd=folder,
                timeout=SECONDS_PER_CALL * 10,
                env={**os.environ, **environment},
            )
        except subprocess.TimeoutExpired as error:
            last = (error.stdout or b"").decode(errors="replace").strip().splitlines()[-1:]
            return f"call {' '.join(last)} of seed {seed}: does not end"
    if done.returncode == 0:
        return ""
    last = (done.stdout.strip().splitlines() or ["none"])[-1]
    return f"call {last} of seed {seed}: exit status {done.returncode}\n" + "\n".join(
        done.stderr.strip().splitlines()[:25]
    )


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=number(1), default=10_000)
    parser.add_argument("--seed", type=seed_option, default=1)
    parser.add_argument("--only", type=number(0))
    parser.add_argument("--plant", choices=["", "signal", "hang", "error"], default="")
    parser.add_argument("--child", type=number(0))
    parser.add_argument("--jobs", type=number(1), default=os.cpu_count() or 1)
    options = parser.parse_args()
    seed = options.seed
    if options.child is not None:
        return child(seed, options.child, options.count, options.plant)
    if options.only is not None:
        first = options.only - options.only % CALLS_PER_CHILD
        chunks = [(first, options.only - first + 1)]
    else:
        chunks = [
            (first, min(CALLS_PER_CHILD, options.count - first))
            for first in range(0, options.count, CALLS_PER_CHILD)
        ]
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        found = list(pool.map(lambda c: run_child(seed, *c, options.plant), chunks))
    failures = [each for each in found if each]
    for each in failures:
        print(each + "\n")
    if failures:
        return 1
    calls = sum(count for _, count in chunks)
    print(f"{calls} hostile calls of {len(read_stub())} callables, seed {seed}: no failure")
    return 0


if __name__ == "__main__":
    sys.exit(main())
