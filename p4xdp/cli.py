"""The command line: arguments, exit codes, and nothing else.

Exit codes: 0 all well, 1 the program (or another input) is wrong, 2 usage, 70 our own fault,
128 and its number for a signal.
"""

from __future__ import annotations

import argparse
import gc
import math
import os
import shlex
import sys
from collections.abc import Callable, Sequence
from functools import cache, partial
from pathlib import Path
from typing import NoReturn

from p4xdp import commands
from p4xdp.codes import WARNINGS
from p4xdp.diagnostics import CompileError, InternalError, fail
from p4xdp.frontend.warnings.policy import is_flag
from p4xdp.midend.pipeline import OPTIONAL
from p4xdp.options import HOST_PORT, LAST_PORT
from p4xdp.output import STANDARD_OUTPUT
from p4xdp.report import print_diagnostics, print_internal_error
from p4xdp.signals import status_of

OK = 0
WRONG = 1
USAGE = 2
OUR_FAULT = 70

COLLECTING = (50_000, 20, 100)
"""How seldom to look for cycles of objects: a compile makes few, and many objects that stay."""

COLUMNS = 80
"""Of a terminal that does not say how many it has."""

EXAMPLES = """\
examples:
  p4xdp --target xdp -o out.c prog.p4         out.c, out.h and out.json
  p4xdp check prog.p4                         types only
  p4xdp explain type-mismatch                 an error, and how it is mended
  p4xdp build -o prog.o prog.p4               an object, with clang
  p4xdp run prog.p4 in.pcap -o out.pcap       a capture through the program
  p4xdp trace prog.p4 in.pcap                 what happens to each packet, step by step
  p4xdp test prog.p4 prog.stf --on interp,native,kernel,veth
  p4xdp load prog.p4 --dev eth0               onto an interface
  p4xdp status                                what is loaded
  p4xdp unload --dev eth0                     and off again
  p4xdp doctor                                what this machine has and lacks
"""


class Formatter(argparse.RawDescriptionHelpFormatter):
    """Asks the terminal once: argparse makes a formatter for each argument that is added."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, width=_columns() - 2)


@cache
def _columns() -> int:
    try:
        return int(os.environ.get("COLUMNS", 0)) or os.get_terminal_size().columns or COLUMNS
    except (OSError, ValueError):
        return COLUMNS


class Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        sys.stderr.write(f"p4xdp: {message}\nTry `{self.prog} --help`.\n")
        raise SystemExit(USAGE)


class Once(argparse.Action):
    """An option that says which one thing is meant: it cannot mean two."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: object,
        option_string: str | None = None,
    ) -> None:
        before = getattr(namespace, self.dest)
        if before is not None:
            parser.error(f"{option_string} is given twice: {before} and {values}")
        setattr(namespace, self.dest, values)


def _output(text: str) -> Path:
    """Return the file of -o; raises CompileError (`cannot-write`) for what can be none."""
    if text == "-":
        return STANDARD_OUTPUT
    if text.endswith("/"):
        help = f"name a file in it: `-o {shlex.quote(text)}NAME`"
        raise fail("cannot-write", None, f"cannot write {text}: that names a directory", help=help)
    return Path(text)


def _definition(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not name.isidentifier():
        raise argparse.ArgumentTypeError(f"`{text}` is not name or name=value")
    return name, value if equals else "1"


MOST_NUMBER = 0xFFFFFFFF


def _number(text: str) -> int | None:
    """Return a decimal number of at most 32 bits, None for anything else."""
    if not (text.isascii() and text.isdigit()) or len(text) > len(str(MOST_NUMBER)):
        return None
    return int(text) if int(text) <= MOST_NUMBER else None


def _count(text: str) -> int:
    number = _number(text)
    if not number:
        raise argparse.ArgumentTypeError(f"`{text}` is not a number from 1")
    return number


def _time(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = math.nan
    if not seconds >= 0:
        raise argparse.ArgumentTypeError(f"`{text}` is not a number of seconds")
    return seconds


def _warning(text: str) -> str:
    if not is_flag(text):
        names = ", ".join(sorted(WARNINGS))
        raise argparse.ArgumentTypeError(f"there is no warning `{text}`; warnings: all, {names}")
    return text


def _host_port(text: str) -> int:
    number = _number(text)
    if number is None or number > LAST_PORT:
        raise argparse.ArgumentTypeError(f"`{text}` is no port: ports are 0 to {LAST_PORT}")
    return number


def _input_port(text: str) -> int:
    number = _number(text)
    if number is None:
        raise argparse.ArgumentTypeError(f"`{text}` is no port: ports are 0 to {MOST_NUMBER}")
    return number


def _port(text: str) -> tuple[int, str]:
    digits, equals, device = text.partition("=")
    number = _number(digits)
    if number is None or not (equals and device):
        raise argparse.ArgumentTypeError(f"`{text}` is not NUMBER=DEVICE")
    return number, device


def _loop(text: str) -> tuple[str, str]:
    out, equals, entered = text.partition("=")
    if not (out and equals and entered):
        raise argparse.ArgumentTypeError(f"`{text}` is not DEVICE=DEVICE")
    return out, entered


def _add_source(parser: argparse.ArgumentParser, *, target: bool = True) -> None:
    parser.add_argument("program", type=Path, metavar="prog.p4")
    _add_front_end(parser)
    if target:
        parser.add_argument(
            "--target",
            choices=("xdp", "tc", "native"),
            default="xdp",
            help="what the C is for (default: xdp)",
        )
    _add_meaning(parser)
    _add_passes(parser)
    parser.add_argument(
        "-g",
        dest="debug_lines",
        action="store_true",
        help="#line directives: messages of clang and verifier name P4 lines",
    )
    parser.add_argument(
        "--trace",
        action="store_true",
        help="log states, tables and actions to the kernel's trace pipe",
    )


def _add_front_end(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "-I",
        dest="include_dirs",
        type=Path,
        action="append",
        default=[],
        metavar="dir",
        help="look for include files here",
    )
    parser.add_argument(
        "-D",
        dest="defines",
        type=_definition,
        action="append",
        default=[],
        metavar="name=value",
        help="define a preprocessor name",
    )
    parser.add_argument(
        "-W",
        dest="warnings",
        type=_warning,
        action="append",
        default=[],
        metavar="name",
        help="show a warning; -Wno-NAME hides it, -Werror[=NAME] makes it an error",
    )


def _add_meaning(parser: argparse.ArgumentParser) -> None:
    """Add what is free where P4 or the architecture leaves a choice."""
    parser.add_argument(
        "--layout",
        choices=("stack", "scratch", "subprograms", "tail-calls"),
        help="where variables live, and whether the program is cut (default: chosen by size)",
    )
    parser.add_argument(
        "--on-reject",
        choices=("aborted", "drop"),
        default="aborted",
        help="verdict for packets the parser rejects (default: aborted)",
    )
    parser.add_argument(
        "--extern",
        dest="externs",
        type=Path,
        action="append",
        default=[],
        metavar="FILE.c",
        help="C with extern functions that the program declares, see docs/c-externs.md",
    )
    parser.add_argument(
        "--lpm",
        choices=("trie", "masks"),
        default="trie",
        help="search prefixes by the kernel's trie, or by the lengths in use: faster, but a change "
        "writes the whole table (default: trie)",
    )
    parser.add_argument(
        "--host-port",
        type=_host_port,
        default=HOST_PORT,
        metavar="N",
        help="port by which v1model programs send packets to this machine (default: %(default)s)",
    )
    parser.add_argument(
        "--cpu-port",
        type=_host_port,
        metavar="N",
        help="port by which v1model programs send packets to a controller, and get them from it",
    )


def _add_passes(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "-O0",
        dest="optimize",
        action="store_false",
        help="leave out every pass that only makes the program better (--no-PASS: one of them: "
        + ", ".join(name.replace("_", "-") for name in OPTIONAL)
        + ")",
    )
    for name in OPTIONAL:
        parser.add_argument(
            f"--no-{name.replace('_', '-')}",
            dest="without",
            action="append_const",
            const=name,
            default=[],
            help=argparse.SUPPRESS,
        )


def compile_parser() -> Parser:
    parser = Parser(
        prog="p4xdp",
        epilog=EXAMPLES,
        description="Compile P4_16 to XDP.",
        formatter_class=Formatter,
    )
    _add_source(parser)
    parser.add_argument(
        "-o",
        dest="output",
        type=_output,
        action=Once,
        metavar="out.c",
        help="the C file, `-` for standard output; header and description go beside a file",
    )
    parser.add_argument(
        "--dump-after", metavar="PASS", help="print the program after this pass (`all`: after each)"
    )
    parser.add_argument("--version", action="version", version=commands.version())
    parser.add_argument(
        "--include-dir",
        action="version",
        version=commands.include_dir(),
        help="print the directory of p4xdp.h, for clang's -I",
    )
    parser.set_defaults(command=commands.compile_command)
    return parser


def command_parser() -> Parser:
    parser = Parser(prog="p4xdp", formatter_class=Formatter)
    commands_of = parser.add_subparsers(metavar="command", required=True)

    def add(name: str, run: Callable[[argparse.Namespace], int], text: str) -> Parser:
        one: Parser = commands_of.add_parser(name, help=text, description=text)
        one.set_defaults(command=run)
        return one

    one = add("compile", commands.compile_command, "write C, header and description")
    _add_source(one)
    one.add_argument("-o", dest="output", type=_output, action=Once, metavar="out.c")
    one.add_argument("--dump-after", metavar="PASS")
    one = add("check", commands.check_command, "check names and types only")
    _add_source(one)
    one.add_argument("--json", action="store_true", help="diagnostics as JSON on stdout")
    one = add("explain", commands.explain_command, "what an error or a warning means")
    one.add_argument("code", nargs="?", help="as in `error[code]`; without it, all are listed")
    one = add("build", commands.build_command, "build an object with clang")
    _add_source(one)
    one.add_argument("-o", dest="output", type=_output, action=Once, metavar="out.o")
    one.add_argument(
        "--cpu",
        choices=("v1", "v2", "v3", "v4"),
        default="v3",
        help="BPF instruction set (default: v3)",
    )
    _add_run(add)
    _add_devices(add)
    return parser


def _add_run(add: Callable[..., Parser]) -> None:
    one = add("run", commands.run_command, "send a capture through the program")
    _add_source(one, target=False)
    one.add_argument("capture", type=Path, metavar="in.pcap")
    one.add_argument("-o", dest="output", type=_output, action=Once, metavar="out.pcap")
    one.add_argument(
        "--entries",
        type=Path,
        action=Once,
        metavar="FILE",
        help="table entries and more: STF, simple_switch_CLI commands or P4Runtime-style JSON",
    )
    one.add_argument("--on", choices=("interp", "native", "kernel"), default="native")
    one.add_argument("--port", type=_input_port, default=1, help="input port (default: 1)")
    one = add("trace", commands.trace_command, "tell what a program does with each packet")
    _add_source(one, target=False)
    one.add_argument("capture", type=Path, metavar="in.pcap")
    one.add_argument("--entries", type=Path, action=Once, metavar="FILE")
    one.add_argument("--packet", type=_count, metavar="N", help="only packet N, from 1")
    one.add_argument("--port", type=_input_port, default=1, help="input port (default: 1)")
    one.add_argument("--json", action="store_true", help="as JSON, an array of packets")
    one = add("test", commands.test_command, "run an STF case")
    _add_source(one, target=False)
    one.add_argument(
        "stf",
        type=Path,
        nargs="?",
        metavar="prog.stf",
        help="default: the program's name with .stf",
    )
    one.add_argument("--on", default="native", metavar="interp,native,kernel,veth")
    one.add_argument(
        "--entries", type=Path, action=Once, metavar="FILE", help="carried out before the case"
    )


def _add_devices(add: Callable[..., Parser]) -> None:
    one = add("load", commands.load_command, "put the program on an interface")
    _add_source(one, target=False)
    one.add_argument("--target", choices=("xdp", "tc"), default="xdp")
    one.add_argument("--dev", action=Once, help="default: the device of the first --port")
    one.add_argument("--mode", choices=("auto", "native", "generic"), default="auto")
    one.add_argument(
        "--replace", action="store_true", help="take the place of a program that is not ours"
    )
    one.add_argument(
        "--port",
        dest="ports",
        type=_port,
        action="append",
        default=[],
        metavar="N=DEV",
        help="device behind a port number; v1model programs run on all of them",
    )
    one.add_argument(
        "--loop",
        type=_loop,
        action=Once,
        metavar="OUT=IN",
        help="two devices, of which one sends to the other: copies come in there once more",
    )
    one.add_argument("--entries", type=Path, action=Once, metavar="FILE")
    one = add("unload", commands.unload_command, "take it off; nothing stays behind")
    one.add_argument("--dev", action=Once, required=True)
    one = add("status", commands.status_command, "what is loaded, with tables and counters")
    one.add_argument("--dev", action=Once)
    one.add_argument("--json", action="store_true")
    one = add("listen", commands.listen_command, "print what the program tells user space")
    one.add_argument("--dev", required=True, action=Once)
    one.add_argument("--json", action="store_true", help="one JSON object a line")
    one.add_argument("--count", type=_count, metavar="N", help="end after N messages")
    one.add_argument("--seconds", type=_time, metavar="S", help="end after so long")
    one = add("doctor", commands.doctor_command, "what this machine has and lacks")
    one.add_argument("--json", action="store_true")


COMMANDS = (
    "compile",
    "check",
    "build",
    "run",
    "trace",
    "test",
    "load",
    "unload",
    "status",
    "listen",
    "doctor",
    "explain",
)


def parse_arguments(argv: Sequence[str]) -> argparse.Namespace:
    """Return the arguments; a command line that starts with no command means compile."""
    if argv and argv[0] in COMMANDS:
        parser = command_parser()
        found = parser.parse_args(argv)
        if argv[0] == "load" and not (found.dev or found.ports):
            parser.error("load needs --dev, or --port")
        return found
    parser = compile_parser()
    if not argv:
        parser.error("no program given")
    return parser.parse_args(argv)


def main(argv: Sequence[str] | None = None) -> int:
    gc.set_threshold(*COLLECTING)
    return status_of(partial(_guarded, sys.argv[1:] if argv is None else argv))


def _guarded(argv: Sequence[str]) -> int:
    """Run the command; whatever is raised becomes a message and an exit code."""
    try:
        arguments = parse_arguments(argv)
        code: int = arguments.command(arguments)
        sys.stdout.flush()
        return code
    except CompileError as error:
        print_diagnostics(error.diagnostics)
        return WRONG
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return OK
    except (InternalError, Exception) as error:
        if os.environ.get("P4XDP_DEBUG") == "1":
            raise
        print_internal_error(error)
        return OUR_FAULT


if __name__ == "__main__":
    sys.exit(main())
