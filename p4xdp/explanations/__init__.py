"""What each code means, with a program that gets it and the program mended.

The programs are files beside this one, `CODE.p4`: the failing one, the line `// fixed:`, the mended
one. A code that depends on more than the program has no file. In: a code. Out: text.
"""

from __future__ import annotations

from difflib import get_close_matches
from pathlib import Path

from p4xdp.codes import CODES, WARNINGS
from p4xdp.diagnostics import fail
from p4xdp.records import dataclass

HERE = Path(__file__).parent
FIXED = "\n// fixed:\n"


@dataclass(frozen=True, slots=True)
class Explanation:
    """`failing` and `mended` are whole programs, empty where the code has no example."""

    code: str
    meaning: str
    failing: str = ""
    mended: str = ""


def explanation(code: str) -> Explanation:
    """Return what there is to say about a code.

    Raises CompileError (`no-code`) when there is no such code.
    """
    if code not in CODES:
        near = get_close_matches(code, CODES, 1)
        help = f"did you mean `{near[0]}`?" if near else "`p4xdp explain` lists the codes"
        raise fail("no-code", None, f"there is no error or warning `{code}`", help=help)
    path = HERE / f"{code}.p4"
    if not path.exists():
        return Explanation(code, CODES[code])
    failing, _, mended = path.read_text(encoding="utf-8").partition(FIXED)
    return Explanation(code, CODES[code], failing.strip() + "\n", mended.strip() + "\n")


def explain(code: str) -> str:
    """Return the text for one code."""
    found = explanation(code)
    parts = [f"{code}: {found.meaning}"]
    if code in WARNINGS:
        hides = f'-Wno-{code} or @noWarn("{code}") hides it'
        parts.append(f"A warning: {hides}, -Werror={code} makes it an error.")
    if found.failing:
        word = "warned about" if code in WARNINGS else "refused"
        parts.append(f"This is {word}:\n\n{_indented(found.failing)}")
        parts.append(f"This is right:\n\n{_indented(found.mended)}")
    return "\n\n".join(parts)


def overview() -> str:
    """Return every code with its meaning, one to a line."""
    width = max(map(len, CODES))
    return "\n".join(f"{code:{width}}  {CODES[code]}" for code in sorted(CODES))


def _indented(program: str) -> str:
    return "\n".join(f"    {line}".rstrip() for line in program.rstrip().split("\n"))
