# The front door: each target installs what it lacks, then does its work.
# docs/building.md explains; CMakePresets.json has the builds themselves.
PREFIX ?= /usr/local
WERROR = -DWEIR_WERROR=$(if $(CI),ON,OFF)

.PHONY: build demo test check-full install format lint fuzz coverage cross \
	measure size vocab clean

build:
	@scripts/setup build
	@cmake --preset release $(WERROR) --log-level=WARNING
	@cmake --build build --target weir weir-bench

demo: build
	@scripts/setup vocab
	@scripts/vocab/fetch
	@scripts/demo

test:
	@scripts/setup test
	@scripts/run-tests

# Everything that test runs, longer and under more tools: about an hour.
check-full:
	@scripts/setup full
	@scripts/run-tests --full$(if $(PARTS),=$(PARTS))

install:
	@scripts/setup build
	@cmake --preset release --log-level=WARNING \
		-DCMAKE_INSTALL_PREFIX="$(PREFIX)"
	@cmake --build build --target weir weir-shared weir-static
	@DESTDIR="$(DESTDIR)" cmake --install build

vocab:
	@scripts/setup vocab
	@scripts/vocab/fetch

format:
	@scripts/setup format
	@scripts/check-format --fix

lint:
	@scripts/setup test
	@scripts/lint

fuzz:
	@scripts/setup fuzz
	@scripts/fuzz $(FUZZ_SECONDS)

coverage:
	@scripts/setup coverage
	@scripts/vocab/fetch
	@scripts/coverage

cross:
	@scripts/setup cross
	@scripts/cross i686
	@scripts/cross aarch64

# On a machine with nothing else to do: see docs/performance.md.
measure: build
	@scripts/setup vocab
	@scripts/vocab/fetch
	@scripts/measure

size:
	@scripts/code-size

clean:
	rm -rf build build-*
