"""The two hooks of the kernel, xdp and tc, as the C texts in which they differ."""

from __future__ import annotations

from p4xdp.backend_c import cexpr, terms
from p4xdp.diagnostics import Diagnostics
from p4xdp.midend import ir
from p4xdp.midend.rewrite import walk
from p4xdp.records import dataclass

XDP_VERDICTS = ("XDP_ABORTED", "XDP_DROP", "XDP_PASS", "XDP_TX", "XDP_REDIRECT")
TC_VERDICTS = ("TC_ACT_SHOT", "TC_ACT_SHOT", "TC_ACT_OK")
PASS, TRANSMIT, REDIRECT = 2, 3, 4


@dataclass(frozen=True, slots=True)
class Ports:
    """How ports are turned into devices and back: `devmap` by port, `interfaces`, where the
    program asks by which port a packet came, the port by interface; None where ports are
    interfaces."""

    devmap: str | None = None
    interfaces: str | None = None
    groups: str | None = None
    copies: str | None = None
    counted: str | None = None
    host: int | None = None


@dataclass(frozen=True, slots=True)
class Target:
    """`context` is the type of `ctx`; the rest are C expressions."""

    section: str
    context: str
    data: str
    data_end: str
    input_port: str
    length: str
    accepted: str
    dropped: str
    aborted: str
    is_tc: bool

    def arrival(self, ports: Ports) -> str:
        """Return the port by which the packet came."""
        if ports.interfaces is None:
            return self.input_port
        return self.input_port.replace("(ctx)", f"_in(ctx, &{ports.interfaces})")

    def accept(self, condition: terms.Term) -> str:
        """Return the end of a filter that accepts where `condition` holds."""
        value = terms.constant_of(condition)
        if value is not None:
            return f"return {self.accepted if value else self.dropped};"
        test = terms.at(condition, terms.Level.UNARY)
        return f"return {test} ? {self.accepted} : {self.dropped};"

    def constant_verdict(self, verdict: int, port: str | None, devmap: str | None) -> str:
        """Return the end of a program with an XDP action number that is known."""
        if verdict == REDIRECT and port is not None:
            return f"return {self.redirect(port, devmap)};"
        if self.is_tc and verdict == TRANSMIT:
            return "return p4xdp_skb_transmit(ctx);"
        names = TC_VERDICTS if self.is_tc else XDP_VERDICTS
        return f"return {names[verdict] if verdict < len(names) else self.dropped};"

    def decided(self, verdict: ir.Expr, env: cexpr.Env) -> str | None:
        """Return the value of a verdict that is one of two known ones; None for others."""
        if not isinstance(verdict, ir.Mux):
            return None
        then, otherwise = self._known(verdict.then), self._known(verdict.otherwise)
        if then is None or otherwise is None:
            return None
        test = cexpr.render(verdict.condition, env, terms.Level.EQUALITY)
        return f"{test} ? {then} : {otherwise}"

    def _known(self, verdict: ir.Expr) -> str | None:
        names = TC_VERDICTS if self.is_tc else XDP_VERDICTS[:REDIRECT]
        if isinstance(verdict, ir.Const) and verdict.value < len(names):
            return names[verdict.value]
        return None

    def verdict(self, verdict: str, port: str | None, devmap: str | None) -> list[str]:
        """Return the end of a program with an XDP action number that only the packet decides."""
        lines = []
        if self.is_tc:
            lines = [f"if ({verdict} == XDP_PASS)", "\treturn TC_ACT_OK;"]
            lines += [f"if ({verdict} == XDP_TX)", "\treturn p4xdp_skb_transmit(ctx);"]
        if port is not None:
            lines += [f"if ({verdict} == XDP_REDIRECT)", f"\treturn {self.redirect(port, devmap)};"]
        return [*lines, f"return {self.dropped if self.is_tc else verdict};"]

    def redirect(self, port: str, devmap: str | None) -> str:
        if self.is_tc:
            return f"p4xdp_skb_redirect(ctx, {port})"
        if devmap is not None:
            return f"p4xdp_redirect_map(ctx, &{devmap}, {port})"
        return f"p4xdp_redirect(ctx, {port})"

    def adjust_head(self, growth: ir.Expr, env: cexpr.Env) -> str:
        """Return the call that grows the packet by `growth` bytes, not 0 where it fails."""
        if self.is_tc:
            return f"bpf_skb_change_head(ctx, {cexpr.render(growth, env)}, 0)"
        return f"bpf_xdp_adjust_head(ctx, {_shrink(growth, env)})"


def verdict_name(value: ir.Expr, env: cexpr.Env) -> str | None:
    """Return an XDP action number by name where it is known, perhaps as one of two."""
    match value:
        case ir.Const(value=number) if number < len(XDP_VERDICTS):
            return XDP_VERDICTS[number]
        case ir.Mux(condition=condition, then=then, otherwise=otherwise):
            sides = verdict_name(then, env), verdict_name(otherwise, env)
            if None not in sides and not isinstance(then, ir.Mux):
                test = cexpr.render(condition, env, terms.Level.EQUALITY)
                return f"{test} ? {sides[0]} : {sides[1]}"
    return None


def _shrink(growth: ir.Expr, env: cexpr.Env) -> str:
    """Return by how many bytes the start of the packet moves towards its end."""
    match growth:
        case ir.Const(value=value):
            return str(-signed(value))
        case ir.Mux(condition=condition, then=ir.Const(), otherwise=otherwise):
            test = cexpr.render(condition, env, terms.Level.EQUALITY)
            return f"{test} ? {_shrink(growth.then, env)} : {_shrink(otherwise, env)}"
    return cexpr.loose(ir.Unary(ir.UnaryOp.NEG, growth), env).text


def signed(value: int) -> int:
    """Return a 32-bit pattern as two's complement."""
    return value - (1 << 32) if value >= 1 << 31 else value


def check_hook(program: ir.Program, target: Target, diagnostics: Diagnostics) -> None:
    """Report (`unsupported`) what the hook cannot do with a packet."""
    if target.is_tc and program.ports is not None:
        diagnostics.error(
            "unsupported",
            None,
            f"{program.name} has ports of its own, which the tc target cannot turn into devices",
            help="use --target xdp",
        )
        return
    for stmt in walk(program.body):
        if target.is_tc and isinstance(stmt, ir.AdjustHead) and not _grows(stmt.growth):
            diagnostics.error(
                "unsupported",
                stmt.span if stmt.span.line else None,
                f"{program.name} may shorten packets at their start, which the tc target cannot do",
                help="use --target xdp",
            )
        if target.is_tc and isinstance(stmt, ir.Effect) and stmt.name == "payload_sum":
            diagnostics.error(
                "unsupported",
                stmt.span if stmt.span.line else None,
                "a checksum over the payload is not supported on tc",
                help="use --target xdp",
            )


def _grows(growth: ir.Expr) -> bool:
    return isinstance(growth, ir.Const) and signed(growth.value) >= 0


XDP = Target(
    section="xdp",
    context="struct xdp_md",
    data="p4xdp_data(ctx)",
    data_end="p4xdp_data_end(ctx)",
    input_port="p4xdp_input_port(ctx)",
    length="data_end - data",
    accepted="XDP_PASS",
    dropped="XDP_DROP",
    aborted="XDP_ABORTED",
    is_tc=False,
)
TC = Target(
    section="tc",
    context="struct __sk_buff",
    data="p4xdp_skb_data(ctx)",
    data_end="p4xdp_skb_data_end(ctx)",
    input_port="p4xdp_skb_input_port(ctx)",
    length="ctx->len",
    accepted="TC_ACT_OK",
    dropped="TC_ACT_SHOT",
    aborted="TC_ACT_SHOT",
    is_tc=True,
)
