"""Commands put together at random: the interpreter and compiled programs take the same ones, and
say the same of the others."""

from __future__ import annotations

import random
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from dict_maps import DictMaps
from test_control_alike import PROGRAM

from p4xdp.diagnostics import CompileError
from p4xdp.driver import Session, check, compile
from p4xdp.options import Options
from p4xdp.runtime.requests import Name, Request, ResetDefault
from p4xdp.stf.interp import InterpControl, open_program
from p4xdp.stf.place import ControlPlane, MapControl
from p4xdp.stf.simple_switch import parse_commands

NUMBERS = "0 1 2 3 4 5 7 15 16 511 512 65535 65536 4294967296 0x1ffffffffffff 10.0.0.1".split()
TABLES = "exactly masked checked chosen types other".split()
ACTIONS = "to none copied cloned metered other".split()
OBJECTS = "both packets rates cells hits colours choice other".split()
FORMS = """
table_add T A K => N
table_add T A K => N N
table_add T A K K => N
table_add exactly none N =>
table_add masked none N&&&N N->N => N
table_add checked metered N =>
table_set_default T A N
table_reset_default T
table_clear T
table_modify exactly none N
table_delete exactly N
table_set_timeout exactly N N
table_indirect_add chosen N => N
table_indirect_add_with_group chosen N => N
table_indirect_set_default T N
table_indirect_create_member T A N
act_prof_create_member choice to N
act_prof_modify_member choice none N
act_prof_delete_member O N
act_prof_create_group O
act_prof_create_group choice
act_prof_delete_group choice N
act_prof_add_member_to_group choice N N
act_prof_remove_member_from_group choice N N
pvs_add types N
pvs_remove types N
mc_mgrp_create N
mc_mgrp_destroy N
mc_node_create N N N
mc_node_update N N
mc_node_destroy N
mc_node_associate N N
mc_node_dissociate N N
mirroring_add N N
mirroring_add_mc N N
mirroring_delete N
register_read O N
register_write O N N
counter_read O N
counter_write O N N N
counter_reset O
meter_set_rates O N 1:N 2:N
meter_array_set_rates O N:N N:N
set_crc16_parameters c N N N true false
""".strip().splitlines()


@pytest.fixture(scope="module")
def session() -> Iterator[Session]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "prog.p4"
        path.write_text(PROGRAM)
        yield Session(path, Options())


def made_line(choice: random.Random) -> str:
    def word(kind: str) -> str:
        match kind:
            case "N":
                few = choice.random() < 0.8
                return choice.choice(NUMBERS[:6] if few else NUMBERS)
            case "K":
                number = word("N")
                return choice.choice((number, f"{number}/{word('N')}", f"{number}&&&{word('N')}"))
            case "T":
                return choice.choice(TABLES)
            case "A":
                return choice.choice(ACTIONS)
            case "O":
                return choice.choice(OBJECTS)
            case _:
                return kind

    form = choice.choice(FORMS)
    return re.sub(r"(?<![a-z_])[NKTAO](?![a-z_])", lambda found: word(found[0]), form)


def said(control: ControlPlane, requests: tuple[Request, ...]) -> list[str]:
    try:
        control.apply(requests)
    except CompileError as error:
        return [f"{d.span}: {d.code}: {d.text}" for d in error.diagnostics]
    return []


@pytest.mark.parametrize("seed", range(40))
def test_both_say_the_same(session: Session, seed: int) -> None:
    choice = random.Random(seed)
    description = compile(session).description
    interpreted = InterpControl(open_program(check(session), "aborted"))
    compiled = MapControl.of_fresh(description, DictMaps(description))
    compiled.apply([ResetDefault(Name("chosen"))])
    for _ in range(60):
        line = made_line(choice)
        try:
            requests = parse_commands(line, "t")
        except CompileError:
            continue
        assert (line, said(interpreted, requests)) == (line, said(compiled, requests))
