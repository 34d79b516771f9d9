# SPDX-License-Identifier: Apache-2.0
"""Combines the results of the benchmarks into JSON, a Markdown table and a chart.

  python3 scripts/benchmark_report.py RESULT.json... [--json FILE] [--chart FILE.svg]
                                      [--sizes FILE.svg] [--markdown FILE] [--page FILE.md]
                                      [--check]

The benchmark programs or an earlier run of this script wrote the RESULT.json files. Prints how many
targets were met, and which were not.

--json      write the combined results
--chart     write a chart of the ratios
--sizes     write a chart of the rates over sizes, of the rows of kompute_benchmark --sweep, which
            are in no table
--markdown  write the environment and the table
--page      put the environment, the table and a link to the chart into a Markdown file, between the
            lines <!-- results: NAME --> and <!-- end of results -->. NAME is "gpu" or "software",
            by the device
--check     exit with 1 if a target was missed or a result is missing
"""
import argparse
import datetime
import json
import math
import os
import platform
import re
import subprocess
import sys

#: The sides with their own columns.
MAIN = ("kompute", "raw", "cuda")


def load(paths):
    environment, rows, missing = {}, [], []
    for path in paths:
        try:
            with open(path, encoding="utf-8") as file:
                data = json.load(file)
        except (OSError, ValueError) as error:
            missing.append(f"{path}: {error}")
            continue
        environment.update(data.get("environment", {}))
        rows += data.get("rows", [])
    return environment, rows, missing


def processor():
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            for line in file:
                if line.startswith("model name"):
                    return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def commit():
    given = os.environ.get("KOMPUTE_COMMIT")
    if given:
        return given
    folder = os.path.dirname(os.path.abspath(__file__))

    def git(*words):
        return subprocess.run(
            ["git", "-C", folder, *words], capture_output=True, text=True, check=False
        )

    try:
        head = git("rev-parse", "--short=12", "HEAD")
        if head.returncode != 0:
            return ""
        changed = git("status", "--porcelain", "--untracked-files=no").stdout.strip()
        return head.stdout.strip() + (" with changes" if changed else "")
    except OSError:
        return ""


def complete(environment):
    environment.setdefault("date", datetime.datetime.now(datetime.timezone.utc).date().isoformat())
    environment.setdefault("processor", processor())
    environment.setdefault("processors", os.cpu_count())
    environment.setdefault(
        "system", platform.system() + " " + ".".join(platform.release().split(".")[:2])
    )
    if commit():
        environment.setdefault("commit", commit())
    return environment


def number(value):
    if value == 0:
        return "0"
    if abs(value) < 10:
        return f"{value:.3g}"
    return f"{value:,.1f}" if abs(value) < 1000 else f"{value:,.0f}"


def ratio(value):
    return f"{value:.3f}" if value < 0.1 else f"{value:.2f}"


def side_text(row, side):
    values = row.get("sides", {}).get(side)
    if not values:
        return ""
    if values["samples"] == 1:
        return number(values["p50"])
    return f"{number(values['p50'])} ({number(values['p10'])}–{number(values['p90'])})"


def ratio_text(row, side):
    values = row.get("sides", {}).get(side)
    return ratio(values["ratio"]) if values and side != "kompute" else ""


def target_text(row):
    parts = []
    for target in row.get("targets", []):
        sign = "≥" if row["unit"] == "GB/s" else "≤"
        of = f" × {target['of']}" if target["of"] else f" {row['unit']}"
        verdict = "met" if target["met"] else "**missed**"
        reached = (
            "" if target["of"] in MAIN or not target["of"] else f" ({ratio(target['reached'])})"
        )
        parts.append(f"{sign} {target['limit']:g}{of}: {verdict}{reached}")
    return "; ".join(parts)


def markdown(environment, rows):
    facts = [
        ("Device", environment.get("device")),
        ("Driver", environment.get("driver")),
        ("CUDA", environment.get("cuda")),
        ("Processor", f"{environment.get('processor')}, {environment.get('processors')} in use"),
        ("System", environment.get("system")),
        ("Wait policy", environment.get("wait")),
        ("Date", environment.get("date")),
        ("Commit", environment.get("commit")),
    ]
    lines = [f"- {name}: {value}" for name, value in facts if value]
    if environment.get("software"):
        lines.append(
            "- "
            + (
                "Pinned to one processor"
                if environment.get("pinned")
                else "Not pinned to one processor: the figures cannot be compared"
            )
        )
    if environment.get("quick"):
        lines.append("- Quick run with fewer rounds")
    # No column for CUDA if no row has that side.
    cuda = any("cuda" in row.get("sides", {}) for row in rows)
    head = ["", "unit", "Kompute", "raw Vulkan", "ratio"] + (["CUDA", "ratio"] if cuda else [])
    head.append("target")
    lines += ["", "| " + " | ".join(head) + " |", "|---|---|" + "---:|" * (len(head) - 3) + "---|"]
    notes = []
    for row in rows:
        if "skipped" in row:
            continue
        name = row["name"]
        note = "; ".join(
            part for part in row.get("note", "").split("; ") if cuda or not part.startswith("CUDA:")
        )
        if note:
            if note not in notes:
                notes.append(note)
            name += f" [{notes.index(note) + 1}]"
        if "error" in row:
            cells = [name, row["unit"], "failed: " + row["error"].replace("|", "/")]
            cells += [""] * (len(head) - len(cells))
        else:
            others = [
                f"{side}: {side_text(row, side)}, ratio {ratio_text(row, side)}"
                for side in row["sides"]
                if side not in MAIN
            ]
            cells = [
                name,
                row["unit"],
                side_text(row, "kompute"),
                side_text(row, "raw"),
                ratio_text(row, "raw"),
            ]
            if cuda:
                cells += [side_text(row, "cuda"), ratio_text(row, "cuda")]
            cells.append("; ".join(text for text in [target_text(row), *others] if text))
        lines.append("| " + " | ".join(cells) + " |")
    lines += [""] + [
        f"[{i}] {note}" + ("  " if i < len(notes) else "") for i, note in enumerate(notes, 1)
    ]
    return "\n".join(lines).rstrip() + "\n"


def speed(row, side):
    """The speed of kompute relative to a side, or None if the row does not have that side."""
    values = row.get("sides", {}).get(side)
    if not values or not values.get("ratio") or row["unit"] == "MiB":
        return None
    return values["ratio"] if row["unit"] == "GB/s" else 1 / values["ratio"]


def escape(text):
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def chart(environment, rows):
    """Bars of the speed relative to raw Vulkan and CUDA, on a logarithmic axis."""
    sides = [("raw", "raw Vulkan", "#2a6f97"), ("cuda", "CUDA", "#76a21e")]
    shown = [row for row in rows if any(speed(row, side) for side, _, _ in sides)]
    sides = [each for each in sides if any(speed(row, each[0]) for row in shown)]
    if not shown:
        return None
    low, high = math.log2(0.25), math.log2(16)
    left, width, bar = 330, 430, 11
    pitch = bar * len(sides) + 9
    top = 62
    total_width, total_height = left + width + 70, top + pitch * len(shown) + 40

    def x(value):
        return left + (min(max(math.log2(value), low), high) - low) / (high - low) * width

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{total_width}" '
        f'height="{total_height}" viewBox="0 0 {total_width} {total_height}" '
        'font-family="sans-serif" font-size="12">',
        f'<rect width="{total_width}" height="{total_height}" fill="#ffffff"/>',
        f'<text x="12" y="22" font-size="15" font-weight="bold" fill="#222222">Relative '
        f'speed: {escape(environment.get("device", ""))}</text>',
    ]
    place = left
    for _, name, colour in sides:
        parts.append(f'<rect x="{place}" y="34" width="11" height="11" fill="{colour}"/>')
        parts.append(f'<text x="{place + 16}" y="44" fill="#222222">compared with {name}</text>')
        place += 200
    bottom = top + pitch * len(shown)
    for value in (0.25, 0.5, 1, 2, 4, 8, 16):
        at = x(value)
        colour = "#222222" if value == 1 else "#cccccc"
        parts.append(
            f'<line x1="{at:.1f}" y1="{top - 6}" x2="{at:.1f}" y2="{bottom}" '
            f'stroke="{colour}"/>'
        )
        parts.append(
            f'<text x="{at:.1f}" y="{bottom + 16}" text-anchor="middle" '
            f'fill="#444444">{value:g}</text>'
        )
    for i, row in enumerate(shown):
        y = top + i * pitch
        parts.append(
            f'<text x="{left - 8}" y="{y + bar * len(sides) / 2 + 4:.1f}" '
            f'text-anchor="end" fill="#222222">{escape(row["name"])}</text>'
        )
        for j, (side, _, colour) in enumerate(sides):
            value = speed(row, side)
            if value is None:
                continue
            a, b = sorted((x(1), x(value)))
            parts.append(
                f'<rect x="{a:.1f}" y="{y + j * bar}" width="{max(b - a, 1.5):.1f}" '
                f'height="{bar - 1}" fill="{colour}"/>'
            )
            parts.append(
                f'<text x="{max(b, x(1)) + 4:.1f}" y="{y + j * bar + 9}" font-size="10" '
                f'fill="#444444">{ratio(value)}</text>'
            )
    parts.append("</svg>")
    return "\n".join(parts) + "\n"


#: The panels of the chart over sizes: in ids, title, axis.
PANELS = (
    ("reduce", "Sum of floats", "elements"),
    ("scan", "Prefix sums of floats", "elements"),
    ("sort", "Sort of 32-bit keys", "keys"),
    ("fft", "Fourier transforms, 2^26 complex floats in all", "length of one"),
)


def sweep_points(rows, kind, side):
    """Return (power of two, rate) of the rows of a panel."""
    points = []
    for row in rows:
        match = re.fullmatch(rf"sweep/{kind}_2\^(\d+)", row["id"])
        values = row.get("sides", {}).get(side)
        if match and values:
            points.append((int(match[1]), values["p50"]))
    return sorted(points)


def panel(rows, kind, title, what, left, top):
    """A chart of rates over sizes, both on logarithmic axes."""
    width, height = 360, 220
    sides = [("kompute", "#c8553d"), ("cuda", "#76a21e")]
    lines = [(sweep_points(rows, kind, side), colour) for side, colour in sides]
    points = [point for line, _ in lines for point in line]
    if not points:
        return []
    low, high = min(x for x, _ in points), max(max(x for x, _ in points), 1)
    bottom = math.floor(math.log10(min(y for _, y in points)))
    ceiling = math.ceil(math.log10(max(y for _, y in points)))

    def place(x, y):
        return (
            left + (x - low) / max(high - low, 1) * width,
            top + height - (math.log10(y) - bottom) / max(ceiling - bottom, 1) * height,
        )

    parts = [
        f'<text x="{left}" y="{top - 10}" font-weight="bold" fill="#222222">{escape(title)}</text>'
    ]
    for power in range(bottom, ceiling + 1):
        _, y = place(low, 10.0**power)
        parts.append(
            f'<line x1="{left}" y1="{y:.1f}" x2="{left + width}" y2="{y:.1f}" stroke="#cccccc"/>'
            f'<text x="{left - 6}" y="{y + 4:.1f}" text-anchor="end" fill="#444444">'
            f"{10.0**power:g}</text>"
        )
    for x in range(low + low % 2, high + 1, 4 if high - low > 12 else 2):
        at, _ = place(x, 10.0**bottom)
        parts.append(
            f'<text x="{at:.1f}" y="{top + height + 16}" text-anchor="middle" fill="#444444">'
            f'2<tspan dy="-4" font-size="9">{x}</tspan></text>'
        )
    parts.append(
        f'<text x="{left + width}" y="{top + height + 32}" text-anchor="end" fill="#444444">'
        f"{what}</text>"
    )
    for line, colour in lines:
        if not line:
            continue
        path = " ".join("{:.1f},{:.1f}".format(*place(x, y)) for x, y in line)
        parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        for x, y in line:
            at, up = place(x, y)
            parts.append(f'<circle cx="{at:.1f}" cy="{up:.1f}" r="2.5" fill="{colour}"/>')
    return parts


def size_chart(environment, rows):
    """Return four panels of rates over sizes, or None if there are no such rows."""
    panels = []
    for i, (kind, title, what) in enumerate(PANELS):
        panels += panel(rows, kind, title, what, 60 + i % 2 * 440, 90 + i // 2 * 300)
    if not panels:
        return None
    head = [
        '<svg xmlns="http://www.w3.org/2000/svg" width="900" height="680" viewBox="0 0 900 680" '
        'font-family="sans-serif" font-size="12">',
        '<rect width="900" height="680" fill="#ffffff"/>',
        '<text x="12" y="22" font-size="15" font-weight="bold" fill="#222222">GB/s over sizes: '
        f'{escape(environment.get("device", ""))}</text>',
    ]
    place = 60
    for side, name, colour in (
        ("kompute", "Kompute", "#c8553d"),
        ("cuda", "CUDA: CUB, cuFFT", "#76a21e"),
    ):
        if any(side in row.get("sides", {}) for row in rows):
            head.append(f'<rect x="{place}" y="34" width="11" height="11" fill="{colour}"/>')
            head.append(f'<text x="{place + 16}" y="44" fill="#222222">{name}</text>')
            place += 120
    return "\n".join([*head, *panels, "</svg>"]) + "\n"


def update_page(path, text, environment, chart_path):
    if chart_path:
        where = os.path.relpath(chart_path, os.path.dirname(os.path.abspath(path)))
        text = f"![Relative speed]({where})\n\n{text}"
    name = "software" if environment.get("software") else "gpu"
    with open(path, encoding="utf-8") as file:
        page = file.read()
    pattern = re.compile(rf"(<!-- results: {name} -->\n).*?(<!-- end of results -->)", re.DOTALL)
    if not pattern.search(page):
        sys.exit(f"benchmark_report.py: {path} has no line <!-- results: {name} -->")
    with open(path, "w", encoding="utf-8") as file:
        file.write(pattern.sub(lambda match: match[1] + "\n" + text + "\n" + match[2], page))


def summarize(rows, missing):
    targets = [(row, target) for row in rows for target in row.get("targets", [])]
    missed = [(row, target) for row, target in targets if not target["met"]]
    failed = [row for row in rows if "error" in row]
    print(f"\n{len(targets) - len(missed)} of {len(targets)} targets met")
    for row, target in missed:
        print(
            f"  missed: {row['id']}: {target['reached']:.3f}, target {target['limit']:g}"
            + (f" of {target['of']}" if target["of"] else f" {row['unit']}")
        )
    for row in failed:
        print(f"  failed: {row['id']}: {row['error']}")
    for text in missing:
        print(f"  missing: {text}")
    return not missed and not failed and not missing


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("results", nargs="+", metavar="RESULT.json")
    for option in ("--json", "--chart", "--sizes", "--markdown", "--page"):
        parser.add_argument(option, metavar="FILE")
    parser.add_argument(
        "--check",
        action="store_true",
        help="exit with 1 if a target was missed or a result is missing",
    )
    arguments = parser.parse_args()
    environment, rows, missing = load(arguments.results)
    environment = complete(environment)
    if arguments.json:
        with open(arguments.json, "w", encoding="utf-8") as file:
            json.dump(
                {"environment": environment, "rows": rows}, file, indent=1, ensure_ascii=False
            )
            file.write("\n")
    sweep = [row for row in rows if row["id"].startswith("sweep/")]
    rows = [row for row in rows if not row["id"].startswith("sweep/")]
    sizes = size_chart(environment, sweep) if arguments.sizes else None
    if sizes:
        with open(arguments.sizes, "w", encoding="utf-8") as file:
            file.write(sizes)
    text = markdown(environment, rows)
    if arguments.markdown:
        with open(arguments.markdown, "w", encoding="utf-8") as file:
            file.write(text)
    drawing = chart(environment, rows) if arguments.chart else None
    if drawing:
        with open(arguments.chart, "w", encoding="utf-8") as file:
            file.write(drawing)
    if arguments.page:
        update_page(arguments.page, text, environment, arguments.chart if drawing else None)
    good = summarize(rows + sweep, missing)
    return 1 if arguments.check and not good else 0


if __name__ == "__main__":
    sys.exit(main())
