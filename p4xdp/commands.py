"""What each command does with its arguments; every function returns an exit code."""

from __future__ import annotations

import argparse
import json
import stat
import sys
from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from p4xdp import VERSION, description
from p4xdp.backend_c import Output
from p4xdp.deep import call_deep
from p4xdp.diagnostics import CompileError, Diagnostic, Severity, fail, to_json
from p4xdp.driver import Session, check, compile
from p4xdp.midend.ir import Program
from p4xdp.midend.pipeline import OPTIONAL
from p4xdp.options import Options
from p4xdp.output import is_stream, refuse_overwriting, told_beside, write_files
from p4xdp.records import asdict
from p4xdp.report import print_diagnostics

BESIDE = (".h", ".json")
"""Suffixes of what is written beside the C."""

if TYPE_CHECKING:
    from p4xdp.stf.replay import PacketResult


def version() -> str:
    return f"p4xdp {VERSION}"


def include_dir() -> str:
    """Return the directory that holds p4xdp.h."""
    return str(Path(__file__).parent / "runtime_headers")


def options_of(arguments: argparse.Namespace) -> Options:
    return Options(
        target=getattr(arguments, "target", "xdp"),
        include_dirs=tuple(arguments.include_dirs),
        defines=dict(arguments.defines),
        debug_lines=arguments.debug_lines,
        trace=arguments.trace,
        layout=arguments.layout,
        on_reject=arguments.on_reject,
        host_port=arguments.host_port,
        cpu_port=arguments.cpu_port,
        lpm=arguments.lpm,
        externs=tuple(map(_c_file, arguments.externs)),
        warnings=tuple(arguments.warnings),
        without=frozenset(arguments.without if arguments.optimize else OPTIONAL),
    )


def _c_file(path: Path) -> Path:
    """Return the path of a file that C can include; raises CompileError (`no-input`)."""
    if set(str(path.resolve())) & set('"\\\n'):
        text = f"C cannot include `{path}`: its path has a quotation mark, backslash or line end"
        raise fail("no-input", None, text, help="give the file or its directory another name")
    return only_existing(path, "C file")


def only_existing(path: Path, what: str) -> Path:
    """Return `path`; raises CompileError (`no-input`) when there is no such file."""
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        reason = "there is no such file"
    except OSError as error:
        reason = error.strerror or str(error)
    else:
        if stat.S_ISREG(mode):
            return path
        reason = "it is a directory" if stat.S_ISDIR(mode) else "it is not an ordinary file"
    raise fail("no-input", None, f"cannot read the {what} `{path}`: {reason}")


def compile_command(arguments: argparse.Namespace) -> int:
    session = Session(arguments.program, options_of(arguments))
    dump = _dumper(arguments.dump_after)
    output = call_deep(lambda: compile(session, dump))
    path = arguments.output or Path(f"{arguments.program.stem}.c")
    refuse_overwriting((arguments.program,), _written(path))
    write_output(output, path)
    print_diagnostics(session.diagnostics.found)
    print(output.summary, file=told_beside(path))
    return 0


def write_output(output: Output, path: Path, also: Mapping[Path, bytes] | None = None) -> None:
    """Write the C to `path`, header and description beside it, and `also`; all or none.

    Nothing stands beside a device or a pipe.
    """
    if is_stream(path):
        write_files({path: output.c, **(also or {})})
        return
    if path.suffix in (*BESIDE, ".p4"):
        raise fail("cannot-write", None, f"`{path}` would be overwritten: name a .c file with -o")
    write_files(
        {
            path: output.c,
            path.with_suffix(".h"): output.header,
            path.with_suffix(".json"): description.to_json(output.description),
            **(also or {}),
        }
    )


def _written(path: Path) -> tuple[Path, ...]:
    """Return the files that C to `path` and what stands beside it would be."""
    if not path.name or is_stream(path):
        return (path,)
    return (path, *(path.with_suffix(suffix) for suffix in BESIDE))


def _dumper(wanted: str | None) -> Callable[[str, Program], None] | None:
    if wanted is None:
        return None
    from p4xdp.midend.pipeline import PASSES
    from p4xdp.midend.printer import print_program

    names = [p.__name__ for p in PASSES]
    if wanted not in (*names, "all"):
        sys.stderr.write(f"p4xdp: no pass `{wanted}`; passes: {' '.join(names)} (or all)\n")
        raise SystemExit(2)

    def dump(name: str, program: Program) -> None:
        if wanted in (name, "all"):
            print(f"// after {name}\n{print_program(program)}")

    return dump


def check_command(arguments: argparse.Namespace) -> int:
    session = Session(arguments.program, options_of(arguments))
    try:
        call_deep(lambda: check(session))
        found, code = session.diagnostics.found, 0
    except CompileError as error:
        found, code = list(error.diagnostics), 1
    if arguments.json:
        print(json.dumps([to_json(d) for d in found], indent=2))
    else:
        print_diagnostics(found)
    return code


def explain_command(arguments: argparse.Namespace) -> int:
    from p4xdp.explanations import explain, overview

    print(explain(arguments.code) if arguments.code else overview())
    return 0


def build_command(arguments: argparse.Namespace) -> int:
    from p4xdp.runtime import machine
    from p4xdp.runtime.build import build_program
    from p4xdp.runtime.objectfile import functions

    options = options_of(arguments)
    if options.target == "native":
        raise fail("bad-target", None, "`build` makes BPF objects: xdp or tc, not native")
    path = arguments.output or Path(f"{arguments.program.stem}.o")
    if path.suffix in (".c", *BESIDE, ".p4"):
        raise fail("cannot-write", None, f"`{path}` is no name for an object: name a .o file")
    refuse_overwriting((arguments.program,), (path, *_written(path)))
    verify = machine.can_verify()
    built = build_program(arguments.program, options, cpu=arguments.cpu, verify=verify)
    if is_stream(path):
        write_files({path: built.object})
    else:
        write_output(built.output, path.with_suffix(".c"), {path: built.object})
    print_diagnostics(built.warnings)
    print(built.output.summary, file=told_beside(path))
    for one in () if is_stream(path) else functions(path):
        print(f"{path}: {one.name}: {one.instructions} instructions, stack {one.stack} bytes")
    return 0


def run_command(arguments: argparse.Namespace) -> int:
    from p4xdp.stf.place import PlaceOptions
    from p4xdp.stf.replay import CaptureTask, run_capture
    from p4xdp.stf.runner import compiler

    if arguments.output:
        inputs = (arguments.program, arguments.entries, arguments.capture)
        refuse_overwriting(inputs, (arguments.output,))
    options = PlaceOptions(options_of(arguments))
    task = CaptureTask(
        only_existing(arguments.capture, "capture"),
        arguments.output,
        arguments.entries and only_existing(arguments.entries, "file of entries"),
        arguments.port,
        arguments.on,
    )
    for result in run_capture(task, compiler(arguments.program, options), options):
        for line in packet_lines(result):
            print(line, file=told_beside(arguments.output))
    return 0


def packet_lines(result: PacketResult) -> Iterator[str]:
    """Yield what a user reads of one packet, and of what the program told about it."""
    yield packet_line(result)
    for digest in result.digests:
        yield f"packet {result.number}: digest {digest}"


def packet_line(result: PacketResult) -> str:
    if result.verdict is None:
        return f"packet {result.number}: {result.size} bytes: not run: {result.refused}"
    text = f"packet {result.number}: {result.size} bytes: {result.verdict}"
    if result.port is not None:
        text += f", leaves by port {result.port} with {result.new_size} bytes"
    return text + (" (cut off in the capture)" if result.cut else "")


def trace_command(arguments: argparse.Namespace) -> int:
    """Tell each packet's way; JSON is one array, written packet by packet."""
    from p4xdp.stf.packet_trace import TraceTask, json_of, text_of, trace_capture
    from p4xdp.stf.place import PlaceOptions
    from p4xdp.stf.runner import compiler

    options = PlaceOptions(options_of(arguments))
    task = TraceTask(
        only_existing(arguments.capture, "capture"),
        arguments.entries and only_existing(arguments.entries, "file of entries"),
        arguments.packet,
        arguments.port,
        arguments.on_reject,
        arguments.host_port,
        options.compile.cpu_port,
    )
    between = "[\n"
    for traced in trace_capture(task, compiler(arguments.program, options)):
        if arguments.json:
            sys.stdout.write(between + json_of(traced))
            between = ",\n"
        else:
            print(text_of(traced))
    if arguments.json:
        print("[]" if between.startswith("[") else "\n]")
    return 0


def test_command(arguments: argparse.Namespace) -> int:
    """Run a case in each place; 1 when it fails in one, or can run in none."""
    from p4xdp.stf.place import PlaceOptions
    from p4xdp.stf.places import PLACES
    from p4xdp.stf.runner import run_case

    places = arguments.on.split(",")
    for place in places:
        if place not in PLACES:
            sys.stderr.write(f"p4xdp: no place `{place}`; places: {', '.join(PLACES)}\n")
            return 2
    stf = only_existing(arguments.stf or arguments.program.with_suffix(".stf"), "test file")
    entries = arguments.entries and only_existing(arguments.entries, "file of entries")
    options = PlaceOptions(options_of(arguments))
    print_diagnostics(empty_test(stf))
    failed, ran = False, False
    for place in places:
        result = run_case(arguments.program, stf, place, options, entries)
        outcome = "passed" if result.passed else "FAILED"
        print(f"{place}: " + (f"skipped: {result.skipped}" if result.skipped else outcome))
        for failure in result.failures:
            print(failure)
        ran |= result.skipped is None
        failed |= result.skipped is None and not result.passed
    return 1 if failed or not ran else 0


def empty_test(stf: Path) -> tuple[Diagnostic, ...]:
    """Return a warning when the test file says nothing; raises CompileError as reading it does."""
    from p4xdp.stf.parser import read_case

    if read_case(stf).statements:
        return ()
    help = "`packet PORT HEX` sends a packet, `expect PORT HEX` says what must leave"
    text = f"{stf} holds no statement: nothing is tested"
    return (Diagnostic(Severity.WARNING, "empty-test", None, text, help=help),)


def load_command(arguments: argparse.Namespace) -> int:
    from p4xdp.runtime.build import build_program
    from p4xdp.runtime.entries import carry_out
    from p4xdp.runtime.load import groups_before, load
    from p4xdp.runtime.maps import KernelMaps
    from p4xdp.runtime.planning import plan
    from p4xdp.runtime.profiles import filled_by
    from p4xdp.stf.entries_file import read_requests

    entries = arguments.entries and only_existing(arguments.entries, "file of entries")
    requests = read_requests(entries) if entries else ()
    built = build_program(arguments.program, options_of(arguments), verify=True)

    device = arguments.dev or arguments.ports[0][1]
    groups = groups_before(built.output.description, device, tuple(arguments.ports))
    operations = plan(built.output.description, requests, groups)

    def fill(maps: KernelMaps) -> None:
        carry_out(built.output.description, maps, operations)

    loaded = load(
        built.object,
        built.output.description,
        device,
        mode=arguments.mode,
        replace=arguments.replace,
        ports=tuple(arguments.ports),
        source=arguments.program,
        c=built.output.c,
        fill=fill,
        groups=groups,
        loop=arguments.loop,
        anew=filled_by(built.output.description, requests),
    )
    print_diagnostics((*built.warnings, *loaded.diagnostics))
    print(built.output.summary)
    on = ", ".join(loaded.devices)
    print(f"{loaded.program} runs on {on} ({loaded.mode}), pinned in {loaded.pins}")
    if loaded.kept:
        print(f"kept from before: {', '.join(loaded.kept)}")
    return 0


def unload_command(arguments: argparse.Namespace) -> int:
    from p4xdp.runtime.load import unload

    done = unload(arguments.dev)
    print_diagnostics(done.diagnostics)
    print(f"{', '.join(done.programs)} is off {done.device}; nothing is left")
    return 0


def status_command(arguments: argparse.Namespace) -> int:
    from p4xdp.runtime.status import render, status

    found = status(arguments.dev)
    print(json.dumps(asdict(found), indent=2, default=str) if arguments.json else render(found))
    return 0


def listen_command(arguments: argparse.Namespace) -> int:
    """Print messages as they come, until interrupted or enough of them have come."""
    from p4xdp.controller import Switch, installed
    from p4xdp.runtime.messages import json_of, text_of

    with Switch(installed(arguments.dev)) as switch:
        program = switch.description.program
        if switch.description.messages is None:
            raise fail("no-messages", None, f"`{program}` sends no digests and no packets")
        switch.listen()
        print(f"listening to {program}", file=sys.stderr, flush=True)
        for message in islice(switch.messages(arguments.seconds), arguments.count):
            print(json_of(message) if arguments.json else text_of(message), flush=True)
        if lost := switch.lost():
            print(f"{lost} messages found no room", file=sys.stderr)
    return 0


def doctor_command(arguments: argparse.Namespace) -> int:
    from p4xdp.runtime import doctor

    found = doctor.examine()
    if arguments.json:
        print(json.dumps(doctor.to_json(found), indent=2))
    else:
        print(doctor.render(found))
    return 0
