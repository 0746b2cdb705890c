"""The C side of libbpf: which library, its prototypes, its structures, its log.

`library()` finds libbpf once and gives the typed functions. Nothing here has an opinion on what
is loaded; that is in libbpf.py.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterator
from contextlib import contextmanager
from ctypes import POINTER, c_char_p, c_int, c_size_t, c_uint8, c_uint32, c_uint64, c_void_p
from functools import cache
from typing import Any

from p4xdp.signals import held

NAMES = ("libbpf.so.1", "libbpf.so.0")
INSTALL = "install it: `apt install libbpf1` (Debian, Ubuntu) or `dnf install libbpf` (Fedora)"


class LibbpfMissing(Exception):
    """No usable libbpf on this machine; the text says what to install."""


class TestRunOpts(ctypes.Structure):
    """`struct bpf_test_run_opts`."""

    _fields_ = (
        ("sz", c_size_t),
        ("data_in", c_void_p),
        ("data_out", c_void_p),
        ("data_size_in", c_uint32),
        ("data_size_out", c_uint32),
        ("ctx_in", c_void_p),
        ("ctx_out", c_void_p),
        ("ctx_size_in", c_uint32),
        ("ctx_size_out", c_uint32),
        ("retval", c_uint32),
        ("repeat", c_int),
        ("duration", c_uint32),
        ("flags", c_uint32),
        ("cpu", c_uint32),
        ("batch_size", c_uint32),
    )


class OpenOpts(ctypes.Structure):
    """`struct bpf_object_open_opts` up to `object_name`."""

    _fields_ = (("sz", c_size_t), ("object_name", c_char_p))


class TcHook(ctypes.Structure):
    """`struct bpf_tc_hook`."""

    _fields_ = (
        ("sz", c_size_t),
        ("ifindex", c_int),
        ("attach_point", c_int),
        ("parent", c_uint32),
    )


class TcOpts(ctypes.Structure):
    """`struct bpf_tc_opts`."""

    _fields_ = (
        ("sz", c_size_t),
        ("prog_fd", c_int),
        ("flags", c_uint32),
        ("prog_id", c_uint32),
        ("handle", c_uint32),
        ("priority", c_uint32),
    )


class CMapInfo(ctypes.Structure):
    """`struct bpf_map_info` of <linux/bpf.h>, up to `map_extra`."""

    _fields_ = (
        ("type", c_uint32),
        ("id", c_uint32),
        ("key_size", c_uint32),
        ("value_size", c_uint32),
        ("max_entries", c_uint32),
        ("map_flags", c_uint32),
        ("name", ctypes.c_char * 16),
        ("ifindex", c_uint32),
        ("btf_vmlinux_value_type_id", c_uint32),
        ("netns_dev", c_uint64),
        ("netns_ino", c_uint64),
        ("btf_id", c_uint32),
        ("btf_key_type_id", c_uint32),
        ("btf_value_type_id", c_uint32),
        ("_pad", c_uint32),
        ("map_extra", c_uint64),
    )


class CProgramInfo(ctypes.Structure):
    """`struct bpf_prog_info` of <linux/bpf.h>, up to `verified_insns`."""

    _fields_ = (
        ("type", c_uint32),
        ("id", c_uint32),
        ("tag", c_uint8 * 8),
        ("jited_prog_len", c_uint32),
        ("xlated_prog_len", c_uint32),
        ("jited_prog_insns", c_uint64),
        ("xlated_prog_insns", c_uint64),
        ("load_time", c_uint64),
        ("created_by_uid", c_uint32),
        ("nr_map_ids", c_uint32),
        ("map_ids", c_uint64),
        ("name", ctypes.c_char * 16),
        ("ifindex", c_uint32),
        ("gpl_compatible", c_uint32),
        ("netns_dev", c_uint64),
        ("netns_ino", c_uint64),
        ("nr_jited_ksyms", c_uint32),
        ("nr_jited_func_lens", c_uint32),
        ("jited_ksyms", c_uint64),
        ("jited_func_lens", c_uint64),
        ("btf_id", c_uint32),
        ("func_info_rec_size", c_uint32),
        ("func_info", c_uint64),
        ("nr_func_info", c_uint32),
        ("nr_line_info", c_uint32),
        ("line_info", c_uint64),
        ("jited_line_info", c_uint64),
        ("nr_jited_line_info", c_uint32),
        ("line_info_rec_size", c_uint32),
        ("jited_line_info_rec_size", c_uint32),
        ("nr_prog_tags", c_uint32),
        ("prog_tags", c_uint64),
        ("run_time_ns", c_uint64),
        ("run_cnt", c_uint64),
        ("recursion_misses", c_uint64),
        ("verified_insns", c_uint32),
        ("_pad", c_uint32),
    )


PRINT = ctypes.CFUNCTYPE(c_int, c_int, c_char_p, c_void_p)
RING_SAMPLE = ctypes.CFUNCTYPE(c_int, c_void_p, c_void_p, c_size_t)

PROTOTYPES: dict[str, tuple[Any, tuple[Any, ...]]] = {
    "libbpf_set_print": (c_void_p, (PRINT,)),
    "libbpf_num_possible_cpus": (c_int, ()),
    "bpf_object__open_mem": (c_void_p, (c_char_p, c_size_t, POINTER(OpenOpts))),
    "bpf_object__load": (c_int, (c_void_p,)),
    "bpf_object__close": (None, (c_void_p,)),
    "bpf_object__next_map": (c_void_p, (c_void_p, c_void_p)),
    "bpf_object__next_program": (c_void_p, (c_void_p, c_void_p)),
    "bpf_map__name": (c_char_p, (c_void_p,)),
    "bpf_map__fd": (c_int, (c_void_p,)),
    "bpf_map__type": (c_int, (c_void_p,)),
    "bpf_map__key_size": (c_uint32, (c_void_p,)),
    "bpf_map__value_size": (c_uint32, (c_void_p,)),
    "bpf_map__max_entries": (c_uint32, (c_void_p,)),
    "bpf_map__map_flags": (c_uint32, (c_void_p,)),
    "bpf_map__reuse_fd": (c_int, (c_void_p, c_int)),
    "bpf_map__set_max_entries": (c_int, (c_void_p, c_uint32)),
    "bpf_map__set_initial_value": (c_int, (c_void_p, c_void_p, c_size_t)),
    "bpf_program__name": (c_char_p, (c_void_p,)),
    "bpf_program__section_name": (c_char_p, (c_void_p,)),
    "bpf_program__fd": (c_int, (c_void_p,)),
    "bpf_program__insn_cnt": (c_size_t, (c_void_p,)),
    "bpf_map_create": (
        c_int,
        (c_int, c_char_p, c_uint32, c_uint32, c_uint32, c_void_p),
    ),
    "bpf_map_lookup_elem": (c_int, (c_int, c_void_p, c_void_p)),
    "bpf_map_update_elem": (c_int, (c_int, c_void_p, c_void_p, c_uint64)),
    "bpf_map_update_batch": (
        c_int,
        (c_int, c_void_p, c_void_p, POINTER(c_uint32), c_void_p),
    ),
    "bpf_map_delete_elem": (c_int, (c_int, c_void_p)),
    "bpf_map_get_next_key": (c_int, (c_int, c_void_p, c_void_p)),
    "bpf_obj_pin": (c_int, (c_int, c_char_p)),
    "bpf_obj_get": (c_int, (c_char_p,)),
    "bpf_obj_get_info_by_fd": (c_int, (c_int, c_void_p, POINTER(c_uint32))),
    "bpf_prog_get_fd_by_id": (c_int, (c_uint32,)),
    "bpf_map_get_fd_by_id": (c_int, (c_uint32,)),
    "bpf_prog_test_run_opts": (c_int, (c_int, POINTER(TestRunOpts))),
    "bpf_map_lookup_batch": (
        c_int,
        (c_int, c_void_p, c_void_p, c_void_p, c_void_p, POINTER(c_uint32), c_void_p),
    ),
    "ring_buffer__new": (c_void_p, (c_int, RING_SAMPLE, c_void_p, c_void_p)),
    "ring_buffer__epoll_fd": (c_int, (c_void_p,)),
    "ring_buffer__poll": (c_int, (c_void_p, c_int)),
    "ring_buffer__consume": (c_int, (c_void_p,)),
    "ring_buffer__free": (None, (c_void_p,)),
    "bpf_tc_hook_create": (c_int, (POINTER(TcHook),)),
    "bpf_tc_hook_destroy": (c_int, (POINTER(TcHook),)),
    "bpf_tc_attach": (c_int, (POINTER(TcHook), POINTER(TcOpts))),
    "bpf_tc_detach": (c_int, (POINTER(TcHook), POINTER(TcOpts))),
    "bpf_tc_query": (c_int, (POINTER(TcHook), POINTER(TcOpts))),
}


class Library:
    """libbpf with its log captured. Functions are attributes, `library().functions.bpf_obj_get`."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.functions = ctypes.CDLL(name, use_errno=True)
        for function, (result, arguments) in PROTOTYPES.items():
            _declare(self.functions, function, result, arguments)
        self._log: list[str] | None = None
        self._print = PRINT(self._on_print)
        self.functions.libbpf_set_print(self._print)
        if name == "libbpf.so.0":
            self.functions.libbpf_set_strict_mode(0xFFFFFFFF)

    def version(self) -> str:
        """Return, say, `1.1`."""
        major = self.functions.libbpf_major_version
        minor = self.functions.libbpf_minor_version
        return f"{major()}.{minor()}"

    def _on_print(self, _level: int, template: bytes, arguments: int) -> int:
        if self._log is not None:
            self._log.append(_format(template, arguments))
        return 0

    @contextmanager
    def captured(self) -> Iterator[list[str]]:
        """Collect what libbpf prints; the list grows while the block runs.

        Signals wait: what a handler raises while libbpf calls back is lost.
        """
        before, self._log = self._log, []
        try:
            with held():
                yield self._log
        finally:
            self._log = before


def _declare(functions: ctypes.CDLL, name: str, result: Any, arguments: tuple[Any, ...]) -> None:
    try:
        function = getattr(functions, name)
    except AttributeError:
        text = f"libbpf is too old: it has no `{name}`; 0.8 or later is needed"
        raise LibbpfMissing(f"{text}; {INSTALL}") from None
    function.restype = result
    function.argtypes = arguments


@cache
def _libc() -> ctypes.CDLL:
    libc = ctypes.CDLL(None)
    libc.vasprintf.argtypes = (POINTER(c_void_p), c_char_p, c_void_p)
    libc.free.argtypes = (c_void_p,)
    return libc


def _format(template: bytes, arguments: int) -> str:
    """Format a C `va_list`, which every 64-bit ABI of Linux passes as one pointer."""
    text = c_void_p()
    if _libc().vasprintf(ctypes.byref(text), template, arguments) < 0 or not text.value:
        return template.decode(errors="replace")
    try:
        return ctypes.string_at(text.value).decode(errors="replace")
    finally:
        _libc().free(text)


@cache
def library() -> Library:
    """Return libbpf; raises LibbpfMissing."""
    for name in NAMES:
        try:
            return Library(name)
        except OSError:
            continue
    raise LibbpfMissing(f"libbpf is not on this machine (looked for {', '.join(NAMES)}); {INSTALL}")


@cache
def possible_cpus() -> int:
    """Return the number of CPUs that a per-CPU map holds a value for."""
    return int(library().functions.libbpf_num_possible_cpus())


def message(errno: int) -> str:
    """Return the text of an errno, of libbpf's own as well."""
    return _OWN.get(errno) or os.strerror(errno)


_OWN = {
    4000: "libelf refused the object",
    4001: "not a BPF object",
    4003: "wrong byte order",
    4005: "relocation failed",
    4007: "the verifier refused the program",
    4008: "the program is too big",
    4010: "the kernel does not know this program type",
}
