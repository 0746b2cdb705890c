# Everything a newcomer needs: `make demo`, then `make test`.

VENV := .venv
BIN := $(VENV)/bin
P4 ?= examples/xdp1.p4
MODE ?= auto
ON ?= ir,native
SECONDS ?= 60
EX ?= basic
EXAMPLES = $(filter-out lab,$(basename $(notdir $(wildcard examples/v1model/scripts/*.py))))
SEED ?= 1

.PHONY: demo example mutate test load unload status golden lint fuzz bench bench-tables bench-compile bench-growth setup setup-test clean

demo: setup
	$(BIN)/python tools/demo.py

example: setup
	@test -e examples/v1model/scripts/$(EX).py || \
		{ echo "usage: make example EX=NAME, one of $(EXAMPLES)"; exit 2; }
	$(BIN)/python examples/v1model/scripts/$(EX).py $(ARGS)

test: setup-test lint
	$(BIN)/python -m pytest -n auto --dist worksteal

load: setup
	@test -n "$(DEV)" || { echo "usage: make load DEV=eth0 [P4=prog.p4] [MODE=native|generic]"; exit 2; }
	$(BIN)/p4xdp load $(P4) --dev $(DEV) --mode $(MODE)

unload: setup
	@test -n "$(DEV)" || { echo "usage: make unload DEV=eth0"; exit 2; }
	$(BIN)/p4xdp unload --dev $(DEV)

status: setup
	$(BIN)/p4xdp status

golden: setup-test
	$(BIN)/python -m pytest -q tests/golden --update-golden

lint: setup-test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

mutate: setup-test
	$(BIN)/python tools/mutate.py --seconds $(SECONDS) --seed $(SEED)

fuzz: setup-test
	$(BIN)/python tests/differential/fuzz.py --seconds $(SECONDS) --on $(ON) --go-on

bench: setup-test
	$(BIN)/python bench/run.py --live

bench-tables: setup-test
	$(BIN)/python bench/tables.py

bench-compile: setup-test
	$(BIN)/python bench/compile_time.py

bench-growth: setup-test
	$(BIN)/python bench/grow.py

setup:
	@tools/setup run

setup-test:
	@tools/setup test

clean:
	rm -rf $(VENV) build
