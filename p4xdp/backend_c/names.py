"""P4 names in, C identifiers out: readable, unique, and never a word that C or a header took."""

from __future__ import annotations

import re
from collections.abc import Iterable

from p4xdp.backend_c.library_names import is_library_name
from p4xdp.records import dataclass, field

WORDS = frozenset(
    """
    auto break case char const continue default do double else enum extern float for goto if
    inline int long register restrict return short signed sizeof static struct switch typedef
    typeof union unsigned void volatile while asm bool true false nullptr constexpr
    alignas alignof and and_eq bitand bitor catch char16_t char32_t char8_t class compl concept
    consteval constinit const_cast co_await co_return co_yield decltype delete dynamic_cast
    explicit export friend mutable namespace new noexcept not not_eq operator or or_eq private
    protected public reinterpret_cast requires static_assert static_cast template this
    thread_local throw try typeid typename using virtual wchar_t xor xor_eq
    NULL EOF BUFSIZ SEC errno stdin stdout stderr linux unix i386 main
    """.split()
)
"""Words of C and of C++, and macros of the headers that generated code includes."""

PINS = frozenset({"program", "description", "attachment", "replication"})
"""Files beside the pinned maps."""

LOCALS = re.compile(
    r"context|count|ctx|data|data_end|done|entry|event|first|half|i|index|key|mask|number|offset|outer"
    r"|round|scratch|search|slot|state|value|words|zero|field\d+(_\d+)?|word\d+"
)
"""Parameters and variables of the functions that out.c looks its maps up in."""

FAMILIES = re.compile(
    r"__.*|_[A-Z].*|(bpf|p4xdp|libbpf|perf|ring_buffer|btf)_.*|pad\d+"
    r"|(BPF|XDP|TC|TCA|TCF|TCQ|P4XDP|LIBBPF|SYS|MAP|MADV|PROT|POSIX|SEEK|MCL|MS|PDP|FD|P)_.*"
    r"|E[A-Z0-9]+|U?INT[A-Z0-9]*_(MAX|MIN|WIDTH)|U?INT\d+_.*"
)
"""Identifiers that belong to headers, and macros' families there."""


def identifier(name: str) -> str:
    """Return `name` as a C identifier: dots and the like become `_`."""
    text = re.sub(r"[^A-Za-z0-9_]+", "_", name.lstrip(".")).rstrip("_") or "x"
    if text[0].isdigit():
        text = f"_{text}"
    return f"{text}_" if text in WORDS or FAMILIES.fullmatch(text) else text


def last_part(name: str) -> str:
    """Return the last word of a control-plane name: `forward` of `Ingress.forward`."""
    return name.rsplit(".", 1)[-1]


@dataclass(slots=True)
class Names:
    """The identifiers in use in one scope of C; `is_global`: the scope of headers' names too."""

    taken: set[str] = field(default_factory=set)
    is_global: bool = False

    def copy(self) -> Names:
        return Names(set(self.taken), self.is_global)

    def take(self, name: str, suffixes: Iterable[str] = ("",)) -> str:
        """Return an identifier for `name` that is free with each of `suffixes`, and take them."""
        base = identifier(name)
        chosen, number = base, 1
        while not self._is_free(chosen, suffixes):
            number += 1
            chosen = f"{base}_" if number == 2 else f"{base}_{number - 1}"
        self.taken.update(chosen + suffix for suffix in suffixes)
        return chosen

    def _is_free(self, name: str, suffixes: Iterable[str]) -> bool:
        if self.is_global and (is_library_name(name) or name in PINS or LOCALS.fullmatch(name)):
            return False
        return not any(name + suffix in self.taken for suffix in suffixes)


def short_names(names: Iterable[str]) -> dict[str, str]:
    """Return for each control-plane name its last part, or all of it where two would be alike."""
    every = tuple(dict.fromkeys(names))
    lasts = [last_part(name) for name in every]
    return {
        name: last if lasts.count(last) == 1 else name
        for name, last in zip(every, lasts, strict=True)
    }
