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

from p4xdp.backend_c import emit
from p4xdp.deep import call_deep
from p4xdp.diagnostics import CompileError, Diagnostics
from p4xdp.driver import Session, check
from p4xdp.frontend.elaborate import elaborate
from p4xdp.frontend.typed import TypedProgram
from p4xdp.interp import load
from p4xdp.interp.keysets import Key
from p4xdp.interp.operators import pattern
from p4xdp.interp.tables import Choice, TableState
from p4xdp.interp.values import HeaderValue, scalars
from p4xdp.midend import ir, pipeline
from p4xdp.options import Options
from p4xdp.runtime.clang import include_dir
from p4xdp.runtime.entries import install_initial
from p4xdp.runtime.requests import Name, Number, Request
from p4xdp.stf.entries_file import read_requests
from p4xdp.stf.interp import InterpPlace
from p4xdp.stf.native import NativePlace, host_compiler
from p4xdp.stf.place import Compiled, Outcome, Place, PlaceError, PlaceMissing, PlaceOptions
from p4xdp.stf.places import open_place

sys.path.append(str(Path(__file__).parents[1] / "unit" / "passes"))
from evaluate import evaluate

PORT = 7
"""By which all packets come in; the evaluator of the midend knows no other."""

FLAGS = ("-O0", "-w", "-DP4XDP_TEST")
SANITIZERS = ("-fsanitize=undefined", "-fno-sanitize-recover=all")
TOO_BIG = ("the stack of 512 bytes is exceeded", "a jump is longer", "BPF program is too large")
"""What says that the kernel has a limit, not that the program has a fault."""
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


def has_ports(case: Case) -> bool:
    return "xdp_model" not in case.text


def answer(outcome: Outcome, case: Case) -> Answer:
    """Return what counts: some architectures have ports and no verdicts, and each place its own way
    to drop."""
    leaves, verdict = outcome.data is not None, str(outcome.verdict)
    if has_ports(case):
        verdict = "redirect" if leaves else "drop"
    return Answer(verdict, outcome.port if leaves else None, outcome.data)


@dataclass(frozen=True, slots=True)
class Fault:
    """`kind` is `wrong` (another answer), `crash`, or `bad-program` (the front end says that the
    generator's program is wrong)."""

    kind: str
    place: str
    text: str


@dataclass(slots=True)
class Report:
    """`compared` packets were compared, `undefined` ones have no single right answer; `ran` are
    the places that ran the program, `refused` says which did not take it, and why."""

    compared: int = 0
    undefined: int = 0
    ran: list[str] = field(default_factory=list)
    refused: dict[str, str] = field(default_factory=dict)
    fault: Fault | None = None


@contextmanager
def on_disk(case: Case) -> Iterator[Program]:
    with tempfile.TemporaryDirectory(prefix="p4xdp.") as name:
        program, requests = Path(name) / "prog.p4", Path(name) / "entries.txt"
        program.write_text(case.text)
        requests.write_text(case.requests)
        yield Program(program, list(read_requests(requests)))


@dataclass(slots=True)
class Program:
    """A case on disk, and what it has become: each stage runs once for all places."""

    path: Path
    requests: list[Request]
    _typed: TypedProgram | None = None
    _flat: ir.Program | None = None
    _narrow: dict[bool, ir.Program] = field(default_factory=dict)

    def check(self) -> TypedProgram:
        """Return the typed program; raises CompileError."""
        if self._typed is None:
            session = Session(self.path, Options(warnings=("no-all",)))
            self._typed = call_deep(lambda: check(session))
        return self._typed

    def flat(self) -> ir.Program:
        if self._flat is None:
            typed = self.check()
            self._flat = call_deep(
                lambda: elaborate(typed, Diagnostics(), name="prog", source="prog.p4")
            )
        return self._flat

    def narrow(self, optimize: bool) -> ir.Program:
        if optimize not in self._narrow:
            self._narrow[optimize] = pipeline.run(self.flat(), without=_without(optimize))
        return self._narrow[optimize]

    def compiled(self, target: str, layout: str | None, optimize: bool) -> Compiled:
        """Return the C; raises CompileError."""
        diagnostics = Diagnostics()
        options = Options(target=target, layout=layout)
        output = emit(self.narrow(optimize), options, diagnostics)
        diagnostics.stop_on_error()
        return Compiled(output.c, output.description)


def _without(optimize: bool) -> frozenset[str]:
    return frozenset(() if optimize else pipeline.OPTIONAL)


@dataclass(frozen=True, slots=True)
class _Source:
    """What a place wants of a program."""

    program: Program
    flags: frozenset[str]

    def __call__(self, target: str, layout: str | None) -> Compiled:
        chosen = "scratch" if "scratch" in self.flags else layout
        return self.program.compiled(target, chosen, "O0" not in self.flags)

    def check(self) -> TypedProgram:
        return self.program.check()


def examine(case: Case, places: tuple[str, ...]) -> Report:
    """Run a case on the interpreter and on `places`, until one of them is wrong.

    A place is `ir`, `native` or `kernel`. With `-O0` behind it, the passes that only make a program
    better are left out; with `-scratch`, the variables live in a map.
    """
    report = Report()
    with on_disk(case) as program:
        try:
            program.check()
        except CompileError as error:
            report.fault = Fault("bad-program", "check", _texts(error))
            return report
        wanted = _on_interp(program, case, report)
        if wanted is None:
            return report
        for place in places:
            _compare(place, program, case, wanted, report)
            if report.fault:
                break
    return report


def _texts(error: CompileError) -> str:
    return "; ".join(f"{d.span}: {d.code}: {d.text}" for d in error.diagnostics[:3])


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the interpreter says: an answer for each packet, None where nothing is right or wrong;
    and the numbers in the counters, when all packets are through."""

    interp: InterpPlace
    answers: list[Answer | None]
    counts: list[int] | None


def _counts(place: Place, case: Case) -> list[int]:
    return [place.control.counter(Name(name), Number(cell)) for name, cell in case.cells]


def _on_interp(program: Program, case: Case, report: Report) -> Wanted | None:
    try:
        typed = program.check()
        place = InterpPlace(call_deep(lambda: load(typed)))
        place.control.apply(program.requests)
        answers: list[Answer | None] = []
        for packet in case.packets:
            outcome = place.send(PORT, packet)
            answers.append(None if place.undefined_read else answer(outcome, case))
    except (PlaceError, CompileError) as error:
        text = _texts(error) if isinstance(error, CompileError) else str(error)
        report.fault = Fault("crash", "interp", text)
        return None
    except Exception as error:
        report.fault = Fault("crash", "interp", f"{type(error).__name__}: {error}")
        return None
    report.undefined += answers.count(None)
    report.compared += len(answers) - answers.count(None)
    return Wanted(place, answers, None if None in answers else _counts(place, case))


def _compare(
    place: str,
    program: Program,
    case: Case,
    wanted: Wanted,
    report: Report,
) -> None:
    name, *words = place.split("-")
    flags = frozenset(words)
    try:
        if name == "ir":
            got, counts = _on_ir(program, case, wanted.interp, flags), wanted.counts
        else:
            got, counts = _on_place(name, program, case, flags)
    except CompileError as error:
        report.refused[place] = _texts(error)
        return
    except PlaceMissing:
        raise
    except NotOnIr as error:
        report.refused[place] = f"evaluator: {error}: not known"
        return
    except Exception as error:
        if any(text in str(error) for text in TOO_BIG):
            report.refused[place] = "too big: too-big: for the kernel"
            return
        report.fault = Fault("crash", place, f"{type(error).__name__}: {error}")
        return
    report.ran.append(place)
    for number, (right, found) in enumerate(zip(wanted.answers, got, strict=True)):
        if right is not None and found != right:
            packet = case.packets[number].hex()
            text = f"packet {packet}\n  interp: {right}\n  {place}: {found}"
            report.fault = Fault("wrong", place, text)
            return
    if wanted.counts is not None and counts != wanted.counts:
        text = f"counters\n  interp: {wanted.counts}\n  {place}: {counts}"
        report.fault = Fault("wrong", place, text)


# The midend's result, in its evaluator


class NotOnIr(Exception):
    """The midend's evaluator does not know what this program uses."""


def _on_ir(
    program: Program, case: Case, interp: InterpPlace, flags: frozenset[str]
) -> list[Answer]:
    """Run the evaluator on the midend's result, each pass of it verified."""
    if "csum_replace" in case.text or has_ports(case):
        raise NotOnIr("checksums, v1model and PSA")
    narrow = pipeline.run(program.flat(), without=_without("O0" not in flags), verify_each=True)
    lookup = _lookup(program.flat(), interp)
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
        if name not in states and not table.const_entries:
            return False, table.default  # a value set, which nobody fills
        if table.const_entries:
            for entry in table.entries:
                if all(_passes(t, k) for t, k in zip(entry.tests, keys, strict=True)):
                    return True, entry.choice
            return False, _choice(states[name], states[name].default)
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
        if isinstance(value, HeaderValue) or any(isinstance(v.value, str) for v in scalars(value)):
            raise NotOnIr("headers and names as action data")
        width = getattr(parameter.type, "width", 1)
        numbers += [pattern(int(one.value), width) for one in scalars(value)]
    return ir.ActionChoice(state.actions.index(choice.action), tuple(numbers))


# Native and kernel


def _on_place(name: str, program: Program, case: Case, flags: frozenset[str]) -> Got:
    source = _Source(program, flags)
    if name == "native":
        with _native(source) as place:
            return _answers(place, program, case)
    with open_place(name, source, (PORT,), PlaceOptions()) as ready:
        return _answers(ready, program, case)


Got = tuple[list[Answer], list[int]]
"""An answer for each packet, and the numbers in the counters afterwards."""


def _answers(place: Place, program: Program, case: Case) -> Got:
    place.control.apply(program.requests)
    answers = [answer(place.send(PORT, packet), case) for packet in case.packets]
    return answers, _counts(place, case)


@contextmanager
def _native(source: _Source) -> Iterator[NativePlace]:
    """Build without the address sanitizer, which takes most of the time. CC=tcc builds ten times
    faster still, without any sanitizer."""
    compiled = source("native", None)
    path = source.program.path
    text, executable = path.with_suffix(".c"), path.with_suffix("")
    text.write_text(compiled.c)
    compiler = host_compiler()
    flags = FLAGS if Path(compiler[0]).name == "tcc" else (*FLAGS, *SANITIZERS)
    command = (*compiler, *flags, f"-I{include_dir()}", str(text), "-o", str(executable))
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise PlaceError(f"the C is refused: {done.stderr[:1000]}")
    place = NativePlace(executable, compiled.description, 20.0)
    try:
        install_initial(place.description, place)
        yield place
    finally:
        place.close()
