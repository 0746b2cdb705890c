"""What each code means, with an example that gets it and the example mended.

The examples are files beside this one: programs (`CODE.p4`), statements of test files for the
program `requests/program.p4` (`CODE.stf`), commands (`CODE.sh`). The failing one comes first, then
the line `// fixed:` (`# fixed:`), then the mended one. A code that is about nothing that one writes
has no file. In: a code. Out: text.
"""

from __future__ import annotations

import re
from difflib import get_close_matches
from pathlib import Path

from p4xdp.codes import CODES, WARNINGS
from p4xdp.diagnostics import fail
from p4xdp.records import dataclass

HERE = Path(__file__).parent
FIXED = re.compile(r"\n(?://|#) fixed:\n")
PROGRAM = HERE / "requests" / "program.p4"
"""What the statements of test files are about."""

LANGUAGES = ("p4", "stf", "sh")


@dataclass(frozen=True, slots=True)
class Explanation:
    """`failing` and `mended` are whole examples in `language`, one of LANGUAGES, empty where the
    code has none; `program` is the program that they are about, where it is not they."""

    code: str
    meaning: str
    failing: str = ""
    mended: str = ""
    language: str = "p4"
    program: str = ""

    @property
    def fate(self) -> str:
        """What becomes of the failing example."""
        if self.language == "sh":
            return "may end in it"
        return "is warned about" if self.code in WARNINGS else "is refused"


def explanation(code: str) -> Explanation:
    """Return what there is to say about a code.

    Raises CompileError (`no-code`) when there is no such code.
    """
    if code not in CODES:
        near = get_close_matches(code, CODES, 1)
        help = f"did you mean `{near[0]}`?" if near else "`p4xdp explain` lists the codes"
        raise fail("no-code", None, f"there is no error or warning `{code}`", help=help)
    paths = [HERE / f"{code}.{language}" for language in LANGUAGES]
    path = next((path for path in paths if path.exists()), None)
    if path is None:
        return Explanation(code, CODES[code])
    failing, mended = FIXED.split(path.read_text(encoding="utf-8"))
    language = path.suffix[1:]
    program = PROGRAM.read_text(encoding="utf-8") if language == "stf" else ""
    return Explanation(
        code, CODES[code], failing.strip() + "\n", mended.strip() + "\n", language, program
    )


def explain(code: str) -> str:
    """Return the text for one code."""
    found = explanation(code)
    parts = [f"{code}: {found.meaning}"]
    if code in WARNINGS:
        hides = f'-Wno-{code} or @noWarn("{code}") hides it'
        parts.append(f"A warning: {hides}, -Werror={code} makes it an error.")
    if found.program:
        parts.append(f"The program of the example:\n\n{_indented(found.program)}")
    if found.failing:
        parts.append(f"This {found.fate}:\n\n{_indented(found.failing)}")
        parts.append(f"This is right:\n\n{_indented(found.mended)}")
    return "\n\n".join(parts)


def overview() -> str:
    """Return every code with its meaning, one to a line."""
    width = max(map(len, CODES))
    return "\n".join(f"{code:{width}}  {CODES[code]}" for code in sorted(CODES))


def _indented(program: str) -> str:
    return "\n".join(f"    {line}".rstrip() for line in program.rstrip().split("\n"))
