# Needs only Go and make. `make demo` shows what this is; `make test` and `make check` show
# that it is right.

GO        ?= go
TABLES    ?= tables
TESTFLAGS ?=

# Programs and tests are built without C, as releases are: nothing is compiled twice, and
# a program starts with less address space. The race detector and the C library need C.
export CGO_ENABLED := 0

# Where make install puts programs, man pages, completions and the C library: below
# $(PREFIX), and all of that below $(DESTDIR), which makers of packages set.
PREFIX  ?= /usr/local
DESTDIR ?=

# The version is the tag or revision where git and its history are there; else
# the programs call themselves devel.
VERSION := $(shell git describe --tags --always --dirty 2>/dev/null)
LDFLAGS := -s -w -X $(shell $(GO) list -m)/cmd/cli.version=$(VERSION)
EXE     := $(shell $(GO) env GOEXE)

# The C library, and on most systems the name by which programs will load it.
GOOS           := $(shell $(GO) env GOOS)
SHARED         := libbacksolve.$(if $(filter windows,$(GOOS)),dll,$(if $(filter darwin,$(GOOS)),dylib,so))
SHARED_LDFLAGS := -X main.version=$(VERSION)
ifeq ($(suffix $(SHARED)),.so)
SHARED_LDFLAGS += -extldflags=-Wl,-soname,$(SHARED)
endif

# What is published of a version bears its date, so that it can be built again.
RELEASED := $(or $(SOURCE_DATE_EPOCH),$(shell git log -1 --format=%ct 2>/dev/null || date +%s))

# What a release is of: the programs for everybody, and those for research. Other programs
# are for work on the project.
MAIN      := tbsolve tbquery tbserve tbplay tbcluster tbmcp bench
PROGRAMS  := $(MAIN) lab
PLATFORMS := $(foreach os,linux darwin windows,$(foreach arch,amd64 arm64,$(os)/$(arch))) linux/386 linux/arm

.PHONY: build research benchmark champions libbacksolve python wasm help man completions install install-library uninstall release image \
	test check no-logs lint check-generated check-race check-kernels check-modules check-page check-library check-python check-foreign check-fuzz test-long budget \
	page bench demo cross clean $(PLATFORMS)

# Built as the tests are, so that nothing is compiled twice; what is published is built
# with -trimpath.
build: ## the programs, into bin/
	$(GO) build -buildvcs=false -ldflags '$(LDFLAGS)' -o bin/ ./cmd/tb...
	$(GO) build -C cluster -buildvcs=false -ldflags '$(LDFLAGS)' -o ../bin/ ./cmd/...
	$(GO) build -C mcp -buildvcs=false -ldflags '$(LDFLAGS)' -o ../bin/ ./cmd/...
	$(GO) build -C tools -buildvcs=false -ldflags '$(LDFLAGS)' -o ../bin/ ./bench

research: ## the program for research, lab, into bin/
	$(GO) build -C research -buildvcs=false -ldflags '$(LDFLAGS)' -o ../bin/ ./cmd/...

# The header is include/backsolve.h, and not the one that cgo makes.
libbacksolve: ## the C library, into bin/
	CGO_ENABLED=1 $(GO) build -trimpath -buildvcs=false -buildmode=c-shared -ldflags '$(SHARED_LDFLAGS)' -o bin/$(SHARED) ./cmd/libbacksolve
	@rm -f bin/libbacksolve.h

# A Python that can make environments and has NumPy, if there is one.
PYTHON ?= $(shell for p in python3 /usr/bin/python3; do $$p -c 'import numpy, ensurepip' 2>/dev/null && echo $$p && break; done)

python: libbacksolve ## the Python package, a wheel in bin/
	rm -f bin/backsolve-*.whl
	SOURCE_DATE_EPOCH=$(RELEASED) $(or $(PYTHON),python3) python/wheel.py bin/$(SHARED) '$(or $(VERSION),devel)' $(GOOS)/$(shell $(GO) env GOARCH) bin

# The prober for browsers, with a page that shows how it is used: all that a web
# server needs beside the tables.
wasm: ## the prober for browsers, into bin/wasm/
	@mkdir -p bin/wasm
	CGO_ENABLED=0 GOOS=js GOARCH=wasm $(GO) build -trimpath -buildvcs=false -ldflags '-s -w -X main.version=$(VERSION)' -o bin/wasm/backsolve.wasm ./cmd/tbwasm
	cp "$$($(GO) env GOROOT)/lib/wasm/wasm_exec.js" cmd/tbwasm/example/index.html bin/wasm/

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "make %-12s %s\n", $$1, $$2}' $(firstword $(MAKEFILE_LIST))

demo: ## solve two boards and ask one question
	$(GO) build -buildvcs=false -ldflags '$(LDFLAGS)' -o bin/ ./cmd/tbsolve ./cmd/tbquery
	bin/tbsolve$(EXE) notakto 6 --dir $(TABLES) --force
	bin/tbsolve$(EXE) quixo 4 --steps --dir $(TABLES) --force
	bin/tbquery$(EXE) quixo 4 'XXOO/O.XO/O..X/XXO. x' --dir $(TABLES)

# Some packages wait for programs and clients, so three are tested at once.
test: no-logs bin/gotestsum$(EXE) ## format, the tests of the library and the programs
	@$(call gofmt,.)
	$(call run,go,,-p 3 ./...)
	@if command -v node >/dev/null; then $(call run,page,-C tools/page,-count=1 ./...); \
	else $(call left-out,page,the tests of the page: no Node.js is there); fi
	@$(sum-up)

# What test leaves out. What runs programs or reads files of other modules is not cached. Much
# of it waits for servers and browsers, so two steps run at once, the longest first. So a package
# may take more than go test's ten minutes. Generators write into the tree, so they run before, and so
# are programs built: a step that waits for others begins last. Documents build the C library as Python does.
check: no-logs check-generated build research wasm ## all else: other modules, races, browser, faults, documents, releases
	@$(MAKE) --no-print-directory -j2 BUILT=yes TESTFLAGS='-timeout 20m $(TESTFLAGS)' check-page check-race check-python check-modules check-kernels check-foreign check-fuzz lint
	@$(sum-up)

test-long: no-logs build ## what takes many minutes: whole boards, all faults
	BACKSOLVE_LONG=1 $(call run,go,,-timeout 2h ./...)
	BACKSOLVE_LONG=1 $(call run,cluster,-C cluster,./...)
	BACKSOLVE_LONG=1 $(call run,research,-C research,./...)
	BACKSOLVE_LONG=1 BACKSOLVE_BIN=$(CURDIR)/bin $(call run,tools,-C tools,-count=1 -timeout 2h ./...)
	@$(sum-up)

budget: build research ## lines, words, bytes, flags and the like beside what .ci/limits allows
	@.ci/budget

# First the parts one by one, then whole solves, lookups and cold starts.
bench: build ## measure solves, lookups and cold starts
	$(GO) test -run '^$$' -bench . -benchmem ./...
	bin/bench$(EXE)

# The page as it is embedded, made anew from its sources.
page: ## bundle the page in the browser anew
	$(GO) generate ./internal/server/page

to = $(DESTDIR)$(PREFIX)

install: build research man completions ## programs, manual, completions and C library, below PREFIX (/usr/local)
	mkdir -p '$(to)/bin' '$(to)/share'
	install -m 755 $(PROGRAMS:%=bin/%$(EXE)) '$(to)/bin'
	cp -R share/man share/bash-completion share/zsh share/fish '$(to)/share/'
	@if [ "$$($(GO) env GOOS)" = linux ]; then set -ex; mkdir -p '$(to)/lib/systemd/system'; \
		for u in cmd/tbserve/systemd/*; do sed 's|/usr/local/|$(PREFIX)/|' $$u >'$(to)/lib/systemd/system/'$${u##*/}; done; fi
	@if [ "$(GOOS)" = windows ]; then echo 'left out: the C library, which is bin/$(SHARED) after make libbacksolve'; \
	elif command -v "$$($(GO) env CC)" >/dev/null; then $(MAKE) --no-print-directory install-library; \
	else echo 'left out: the C library, for which a C compiler is needed'; fi

# The C library with its header and pkg-config file.
install-library: libbacksolve
	mkdir -p '$(to)/lib/pkgconfig' '$(to)/include'
	install -m 755 bin/$(SHARED) '$(to)/lib'
	install -m 644 include/backsolve.h '$(to)/include'
	sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@VERSION@|$(or $(VERSION:v%=%),devel)|' cmd/libbacksolve/backsolve.pc.in >'$(to)/lib/pkgconfig/backsolve.pc'

uninstall: ## remove what make install has put there
	set -e; for p in $(PROGRAMS); do rm -f "$(to)/bin/$$p$(EXE)" "$(to)/share/man/man1/$$p.1" "$(to)/share/man/man1/$$p"-*.1 \
		"$(to)/share/bash-completion/completions/$$p" "$(to)/share/zsh/site-functions/_$$p" "$(to)/share/fish/vendor_completions.d/$$p.fish"; done
	rm -f '$(to)/lib/systemd/system/tbserve.service' '$(to)/lib/systemd/system/tbserve.socket'
	rm -f '$(to)/lib/$(SHARED)' '$(to)/include/backsolve.h' '$(to)/lib/pkgconfig/backsolve.pc'

include .ci/check.mk .ci/release.mk

clean: ## remove what is built
	rm -rf bin share dist
