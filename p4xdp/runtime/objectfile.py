"""What an object file says of its functions: instructions and stack, without an LLVM tool."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import TYPE_CHECKING, Any

from p4xdp.diagnostics import fail
from p4xdp.records import dataclass

if TYPE_CHECKING:
    from elftools.elf.elffile import ELFFile

INSTRUCTION_SIZE = 8
FRAME_POINTER = 10
CLASS = 0x07
CALL, MOVE, ADD = 0x85, 0xBF, 0x07


@dataclass(frozen=True, slots=True)
class Function:
    """A function of an object: `stack` is the bytes of its own frame that it reaches."""

    name: str
    section: str
    instructions: int
    stack: int


def functions(object: Path) -> tuple[Function, ...]:
    """Return the functions in the order of the symbol table.

    Raises CompileError: `missing-package` without pyelftools, `bad-object`.
    """
    try:
        from elftools.common.exceptions import ELFError
        from elftools.elf.elffile import ELFFile
    except ImportError:
        text = "the figures of an object need pyelftools"
        raise fail(
            "missing-package", None, text, help="install it: `pip install 'p4xdp[run]'`"
        ) from None
    try:
        with object.open("rb") as stream:
            return _functions(ELFFile(stream))
    except (ELFError, OSError) as error:
        raise fail("bad-object", None, f"cannot read `{object}`: {error}") from error


def _functions(elf: ELFFile) -> tuple[Function, ...]:
    symbols: Any = elf.get_section_by_name(".symtab")
    found = []
    for symbol in symbols.iter_symbols() if symbols else ():
        index = symbol["st_shndx"]
        if symbol["st_info"]["type"] == "STT_FUNC" and isinstance(index, int):
            section = elf.get_section(index)
            start = symbol["st_value"]
            code = section.data()[start : start + symbol["st_size"]]
            size = len(code) // INSTRUCTION_SIZE
            found.append(Function(symbol.name, section.name, size, stack_depth(code)))
    return tuple(found)


def stack_depth(code: bytes) -> int:
    """Return how many bytes below the frame pointer (r10) instructions reach."""
    frame: dict[int, int] = {FRAME_POINTER: 0}
    lowest = 0
    for opcode, registers, offset, immediate in struct.iter_unpack("<BBhi", code):
        target, source = registers & 15, registers >> 4
        match opcode & CLASS:
            case 0x01:  # LDX: load from source into target
                lowest = min(lowest, frame.get(source, 0) + offset if source in frame else 0)
                frame.pop(target, None)
            case 0x02 | 0x03:  # ST, STX: store at target
                lowest = min(lowest, frame.get(target, 0) + offset if target in frame else 0)
            case 0x04 | 0x07:  # ALU, ALU64
                _arithmetic(frame, opcode, target, source, immediate)
                lowest = min(lowest, frame.get(target, 0))
            case 0x05 | 0x06 if opcode == CALL:
                for register in range(6):
                    frame.pop(register, None)
    return -lowest


def _arithmetic(
    frame: dict[int, int], opcode: int, target: int, source: int, immediate: int
) -> None:
    """Follow copies of the frame pointer: `frame` has the distance by register."""
    if opcode == MOVE and source in frame:
        frame[target] = frame[source]
    elif opcode == ADD and target in frame:
        frame[target] += immediate
    else:
        frame.pop(target, None)
