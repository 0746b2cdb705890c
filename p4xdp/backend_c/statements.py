"""IR statements in, lines of C out. Every decision was made before; this is one case a node."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import partial
from typing import assert_never

from p4xdp.backend_c import apply, c_functions, cexpr, flow, terms
from p4xdp.backend_c.cexpr import Env
from p4xdp.backend_c.cwriter import CWriter, Write
from p4xdp.backend_c.layout import variable_size
from p4xdp.backend_c.model import Profile, Table
from p4xdp.backend_c.names import Names
from p4xdp.backend_c.packet import address
from p4xdp.backend_c.shown import Shown
from p4xdp.backend_c.target import Ports, Target, verdict_name
from p4xdp.diagnostics import NO_SPAN, InternalError, Span
from p4xdp.midend import ir
from p4xdp.options import Options
from p4xdp.records import dataclass, field, replace

OF_THE_MACHINE = {"random": "p4xdp_random", "ktime": "bpf_ktime_get_ns"}
"""The functions of effects that need nothing of the program."""


@dataclass(frozen=True, slots=True)
class PacketUse:
    """Whether the program needs the start of the packet, and its end; `last_moves` are the ids of
    statements that move the start for the last time that matters."""

    data: bool
    end: bool
    last_moves: frozenset[int]


LEAVES = "replica == P4XDP_LEAVING"
"""Whether the program runs for a copy on its way out, which only the device's program may ask of
its context: a constant in each of the functions that are made of one part."""


@dataclass(slots=True)
class Lowering:
    """What the statements of one entry point share.

    `labels` are the C names of the scopes that something leaves, beside which `new_labels` makes
    others, `counters`, `registers`, `meters` and `digests` the C names of those, `units` what each
    counter counts, or `sparse`; `parts_map` is None where parts are functions, `copy_parts_map` has
    the parts as copies meet them; `is_cut_twice` says that the program was cut and makes copies, so
    that each part is there once for these; `place` is the last
    place written, `looked_up` the tables whose `_find` is called, each as often as it is.
    """

    options: Options
    target: Target
    verdict: ir.Var
    env: Env
    tables: Mapping[str, Table]
    counters: Mapping[str, str]
    units: Mapping[str, str]
    registers: Mapping[str, str]
    meters: Mapping[str, str]
    digests: Mapping[str, str]
    functions: Mapping[str, ir.CFunction]
    profiles: Mapping[str, Profile]
    shown: Shown
    uses: PacketUse
    labels: Mapping[str, str]
    new_labels: Names
    ports: Ports
    itself: str | None
    messages: str | None
    perf_map: str | None
    lock: str | None
    parts_map: str | None
    copy_parts_map: str | None
    is_cut_twice: bool
    in_scratch: bool
    place: Span = NO_SPAN
    looked_up: list[str] = field(default_factory=list)

    def body(self, w: CWriter, body: ir.Body) -> None:
        for stmt in body:
            self.statement(w, stmt)

    def inner(self, body: ir.Body) -> Write:
        return partial(self.body, body=body)

    def variable(self, var: ir.Var) -> str:
        return self.env.variables[var.name]

    def mark(self, w: CWriter, span: Span, note: str = "") -> None:
        """Say where in the P4 file the next line comes from, unless that was just said."""
        if span.line < 1:
            span = self.place
            if span.line < 1 or not self.options.debug_lines:
                return
        if self.options.debug_lines:
            w.directive(f'#line {span.line} "{_escaped(span.file)}"')
        elif note or (span.file, span.line) != (self.place.file, self.place.line):
            file = span.file.rsplit("/", 1)[-1]
            w.comment(f"{file}:{span.line}{note and f': {note}'}")
        self.place = span

    def statement(self, w: CWriter, stmt: ir.Stmt) -> None:
        if self.shown.is_idle(stmt):
            return
        if not isinstance(stmt, ir.Scope | ir.Apply | ir.GoOn):
            self.mark(w, stmt.span)
        match stmt:
            case ir.Assign(target=target, value=value):
                w.line(f"{self.variable(target)} = {self.value_for(target, value)};")
            case ir.If():
                self.conditional(w, stmt)
            case ir.Switch():
                self.switch(w, stmt)
            case ir.Scope(label=label, body=body):
                self.scope(w, label, body)
            case ir.Leave(label=label):
                w.line(f"goto {self.labels[label]};")
            case ir.Apply(table=table):
                apply.write(self, w, stmt, self.tables[table])
            case ir.Effect():
                self.effect(w, stmt)
            case ir.Trace(format=text, values=values):
                self.trace(w, text, values)
            case ir.PacketLength(target=target):
                w.line(f"{self.variable(target)} = {self.target.length};")
            case ir.Finish():
                self.finish(w, stmt)
            case ir.SetPointer() | ir.Check() | ir.Store() | ir.AdjustHead():
                self.packet(w, stmt)
            case ir.GoOn(part=part):
                self.go_on(w, part)
            case ir.Extract() | ir.Lookahead() | ir.Advance() | ir.Reject() | ir.Emit():
                raise InternalError("emit", f"{type(stmt).__name__} in a narrow program", stmt.span)
            case _:
                assert_never(stmt)

    def value_for(self, target: ir.Var, value: ir.Expr) -> str:
        if target.name in self.env.moved:
            return cexpr.moved(value, self.env).text
        name = verdict_name(value, self.env) if target == self.verdict else None
        return name or self.assigned(value, target.width)

    def assigned(self, value: ir.Expr, width: int) -> str:
        """Return `value` for a variable of `width` bits, whose type may do the masking."""
        return cexpr.render_loose(value, self.env, variable_size(width) * 8)

    # Control flow

    def conditional(self, w: CWriter, stmt: ir.If) -> None:
        parts: list[tuple[str, Write]] = []
        word = "if"
        while True:
            condition, then, otherwise = stmt.condition, stmt.then, stmt.otherwise
            if not then:
                condition, then, otherwise = _negation(condition), otherwise, ()
            parts.append((f"{word} ({cexpr.condition(condition, self.env)})", self.inner(then)))
            if len(otherwise) != 1 or not isinstance(otherwise[0], ir.If):
                break
            stmt, word = otherwise[0], "else if"
        if otherwise:
            parts.append(("else", self.inner(otherwise)))
        w.chain(parts)

    def switch(self, w: CWriter, stmt: ir.Switch) -> None:
        def cases(inner: CWriter) -> None:
            for case in stmt.cases:
                labels = [f"case {terms.literal(value)}:" for value in case.values]
                inner.case(labels, self.case_body(case.body))
            if stmt.default:
                inner.case(["default:"], self.case_body(stmt.default))

        selector = cexpr.render(stmt.selector, self.env)
        if _is_truth(stmt.selector):
            selector = f"(int)({selector})"
        w.switch(f"switch ({selector})", cases)

    def case_body(self, body: ir.Body) -> Write:
        def write(w: CWriter) -> None:
            self.body(w, body)
            if flow.falls_through(body):
                w.line("break;")

        return write

    def scope(self, w: CWriter, label: str, body: ir.Body) -> None:
        self.body(w, body)
        if label in self.labels:
            w.label(self.labels[label])

    def finish(self, w: CWriter, stmt: ir.Finish) -> None:
        verdict = stmt.verdict
        port = None
        if stmt.port is not None and flow.may_redirect(verdict):
            port = cexpr.render(stmt.port, self.env)
        if ir.width_of(verdict) == ir.BOOL:
            w.line(self.target.accept(cexpr.clean(verdict, self.env)))
            return
        if isinstance(verdict, ir.Const):
            w.line(self.target.constant_verdict(verdict.value, port, self.ports.devmap))
            return
        decided = self.target.decided(verdict, self.env)
        if decided is not None:
            w.line(f"return {decided};")
            return
        if isinstance(verdict, ir.Mux):
            self.finish_either(w, stmt, verdict)
            return
        for line in self.target.verdict(cexpr.render(verdict, self.env), port, self.ports.devmap):
            w.line(line)

    def go_on(self, w: CWriter, part: int) -> None:
        if self.parts_map is None:
            w.line(f"return P4XDP_GO_ON({part});")
            return
        called = f"bpf_tail_call(ctx, &{self.parts_map}, {part});"
        if self.copy_parts_map is None:
            w.line(called)
        else:
            of_copies = f"bpf_tail_call(ctx, &{self.copy_parts_map}, {part});"
            w.chain([(f"if ({LEAVES})", _line(of_copies)), ("else", _line(called))])
        if self.lock is not None:  # the call has failed, perhaps between lock and unlock
            w.line(f"p4xdp_unlock(&{self.lock});")
        w.line(f"return {self.target.aborted};")

    def finish_either(self, w: CWriter, stmt: ir.Finish, verdict: ir.Mux) -> None:
        def then(inner: CWriter) -> None:
            self.finish(inner, replace(stmt, verdict=verdict.then))

        w.chain([(f"if ({cexpr.condition(verdict.condition, self.env)})", then)])
        self.finish(w, replace(stmt, verdict=verdict.otherwise))

    # Effects

    def effect(self, w: CWriter, stmt: ir.Effect) -> None:
        result = stmt.result if self.shown.needs(stmt.result) else None
        target = f"{self.variable(result)} = " if result else ""
        match stmt.name:
            case "count" | "count_packet":
                self.count(w, stmt)
            case "register_read" | "register_write":
                self.cell(w, stmt, target)
            case "meter":
                assert stmt.instance is not None
                index, amount = (cexpr.render(one, self.env) for one in stmt.arguments)
                w.line(f"{target}p4xdp_meter(&{self.meters[stmt.instance]}, {index}, {amount});")
            case "digest" | "call":
                self.own(w, stmt)
            case "pick_member":
                w.line(f"{target}{self.picked(stmt)};")
            case "packet_message":
                port, arrival = (cexpr.render(one, self.env) for one in stmt.arguments)
                maps = ", ".join(f"&{self.messages}{end}" for end in ("", "_lost", "_packet"))
                w.line(f"p4xdp_send_packet(ctx, {maps}, {port}, {arrival});")
            case "lock" | "unlock":
                self.locking(w, stmt)
            case "again":
                self.again(w)
            case "find_copies" | "send_copies":
                map_name = self.ports.copies if stmt.name == "find_copies" else self.ports.groups
                which = ", ".join(cexpr.render(one, self.env) for one in stmt.arguments)
                w.line(f"{target}p4xdp_{stmt.name}(ctx, &{map_name}, {which});")
            case "copy_port":
                self.copy_port(w, stmt, target)
            case "copy":
                self.copy(w, stmt, target)
            case "replicate" | "resume":
                raise InternalError("emit", f"{stmt.name} in a narrow program")
            case "truncate" | "payload_sum":
                bytes_ = cexpr.render(stmt.arguments[0], self.env)
                w.line(f"{target}p4xdp_{stmt.name}(ctx, {bytes_});")
            case "random" | "ktime":
                w.line(f"{target}{OF_THE_MACHINE[stmt.name]}();")
            case "perf_event_output":
                w.line("event.input_port = " + f"{self.target.input_port};")
                w.line(f"event.length = {self.target.length};")
                w.line(
                    f"{target}bpf_perf_event_output(ctx, &{self.perf_map}, "
                    "(__u64)event.length << 32 | BPF_F_CURRENT_CPU, &event, sizeof(event));"
                )
            case _:
                assert_never(stmt.name)

    def own(self, w: CWriter, stmt: ir.Effect) -> None:
        """Write the call of a function that p4xdp.h does not have."""
        assert stmt.instance is not None
        if stmt.name == "digest":
            values = ", ".join(cexpr.clean(one, self.env).text for one in stmt.arguments)
            w.line(f"{self.digests[stmt.instance]}_send({values});")
            return
        function = self.functions[stmt.instance]
        write = partial(c_functions.call, function, stmt, self.env, self.shown)
        if function.parameters:
            w.braces("", write)
        else:
            write(w)

    def again(self, w: CWriter) -> None:
        """Write a call of the program itself, which is no program for a device's copies."""
        called = f"bpf_tail_call(ctx, &{self.itself}, 0);"
        if self.is_cut_twice:
            w.chain([("if (replica != P4XDP_LEAVING)", _line(called))])
        else:
            w.line(called)

    def copy_port(self, w: CWriter, stmt: ir.Effect, target: str) -> None:
        *which, number = self.copy_arguments(stmt, 3)
        leaving = f"p4xdp_copy_port(ctx, &{self.ports.interfaces})"
        if number:
            looped = f"p4xdp_looped_port(&{self.ports.copies}, {', '.join((*which, number))})"
            leaving = f"{LEAVES} ? {leaving} : {looped}"
        elif self.is_cut_twice:
            leaving = f"{LEAVES} ? {leaving} : P4XDP_NO_PORT"
        w.line(f"{target}{leaving};")

    def copy(self, w: CWriter, stmt: ir.Effect, target: str) -> None:
        *which, number = self.copy_arguments(stmt, 5)
        maps = f"&{self.ports.copies}, &{self.ports.counted}"
        leaving = f"p4xdp_copy({maps}, {', '.join(which)})"
        if number:
            looped = f"p4xdp_looped_copy(&{self.ports.copies}, {', '.join((*which[:3], number))})"
            leaving = f"{LEAVES} ? {leaving} : {looped}"
        w.line(f"{target}{leaving};")

    def copy_arguments(self, stmt: ir.Effect, count: int) -> list[str]:
        """Return so many arguments, and behind them the number of the copy or nothing."""
        texts = [cexpr.render(one, self.env) for one in stmt.arguments]
        return [*texts, ""] if len(texts) == count else texts

    def count(self, w: CWriter, stmt: ir.Effect) -> None:
        assert stmt.instance is not None
        index, amount = (cexpr.render(argument, self.env) for argument in stmt.arguments)
        map_name = self.counters[stmt.instance]
        match self.units[stmt.instance]:
            case "sparse":
                w.line(f"p4xdp_count_sparse(&{map_name}, {index}, {amount});")
            case "packets":
                w.line(f"p4xdp_count(&{map_name}, {index}, 1);")
            case "last_hit":
                w.line(f"p4xdp_hit(&{map_name}, {index}, {amount});")
            case "packets_and_bytes":
                w.line(f"p4xdp_count_packet(&{map_name}, {index}, {amount});")
            case _:
                w.line(f"p4xdp_count(&{map_name}, {index}, {amount});")

    def cell(self, w: CWriter, stmt: ir.Effect, target: str) -> None:
        """Write the access to a part of a register's cell, whose place is known."""
        assert stmt.instance is not None
        index, offset, _, *value = (cexpr.render(one, self.env) for one in stmt.arguments)
        size = stmt.arguments[2]
        assert isinstance(size, ir.Const)
        function = f"p4xdp_{'write' if value else 'read'}{8 * size.value}"
        given = ", ".join([f"&{self.registers[stmt.instance]}", index, offset, *value])
        w.line(f"{target}{function}({given});")

    def locking(self, w: CWriter, stmt: ir.Effect) -> None:
        def lost(inner: CWriter) -> None:
            inner.line(f"return {self.target.aborted};")

        if stmt.name == "lock":
            w.chain([(f"if (!p4xdp_lock(&{self.lock}))", lost)])
        else:
            w.line(f"p4xdp_unlock(&{self.lock});")

    def picked(self, stmt: ir.Effect) -> str:
        assert stmt.instance is not None
        profile = self.profiles[stmt.instance]
        group, hash = (cexpr.render(one, self.env) for one in stmt.arguments)
        return (
            f"p4xdp_pick_member(&{profile.groups}, {group}, {hash}, {profile.profile.group_size})"
        )

    def trace(self, w: CWriter, text: str, values: tuple[ir.Expr, ...]) -> None:
        """Write a printk, or several where there are more values than one takes; `%` in the IR's
        format stands for a value."""
        first, *others = [_printable(piece) for piece in text.split("%")]
        arguments = [f"(__u64)({cexpr.render(value, self.env)})" for value in values]
        for start in range(0, max(1, len(values)), MOST_SHOWN):
            end = start + MOST_SHOWN
            shown = "".join(f"0x%llx{piece}" for piece in others[start:end])
            said = _quoted(shown if start else first + shown)
            w.line(f"bpf_printk({', '.join([said, *arguments[start:end]])});")

    # The packet

    def packet(self, w: CWriter, stmt: ir.SetPointer | ir.Check | ir.Store | ir.AdjustHead) -> None:
        match stmt:
            case ir.SetPointer():
                self.set_pointer(w, stmt)
            case ir.Check(pointer=pointer, size=size, fail=fail):
                end = address(self.env.pointers[pointer], size)
                w.chain([(f"if ({end} > data_end)", self.inner(fail))])
            case ir.Store():
                self.store(w, stmt)
            case ir.AdjustHead():
                self.adjust_head(w, stmt)

    def set_pointer(self, w: CWriter, stmt: ir.SetPointer) -> None:
        pointer, base = self.env.pointers[stmt.pointer], self.env.pointers[stmt.base]
        if stmt.amount is None:
            w.line(f"{pointer} = {address(base, stmt.offset)};")
            return
        mask = (1 << stmt.limit.bit_length()) - 1
        w.line(f"offset = {cexpr.render(stmt.amount, self.env)};")
        w.comment("clang drops a mask that it can do without; the verifier cannot")
        w.line("p4xdp_opaque(offset);")
        w.line(f"{pointer} = {address(base, stmt.offset)} + (offset & {mask});")
        w.comment("one sum for all uses: to the verifier, each sum is another pointer")
        w.line(f"p4xdp_opaque({pointer});")

    def store(self, w: CWriter, stmt: ir.Store) -> None:
        pointer = self.env.pointers[stmt.pointer]
        first, last = stmt.offset // 8, (stmt.offset + stmt.width) // 8
        size = (last - first) * 8
        if cexpr.is_moved(stmt.value, self.env):
            value = cexpr.moved(stmt.value, self.env).text
            w.line(f"p4xdp_put{size}({address(pointer, first)}, {value});")
            return
        loose = cexpr.loose if ir.width_of(stmt.value) == stmt.width else cexpr.clean
        w.line(f"p4xdp_store{size}({address(pointer, first)}, {loose(stmt.value, self.env).text});")

    def adjust_head(self, w: CWriter, stmt: ir.AdjustHead) -> None:
        call = self.target.adjust_head(stmt.growth, self.env)
        w.chain([(f"if ({call})", self.inner(stmt.fail))])
        if id(stmt) in self.uses.last_moves:
            return
        if self.uses.data:
            w.line(f"data = {self.target.data};")
        if self.uses.end:
            w.line(f"data_end = {self.target.data_end};")


def _line(text: str) -> Write:
    return lambda w: w.line(text)


MOST_SHOWN = 12
"""Values that one call of bpf_printk takes."""


def _printable(text: str) -> str:
    """Return text as the kernel takes it for a format: ASCII without control characters."""
    text = re.sub(r"\s+", " ", text.replace(ir.PERCENT, "%%"))
    return re.sub(r"[^ -~]", "?", text)


def _negation(condition: ir.Expr) -> ir.Expr:
    return ir.Unary(ir.UnaryOp.LNOT, condition)


def _is_truth(expr: ir.Expr) -> bool:
    """Return whether C has a truth value there: compilers warn of a switch over one."""
    match expr:
        case ir.Unary(op=ir.UnaryOp.TO_BITS):
            return True
        case _:
            return ir.width_of(expr) == ir.BOOL


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')


def _quoted(text: str) -> str:
    return f'"{_escaped(text)}"'
