"""`make demo`: one program from source to packets, told step by step."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from p4xdp.commands import packet_line, write_output
from p4xdp.diagnostics import CompileError
from p4xdp.options import Options
from p4xdp.report import print_diagnostics
from p4xdp.runtime.build import BuiltProgram, build_program
from p4xdp.runtime.capture import read_packets
from p4xdp.runtime.libbpf import BpfObject
from p4xdp.runtime.objectfile import functions
from p4xdp.stf.place import PlaceOptions
from p4xdp.stf.replay import CaptureTask, PacketResult, run_capture
from p4xdp.stf.runner import compiler, run_case
from p4xdp.stf.timing import measure

ROOT = Path(__file__).parent.parent
PROGRAM = ROOT / "examples" / "xdp1.p4"
CAPTURE = ROOT / "examples" / "xdp1.pcap"
BUILD = ROOT / "build"
SAY = {
    "pass": "goes on to the network stack",
    "drop": "is dropped",
    "aborted": "is dropped: the parser rejects it",
    "tx": "is sent back",
    "redirect": "goes out by another device",
}


def shown(path: Path) -> str:
    return str(path.relative_to(ROOT))


def title(text: str) -> None:
    print(f"\n== {text}")


def compile_it() -> BuiltProgram:
    title(f"Compile {shown(PROGRAM)}")
    built = build_program(PROGRAM, Options())
    BUILD.mkdir(exist_ok=True)
    path = BUILD / "xdp1.c"
    write_output(built.output, path, {path.with_suffix(".o"): built.object})
    headers = ", ".join(f"{name} ({size} bytes)" for name, size in built.output.description.headers)
    print(f"headers in the program   {headers}")
    print(f"the C, for reading       {shown(path)}")
    print(f"the header, for tools    {shown(path.with_suffix('.h'))}")
    print(f"the object, by clang     {shown(path.with_suffix('.o'))}")
    for one in functions(path.with_suffix(".o")):
        print(f"instructions             {one.instructions}")
        print(f"stack                    {one.stack} bytes")
    return built


def run_capture_on(place: str) -> tuple[PacketResult, ...]:
    options = PlaceOptions()
    task = CaptureTask(CAPTURE, BUILD / f"xdp1.{place}.pcap", None, 1, place)
    return run_capture(task, compiler(PROGRAM, options), options)


def in_user_space() -> tuple[PacketResult, ...]:
    title(f"Send {shown(CAPTURE)} through it in user space (no rights needed)")
    results = run_capture_on("native")
    for result in results:
        print(f"{packet_line(result)} -- {SAY[result.verdict or 'aborted']}")
    print(f"packets that go on are in {shown(BUILD / 'xdp1.native.pcap')}")
    return results


def in_the_kernel(built: BuiltProgram, natively: tuple[PacketResult, ...]) -> None:
    title("The same capture in the kernel")
    results = run_capture_on("kernel")
    same = [a.verdict for a in results] == [b.verdict for b in natively]
    print(f"verdicts: {', '.join(str(r.verdict) for r in results)}")
    print("the same as in user space" if same else "NOT the same as in user space")
    packet = next(iter(read_packets(CAPTURE))).data
    with BpfObject(built.object, "xdp1") as loaded:
        loaded.load()
        program = loaded.program()
        print(f"ns per packet: {measure(program, packet):.1f}", end=" ")
        info = program.info()
    print(f"(with the kernel's own cost of a test run); {info.jited_size} bytes of machine code")
    if not same:
        sys.exit(1)


def over_veth() -> None:
    title("Real frames over a pair of virtual interfaces")
    result = run_case(PROGRAM, PROGRAM.with_suffix(".stf"), "veth", PlaceOptions())
    print("all expected frames arrived, no other did" if result.passed else "FAILED")
    for failure in result.failures:
        print(failure)
    if not result.passed:
        sys.exit(1)


def main() -> None:
    built = compile_it()
    natively = in_user_space()
    if os.geteuid():
        title("Left out, as it needs root: the kernel, real frames. Try: sudo make demo")
    else:
        in_the_kernel(built, natively)
        over_veth()
    title("What next")
    print("read build/xdp1.c; then README.md, or `.venv/bin/p4xdp --help`")


if __name__ == "__main__":
    try:
        main()
    except CompileError as error:
        print_diagnostics(error.diagnostics)
        sys.exit(1)
