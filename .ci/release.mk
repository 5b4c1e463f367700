# What a release is made of, and how; the Makefile includes this file.

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

cross: $(PLATFORMS) wasm ## build and vet for every platform
	CGO_ENABLED=0 GOOS=js GOARCH=wasm $(GO) vet ./cmd/tbwasm ./internal/probe ./tablebase/...

$(PLATFORMS):
	CGO_ENABLED=0 GOOS=$(@D) GOARCH=$(@F) $(GO) build ./...
	CGO_ENABLED=0 GOOS=$(@D) GOARCH=$(@F) $(GO) vet ./...
	CGO_ENABLED=0 GOOS=$(@D) GOARCH=$(@F) $(GO) vet -C cluster ./...
	CGO_ENABLED=0 GOOS=$(@D) GOARCH=$(@F) $(GO) vet -C mcp ./...
	CGO_ENABLED=0 GOOS=$(@D) GOARCH=$(@F) $(GO) vet -C research ./...
	CGO_ENABLED=0 GOOS=$(@D) GOARCH=$(@F) $(GO) vet -C tools ./...

benchmark: build research ## the frozen benchmark bench/v2 as an archive in dist/, from its tables
	for b in 'notakto 3' 'notakto 4' 'notakto 4x5' 'notakto 5' 'quixo 3' 'quixo 4' 'quixo 4x5 --packed' 'tictactoe 3' 'tictactoe 3x4,three'; do \
		bin/tbsolve$(EXE) $$b --steps --dir tables || exit; done
	rm -rf bench && bin/lab$(EXE) bench --dir tables --out bench/v2
	mkdir -p dist
	tar --sort=name --mtime=@$(RELEASED) --owner=0 --group=0 --numeric-owner --mode=u=rwX,go=rX -c bench | gzip -9n >dist/backsolve-bench-v2.tar.gz
	cd dist && sha256sum backsolve-bench-v2.tar.gz >>SHA256SUMS

# The networks that are champions, by their descriptions in docs/reports/learning; make release CHAMPIONS= leaves
# them out, as continuous integration does. An existing training is resumed.
CHAMPIONS ?= notakto-3 notakto-4 nim-5 nim-6 nim-7 nim-8 quixo-3 quixo-4

champions: build research ## networks that nobody beats, trained, with a checker, as an archive in dist/
	for b in 'notakto 3' 'notakto 4' 'quixo 3' 'quixo 4'; do bin/tbsolve$(EXE) $$b --steps --dir tables || exit; done
	rm -rf champions && mkdir -p champions dist
	cp research/nn/testdata/champion.py research/nn/testdata/canonical.py research/nn/testdata/forward.py champions/
	set -e; for c in $(CHAMPIONS); do d=learning/$$c; case $$c in nim-[78]) search='--sims 50';; quixo-4) search='--sims 6400';; *) search=;; esac; \
		bin/lab$(EXE) train docs/reports/learning/$$c/run.json --out $$d; \
		cp "$$(ls $$d/*.weights | tail -n 1)" champions/$$c.weights && cp $$d/run.json champions/$$c.json; \
		bin/lab$(EXE) export champions/$$c.weights champions/$$c.npz $$search --dir tables; \
		echo "$$c $${search:-alone}:" >>champions/CHECKED.txt; \
		PYTHONDONTWRITEBYTECODE=1 $(or $(PYTHON),python3) champions/champion.py champions/$$c.npz >>champions/CHECKED.txt; \
	done
	cat champions/CHECKED.txt
	cd champions && sha256sum * >SHA256SUMS
	tar --sort=name --mtime=@$(RELEASED) --owner=0 --group=0 --numeric-owner --mode=u=rwX,go=rX -c champions | gzip -9n >dist/backsolve-champions.tar.gz
	cd dist && sha256sum backsolve-champions.tar.gz >>SHA256SUMS

release: man completions ## archives, packages, checksums, the benchmark, and what the image is made of, into dist/
	rm -rf dist
	SOURCE_DATE_EPOCH=$(RELEASED) GO='$(GO)' tools/release/build.sh '$(VERSION)' dist
	$(MAKE) benchmark
	$(if $(CHAMPIONS),$(MAKE) champions)

dist/image:
	$(MAKE) release

# The first container tool that works.
CONTAINER ?= $(shell for t in docker podman; do if $$t info >/dev/null 2>&1; then echo $$t; break; fi; done)

# The OCI format, podman's default, has no health checks.
image: dist/image ## the container image backsolve:latest, from what make release has left
	@if [ -z '$(CONTAINER)' ]; then echo 'error: no usable container tool was found; install podman, or start the docker daemon' >&2; exit 1; fi
	$(CONTAINER) build $(if $(findstring podman,$(CONTAINER)),--format docker) --build-arg TARGETARCH=$$($(GO) env GOARCH) \
		--build-arg VERSION='$(VERSION)' -t backsolve:latest dist/image

