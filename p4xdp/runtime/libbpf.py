"""BPF objects, maps and programs through libbpf, as Python values.

An object file goes in; maps and programs that can be used, pinned and test-run come out. Keys,
values and packets are `bytes` in the kernel's own layout. Every refusal is a BpfError with its
errno. Nothing here knows P4.
"""

from __future__ import annotations

import ctypes
import errno as codes
import os
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Self

from p4xdp.records import dataclass
from p4xdp.runtime import capi
from p4xdp.runtime.capi import LibbpfMissing
from p4xdp.runtime.closing import Closing

__all__ = [
    "ANY",
    "EXIST",
    "LIVE_FRAMES",
    "NOEXIST",
    "BpfError",
    "BpfMap",
    "BpfObject",
    "BpfProgram",
    "LibbpfMissing",
    "MapInfo",
    "ProgramInfo",
    "TestRun",
    "VerifierError",
]

ANY, NOEXIST, EXIST = 0, 1, 2
LIVE_FRAMES = 2

MAP_TYPES = {
    "hash": 1,
    "array": 2,
    "prog_array": 3,
    "perf_event_array": 4,
    "percpu_hash": 5,
    "percpu_array": 6,
    "lru_hash": 9,
    "lru_percpu_hash": 10,
    "lpm_trie": 11,
    "devmap": 14,
    "cpumap": 16,
    "devmap_hash": 25,
    "ringbuf": 27,
}
MAP_TYPE_NAMES = {number: name for name, number in MAP_TYPES.items()}
PER_CPU = frozenset(("percpu_hash", "percpu_array", "lru_percpu_hash"))

BATCH = 4096
NO_BATCHES = (codes.EINVAL, codes.ENOTSUP, 524)
"""What a kernel says that has no batches, or none for a type of map."""

_ROOM_BEHIND = 1024
_SMALLEST_OUT = 4096


class BpfError(Exception):
    """The kernel or libbpf refused; `errno` says why, `log` is what libbpf printed."""

    def __init__(self, errno: int, what: str, log: str = "") -> None:
        super().__init__(f"{what}: {capi.message(errno)}")
        self.errno = errno
        self.what = what
        self.log = log


class VerifierError(BpfError):
    """The verifier refused `program`; `verifier_log` is its whole log."""

    def __init__(self, errno: int, program: str, verifier_log: str, log: str) -> None:
        super().__init__(errno, "load", log)
        self.args = (f"the verifier refused `{program}`",)
        self.program = program
        self.verifier_log = verifier_log


@dataclass(frozen=True, slots=True)
class MapInfo:
    """What the kernel says of a map; sizes in bytes, `type` in lower case."""

    id: int
    name: str
    type: str
    key_size: int
    value_size: int
    max_entries: int
    flags: int


@dataclass(frozen=True, slots=True)
class ProgramInfo:
    """What the kernel says of a program; `jited_size` is 0 when it is interpreted.

    `instructions` counts after the verifier's rewriting, `verified` those that it walked
    through; `run_count` and `run_time_ns` are 0 unless kernel.bpf_stats_enabled is set.
    """

    id: int
    name: str
    tag: str
    type: int
    instructions: int
    jited_size: int
    verified: int
    map_ids: tuple[int, ...]
    run_time_ns: int
    run_count: int


@dataclass(frozen=True, slots=True)
class TestRun:
    """The result of a test run. `duration_ns` is the kernel's average for one repeat; `wall_ns`
    the whole call's time for all repeats."""

    __test__ = False

    verdict: int
    data: bytes
    duration_ns: int
    wall_ns: int
    context: bytes


def _check(code: int, what: str) -> int:
    if code < 0:
        raise BpfError(-code, what)
    return code


def _functions() -> Any:
    return capi.library().functions


class Owned(Closing):
    """A file descriptor of a BPF thing, closed at the end of a `with` block if it is ours."""

    def __init__(self, fd: int, owned: bool) -> None:
        self._fd = fd
        self._owned = owned

    @property
    def fd(self) -> int:
        """The file descriptor; raises ValueError when it is closed."""
        if self._fd < 0:
            raise ValueError("it is closed")
        return self._fd

    def close(self) -> None:
        if self._owned and self._fd >= 0:
            os.close(self._fd)
        self._fd = -1

    def pin(self, path: Path) -> None:
        """Pin at `path` in a bpffs; raises BpfError, with EEXIST when something is there."""
        _check(_functions().bpf_obj_pin(self.fd, os.fsencode(path)), f"pin {path}")


def unpin(path: Path) -> None:
    """Remove a pin if it is there."""
    path.unlink(missing_ok=True)


def get_pinned(path: Path) -> int:
    """Return a new file descriptor of what is pinned at `path`; raises BpfError."""
    return _check(_functions().bpf_obj_get(os.fsencode(path)), f"open {path}")


def _info(fd: int, info: ctypes.Structure, what: str) -> None:
    size = ctypes.c_uint32(ctypes.sizeof(info))
    _check(
        _functions().bpf_obj_get_info_by_fd(fd, ctypes.byref(info), ctypes.byref(size)),
        f"information about {what}",
    )


class BpfMap(Owned):
    """A map. Per-CPU maps are read and written by `lookup_cpus` and `update_cpus`."""

    def __init__(self, fd: int, owned: bool = True) -> None:
        super().__init__(fd, owned)
        self.info = map_info(fd)
        self.per_cpu = self.info.type in PER_CPU
        self._stride = (self.info.value_size + 7) & ~7
        self._room = self._stride * capi.possible_cpus() if self.per_cpu else self.info.value_size

    @classmethod
    def pinned(cls, path: Path) -> Self:
        """Open the map that is pinned at `path`; raises BpfError."""
        return cls(get_pinned(path))

    @classmethod
    def by_id(cls, id: int) -> Self:
        """Open the map with the kernel's number `id`; raises BpfError."""
        return cls(_check(_functions().bpf_map_get_fd_by_id(id), f"open map {id}"))

    @classmethod
    def create(cls, name: str, type: str, key_size: int, value_size: int, max_entries: int) -> Self:
        """Make a map that no object describes; raises BpfError."""
        code = _functions().bpf_map_create(
            MAP_TYPES[type], name.encode()[:15], key_size, value_size, max_entries, None
        )
        return cls(_check(code, f"create map {name}"))

    def lookup(self, key: bytes) -> bytes | None:
        """Return the value, None without an entry. Per CPU: the values one behind the other,
        each padded to a multiple of 8 bytes."""
        self._check_key(key)
        value = ctypes.create_string_buffer(self._room)
        code = _functions().bpf_map_lookup_elem(self.fd, key, value)
        if code == -codes.ENOENT:
            return None
        _check(code, f"lookup in map {self.info.name}")
        return value.raw

    def lookup_cpus(self, key: bytes) -> tuple[bytes, ...] | None:
        """Return one value for each possible CPU of a per-CPU map, None without an entry."""
        raw = self.lookup(key)
        if raw is None:
            return None
        size = self.info.value_size
        return tuple(raw[at : at + size] for at in range(0, len(raw), self._stride))

    def update(self, key: bytes, value: bytes, flags: int = ANY) -> None:
        """Store `value`, in a per-CPU map for every CPU; raises BpfError."""
        self._check_key(key)
        if len(value) != self.info.value_size:
            raise ValueError(
                f"map {self.info.name}: value of {len(value)} bytes, expected "
                f"{self.info.value_size}"
            )
        if self.per_cpu:
            value = value.ljust(self._stride, b"\0") * capi.possible_cpus()
        code = _functions().bpf_map_update_elem(self.fd, key, value, flags)
        _check(code, f"update of map {self.info.name}")

    def update_many(self, keys: bytes, values: bytes) -> None:
        """Store entries, keys and values one behind the other, with few system calls; raises
        BpfError, with some of them stored. Not for per-CPU maps."""
        key_size, value_size = self.info.key_size, self.info.value_size
        total = len(keys) // key_size
        if len(keys) != total * key_size or len(values) != total * value_size or self.per_cpu:
            raise ValueError(f"map {self.info.name}: keys and values of other sizes")
        count = ctypes.c_uint32(total)
        code = _functions().bpf_map_update_batch(self.fd, keys, values, ctypes.byref(count), None)
        if code and -code not in NO_BATCHES:
            _check(code, f"update of map {self.info.name}")
        elif code:
            pieces = _pieces(keys, key_size, total), _pieces(values, value_size, total)
            for key, value in zip(*pieces, strict=True):
                self.update(key, value)

    def update_cpus(self, key: bytes, values: tuple[bytes, ...], flags: int = ANY) -> None:
        """Store one value for each possible CPU; raises BpfError."""
        self._check_key(key)
        raw = b"".join(value.ljust(self._stride, b"\0") for value in values)
        if not self.per_cpu or len(raw) != self._room:
            raise ValueError(f"map {self.info.name}: expected {capi.possible_cpus()} values")
        code = _functions().bpf_map_update_elem(self.fd, key, raw, flags)
        _check(code, f"update of map {self.info.name}")

    def delete(self, key: bytes) -> bool:
        """Remove an entry; return whether there was one. Arrays refuse with a BpfError."""
        self._check_key(key)
        code = _functions().bpf_map_delete_elem(self.fd, key)
        if code == -codes.ENOENT:
            return False
        _check(code, f"delete from map {self.info.name}")
        return True

    def next_key(self, key: bytes | None) -> bytes | None:
        """Return the key behind `key` (None: the first), None at the end."""
        following = ctypes.create_string_buffer(self.info.key_size)
        code = _functions().bpf_map_get_next_key(self.fd, key, following)
        if code == -codes.ENOENT:
            return None
        _check(code, f"walk through map {self.info.name}")
        return following.raw

    def keys(self) -> Iterator[bytes]:
        """Walk through the keys. What is deleted meanwhile may start the walk over."""
        key = self.next_key(None)
        while key is not None:
            yield key
            key = self.next_key(key)

    def items(self) -> Iterator[tuple[bytes, bytes]]:
        """Walk through the entries, many at a time where the kernel can; those that vanish
        meanwhile are left out."""
        batch = self._batch(None)
        if batch is None:
            yield from self._items_one_by_one()
            return
        entries, position = batch
        yield from entries
        while position is not None:
            batch = self._batch(position)
            assert batch is not None
            entries, position = batch
            yield from entries

    def _items_one_by_one(self) -> Iterator[tuple[bytes, bytes]]:
        for key in self.keys():
            value = self.lookup(key)
            if value is not None:
                yield key, value

    def _batch(
        self, position: bytes | None
    ) -> tuple[tuple[tuple[bytes, bytes], ...], bytes | None] | None:
        """Return entries and the position behind them (None: the end), or None at the start when
        the kernel has no batches for this map."""
        room, key_size = min(BATCH, self.info.max_entries), self.info.key_size
        keys = ctypes.create_string_buffer(room * key_size)
        values = ctypes.create_string_buffer(room * self._room)
        following = ctypes.create_string_buffer(max(8, key_size))
        count = ctypes.c_uint32(room)
        code = _functions().bpf_map_lookup_batch(
            self.fd, position, following, keys, values, ctypes.byref(count), None
        )
        if code < 0 and code != -codes.ENOENT:
            if position is not None:
                _check(code, f"walk through map {self.info.name}")
            return None
        entries = zip(
            _pieces(keys.raw, key_size, count.value),
            _pieces(values.raw, self._room, count.value),
            strict=True,
        )
        return tuple(entries), None if code else following.raw

    def clear(self) -> None:
        """Delete every entry of a hash or a trie."""
        for key in tuple(self.keys()):
            self.delete(key)

    def _check_key(self, key: bytes) -> None:
        if len(key) != self.info.key_size:
            raise ValueError(
                f"map {self.info.name}: key of {len(key)} bytes, expected {self.info.key_size}"
            )


def _pieces(data: bytes, size: int, count: int) -> Iterator[bytes]:
    return (data[at : at + size] for at in range(0, count * size, size))


def map_info(fd: int) -> MapInfo:
    """Ask the kernel about a map; raises BpfError."""
    raw = capi.CMapInfo()
    _info(fd, raw, "a map")
    return MapInfo(
        raw.id,
        raw.name.decode(),
        MAP_TYPE_NAMES.get(raw.type, f"type-{raw.type}"),
        raw.key_size,
        raw.value_size,
        raw.max_entries,
        raw.map_flags,
    )


class BpfProgram(Owned):
    """A loaded program."""

    @classmethod
    def pinned(cls, path: Path) -> Self:
        """Open the program that is pinned at `path`; raises BpfError."""
        return cls(get_pinned(path), True)

    @classmethod
    def by_id(cls, id: int) -> Self:
        """Open the program with the kernel's number `id`; raises BpfError."""
        return cls(_check(_functions().bpf_prog_get_fd_by_id(id), f"open program {id}"), True)

    def info(self) -> ProgramInfo:
        """Ask the kernel; raises BpfError."""
        raw = capi.CProgramInfo()
        _info(self.fd, raw, "a program")
        tag, verified, jited = bytes(raw.tag).hex(), raw.verified_insns, raw.jited_prog_len
        run_time, run_count = raw.run_time_ns, raw.run_cnt
        instructions = raw.xlated_prog_len // 8
        ids = (ctypes.c_uint32 * raw.nr_map_ids)()
        again = capi.CProgramInfo(nr_map_ids=len(ids), map_ids=ctypes.addressof(ids))
        _info(self.fd, again, "a program")
        return ProgramInfo(
            raw.id,
            raw.name.decode(),
            tag,
            raw.type,
            instructions,
            jited,
            verified,
            tuple(ids),
            run_time,
            run_count,
        )

    def test_run(
        self,
        data: bytes,
        *,
        repeat: int = 1,
        context: bytes | None = None,
        flags: int = 0,
        batch_size: int = 0,
    ) -> TestRun:
        """Run on one packet by BPF_PROG_TEST_RUN; raises BpfError.

        XDP wants at least 14 bytes (EINVAL below). `context` is a `struct xdp_md` or
        `__sk_buff` in the kernel's layout.
        """
        room = max(_SMALLEST_OUT, len(data) + _ROOM_BEHIND)
        out = ctypes.create_string_buffer(room) if not flags & LIVE_FRAMES else None
        context_out = ctypes.create_string_buffer(len(context)) if context and out else None
        options = capi.TestRunOpts(
            sz=ctypes.sizeof(capi.TestRunOpts),
            data_in=_address(data),
            data_size_in=len(data),
            data_out=ctypes.addressof(out) if out else None,
            data_size_out=room if out else 0,
            ctx_in=_address(context),
            ctx_size_in=len(context) if context else 0,
            ctx_out=ctypes.addressof(context_out) if context_out else None,
            ctx_size_out=len(context) if context and context_out else 0,
            repeat=repeat,
            flags=flags,
            batch_size=batch_size,
        )
        start = time.perf_counter_ns()
        code = _functions().bpf_prog_test_run_opts(self.fd, ctypes.byref(options))
        wall = time.perf_counter_ns() - start
        _check(code, "test run")
        return TestRun(
            options.retval,
            out.raw[: options.data_size_out] if out else b"",
            options.duration,
            wall,
            context_out.raw[: options.ctx_size_out] if context_out else b"",
        )


def _address(data: bytes | None) -> int | None:
    return ctypes.cast(ctypes.c_char_p(data), ctypes.c_void_p).value if data else None


@dataclass(frozen=True, slots=True)
class ObjectMap:
    """A map of an object file, before it is loaded; `name` is the C symbol."""

    name: str
    section: str | None
    type: str
    key_size: int
    value_size: int
    max_entries: int
    flags: int


class BpfObject(Closing):
    """An object file: open it, change its maps, load it, use it, close it.

    A data map (`SEC(".data.x")`) goes by the name of its symbol, `x`, like every other map.
    """

    def __init__(self, source: Path | bytes, name: str | None = None) -> None:
        """Open; raises BpfError when it is no BPF object, OSError when it cannot be read."""
        raw = source if isinstance(source, bytes) else source.read_bytes()
        stem = "object" if isinstance(source, bytes) else source.stem
        label = re.sub(r"\W", "_", name or stem).encode()
        self._handle: int | None = None
        options = capi.OpenOpts(ctypes.sizeof(capi.OpenOpts), label)
        library = capi.library()
        with library.captured() as log:
            handle = library.functions.bpf_object__open_mem(raw, len(raw), ctypes.byref(options))
        if not handle:
            raise BpfError(ctypes.get_errno() or codes.EINVAL, "open the object", "".join(log))
        self._handle = handle
        self._map_handles = dict(_walk(handle, "map"))
        self._program_handles = dict(_walk(handle, "program"))
        self.maps = tuple(_object_map(n, h) for n, h in self._map_handles.items())
        self.programs = tuple(self._program_handles)
        self.loaded = False

    def reuse(self, name: str, other: BpfMap) -> None:
        """Let map `name` be `other` when the object is loaded; raises BpfError."""
        code = _functions().bpf_map__reuse_fd(self._map_handles[name], other.fd)
        _check(code, f"reuse map {name}")

    def set_max_entries(self, name: str, count: int) -> None:
        """Change the size of map `name` before the object is loaded; raises BpfError."""
        code = _functions().bpf_map__set_max_entries(self._map_handles[name], count)
        _check(code, f"size map {name}")

    def set_initial(self, name: str, value: bytes) -> None:
        """Set what data map `name` holds from the start; raises BpfError."""
        code = _functions().bpf_map__set_initial_value(self._map_handles[name], value, len(value))
        _check(code, f"initial value of {name}")

    def load(self) -> None:
        """Load everything into the kernel; raises VerifierError or another BpfError."""
        library = capi.library()
        with library.captured() as log:
            code = library.functions.bpf_object__load(self._handle)
        if code < 0:
            raise _load_error(-code, "".join(log))
        self.loaded = True

    def map(self, name: str) -> BpfMap:
        """Return a loaded map; it lives as long as the object. Raises BpfError."""
        if name not in self._map_handles:
            raise BpfError(codes.ENOENT, f"map `{name}`")
        fd = _functions().bpf_map__fd(self._map_handles[name])
        return BpfMap(_check(fd, f"map {name}"), owned=False)

    def program(self, name: str | None = None) -> BpfProgram:
        """Return a loaded program, without a name the only one; it lives as long as the object."""
        if name is None:
            (name,) = self.programs
        fd = _functions().bpf_program__fd(self._program_handles[name])
        return BpfProgram(_check(fd, f"program {name}"), owned=False)

    def instructions(self, name: str) -> int:
        """Return how many instructions a program has, subprograms included once loaded."""
        return int(_functions().bpf_program__insn_cnt(self._program_handles[name]))

    def close(self) -> None:
        """Let go of everything that is not pinned or attached."""
        if self._handle is not None:
            _functions().bpf_object__close(self._handle)
            self._handle = None


def _walk(handle: int, kind: str) -> Iterator[tuple[str, int]]:
    functions = _functions()
    following = getattr(functions, f"bpf_object__next_{kind}")
    name = getattr(functions, f"bpf_{kind}__name")
    item = following(handle, None)
    while item:
        yield name(item).decode().removeprefix(".data."), item
        item = following(handle, item)


def _object_map(name: str, handle: int) -> ObjectMap:
    functions = _functions()
    full = functions.bpf_map__name(handle).decode()
    number = functions.bpf_map__type(handle)
    return ObjectMap(
        name,
        full if "." in full else None,
        MAP_TYPE_NAMES.get(number, f"type-{number}"),
        functions.bpf_map__key_size(handle),
        functions.bpf_map__value_size(handle),
        functions.bpf_map__max_entries(handle),
        functions.bpf_map__map_flags(handle),
    )


_LOG = re.compile(
    r"prog '([^']*)': -- BEGIN PROG LOAD LOG --\n(.*?)-- END PROG LOAD LOG --", re.DOTALL
)


def _load_error(errno: int, log: str) -> BpfError:
    """Tell a verifier's refusal, which libbpf prints between two marks, from all others."""
    found = _LOG.search(log)
    if found and errno not in (codes.EPERM, codes.ENOMEM):
        return VerifierError(errno, found[1], found[2], log)
    return BpfError(errno, "load the object", log)
