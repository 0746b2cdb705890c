"""Writes the parts of docs/ that must stay true: they are made from the tests.

docs/language-support.md: what works is what a test program with an STF file shows; what does not is
what a program in tests/errors/ is refused for. docs/errors.md: the table of codes, each with
a program that gets it. `--check` writes nothing and fails when a page is out of date.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from p4xdp.codes import CODES
from p4xdp.deep import call_deep
from p4xdp.diagnostics import CompileError, Severity
from p4xdp.driver import Session, compile
from p4xdp.explanations import PROGRAM, Explanation, explanation
from p4xdp.options import Options

ROOT = Path(__file__).parent.parent
EXPECT = re.compile(r"// expect: (\S+) @ (?:-|\d+:\d+): (.*)")
LIMITS = ("unsupported", "unsupported-on-tc", "header-width", "table-too-large", "stack-too-large")


def title(program: Path) -> str:
    """Return the comment at the head of a program, up to its first full stop."""
    words: list[str] = []
    for line in program.read_text(encoding="utf-8", errors="replace").splitlines():
        text = line.removeprefix("//").strip()
        if not line.startswith("//"):
            break
        if text and "SPDX" not in text and not text.startswith("expect"):
            words.append(text)
    return re.split(r"(?<=[.:])\s", " ".join(words))[0].rstrip(".:")


def where(program: Path) -> str:
    """Return where a program's test file runs, if it is not everywhere."""
    first = program.with_suffix(".stf").read_text(encoding="utf-8").lstrip().split("\n")[0]
    limit = re.match(r"#\s*places\s*:\s*([^;]*);", first)
    return f" ({', '.join(limit[1].split(','))})" if limit else ""


def shown(directory: Path) -> list[Path]:
    return sorted(p for p in directory.rglob("*.p4") if p.with_suffix(".stf").exists())


def refusals() -> list[tuple[str, str, Path]]:
    """Return (code, message, program) of every expectation in tests/errors."""
    return [
        (code, text.strip(), path)
        for path in sorted((ROOT / "tests" / "errors").rglob("*.p4"))
        for code, text in EXPECT.findall(path.read_text(encoding="utf-8", errors="replace"))
    ]


def link(path: Path) -> str:
    place = path.relative_to(ROOT)
    return f"[{path.stem}](../{place})"


def fate(program: Path, target: str) -> str:
    """Return `yes` for a program that compiles for a target, or the error that it gets."""
    try:
        call_deep(
            lambda: compile(Session(program, Options(target=target, externs=beside(program))))
        )
    except CompileError as error:
        first = next(d for d in error.diagnostics if d.severity is Severity.ERROR)
        return first.text.removeprefix(f"{program.stem} ")
    return "yes"


def beside(program: Path) -> tuple[Path, ...]:
    """Return the file with the extern functions of a program that has some in C."""
    file = program.with_suffix(".c")
    return (file,) if file.exists() else ()


def row(program: Path) -> str:
    """Return a program's row; what tc takes, XDP takes, too."""
    tc = fate(program, "tc")
    xdp = tc if tc == "yes" else fate(program, "xdp")
    return f"| {title(program)}{where(program)} | {xdp} | {tc} | {link(program)} |"


def language_support() -> str:
    groups = (
        ("Examples", ROOT / "examples"),
        ("Constructs", ROOT / "tests/stf/constructs"),
        ("Samples of the field", ROOT / "tests/stf/samples"),
        ("Rules of the specification", ROOT / "tests/stf/rules"),
        ("Cases that compilers got wrong", ROOT / "tests/stf/cases"),
        ("Further constructs", ROOT / "tests/stf/later"),
        ("v1model", ROOT / "tests/stf/v1model"),
        ("PSA", ROOT / "tests/stf/psa"),
        ("Extern functions in C, by `--extern FILE.c`", ROOT / "tests/stf/c_externs"),
    )
    lines = [
        "# Language support",
        "",
        "Made from the tests by `tools/docs.py`. Each row below is a program whose STF file passes",
        "in user space, in the kernel and over veth pairs, or in the places that it names. The",
        "columns of the targets say `yes`, or the error that the program gets there.",
    ]
    for heading, directory in groups:
        rows = [row(program) for program in shown(directory)]
        if rows:
            head = ["| what | xdp | tc | program |", "|---|---|---|---|"]
            lines += ["", f"## {heading}", "", *head, *rows]
    lines += ["", "## Refused, with the error that says so", "", "| error | program |", "|---|---|"]
    lines += [f"| {text} | {link(path)} |" for code, text, path in refusals() if code in LIMITS]
    return "\n".join(lines) + "\n"


def errors() -> str:
    first: dict[str, Path] = {}
    for code, _, path in refusals():
        first.setdefault(code, path)
    lines = [
        "# Errors",
        "",
        "Made from the table of codes and the tests by `tools/docs.py`. A message is",
        "`file:line:column: error[code]: text`, the source line, and what to write instead.",
        "Exit codes: 0, 1 the program or another input is wrong, 2 usage, 70 a fault of p4xdp.",
        "",
        "`p4xdp explain CODE` shows what stands here. The code of a warning is the name that",
        '`-W NAME`, `-Wno-NAME`, `-Werror[=NAME]` and `@noWarn("NAME")` take.',
        "",
        "| code | meaning | a program that gets it |",
        "|---|---|---|",
    ]
    for code in sorted(CODES):
        shown = f"[`{code}`](#{code})" if explanation(code).failing else f"`{code}`"
        lines.append(f"| {shown} | {CODES[code]} | {link(first[code]) if code in first else ''} |")
    for code in sorted(CODES):
        lines += example(explanation(code))
    return "\n".join(lines) + "\n"


def example(shown: Explanation) -> list[str]:
    """Return the section of a code that has an example."""
    if not shown.failing:
        return []
    failing, mended = shown.failing.rstrip(), shown.mended.rstrip()
    heading = ["", f"## {shown.code}", "", f"{shown.meaning[0].upper()}{shown.meaning[1:]}."]
    program = f"With [this program](../{PROGRAM.relative_to(ROOT)}), this {shown.fate}:"
    start = program if shown.program else f"This {shown.fate}:"
    return [
        *heading,
        "",
        start,
        "",
        f"```{shown.language}",
        failing,
        "```",
        "",
        "This is right:",
        "",
        f"```{shown.language}",
        mended,
        "```",
    ]


PAGES = {"language-support.md": language_support, "errors.md": errors}


def main() -> int:
    check = "--check" in sys.argv[1:]
    stale = 0
    for name, make in PAGES.items():
        path = ROOT / "docs" / name
        text = make()
        if check and (not path.exists() or path.read_text() != text):
            print(f"{path.relative_to(ROOT)} is out of date: run tools/docs.py")
            stale = 1
        elif not check:
            path.write_text(text)
    return stale


if __name__ == "__main__":
    sys.exit(main())
