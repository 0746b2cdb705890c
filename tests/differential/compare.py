"""One case on several places: who agrees with the reference interpreter?"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from programs import Case

from p4xdp.deep import call_deep
from p4xdp.diagnostics import CompileError, Diagnostics
from p4xdp.driver import Session, check, compile
from p4xdp.frontend.elaborate import elaborate
from p4xdp.frontend.typed import TypedProgram
from p4xdp.interp import load
from p4xdp.interp.keysets import Key
from p4xdp.interp.operators import pattern
from p4xdp.interp.tables import Choice, TableState
from p4xdp.interp.values import scalars
from p4xdp.midend import ir, pipeline
from p4xdp.options import Options
from p4xdp.runtime.requests import Request
from p4xdp.stf.interp import InterpPlace
from p4xdp.stf.native import NativePlace, host_compiler
from p4xdp.stf.parser import read_requests
from p4xdp.stf.place import Compiled, Outcome, Place, PlaceError, PlaceOptions
from p4xdp.stf.places import open_place

sys.path.append(str(Path(__file__).parents[1] / "unit" / "passes"))
from evaluate import evaluate

PORT = 7
"""By which all packets come in; the evaluator of the midend knows no other."""

FLAGS = ("-O0", "-w", "-DP4XDP_TEST", "-fsanitize=undefined", "-fno-sanitize-recover=all")
VERDICTS = ("aborted", "drop", "pass", "tx", "redirect")


@dataclass(frozen=True, slots=True)
class Answer:
    """What became of a packet: the verdict and, where it leaves, port and bytes."""

    verdict: str
    port: int | None
    data: bytes | None

    def __str__(self) -> str:
        leaves = "" if self.data is None else f", by port {self.port}: {self.data.hex()}"
        return f"{self.verdict}{leaves}"


def answer(outcome: Outcome) -> Answer:
    leaves = outcome.data is not None
    return Answer(outcome.verdict, outcome.port if leaves else None, outcome.data)


@dataclass(frozen=True, slots=True)
class Fault:
    """`kind` is `wrong` (another answer), `crash`, or `bad-program` (the front end says that the
    generator's program is wrong)."""

    kind: str
    place: str
    text: str


@dataclass(slots=True)
class Report:
    """`compared` packets were compared, `undefined` ones have no single right answer; `refused`
    says which place did not take the program, and why."""

    compared: int = 0
    undefined: int = 0
    refused: dict[str, str] = field(default_factory=dict)
    fault: Fault | None = None


@dataclass(slots=True)
class Files:
    """A case on disk."""

    program: Path
    requests: list[Request]

    def source(self) -> Session:
        return Session(self.program, Options(target="native"))


@contextmanager
def on_disk(case: Case) -> Iterator[Files]:
    with tempfile.TemporaryDirectory(prefix="p4xdp.") as name:
        program, requests = Path(name) / "prog.p4", Path(name) / "entries.txt"
        program.write_text(case.text)
        requests.write_text(case.requests)
        yield Files(program, list(read_requests(requests)))


def examine(case: Case, places: tuple[str, ...]) -> Report:
    """Run a case on the interpreter and on `places`, until one of them is wrong."""
    report = Report()
    with on_disk(case) as files:
        try:
            typed = call_deep(lambda: check(files.source()))
        except CompileError as error:
            report.fault = Fault("bad-program", "check", _texts(error))
            return report
        wanted = _on_interp(typed, files, case, report)
        if wanted is None:
            return report
        for place in places:
            _compare(place, typed, files, case, wanted, report)
            if report.fault:
                break
    return report


def _texts(error: CompileError) -> str:
    return "; ".join(f"{d.span}: {d.code}: {d.text}" for d in error.diagnostics[:3])


Wanted = list[Answer | None]
"""One for each packet, None where nothing is right or wrong."""


def _on_interp(
    typed: TypedProgram, files: Files, case: Case, report: Report
) -> tuple[InterpPlace, Wanted] | None:
    try:
        place = InterpPlace(call_deep(lambda: load(typed)))
        place.control.apply(files.requests)
        wanted: Wanted = []
        for packet in case.packets:
            outcome = place.send(PORT, packet)
            wanted.append(None if place.undefined_read else answer(outcome))
    except (PlaceError, CompileError) as error:
        report.fault = Fault("crash", "interp", str(error))
        return None
    report.undefined += wanted.count(None)
    report.compared += len(wanted) - wanted.count(None)
    return place, wanted


def _compare(
    place: str,
    typed: TypedProgram,
    files: Files,
    case: Case,
    known: tuple[InterpPlace, Wanted],
    report: Report,
) -> None:
    interp, wanted = known
    try:
        if place == "ir":
            got = _on_ir(typed, files, case, interp)
        else:
            got = _on_place(place, files, case)
    except CompileError as error:
        report.refused[place] = _texts(error)
        return
    except Exception as error:
        report.fault = Fault("crash", place, f"{type(error).__name__}: {error}")
        return
    for number, (right, found) in enumerate(zip(wanted, got, strict=True)):
        if right is not None and found != right:
            packet = case.packets[number].hex()
            text = f"packet {packet}\n  interp: {right}\n  {place}: {found}"
            report.fault = Fault("wrong", place, text)
            return


# The midend's result, in its evaluator


def _on_ir(typed: TypedProgram, files: Files, case: Case, interp: InterpPlace) -> list[Answer]:
    diagnostics = Diagnostics()
    flat = call_deep(lambda: elaborate(typed, diagnostics, name="prog", source="prog.p4"))
    narrow = pipeline.run(flat)
    lookup = _lookup(flat, interp)
    return [_evaluated(narrow, packet, lookup) for packet in case.packets]


def _evaluated(
    program: ir.Program, packet: bytes, lookup: Callable[..., tuple[bool, ir.ActionChoice]]
) -> Answer:
    found = evaluate(program, packet, lookup)
    verdict = VERDICTS[found.verdict]
    if found.verdict < 2:
        return Answer(verdict, None, None)
    port = found.port if verdict == "redirect" else PORT
    if not _can_become(len(packet), len(found.packet)):
        return Answer("aborted", None, None)
    return Answer(verdict, port, found.packet)


def _can_become(before: int, after: int) -> bool:
    return before == after or 14 <= after <= before + 216


def _lookup(
    flat: ir.Program, interp: InterpPlace
) -> Callable[[str, tuple[int, ...]], tuple[bool, ir.ActionChoice]]:
    """Return a lookup: const entries as the IR has them, others as the interpreter does."""
    tables = {table.name: table for table in flat.tables}
    states: dict[str, TableState] = interp.control.tables

    def lookup(name: str, keys: tuple[int, ...]) -> tuple[bool, ir.ActionChoice]:
        table = tables[name]
        if table.const_entries:
            for entry in table.entries:
                if all(_passes(t, k) for t, k in zip(entry.tests, keys, strict=True)):
                    return True, entry.choice
            return False, table.default
        state = states[name]
        pairs = zip(keys, table.keys, strict=True)
        found = state.lookup([Key(value, key.width or 1) for value, key in pairs])
        choice = _choice(state, found.choice if found else state.default)
        return found is not None, choice

    return lookup


def _passes(test: ir.Test, value: int) -> bool:
    match test:
        case ir.AnyTest():
            return True
        case ir.MaskTest(value=wanted, mask=mask):
            return value & mask == wanted
        case ir.RangeTest(low=low, high=high):
            return low <= value <= high


def _choice(state: TableState, choice: Choice) -> ir.ActionChoice:
    directed = len(choice.action.arguments)
    parameters = choice.action.action.parameters[directed:]
    numbers = []
    for value, parameter in zip(choice.data, parameters, strict=True):
        width = getattr(parameter.type, "width", 1)
        numbers += [pattern(int(one.value), width) for one in scalars(value)]
    return ir.ActionChoice(state.actions.index(choice.action), tuple(numbers))


# Native and kernel


def _on_place(name: str, files: Files, case: Case) -> list[Answer]:
    if name == "native":
        with _native(files) as place:
            return _answers(place, files, case)
    options = PlaceOptions()
    with open_place(name, _Source(files), (PORT,), options) as ready:
        return _answers(ready, files, case)


def _answers(place: Place, files: Files, case: Case) -> list[Answer]:
    place.control.apply(files.requests)
    return [answer(place.send(PORT, packet)) for packet in case.packets]


@dataclass(frozen=True, slots=True)
class _Source:
    files: Files

    def __call__(self, target: str, layout: str | None) -> Compiled:
        session = Session(self.files.program, Options(target=target, layout=layout))
        output = call_deep(lambda: compile(session))
        return Compiled(output.c, output.description)

    def check(self) -> TypedProgram:
        return check(self.files.source())


@contextmanager
def _native(files: Files) -> Iterator[NativePlace]:
    """Build with the undefined-behaviour sanitizer alone, which takes a third of the time."""
    compiled = _Source(files)("native", None)
    source, executable = files.program.with_suffix(".c"), files.program.with_suffix("")
    source.write_text(compiled.c)
    headers = Path(str(compiled_headers()))
    command = (*host_compiler(), *FLAGS, f"-I{headers}", str(source), "-o", str(executable))
    subprocess.run(command, check=True, capture_output=True)
    place = NativePlace(executable, compiled.description, 20.0)
    try:
        yield place
    finally:
        place.close()


def compiled_headers() -> Path:
    """Return the directory of the C that the generated C includes."""
    import p4xdp

    return Path(p4xdp.__file__).parent / "runtime_headers"
