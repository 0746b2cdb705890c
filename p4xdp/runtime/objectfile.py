"""What an object file says of its functions: instructions and stack.

clang writes a `.stack_sizes` section under -fstack-size-section; no LLVM tool is needed to read
it.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from p4xdp.diagnostics import fail

if TYPE_CHECKING:
    from elftools.elf.elffile import ELFFile
    from elftools.elf.sections import Section

INSTRUCTION_SIZE = 8


@dataclass(frozen=True, slots=True)
class Function:
    """A function of an object: `stack` in bytes, None when the object does not say."""

    name: str
    section: str
    instructions: int
    stack: int | None


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
    stacks = _stacks(elf)
    found = []
    for symbol in symbols.iter_symbols() if symbols else ():
        index = symbol["st_shndx"]
        if symbol["st_info"]["type"] == "STT_FUNC" and isinstance(index, int):
            stack = stacks.get((index, symbol["st_value"]))
            size = symbol["st_size"] // INSTRUCTION_SIZE
            found.append(Function(symbol.name, elf.get_section(index).name, size, stack))
    return tuple(found)


def _stacks(elf: ELFFile) -> dict[tuple[int, int], int]:
    """Return the stack in bytes by (section, offset in it)."""
    found: dict[tuple[int, int], int] = {}
    for number in range(elf.num_sections()):
        section = elf.get_section(number)
        if section.name == ".stack_sizes":
            found |= _stack_entries(elf, number, section)
    return found


def _stack_entries(elf: ELFFile, number: int, section: Section) -> dict[tuple[int, int], int]:
    symbols: Any = elf.get_section_by_name(".symtab")
    places = {}
    relocations: Any
    for relocations in elf.iter_sections("SHT_REL"):
        if relocations["sh_info"] == number:
            for one in relocations.iter_relocations():
                places[one["r_offset"]] = symbols.get_symbol(one["r_info_sym"])
    found, data, at = {}, section.data(), 0
    while at < len(data):
        symbol = places[at]
        offset = symbol["st_value"] + int.from_bytes(data[at : at + 8], "little")
        size, at = _uleb128(data, at + 8)
        found[symbol["st_shndx"], offset] = size
    return found


def _uleb128(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return value, at
