# Needs only Go and make. `make demo` shows what this is; `make test` shows that
# it is right. With a C compiler the tests also run under the race detector.

GO        ?= go
TABLES    ?= tables
TESTFLAGS ?=

# The version is the tag or revision where git and its history are there; else
# the programs call themselves devel.
VERSION := $(shell git describe --tags --always --dirty 2>/dev/null)
LDFLAGS := -X backsolve/cmd/cli.version=$(VERSION)
EXE     := $(shell $(GO) env GOEXE)

# The C library, and on most systems the name by which programs will load it.
GOOS           := $(shell $(GO) env GOOS)
SHARED         := libbacksolve.$(if $(filter windows,$(GOOS)),dll,$(if $(filter darwin,$(GOOS)),dylib,so))
SHARED_LDFLAGS := -X main.version=$(VERSION)
ifeq ($(suffix $(SHARED)),.so)
SHARED_LDFLAGS += -extldflags=-Wl,-soname,$(SHARED)
endif

PLATFORMS := $(foreach os,linux darwin windows,$(foreach arch,amd64 arm64,$(os)/$(arch))) linux/386 linux/arm

.PHONY: build libbacksolve wasm test test-race test-page test-library test-long test-foreign lint page bench demo cross rename clean $(PLATFORMS)

build:
	$(GO) build -trimpath -buildvcs=false -ldflags '$(LDFLAGS)' -o bin/ ./cmd/tb...
	$(GO) build -C tools -trimpath -buildvcs=false -ldflags '$(LDFLAGS)' -o ../bin/ ./...

# The header is include/backsolve.h, and not the one that cgo makes.
libbacksolve:
	CGO_ENABLED=1 $(GO) build -trimpath -buildvcs=false -buildmode=c-shared -ldflags '$(SHARED_LDFLAGS)' -o bin/$(SHARED) ./cmd/libbacksolve
	@rm -f bin/libbacksolve.h

# The prober for browsers, with a page that shows how it is used: all that a web
# server needs beside the tables.
wasm:
	@mkdir -p bin/wasm
	CGO_ENABLED=0 GOOS=js GOARCH=wasm $(GO) build -trimpath -buildvcs=false -ldflags '-s -w -X main.version=$(VERSION)' -o bin/wasm/backsolve.wasm ./cmd/tbwasm
	cp "$$($(GO) env GOROOT)/lib/wasm/wasm_exec.js" cmd/tbwasm/example/index.html bin/wasm/

test: lint test-race test-page test-library
	$(GO) test $(TESTFLAGS) ./...
	$(GO) test -C tools $(TESTFLAGS) ./...
	$(GO) test -C tools -count=1 ./house # reads code and pages of the other module, of which the cache knows nothing

# -short leaves out what takes minutes under the race detector.
test-race:
	@if command -v "$$($(GO) env CC)" >/dev/null; then \
		echo '$(GO) test -race -short ./...'; CGO_ENABLED=1 $(GO) test -race -short ./...; \
	else \
		echo 'no C compiler is there: the tests under the race detector are left out'; \
	fi

# The page: its types, by TypeScript's own compiler, and the whole of it in a
# browser. What has no Node.js or Chromium to run with is left out.
test-page: build wasm
	@if command -v npm >/dev/null; then \
		echo 'npm run check'; cd tools/page && npm ci --silent --no-audit --no-fund && npm run --silent check; \
	else \
		echo 'no npm is there: the types of the page are left unchecked'; \
	fi
	$(GO) test -C tools/page -count=1 $(TESTFLAGS) ./...
	BACKSOLVE_BIN=$(CURDIR)/bin $(GO) test -C tools/browser -count=1 $(TESTFLAGS) ./...

# The C library and its examples, as far as there is what they are written in.
test-library: build
	@command -v python3 >/dev/null || echo 'no python3 is there: the example of the C library in Python is left out'
	@if command -v "$$($(GO) env CC)" >/dev/null; then \
		echo '$(MAKE) libbacksolve'; $(MAKE) --no-print-directory libbacksolve && \
		BACKSOLVE_BIN=$(CURDIR)/bin BACKSOLVE_LIBRARY=$(CURDIR)/bin/$(SHARED) $(GO) test -count=1 $(TESTFLAGS) ./cmd/libbacksolve/...; \
	else \
		echo 'no C compiler is there: the C library is neither built nor tested'; \
	fi

# All that takes minutes or foreign machines, too.
test-long: lint test-foreign
	BACKSOLVE_LONG=1 $(GO) test -timeout 2h $(TESTFLAGS) ./...
	BACKSOLVE_LONG=1 $(GO) test -C tools -timeout 2h $(TESTFLAGS) ./...

# The file on machines that are laid out differently: of 32 bits, and with the
# highest byte first, which qemu plays (Debian's package qemu-user).
test-foreign:
	@if [ "$$($(GO) env GOHOSTOS)/$$($(GO) env GOHOSTARCH)" = linux/amd64 ]; then \
		echo 'GOARCH=386 $(GO) test -short ./tablebase ./probe/...'; CGO_ENABLED=0 GOARCH=386 $(GO) test -short ./tablebase ./probe/...; \
	else \
		echo 'this is not Linux on amd64: the tests of 32-bit programs are left out'; \
	fi
	@if command -v qemu-s390x >/dev/null; then \
		echo 'GOARCH=s390x $(GO) test ./tablebase, of bytes'; CGO_ENABLED=0 GOARCH=s390x $(GO) test -exec qemu-s390x -short \
			-run 'Golden|Interleave|RoundTrip|Contradictions|Rewritten|Resume' ./tablebase; \
	else \
		echo 'no qemu-s390x is there (qemu-user): the tests with the highest byte first are left out'; \
	fi

lint: bin/staticcheck$(EXE)
	@unformatted=$$("$$($(GO) env GOROOT)/bin/gofmt" -l .); if [ -n "$$unformatted" ]; then echo "not formatted by gofmt:"; echo "$$unformatted"; exit 1; fi
	$(GO) vet ./...
	$(GO) vet -C tools ./...
	bin/staticcheck$(EXE) ./...
	cd tools && ../bin/staticcheck$(EXE) ./...

# The linter lives in a module of its own, so that nobody who uses this one gets
# its dependencies.
bin/staticcheck$(EXE): tools/lint/go.mod tools/lint/go.sum
	$(GO) build -C tools/lint -o ../../bin/ honnef.co/go/tools/cmd/staticcheck
	@touch $@

# The page as it is embedded, made anew from its sources.
page:
	$(GO) generate ./server/page

# First the parts one by one, then whole solves, lookups and cold starts.
bench: build
	$(GO) test -run '^$$' -bench . -benchmem ./...
	bin/bench$(EXE)

demo: build
	bin/tbsolve$(EXE) notakto 6 --dir $(TABLES) --force
	bin/tbsolve$(EXE) quixo 4 --steps --dir $(TABLES) --force
	bin/tbquery$(EXE) quixo 4 'XXOO/O.XO/O..X/XXO. x' --dir $(TABLES)

cross: $(PLATFORMS) wasm
	CGO_ENABLED=0 GOOS=js GOARCH=wasm $(GO) vet ./cmd/tbwasm ./probe ./tablebase/...

$(PLATFORMS):
	CGO_ENABLED=0 GOOS=$(@D) GOARCH=$(@F) $(GO) build ./...
	CGO_ENABLED=0 GOOS=$(@D) GOARCH=$(@F) $(GO) vet ./...
	CGO_ENABLED=0 GOOS=$(@D) GOARCH=$(@F) $(GO) vet -C tools ./...

# Gives the module the path under which a fork of it can be imported.
rename:
	$(GO) run -C tools ./rename --dir '$(CURDIR)' '$(MODULE)'

clean:
	rm -rf bin
