# Needs only Go and make. `make demo` shows what this is; `make test` and `make check` show
# that it is right.

GO        ?= go
TABLES    ?= tables
TESTFLAGS ?=

# Programs and tests are built without C, as releases are: nothing is compiled twice, and
# a program starts with less address space. The race detector and the C library need C.
export CGO_ENABLED := 0

# Where make install puts programs, man pages, completions and the C library: below
# $(PREFIX), and all of that below $(DESTDIR), which who makes packages sets.
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
PROGRAMS  := $(MAIN) ladder analyze learn
PLATFORMS := $(foreach os,linux darwin windows,$(foreach arch,amd64 arm64,$(os)/$(arch))) linux/386 linux/arm

.PHONY: build research benchmark champions libbacksolve python wasm help man completions install install-library uninstall release image \
	test tests static check no-logs lint check-generated check-race check-kernels check-modules check-page check-library check-python check-foreign test-long budget \
	page bench demo cross clean $(PLATFORMS)

# Built as the tests are, so that nothing is compiled twice; what is published is built
# with -trimpath.
build: ## the programs, into bin/
	$(GO) build -buildvcs=false -ldflags '$(LDFLAGS)' -o bin/ ./cmd/tb...
	$(GO) build -C cluster -buildvcs=false -ldflags '$(LDFLAGS)' -o ../bin/ ./cmd/...
	$(GO) build -C mcp -buildvcs=false -ldflags '$(LDFLAGS)' -o ../bin/ ./cmd/...
	$(GO) build -C tools -buildvcs=false -ldflags '$(LDFLAGS)' -o ../bin/ ./bench

research: ## the programs for research, into bin/: ladder, analyze, learn
	$(GO) build -C research -buildvcs=false -ldflags '$(LDFLAGS)' -o ../bin/ ./cmd/...

# The header is include/backsolve.h, and not the one that cgo makes.
libbacksolve: ## the C library, into bin/
	CGO_ENABLED=1 $(GO) build -trimpath -buildvcs=false -buildmode=c-shared -ldflags '$(SHARED_LDFLAGS)' -o bin/$(SHARED) ./cmd/libbacksolve
	@rm -f bin/libbacksolve.h

# A Python that can make environments and has NumPy, if there is one.
PYTHON ?= $(shell for p in python3 /usr/bin/python3; do $$p -c 'import numpy, ensurepip' 2>/dev/null && echo $$p && break; done)

python: libbacksolve ## the Python package, a wheel in bin/
	rm -f bin/backsolve-*.whl
	SOURCE_DATE_EPOCH=$(RELEASED) $(or $(PYTHON),python3) python/wheel.py bin/$(SHARED) '$(or $(VERSION),devel)' native bin

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

# ---- Tests. Each step leaves a log in bin/tests: what go test -json says, or a line that
# says why it was left out. The last lines sum up the logs.

# $(call run,STEP,-C DIRECTORY,ARGUMENTS OF go test); vet has run by itself.
run = bin/gotestsum$(EXE) --format pkgname --format-hide-empty-pkg --hide-summary skipped --jsonfile bin/tests/$1.json \
	--raw-command -- $(GO) test $2 -vet=off -json $(TESTFLAGS) $3
# $(call left-out,STEP,WHAT AND WHY)
left-out = echo '$2' | tee bin/tests/$1.txt

sum-up = cat bin/tests/*.txt 2>/dev/null; bin/gotestsum$(EXE) --format none --hide-summary skipped --raw-command -- cat bin/tests/*.json

# With fewer collections of garbage it takes a quarter less processor time, and 500 MB.
staticcheck = GOGC=400 $(CURDIR)/bin/staticcheck$(EXE) ./...

# $(call gofmt,DIRECTORIES)
gofmt = unformatted=$$("$$($(GO) env GOROOT)/bin/gofmt" -l $1); \
	if [ -n "$$unformatted" ]; then echo "not formatted by gofmt:"; echo "$$unformatted"; exit 1; fi

# What vet has compiled serves the tests, some of which wait, and staticcheck needs a core beside them.
test: no-logs bin/staticcheck$(EXE) ## format, vet, staticcheck, the tests of the library and the programs
	@$(call gofmt,.)
	$(GO) vet ./...
	@$(MAKE) --no-print-directory -j2 tests static
	@$(sum-up)

static:
	$(staticcheck)

tests:
	$(call run,go,,./...)
	$(call run,research,-C research,-short ./...)
	@if command -v node >/dev/null; then $(call run,page,-C tools/page,-count=1 ./...); \
	else $(call left-out,page,the tests of the page: no Node.js is there); fi

# What test leaves out. What runs programs or reads files of other modules is not cached. Much
# of it waits for servers and browsers, so two steps run at once, the longest first, and last those
# that keep both cores at work. So a package may take more than go test's ten minutes. Generators
# write into the tree, so they run before.
check: no-logs check-generated ## all else: other modules, races, browser, faults, documents, releases
	@$(MAKE) --no-print-directory -j2 TESTFLAGS='-timeout 20m $(TESTFLAGS)' check-race check-page check-modules check-python check-kernels check-foreign lint
	@$(sum-up)

no-logs: bin/gotestsum$(EXE)
	@rm -f bin/tests/*

# The root module is linted by make test.
lint: bin/staticcheck$(EXE)
	@set -e; for module in cluster mcp research tools tools/release; do \
		echo "vet and staticcheck of $$module"; \
		(cd $$module && $(GO) vet ./... && $(staticcheck)); done

# What is generated is what the generators make.
sums = git ls-files -z | xargs -0 cksum
check-generated:
	@mkdir -p bin && $(sums) >bin/before && $(GO) generate ./... && $(sums) | diff bin/before - || \
		{ echo 'error: go generate changes the files above; commit what it makes' >&2; exit 1; }

# The packages in which threads meet, by what starts them or guards against them. -short and -skip
# leave out what takes long under the race detector, which sees no writes of assembly: so the kernels
# are those in Go. A program that has ended without a race does not wait a second for one.
check-race: bin/gotestsum$(EXE)
	@if command -v "$$($(GO) env CC)" >/dev/null; then \
		export CGO_ENABLED=1 BACKSOLVE_KERNELS=go GORACE=atexit_sleep_ms=0; $(call run,race,,-race -short -skip '$(ALONE)' $(RACES)) && $(call run,race-cluster,-C cluster,-race -short -skip '$(ALONE_CLUSTER)' ./...); \
	else \
		$(call left-out,race,the tests under the race detector: no C compiler is there); \
	fi
RACES = $(sort $(dir $(shell grep -rlE --include='*.go' '^[[:space:]]*go [a-z]|[.]Go[^a-z]|parallel[.]|sync[.]|atomic[.]|[.]Parallel' ./internal ./partition ./player ./probe ./retro ./server ./tablebase)))
# Tests of one thread, or whose threads are those of shorter tests.
ALONE = ^(TestAnswersHaveTheirTypes|TestArchiveDamage|TestArchiveDigits|TestArchiveResumed|TestBytesOfAStorageFlipped|TestCanonicalBlocksOfNotakto|TestEveryByteFlipped|TestEveryKindOfSpace|TestEveryPackedByteFlipped|TestForgedMasks|TestForgedTables|TestLookupsFetchFirst|TestNumbering|TestOpenRefusesEveryCut|TestOpenRefusesEveryPackedCut|TestOverwrittenTable|TestPackVerifies|TestPackedReadAt|TestPublishedVariants|TestRandomOfNotakto6|TestRandomOnly|TestRootClassesAgreeWithOracle|TestSearch|TestUWAPIPositions)$$|TestKernels/avx
ALONE_CLUSTER = ^(TestCoordinatorOfTableReadsNoParts|TestDamagedClassAbove|TestLostTasks|TestResumeFromOneProcess|TestStreamsDamagedClassAbove|TestStreamsDrop|TestStreamsOpening|TestStreamsResume|TestWorkerOnASmallFileSystem)$$|TestDamagedParts/(cut|empty|longer|lost)|TestDamagedShards/flipped_(labels|sections_in)|TestKilledWhileFinishing/another_board|TestKilledWorker/table|TestLateCompletion/table|TestSleepingWorker/(stream|table)|TestStreamsSameResult/[13]|TestVerifyShare/(stream_false|sampled_false)

# The kernels for arm64 under an emulator, and whole tables with them. make test has
# the tiers that this machine runs.
check-kernels: bin/gotestsum$(EXE)
	@if command -v qemu-aarch64 >/dev/null; then \
		export GOOS=linux GOARCH=arm64; $(call run,kernels,,-exec qemu-aarch64 ./bitslice) && \
		$(call run,neon,,-exec qemu-aarch64 -short -run 'TestGoldenNotakto$$|TestIdentities|TestSolveAgreesWithOracle' ./retro); \
	else \
		$(call left-out,kernels,the kernels for arm64: no qemu-aarch64 is there (qemu-user)); \
	fi

check-modules: build research bin/gotestsum$(EXE)
	$(call run,cluster,-C cluster,-count=1 ./...)
	$(call run,mcp,-C mcp,-count=1 ./...)
	BACKSOLVE_BIN=$(CURDIR)/bin $(call run,tools,-C tools,-count=1 ./...)
	$(call run,release,-C tools/release,-count=1 ./...)

# The page: its types, by TypeScript's own compiler, and the whole of it in a
# browser, where axe and Lighthouse look at it, too.
check-page: build wasm bin/gotestsum$(EXE)
	@if command -v npm >/dev/null; then \
		echo 'npm run check'; for dir in page apitypes browser/checks; do \
			(cd tools/$$dir && { [ node_modules/.package-lock.json -nt package-lock.json ] || npm ci --silent --no-audit --no-fund --ignore-scripts; }) || exit; \
		done; cd tools/page && npm run --silent check; \
	else \
		$(call left-out,types,the types of the page: no npm is there); \
	fi
	BACKSOLVE_BIN=$(CURDIR)/bin $(call run,browser,-C tools/browser,-count=1 ./...)

# The C library and its example. The tests load the library, so they need no cgo; with the tags vet
# shares what is compiled without it.
check-library: build bin/gotestsum$(EXE)
	@if command -v "$$($(GO) env CC)" >/dev/null; then \
		echo '$(MAKE) libbacksolve'; $(MAKE) --no-print-directory libbacksolve && \
		CGO_ENABLED=1 $(GO) vet -tags netgo,osusergo ./cmd/libbacksolve && \
		export BACKSOLVE_BIN=$(CURDIR)/bin BACKSOLVE_LIBRARY=$(CURDIR)/bin/$(SHARED) && $(call run,library,,-count=1 ./cmd/libbacksolve); \
	else \
		$(call left-out,library,the C library: no C compiler is there); \
	fi

# The Python package, installed into an environment of its own.
check-python: check-library
	@if command -v "$$($(GO) env CC)" >/dev/null && [ -n '$(PYTHON)' ]; then \
		$(MAKE) --no-print-directory python && rm -rf bin/venv && $(PYTHON) -m venv --system-site-packages bin/venv && \
		bin/venv/bin/pip install --quiet --no-index bin/backsolve-*.whl && \
		(cd python/tests && PYTHONDONTWRITEBYTECODE=1 ../../bin/venv/bin/python -m unittest >../../bin/tests/python.log 2>&1 || { cat ../../bin/tests/python.log; exit 1; }) && \
		echo "python: $$(grep ^Ran bin/tests/python.log)" | tee bin/tests/python.txt; \
	else \
		$(call left-out,python,the Python package: no C compiler or no Python with NumPy and venv is there); \
	fi

# The file format on other architectures: 32 bits, and big-endian under qemu (Debian's
# package qemu-user).
check-foreign: bin/gotestsum$(EXE)
	@if [ "$$($(GO) env GOHOSTOS)/$$($(GO) env GOHOSTARCH)" = linux/amd64 ]; then \
		export CGO_ENABLED=0 GOARCH=386; $(call run,386,,-short ./tablebase/... ./probe); \
	else \
		$(call left-out,386,the tests of 32-bit programs: this is not Linux on amd64); \
	fi
	@if command -v qemu-s390x >/dev/null; then \
		export CGO_ENABLED=0 GOARCH=s390x; $(call run,s390x,,-exec qemu-s390x -short \
			-run 'Golden|Interleave|RoundTrip|Contradictions|Rewritten|Resume' ./tablebase/...); \
	else \
		$(call left-out,s390x,the tests with the highest byte first: no qemu-s390x is there (qemu-user)); \
	fi

test-long: no-logs build ## what takes many minutes: whole boards, all faults
	BACKSOLVE_LONG=1 $(call run,go,,-timeout 2h ./...)
	BACKSOLVE_LONG=1 $(call run,cluster,-C cluster,./...)
	BACKSOLVE_LONG=1 $(call run,research,-C research,./...)
	BACKSOLVE_LONG=1 BACKSOLVE_BIN=$(CURDIR)/bin $(call run,tools,-C tools,-count=1 -timeout 2h ./...)
	@$(sum-up)

# What the project allows itself (CONTRIBUTING.md), and what it has. Packages for tests have
# names that end in test, as in the standard library.
budget: build ## lines, words, bytes and requirements beside what is allowed
	@row() { printf '%-44s %10s of %10s\n' "$$1" "$$2" "$$3"; }; \
	row 'lines of Go, without tests and generated code' "$$(git ls-files '*.go' | grep -v '_test.go$$\|gen.go$$\|_stub_\|test/' | xargs cat | wc -l)" 85000; \
	row 'lines of Go in packages for tests' "$$(git ls-files '*.go' | grep 'test/' | grep -v '_test.go$$' | xargs cat | wc -l)" -; \
	row 'words in documents, without generated reports' "$$(git ls-files 'docs/*.md' '*.md' | grep -E '^(docs/.*|[A-Z]+)\.md$$' | grep -v /report.md | sort -u | xargs cat | wc -w)" 35000; \
	row 'bytes in docs/' "$$(git ls-files -z docs | xargs -0 cat | wc -c)" 2000000; \
	row 'requirements of the library, direct' "$$(grep -E '^(require)?\s+[a-z.]+/\S+ v' go.mod | grep -vc indirect)" 16; \
	row 'requirements of the library, all' "$$(grep -cE '^(require)?\s+[a-z.]+/\S+ v' go.mod)" 35; \
	row 'bytes of tbsolve' "$$(wc -c <bin/tbsolve$(EXE))" 20000000; \
	row 'bytes of what make build makes' "$$(cat $(MAIN:%=bin/%$(EXE)) | wc -c)" 100000000

# The linter and what runs the tests live in modules of their own, so that nobody who
# uses this one gets their dependencies.
bin/staticcheck$(EXE): tools/lint/go.mod tools/lint/go.sum
	$(GO) build -C tools/lint -o ../../bin/ honnef.co/go/tools/cmd/staticcheck
	@touch $@

bin/gotestsum$(EXE): tools/gotestsum/go.mod tools/gotestsum/go.sum
	@mkdir -p bin/tests
	$(GO) build -C tools/gotestsum -o ../../bin/ gotest.tools/gotestsum
	@touch $@

# First the parts one by one, then whole solves, lookups and cold starts.
bench: build ## measure solves, lookups and cold starts
	$(GO) test -run '^$$' -bench . -benchmem ./...
	bin/bench$(EXE)

# The page as it is embedded, made anew from its sources.
page: ## bundle the page in the browser anew
	$(GO) generate ./server/page

cross: $(PLATFORMS) wasm ## build and vet for every platform
	CGO_ENABLED=0 GOOS=js GOARCH=wasm $(GO) vet ./cmd/tbwasm ./probe ./tablebase/...

$(PLATFORMS):
	CGO_ENABLED=0 GOOS=$(@D) GOARCH=$(@F) $(GO) build ./...
	CGO_ENABLED=0 GOOS=$(@D) GOARCH=$(@F) $(GO) vet ./...
	CGO_ENABLED=0 GOOS=$(@D) GOARCH=$(@F) $(GO) vet -C cluster ./...
	CGO_ENABLED=0 GOOS=$(@D) GOARCH=$(@F) $(GO) vet -C mcp ./...
	CGO_ENABLED=0 GOOS=$(@D) GOARCH=$(@F) $(GO) vet -C research ./...
	CGO_ENABLED=0 GOOS=$(@D) GOARCH=$(@F) $(GO) vet -C tools ./...

# The last commit whose docs/ have the data behind the pages; they are too large to stay.
MEASURED := 2718e26

results: ## the data behind the pages of docs/, from git's history
	@git cat-file -e $(MEASURED) || { echo 'error: git has not the history that these data come from; unpack backsolve-results.tar.gz of a release here' >&2; exit 1; }
	mkdir -p results.part
	git archive $(MEASURED):docs learning ladder analysis ':!*.svg' ':!*.md' | tar -x -C results.part
	mv results.part/learning/notakto-5-strangers results.part/learning/notakto-5-off-policy # renamed since
	rm -f results.part/ladder/*-uttt-* results.part/ladder/climb-othello-6x6*
	git archive "$$(git rev-list -1 HEAD -- measured)^:measured" | tar -x -C results.part # measured since; the last commit there removes it
	mv results.part results

# ---- What is installed and published.

man: build research ## man pages, into share/man
	rm -rf share/man
	$(GO) build -C tools -buildvcs=false -o ../bin/ ./manual
	SOURCE_DATE_EPOCH=$(RELEASED) bin/manual$(EXE) --bin bin --out share/man/man1 --release '$(or $(VERSION),devel)'

completions: build research ## what makes shells complete command lines, into share/
	rm -rf share/bash-completion share/zsh share/fish share/powershell
	mkdir -p share/bash-completion/completions share/zsh/site-functions share/fish/vendor_completions.d share/powershell
	set -e; for p in $(PROGRAMS); do \
		bin/$$p$(EXE) completion bash >share/bash-completion/completions/$$p; \
		bin/$$p$(EXE) completion zsh >share/zsh/site-functions/_$$p; \
		bin/$$p$(EXE) completion fish >share/fish/vendor_completions.d/$$p.fish; \
		bin/$$p$(EXE) completion powershell >share/powershell/$$p.ps1; \
	done

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

benchmark: build research ## the frozen benchmark bench/v1 as an archive in dist/, from its tables
	for b in 'notakto 3' 'notakto 4' 'notakto 4x5' 'notakto 5' 'quixo 3' 'quixo 4' 'quixo 4x5 --packed' 'tictactoe 3' 'tictactoe 3x4,three'; do \
		bin/tbsolve$(EXE) $$b --steps --dir tables || exit; done
	rm -rf bench && bin/analyze$(EXE) bench --dir tables --out bench/v1
	mkdir -p dist
	tar --sort=name --mtime=@$(RELEASED) --owner=0 --group=0 --numeric-owner --mode=u=rwX,go=rX -c bench | gzip -9n >dist/backsolve-bench-v1.tar.gz
	cd dist && sha256sum backsolve-bench-v1.tar.gz >>SHA256SUMS

# The networks that are champions, by their descriptions in docs/reports/learning; make release CHAMPIONS= leaves
# them out, as continuous integration does. A training that is there is resumed.
CHAMPIONS ?= notakto-3 notakto-4 nim-5 nim-6 nim-7 nim-8 quixo-3 quixo-4

champions: build research ## networks that nobody beats, trained, with a checker, as an archive in dist/
	for b in 'notakto 3' 'notakto 4' 'quixo 3' 'quixo 4'; do bin/tbsolve$(EXE) $$b --steps --dir tables || exit; done
	rm -rf champions && mkdir -p champions dist
	cp research/nn/testdata/champion.py research/nn/testdata/canonical.py research/nn/testdata/forward.py champions/
	set -e; for c in $(CHAMPIONS); do d=learning/$$c; case $$c in nim-[78]) search='--sims 50';; quixo-4) search='--sims 6400';; *) search=;; esac; \
		if [ -e $$d/checkpoint ]; then bin/learn$(EXE) resume $$d; else bin/learn$(EXE) train docs/reports/learning/$$c/run.json --out $$d; fi; \
		cp "$$(ls $$d/*.weights | tail -n 1)" champions/$$c.weights && cp $$d/run.json champions/$$c.json; \
		bin/learn$(EXE) export champions/$$c.weights champions/$$c.npz $$search --dir tables; \
		echo "$$c $${search:-alone}:" >>champions/CHECKED.txt; \
		PYTHONDONTWRITEBYTECODE=1 $(or $(PYTHON),python3) champions/champion.py champions/$$c.npz >>champions/CHECKED.txt; \
	done
	cat champions/CHECKED.txt
	cd champions && sha256sum * >SHA256SUMS
	tar --sort=name --mtime=@$(RELEASED) --owner=0 --group=0 --numeric-owner --mode=u=rwX,go=rX -c champions | gzip -9n >dist/backsolve-champions.tar.gz
	cd dist && sha256sum backsolve-champions.tar.gz >>SHA256SUMS

release: man completions results ## archives, packages, checksums, the benchmark, and what the image is made of, into dist/
	$(GO) build -C tools/release -o ../../bin/
	rm -rf dist
	SOURCE_DATE_EPOCH=$(RELEASED) bin/release$(EXE) --go '$(GO)' --name '$(VERSION)' --share share --out dist
	tar --sort=name --mtime=@$(RELEASED) --owner=0 --group=0 --numeric-owner --mode=u=rwX,go=rX -c results | gzip -9n >dist/backsolve-results.tar.gz
	cd dist && sha256sum backsolve-results.tar.gz >>SHA256SUMS
	$(MAKE) benchmark
	$(if $(CHAMPIONS),$(MAKE) champions)

dist/image:
	$(MAKE) release

# The first container tool that is there and can be used.
CONTAINER ?= $(shell for t in docker podman; do if $$t info >/dev/null 2>&1; then echo $$t; break; fi; done)

# Of health checks the format of OCI knows nothing, and podman uses it unasked.
image: dist/image ## the container image backsolve:latest, of what make release has left
	@if [ -z '$(CONTAINER)' ]; then echo 'error: there is no container tool that can be used; install podman, or start the daemon of docker' >&2; exit 1; fi
	$(CONTAINER) build $(if $(findstring podman,$(CONTAINER)),--format docker) --build-arg TARGETARCH=$$($(GO) env GOARCH) \
		--build-arg VERSION='$(VERSION)' -t backsolve:latest dist/image

clean: ## remove what is built
	rm -rf bin share dist
