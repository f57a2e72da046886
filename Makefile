# Thin commands over CMake. Each does all of its set-up: packages, configuration, build.

PREFIX ?= /usr/local
JOBS ?= $(shell nproc)
WERROR ?= OFF
FUZZ_SECONDS ?= 120
COUNT ?= 10000
SEED ?= 0
PYTHON ?= $(firstword $(wildcard /usr/bin/python3) python3) # Debian's, which has the modules of packages.txt
TESTS ?=

.PHONY: help build run test test-long gallery manual asan tsan coverage bench fuzz fuzz-long torture mutate format tidy install install-packages clean

help:
	@echo "make run               simulate the woodpecker toy; record and plots go to out/"
	@echo "make test              run every test but the long ones"
	@echo "make test-long         run the tests labelled long, which take minutes: 1e5 steps, a thousand balls"
	@echo "make build             build library, command, tests, examples and benchmarks"
	@echo "make install           install them (PREFIX=$(PREFIX))"
	@echo "make asan              run the tests under the address and undefined-behaviour sanitizers"
	@echo "make tsan              run the tests under the thread sanitizer"
	@echo "make coverage          run the tests, count the lines they reach; report in build/coverage/report/"
	@echo "make gallery           run every scene; pages, pictures and checks go to build/gallery/"
	@echo "make manual            make the manual as HTML in build/manual/"
	@echo "make bench             run the benchmarks"
	@echo "make fuzz              fuzz what reads files (FUZZ_SECONDS=$(FUZZ_SECONDS) each)"
	@echo "make fuzz-long         the same, an hour each"
	@echo "make torture           compute COUNT=$(COUNT) random scenes by every method and compare; see CONTRIBUTING.md"
	@echo "make mutate            change the code in 1500 places, one at a time, and count what tests notice"
	@echo "make format            format all sources"
	@echo "make tidy              check all sources with clang-tidy"
	@echo "make install-packages  install the packages of packages.txt (Debian, as root)"
	@echo "make clean             remove build/ and out/"
	@echo
	@echo "TESTS chooses tests of test, asan, tsan and coverage by ctest's options: make test TESTS='-L torture'. Labels:"
	@echo "  browser   pages in Chromium, and what makes pages"
	@echo "  torture   failing allocators, random input, random scenes, inputs that fuzzing found"
	@echo "  long      minutes each; make test-long"

# $(call compile,PRESET[,OPTIONS]): configures and builds in build/PRESET.
define compile
	@cmake --preset $(1) --log-level=WARNING -DSTICKSLIP_WERROR=$(WERROR)
	@cmake --build --preset $(1) --parallel $(JOBS) $(2)
endef

build: install-packages
	$(call compile,release)

run: install-packages
	$(call compile,release,--target stickslip)
	build/release/bin/stickslip run scenes/woodpecker.yaml -o out

test: build
	ctest --preset release --parallel $(JOBS) $(TESTS)

test-long: build
	ctest --test-dir build/release -C long -L long --verbose

asan: install-packages
	$(call compile,asan)
	ctest --preset asan --parallel $(JOBS) $(TESTS)

tsan:
	@tools/setup build develop
	$(call compile,tsan)
	ctest --preset tsan --parallel $(JOBS) $(TESTS)

coverage:
	@tools/setup build develop
	$(call compile,coverage)
	@find build/coverage -name '*.gcda' -delete
	ctest --preset coverage --parallel $(JOBS) $(TESTS)
	@tools/coverage $(JOBS)

gallery: install-packages
	$(call compile,release,--target stickslip viewer)
	tools/gallery build/release/bin/stickslip build/gallery scenes/*.yaml

manual:
	@tools/setup manual
	tools/manual build/manual

bench: install-packages
	$(call compile,release,--target bench)

fuzz:
	@tools/setup build develop
	$(call compile,fuzz,--target fuzz)
	tools/fuzz $(FUZZ_SECONDS)

fuzz-long:
	$(MAKE) fuzz FUZZ_SECONDS=3600

torture: install-packages
	$(call compile,release,--target stickslip)
	$(PYTHON) -B tests/torture/torture.py build/release/bin/stickslip --count $(COUNT) --seed $(SEED) --jobs $(JOBS) --out out/torture

mutate: install-packages
	tools/mutate --jobs $(JOBS)

format:
	@tools/setup develop
	find include src cli tests examples bench -name '*.[ch]' -exec clang-format -i {} +

tidy:
	@tools/setup build develop
	@cmake --preset tidy --log-level=WARNING
	tools/tidy $(JOBS)

install: build
	cmake --install build/release --prefix $(PREFIX)

install-packages:
	@tools/setup build

clean:
	rm -rf build out
