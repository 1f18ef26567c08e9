# The two commands: `make demo` and `make test`. Each sets up all that it needs and does nothing twice.

export CARGO_TARGET_DIR ?= $(HOME)/.cache/raskt/target
PYTHON ?= python3.11
VENV := .venv
STAMPS := $(VENV)/stamps
BIN := $(CURDIR)/$(VENV)/bin
CARGO := cargo
WHEELS := target/wheels

RUST_SOURCES := Cargo.toml Cargo.lock .cargo/config.toml $(shell find crates -name '*.rs' -o -name '*.toml')
PYTHON_SOURCES := pyproject.toml $(shell find python -name '*.py' -o -name '*.pyi' -o -name 'py.typed')

.PHONY: help demo test test-rust test-python test-stubs wheel bench develop format clean

help:
	@echo "make demo     set up everything and run examples/01_flights.py on real data"
	@echo "make test     set up everything and pass every test"
	@echo "make bench    run the benchmarks (PART=name for one of them)"
	@echo "make develop  put the native module beside the Python sources, for PYTHONPATH=python"
	@echo "make format   format the sources"

demo: $(STAMPS)/raskt $(STAMPS)/demo
	cd examples && $(BIN)/python 01_flights.py $(CURDIR)

test: test-rust test-python test-stubs

# The binding has no tests of its own in Rust: what it does is tested from Python.
test-rust:
	$(CARGO) test --release --locked --workspace --exclude raskt-python

test-python: $(STAMPS)/raskt $(STAMPS)/test
	$(BIN)/python -m pytest -q
	cd $(VENV) && bin/python -m pytest -q -p no:cacheprovider --doctest-modules --pyargs raskt -o addopts=

test-stubs: $(STAMPS)/raskt $(STAMPS)/test
	cd $(VENV) && bin/python -m mypy --strict $(CURDIR)/python/raskt/_core.pyi
	cd $(VENV) && bin/python -m mypy.stubtest raskt._core --allowlist $(CURDIR)/.ci/stubtest-allowlist.txt --ignore-unused-allowlist

bench: $(STAMPS)/raskt $(STAMPS)/bench
	$(BIN)/python benches/run.py $(PART)

wheel: $(STAMPS)/wheel

develop:
	$(CARGO) build --release --locked --package raskt-python
	cp $(CARGO_TARGET_DIR)/release/lib_core.so python/raskt/_core.abi3.so

format: $(STAMPS)/build
	$(CARGO) fmt --all
	$(BIN)/ruff format python tests examples benches
	$(BIN)/ruff check --fix python tests examples benches

clean:
	rm -rf $(VENV) $(WHEELS)

$(STAMPS)/venv:
	$(PYTHON) -m venv $(VENV)
	mkdir -p $(STAMPS)
	touch $@

$(STAMPS)/build: $(STAMPS)/venv requirements/build.txt
	$(BIN)/python -m pip install --quiet --requirement requirements/build.txt
	touch $@

$(STAMPS)/wheel: $(STAMPS)/build $(RUST_SOURCES) $(PYTHON_SOURCES)
	rm -rf $(WHEELS)
	$(BIN)/maturin build --release --locked --strip --interpreter $(BIN)/python --out $(WHEELS)
	touch $@

$(STAMPS)/raskt: $(STAMPS)/wheel
	$(BIN)/python -m pip install --quiet $(WHEELS)/raskt-*.whl
	$(BIN)/python -m pip install --quiet --force-reinstall --no-deps $(WHEELS)/raskt-*.whl
	touch $@

$(STAMPS)/demo: $(STAMPS)/venv requirements/demo.txt
	$(BIN)/python -m pip install --quiet --requirement requirements/demo.txt
	touch $@

$(STAMPS)/test: $(STAMPS)/venv requirements/test.txt requirements/demo.txt
	$(BIN)/python -m pip install --quiet --requirement requirements/test.txt
	touch $@

$(STAMPS)/bench: $(STAMPS)/venv benches/requirements.txt
	$(BIN)/python -m pip install --quiet --requirement benches/requirements.txt
	touch $@
