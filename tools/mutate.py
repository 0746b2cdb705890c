"""Changes P4 programs at random and compiles them: a message may follow, no traceback, no hang.

    python tools/mutate.py [--seconds N | --count N] [--seed N] [--jobs N] [--keep DIR]

The programs are those of examples/ and tests/. Seed and number name a mutant: the same ones give
the same text. What fails is written to DIR (default: mutants/) with its traceback.
"""

from __future__ import annotations

import argparse
import random
import re
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from multiprocessing import Pool
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from p4xdp.deep import call_deep  # noqa: E402
from p4xdp.diagnostics import CompileError, Diagnostic, render  # noqa: E402
from p4xdp.driver import Session, compile  # noqa: E402
from p4xdp.options import Options  # noqa: E402
from p4xdp.report import SourceTexts  # noqa: E402

LONGEST = 5
"""Seconds of processor time after which a mutant counts as a hang."""

AHEAD = 200
"""Mutants that wait for a process."""

LARGEST = 12_000
"""Characters of the largest program that is changed."""

TOKEN = re.compile(r"\s+|[A-Za-z_]\w*|[0-9]\w*|//[^\n]*|\"[^\"\n]*\"|[|<>&+=]{2}|.", re.DOTALL)
ODD = (
    *"{}()[]<>;:,.=!~-+*/%&|^?@#\\\"'$`",
    *"\0 \t \r \x7f \u00e9 \u2028 \U0001f600 \ufeff".split(" "),
    *"&&& .. ... ++ |+| |-| << >> {#} /* */ // #if #endif #define #include 0x 8w -1 8s 1w0".split(),
    *"99999999999999999999 4294967296w1 bit<0> int<1> bit<(1)> varbit<8> void int error".split(),
    *"header struct header_union enum type typedef extern control parser package table".split(),
    *"action state transition select default apply key actions entries const in out inout".split(),
    *"if else switch for break continue return exit true false this abstract tuple list".split(),
    *"start accept reject main packet_in isValid setValid next last lastIndex size".split(),
)


NUMBERS = (
    "0",
    "1",
    "2",
    "7",
    "8",
    "9",
    "63",
    "64",
    "65",
    "128",
    "1000",
    "4294967296",
    "8w3",
    "4s1",
)


@dataclass(frozen=True)
class Result:
    number: int
    verdict: str
    text: str = ""
    report: str = ""


INCLUDE_DIRS = tuple(
    ROOT / name for name in ("examples", "tests/stf/cases", "tests/stf/v1model", "tests/stf/psa")
)


def programs() -> list[str]:
    """Return the texts that mutants are made of, always in the same order; those of programs that
    run come three times."""
    running = [*(ROOT / "examples").rglob("*.p4"), *(ROOT / "tests/stf").rglob("*.p4")]
    paths = [*running, *running, *(ROOT / "tests").rglob("*.p4")]
    texts = [p.read_text(encoding="utf-8", errors="replace") for p in sorted(paths)]
    return [text for text in texts if len(text) <= LARGEST]


def _delete(parts: list[str], at: int, dice: random.Random) -> None:
    del parts[at : at + dice.choice((1, 1, 2, 5, 40))]


def _repeat(parts: list[str], at: int, dice: random.Random) -> None:
    run = parts[at : at + dice.choice((1, 3, 10, 40))]
    parts[at:at] = run * dice.choice((1, 1, 2, 30))


def _swap(parts: list[str], at: int, dice: random.Random) -> None:
    other = dice.randrange(len(parts))
    parts[at], parts[other] = parts[other], parts[at]


def _copy(parts: list[str], at: int, dice: random.Random) -> None:
    parts[at] = dice.choice(parts)


def _replace(parts: list[str], at: int, dice: random.Random) -> None:
    parts[at] = dice.choice(ODD)


def _insert(parts: list[str], at: int, dice: random.Random) -> None:
    parts.insert(at, dice.choice(ODD) * dice.choice((1, 1, 1, 2, 60)))


def _rename(parts: list[str], at: int, dice: random.Random) -> None:
    """Put another name of the program in the place of a name: most such programs parse."""
    names = [i for i, part in enumerate(parts) if part[0].isalpha() or part[0] == "_"]
    if names:
        parts[dice.choice(names)] = parts[dice.choice(names)]


def _renumber(parts: list[str], at: int, dice: random.Random) -> None:
    numbers = [i for i, part in enumerate(parts) if part[0].isdigit()]
    if numbers:
        parts[dice.choice(numbers)] = dice.choice((*NUMBERS, parts[dice.choice(numbers)]))


def _resize(parts: list[str], at: int, dice: random.Random) -> None:
    """Leave out a statement, or write it twice: from behind one semicolon to behind the next."""
    ends = [i for i, part in enumerate(parts) if part == ";"]
    if len(ends) > 1:
        first = dice.randrange(len(ends) - 1)
        start, end = ends[first] + 1, ends[first + 1] + 1
        if not {"{", "}"} & set(parts[start:end]):
            parts[start:end] = parts[start:end] * dice.choice((0, 2))


def _cut(parts: list[str], at: int, dice: random.Random) -> None:
    del parts[at:]


def _letter(parts: list[str], at: int, dice: random.Random) -> None:
    part = parts[at]
    place = dice.randrange(len(part) + 1)
    parts[at] = part[:place] + chr(dice.randrange(1, 0x250)) + part[place + 1 :]


Change = Callable[[list[str], int, random.Random], None]
CHANGES: tuple[Change, ...] = (
    *(_delete, _delete, _repeat, _swap, _swap, _copy, _copy, _copy),
    *(_replace, _replace, _insert, _cut, _letter),
)
GENTLE: tuple[Change, ...] = (_rename, _rename, _renumber, _resize)
"""After these, a program still parses."""


def mutant(seed: int, number: int, texts: list[str]) -> str:
    """Return the text of a mutant."""
    dice = random.Random(f"{seed} {number}")
    parts = TOKEN.findall(dice.choice(texts))
    if dice.random() < 0.1:
        other = TOKEN.findall(dice.choice(texts))
        at = dice.randrange(len(other) + 1)
        parts[dice.randrange(len(parts) + 1) :] = other[at:]
    changes = GENTLE if dice.random() < 0.5 else CHANGES
    for _ in range(dice.choice((1, 1, 1, 1, 2, 3, 6, 20))):
        if parts:
            dice.choice(changes)(parts, dice.randrange(len(parts)), dice)
    return "".join(parts)


class TooLong(BaseException):
    """The mutant took longer than LONGEST."""


def _stop(number: int, frame: object) -> None:
    raise TooLong


def try_one(number: int, text: str) -> Result:
    """Compile a mutant; the verdict is accepted, refused, crashed or hung."""
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "mutant.p4"
        path.write_bytes(text.encode("utf-8", "surrogatepass"))
        session = Session(path, Options(include_dirs=INCLUDE_DIRS))
        signal.signal(signal.SIGPROF, _stop)
        signal.setitimer(signal.ITIMER_PROF, LONGEST)
        try:
            return _checked(number, text, session)
        except TooLong:
            return Result(number, "hung", text)
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)


def _compile(session: Session) -> None:
    """Compile in a thread that leaves the signal to the main thread, which waits for it."""
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGPROF})
    compile(session)


def _checked(number: int, text: str, session: Session) -> Result:
    try:
        call_deep(lambda: _compile(session))
        found = session.diagnostics.found
    except CompileError as error:
        found = list(error.diagnostics)
        verdict = "refused"
    except Exception:
        return Result(number, "crashed", text, traceback.format_exc())
    else:
        verdict = "accepted"
    try:
        _show(found)
    except Exception:
        return Result(number, "crashed", text, traceback.format_exc())
    return Result(number, verdict)


def _show(found: list[Diagnostic]) -> None:
    texts = SourceTexts()
    for diagnostic in found:
        render(diagnostic, texts)


def _work(task: tuple[int, int]) -> Result:
    seed, number = task
    if not _TEXTS:
        _TEXTS.extend(programs())
    return try_one(number, mutant(seed, number, _TEXTS))


_TEXTS: list[str] = []


def main() -> int:
    parser = argparse.ArgumentParser(description="Check programs that are changed at random.")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--count", type=int)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--keep", type=Path, default=Path("mutants"))
    given = parser.parse_args()
    end = time.monotonic() + given.seconds
    verdicts: Counter[str] = Counter()
    with Pool(given.jobs) as pool:
        tasks = ((given.seed, n) for n in range(given.count or 1 << 40))
        for result in pool.imap_unordered(
            _work, _while(tasks, end, given.count, verdicts), chunksize=8
        ):
            verdicts[result.verdict] += 1
            if result.verdict in ("crashed", "hung"):
                _keep(result, given.keep)
    figures = ", ".join(f"{verdicts[v]} {v}" for v in ("accepted", "refused", "crashed", "hung"))
    print(f"{verdicts.total()} mutants of seed {given.seed}: {figures}")
    return 1 if verdicts["crashed"] or verdicts["hung"] else 0


def _while(
    tasks: Iterator[tuple[int, int]], end: float, count: int | None, verdicts: Counter[str]
) -> Iterator[tuple[int, int]]:
    """Yield tasks until the time is over, or all of them when a count was given; never many more
    than have a verdict, as the pool would take them all."""
    for done, task in enumerate(tasks):
        while count is None and done - verdicts.total() > AHEAD:
            time.sleep(0.01)
        if count is None and time.monotonic() > end:
            return
        yield task


def _keep(result: Result, directory: Path) -> None:
    directory.mkdir(exist_ok=True)
    path = directory / f"{result.verdict}{result.number}.p4"
    path.write_bytes(result.text.encode("utf-8", "surrogatepass"))
    last = result.report.strip().rsplit("\n", 1)[-1]
    print(f"{path}: {result.verdict} {last}", flush=True)
    path.with_suffix(".txt").write_text(result.report)


if __name__ == "__main__":
    sys.exit(main())
