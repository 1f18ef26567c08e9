# make demo          sets up everything, then runs the main example on real data
# make test          sets up everything, then runs every test
# make cluster-test  runs the collections' tests on a cluster of two worker processes
# make bench         measures raskt and its peers; PART=chain or PART=noop/tree for one part of it
# make matrix        tries a million generated cases against NumPy and pandas, which takes hours; CI tries a sample
# make shrink        strikes out what is mended of the lists of what is to be mended
# make chaos         kills, freezes and poisons clusters by the hour: the long form of the tests of faults
# make fuzz          has libFuzzer look for bytes that break what reads them: TARGET=frames SECONDS=600 (needs nightly, cargo-fuzz)
# make develop       puts the built module into python/, so that edits of Python files need no wheel
# make lint          what CI checks before the tests
# make clean         removes the virtual environment (the build cache stays)
#
# Nothing is done twice: a stamp file under .venv stands for each finished step.

PYTHON ?= python3
export CARGO_TARGET_DIR ?= $(HOME)/.cache/raskt/target
CLAIMED := $(shell CARGO_TARGET_DIR=$(CARGO_TARGET_DIR) bash .ci/claim)
# The wheel, the tests and clippy must see the same interpreter, or cargo builds the bindings anew for each of them.
export PYO3_PYTHON := $(CURDIR)/.venv/bin/python

BIN := .venv/bin
CARGO ?= cargo
RUST := $(shell find crates .cargo -name '*.rs' -o -name '*.toml') Cargo.toml Cargo.lock
PACKAGE := $(shell find python -name '*.py' -o -name '*.pyi' -o -name 'py.typed') pyproject.toml README.md LICENSE
PART ?=
# Their tests run a second time on a cluster of processes: one in thirty-two here, all of them by `make cluster-test`.
COLLECTIONS := tests/array tests/dataframe tests/delayed tests/dask tests/futures
# Tests wait more than they compute: so many processes run them at a time, a file's by one of them. In the order of their names: those
# that take longest are few tests a file, and one process would be left with them.
TESTERS ?= 2
PYTEST := $(BIN)/python -m pytest -q
# What `make fuzz` tries (fuzz/targets), and for how long.
TARGET ?= frames
SECONDS ?= 600
# What the machines assert of themselves costs some percent: it holds in their tests, and isn't in the wheel. All cores build them.
MACHINES := graph schedule simulate store execute
ASSERTING := $(MACHINES:%=--config profile.release.package.raskt-%.debug-assertions=true) \
             $(MACHINES:%=--config profile.release.package.raskt-%.codegen-units=16)

.PHONY: demo test rust-test python-test cluster-test matrix shrink bench chaos fuzz develop lint clean help

help:
	@sed -n 's/^# \(make .*\)/\1/p' Makefile

demo: .venv/.wheel .venv/.demo
	$(BIN)/python examples/01_flights.py

test: rust-test python-test

rust-test: .venv/.python
	$(CARGO) test --release --locked --workspace $(MACHINES:%=--exclude raskt-%)
	$(CARGO) test --release --locked $(ASSERTING) $(MACHINES:%=-p raskt-%)

python-test: .venv/.wheel .venv/.test
	$(PYTEST) --numprocesses $(TESTERS) --dist loadfile --no-loadscope-reorder --durations 20 tests
	$(PYTEST) --cluster --share 32 $(COLLECTIONS)
	$(PYTEST) --doctest-modules $$($(BIN)/python -c "import raskt, os; print(os.path.dirname(raskt.__file__))")

cluster-test: .venv/.wheel .venv/.test
	$(PYTEST) --cluster $(COLLECTIONS)

matrix: .venv/.wheel .venv/.test
	$(BIN)/python -m tests.matrix --times 22 --refused
	PROGRAM_TIMES=20 $(PYTEST) tests/matrix/test_programs.py

shrink: .venv/.wheel .venv/.test
	$(BIN)/python -m tests.matrix --shrink

bench: .venv/.wheel .venv/.bench
	$(BIN)/python benches/run.py $(PART)

chaos: .venv/.wheel
	$(BIN)/python benches/chaos.py --minutes 30

fuzz:
	$(CARGO) run --release --locked --package raskt-fuzz --example corpus -- fuzz/corpus $(TARGET)
	cp Cargo.lock fuzz/Cargo.lock
	$(CARGO) +nightly fuzz run $(TARGET) -- -max_total_time=$(SECONDS) -malloc_limit_mb=2048

develop: .venv/.python
	$(CARGO) build --release --locked --package raskt-python
	cp $(CARGO_TARGET_DIR)/release/lib_core.so python/raskt/_core.abi3.so

lint: .venv/.test
	$(CARGO) fmt --all --check
	$(CARGO) clippy --release --locked --workspace --all-targets -- -D warnings
	$(CARGO) xtask layers
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --release --locked --workspace --no-deps --exclude xtask
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

clean:
	rm -rf .venv dist

.venv/.python:
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --upgrade pip
	@touch $@

.venv/.build: requirements/build.txt | .venv/.python
	$(BIN)/python -m pip install --quiet -r requirements/build.txt
	@touch $@

.venv/.demo: requirements/demo.txt | .venv/.python
	$(BIN)/python -m pip install --quiet -r requirements/demo.txt
	@touch $@

.venv/.test: requirements/test.txt requirements/demo.txt | .venv/.python
	$(BIN)/python -m pip install --quiet -r requirements/test.txt
	@touch $@

.venv/.bench: benches/requirements.txt | .venv/.python
	$(BIN)/python -m pip install --quiet -r benches/requirements.txt
	@touch $@

.venv/.wheel: $(RUST) $(PACKAGE) .venv/.build
	rm -rf dist
	$(BIN)/maturin build --release --locked --interpreter $(BIN)/python --out dist
	$(BIN)/python -m pip install --quiet dist/raskt-*.whl
	$(BIN)/python -m pip install --quiet --force-reinstall --no-deps dist/raskt-*.whl
	@touch $@
