# SPDX-License-Identifier: Apache-2.0
"""Measures the time from the start of a process to its first result.

  python3 run.py FOLDER [--runs N] [--json FILE]     FOLDER has the programs kompute_cold_start_*

It compares the library, raw Vulkan and CUDA. Each run is a new process. Caches on disk, including
the driver's, are either warm (filled by an earlier run) or empty (a new folder for each run). The
programs take turns.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

TIMEOUT = 30  # seconds per process


def environment(folder):
    """The environment of a process that keeps all its caches in the folder."""
    variables = dict(os.environ)
    for name in (
        "KOMPUTE_CACHE_DIR",
        "__GL_SHADER_DISK_CACHE_PATH",
        "MESA_SHADER_CACHE_DIR",
        "CUDA_CACHE_PATH",
    ):
        variables[name] = folder
    return variables


def first_result(command, folder):
    """The milliseconds from the start of a process to its first result."""
    command = [word.replace("{folder}", folder) for word in command]
    start = time.monotonic_ns()
    done = subprocess.run(
        command,
        env=environment(folder),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        timeout=TIMEOUT,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        raise RuntimeError(f"{command[0]}: {done.stderr.strip() or done.returncode}")
    return (int(done.stdout.split()[-1]) - start) / 1e6


def quantile(values, q):
    values = sorted(values)
    place = q * (len(values) - 1)
    below = int(place)
    above = min(below + 1, len(values) - 1)
    return values[below] + (place - below) * (values[above] - values[below])


def measure(programs, runs, warm):
    times = {name: [] for name in programs}
    errors = {}
    with tempfile.TemporaryDirectory() as top:
        folders = {name: os.path.join(top, name.replace(" ", "_")) for name in programs}
        for folder in folders.values():
            os.mkdir(folder)
        for run in range(-1 if warm else 0, runs):
            for name, command in programs.items():
                if name in errors:
                    continue
                try:
                    if warm:
                        taken = first_result(command, folders[name])
                    else:
                        with tempfile.TemporaryDirectory(dir=top) as fresh:
                            taken = first_result(command, fresh)
                    if run >= 0:
                        times[name].append(taken)
                except (
                    RuntimeError,
                    OSError,
                    ValueError,
                    IndexError,
                    subprocess.TimeoutExpired,
                ) as error:
                    errors[name] = str(error)
    return {name: values for name, values in times.items() if values}, errors


def row(identity, name, times, errors):
    result = {"id": identity, "name": name, "unit": "ms", "sides": {}, "targets": []}
    for side, values in times.items():
        ratio = 0
        if "kompute" in times:
            ratio = statistics.median(a / b for a, b in zip(times["kompute"], values))
        result["sides"][side] = {
            "p10": quantile(values, 0.1),
            "p50": quantile(values, 0.5),
            "p90": quantile(values, 0.9),
            "samples": len(values),
            "ratio": ratio,
        }
    failed = {side: text for side, text in errors.items() if side != "cuda"}
    if failed:
        result["error"] = "; ".join(f"{side}: {text}" for side, text in failed.items())
    return result


def show(result):
    line = f"{result['name']:<42}"
    if "error" in result:
        print(line, "FAILED:", result["error"])
        return
    for side in ("kompute", "raw", "cuda"):
        values = result["sides"].get(side)
        line += f" {values['p50']:>9.2f}" if values else f" {'':>9}"
        if side == "kompute" and values:
            spread = f"({values['p10']:.1f}-{values['p90']:.1f})"
            line += f" {spread:>17}"
        else:
            line += f" {values['ratio']:>6.2f}" if values else f" {'':>6}"
    for side, values in result["sides"].items():
        if side not in ("kompute", "raw", "cuda"):
            line += f"  {side}: {values['p50']:.2f}"
    print(line + "  ms", flush=True)


def main():
    parser = argparse.ArgumentParser(
        description="Measures the time from the start of a process to its first result."
    )
    parser.add_argument("folder", help="folder with the programs kompute_cold_start_*")
    parser.add_argument("--runs", type=int, default=15, help="runs of each program (default: 15)")
    parser.add_argument("--json", help="write the results to this file")
    arguments = parser.parse_args()

    def program(name):
        return os.path.join(arguments.folder, "kompute_cold_start_" + name)

    shader = os.path.join(os.path.dirname(os.path.abspath(__file__)), "ColdStart.comp")
    programs = {
        "kompute": [program("kompute")],
        "raw": [program("raw"), os.path.join("{folder}", "pipelines")],
        "from GLSL": [program("kompute"), shader],
    }
    if os.path.exists(program("cuda")):
        programs["cuda"] = [program("cuda")]
    rows = []
    for warm in (True, False):
        times, errors = measure(programs, arguments.runs, warm)
        state = "warm" if warm else "empty"
        rows.append(row(f"cold/{state}", f"start to first result, {state} caches", times, errors))
        show(rows[-1])
        if arguments.json:
            with open(arguments.json, "w", encoding="utf-8") as file:
                json.dump({"rows": rows}, file, indent=1)
    return 1 if any("error" in result for result in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
