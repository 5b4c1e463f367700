# The steps of make test, make check and make test-long; the Makefile includes this file.

# ---- Tests. Each step leaves a log in bin/tests: what go test -json says, or a line that
# says why it was left out. The last lines sum up the logs.

# $(call run,STEP,-C DIRECTORY,ARGUMENTS OF go test); lint vets.
run = bin/gotestsum$(EXE) --format pkgname --format-hide-empty-pkg --hide-summary skipped --jsonfile bin/tests/$1.json \
	--raw-command -- $(GO) test $2 -vet=off -json $(TESTFLAGS) $3
# $(call left-out,STEP,WHAT AND WHY)
left-out = echo '$2' | tee bin/tests/$1.txt

sum-up = cat bin/tests/*.txt 2>/dev/null; bin/gotestsum$(EXE) --format none --hide-summary skipped --raw-command -- cat bin/tests/*.json

# Collecting garbage less often saves a quarter of the processor time, and takes 500 MB.
staticcheck = GOGC=400 $(CURDIR)/bin/staticcheck$(EXE) ./...

# $(call gofmt,DIRECTORIES)
gofmt = unformatted=$$("$$($(GO) env GOROOT)/bin/gofmt" -l $1); \
	if [ -n "$$unformatted" ]; then echo "not formatted by gofmt:"; echo "$$unformatted"; exit 1; fi

no-logs: bin/gotestsum$(EXE)
	@rm -f bin/tests/*

lint: bin/staticcheck$(EXE)
	@set -e; for module in . cluster mcp research tools tools/release; do \
		echo "vet and staticcheck of $$module"; \
		(cd $$module && $(GO) vet ./... && $(staticcheck)); done

# Generated files are what the generators make.
sums = git ls-files -z | xargs -0 cksum
check-generated:
	@mkdir -p bin && $(sums) >bin/before && $(GO) generate ./... && $(sums) | diff bin/before - || \
		{ echo 'error: go generate changes the files above; commit what it makes' >&2; exit 1; }

# The packages with threads: those that start goroutines or use locks and atomics. -short and -skip
# leave out what is slow under the race detector. It does not see what assembly writes, so the
# kernels are those in Go. A program that ends does not wait a second for a last race.
check-race: bin/gotestsum$(EXE)
	@if command -v "$$($(GO) env CC)" >/dev/null; then \
		export CGO_ENABLED=1 BACKSOLVE_KERNELS=go GORACE=atexit_sleep_ms=0; $(call run,race,,-race -short -skip '$(ALONE)' $(RACES)) && $(call run,race-cluster,-C cluster,-race -short -skip '$(ALONE_CLUSTER)' ./...); \
	else \
		$(call left-out,race,the tests under the race detector: no C compiler is there); \
	fi
RACES = $(sort $(dir $(shell grep -rlE --include='*.go' '^[[:space:]]*go [a-z]|[.]Go[^a-z]|parallel[.]|sync[.]|atomic[.]|[.]Parallel' ./internal ./partition ./retro ./tablebase)))
# Tests of one thread or client, or whose threads are those of shorter tests.
space := $(subst ,, )
either = $(subst $(space),|,$(strip $1))
ALONE = ^($(call either,$(ONE_THREAD)))$$|TestKernels/avx
ONE_THREAD = FuzzBoundPosition FuzzForeignKeys FuzzForgery FuzzPackedForgery FuzzPosition FuzzUnpack TestAfterAgreesWithWhole TestAfterStats TestAgentOfOthello \
	TestAgentsOfAnyGame TestAllReadersSayWhatFails TestAnswersHaveTheirTypes TestAnswersWithoutMoves TestAnyState TestArchiveAnswers TestArchiveDamage \
	TestArchiveDigits TestArchiveForged TestArchiveResumed TestBehindOpeningTable TestBestMoveOfOthello TestBlunder TestBoardsInOneWord TestBounded \
	TestBoundedAgrees TestByRules TestBytesOfAStorageFlipped TestCORS TestCacheControl TestCanonical TestCanonicalBlocksOfNotakto TestCheckAlways \
	TestClaims TestConnect4Whole TestContractOfAllStates TestCoverage TestDamagedBytes TestDamagedTables TestDawson TestDescriptionIsValidAndServed \
	TestDigests TestDrawnEnd TestEachReadFails TestEndingsOfUltimate TestEstimateBounds TestEstimateHub TestEstimatedDiskIsKept \
	TestEveryByteFlipped TestEveryKindOfSpace TestEveryPackedByteFlipped TestEveryState TestFooter TestForeignKeys TestForgedMasks TestForgedTables \
	TestFormula TestFramesAreTheTable TestFramesOfAnArchive TestGamesAreToldApart TestGamesOfRules TestGoldenNotakto TestGrids TestHalvesAreTheSpace \
	TestHash TestHead TestHost TestHostElsewhere TestHuffmanFrames TestIdentity TestImages TestJobsAreRefused TestJobsNeedARight TestJobsOfAnyShape \
	TestLargeClass TestLessons TestLine TestLineEndsWithTheOpening TestLineIsTruncated TestListGames TestLocate TestLongLine TestLookupsFetchFirst \
	TestMalformedRequests TestManyHeaps TestMarkingIsStopped TestMineBySeed TestMineListed TestMostTiers TestMove TestMoveRefusals TestMovesOfFFO \
	TestMovesThatAreKnown TestMovesThatAreNot TestMultiPV TestMutatedRequests TestNamesThatAreWrong TestNim TestNimbersAgreeWithPlainMex \
	TestNimbersInAnswers TestNoRoomToMap TestNoTagForErrors TestNotakto4 TestNumbering TestOpaquePlayoutDistribution TestOpenRefusesEveryCut \
	TestOpenRefusesEveryPackedCut TestOpenRefusesOtherFrames TestOpeningIsOfTheTable TestOpeningTable TestOpponents TestOtherAddresses \
	TestOtherNumbersAreRefused TestOutcomesAlone TestOverwrittenTable TestOwnGame TestPackVerifies TestPackedReadAt TestPackedWithoutIndex \
	TestPackerWrites TestPaddingIsChecked TestPairing TestPairingAgreesWithTable TestPairingOnLargeBoards TestPerftOfOthello TestPerftOfUltimate \
	TestPlayoutDistribution TestPlayoutIsUniform TestPlayouts TestPlayoutsEnd TestPlayoutsOfUltimate TestPosition TestPositionAfterMoves TestProgress \
	TestPublishedVariants TestRandom TestRandomEveryFilter TestRandomOfListed TestRandomOfNotakto6 TestRandomOnly TestRankedAgrees TestRankedTooLong \
	TestRanks TestRateLimitForgets TestRead TestRemote TestReply TestReplyRefusals TestRestIsTheGame TestRootClassesAgreeWithOracle TestRoundTrip TestRuns \
	TestSampleSizes TestSearch TestSearchEndsInAProof TestSearched TestSeekTableInPieces TestSelectEveryFilter TestSelectListed TestSelectSample \
	TestSelectedValuesWithoutMoves TestSolveAgreesWithOracle TestSparseGames TestSparseGamesRefuse TestStartpos TestStorageIsTheFile TestStreamIsUnpacked \
	TestStudyIsTheSearch TestTagsDiffer TestTieBreak TestTiersOfRules TestToken TestTooLong TestUWAPIDraws TestUWAPILists TestUWAPIPositions \
	TestUWAPIRefusals TestUltimateIsLean TestValueAgreesWithOracle TestValueOfPosition TestValues TestValuesOfPacked TestVerifyArchive \
	TestVerifyListedBlocks TestVerifyNimbers TestVerifyWithoutMemory TestViewOfOthello TestViewOfWideBoards TestViewsOfListedGames \
	TestViewsOfQuixoAndUltimateTicTacToe TestWalkEvery TestWalkProgress TestWalkSample TestWeightedPlayoutOfOthello TestWideViewIsTheOther \
	TestWordsOfBoards TestWrittenPacked
ALONE_CLUSTER = ^(TestCoordinatorOfTableReadsNoObjects|TestCoordinatorReadsNoObjects|TestDamagedClassAbove|TestFullStore|TestLostBeforeWriting|TestLostTasks|TestMetrics|TestPiecesFail|TestResumeFromOneProcess|TestS3|TestSomeLostWrites|TestStreamsDamagedClassAbove|TestStreamsDamagedOpening|TestStreamsDrop|TestStreamsOpening|TestStreamsResume|TestTableDrops|TestWorkerOnASmallFileSystem)$$|TestDamagedBlocks/(cut|empty|longer|lost)|TestDamagedShards/flipped_(labels|sections_in)|TestKilledWhileFinishing/another_board|TestKilledWorker/table|TestLateCompletion/table|TestSleepingWorker/(stream|table)|TestTableInBucket$$|TestStreamsSameResult/[13]|TestVerifyShare/(stream_false|sampled_false)

# The kernels for arm64 under an emulator, and whole tables with them. make test has
# the tiers that this machine runs.
check-kernels: bin/gotestsum$(EXE)
	@if command -v qemu-aarch64 >/dev/null; then \
		export GOOS=linux GOARCH=arm64; $(call run,kernels,,-exec qemu-aarch64 ./internal/bitslice) && \
		$(call run,neon,,-exec qemu-aarch64 -short -run 'TestGoldenNotakto$$|TestIdentities|TestSolveAgreesWithOracle' ./retro); \
	else \
		$(call left-out,kernels,the kernels for arm64: no qemu-aarch64 is there (qemu-user)); \
	fi

# npm-ci installs what package-lock.json names, unless it is there.
npm-ci = { [ node_modules/.package-lock.json -nt package-lock.json ] || npm ci --silent --no-audit --no-fund --ignore-scripts; }

# Templates of rules are compiled where there is a compiler.
check-modules: $(if $(BUILT),,build research) bin/gotestsum$(EXE)
	@if command -v npm >/dev/null; then (cd tools/rules && $(npm-ci)); \
	else $(call left-out,assemblyscript,rules in AssemblyScript: no npm is there); fi
	@command -v wasm-ld >/dev/null || { $(call left-out,c-rules,rules in C: no clang and lld are there); }
	@[ -d /usr/lib/rustlib/wasm32-unknown-unknown ] || { $(call left-out,rust-rules,rules in Rust: no rustc with libstd-rust-dev-wasm32 is there); }
	$(call run,cluster,-C cluster,-count=1 ./...)
	$(call run,mcp,-C mcp,-count=1 ./...)
	$(call run,research,-C research,-count=1 -short ./...)
	BACKSOLVE_BIN=$(CURDIR)/bin $(call run,tools,-C tools,-count=1 ./...)
	$(call run,release,-C tools/release,-count=1 ./...)

# The page and the answers of the API: their types, by TypeScript's own compiler; and all of the page in a browser, with axe and
# Lighthouse.
check-page: $(if $(BUILT),,build wasm) bin/gotestsum$(EXE)
	@if command -v npm >/dev/null; then \
		echo 'npm run check'; for dir in page apitypes browser/checks; do \
			(cd tools/$$dir && $(npm-ci)) || exit; \
		done; (cd tools/apitypes && npm run --silent check) && (cd tools/page && npm run --silent check) && $(call run,answers,,-count=1 -run TestAnswersHaveTheirTypes ./internal/server/api); \
	else \
		$(call left-out,types,the types of the page: no npm is there); \
	fi
	BACKSOLVE_BIN=$(CURDIR)/bin $(call run,browser,-C tools/browser,-count=1 ./...)

# The C library and its example. The tests load the library, so they need no cgo; with the tags, vet
# shares what was compiled without cgo.
check-library: $(if $(BUILT),,build) bin/gotestsum$(EXE)
	@if command -v "$$($(GO) env CC)" >/dev/null; then \
		echo '$(MAKE) libbacksolve'; $(MAKE) --no-print-directory libbacksolve && \
		CGO_ENABLED=1 $(GO) vet -tags netgo,osusergo ./cmd/libbacksolve && \
		export BACKSOLVE_BIN=$(CURDIR)/bin BACKSOLVE_LIBRARY=$(CURDIR)/bin/$(SHARED) && $(call run,library,,-count=1 ./cmd/libbacksolve); \
	else \
		$(call left-out,library,the C library: no C compiler is there); \
	fi

# The Python package, installed into an environment of its own.
check-python:
	@$(MAKE) --no-print-directory check-library
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
		export CGO_ENABLED=0 GOARCH=386; $(call run,386,,-short ./tablebase/... ./internal/probe); \
	else \
		$(call left-out,386,the tests of 32-bit programs: this is not Linux on amd64); \
	fi
	@if command -v qemu-s390x >/dev/null; then \
		export CGO_ENABLED=0 GOARCH=s390x; $(call run,s390x,,-exec qemu-s390x -short \
			-run 'Golden|Interleave|RoundTrip|Contradictions|Rewritten|Resume' ./tablebase/...); \
	else \
		$(call left-out,s390x,the tests with the highest byte first: no qemu-s390x is there (qemu-user)); \
	fi

# Forged tables whose checksums are right, some seconds for each kind: sparse ones and their keys, dense
# ones, packed ones and archives. What was found once is in testdata/fuzz, and part of every test.
check-fuzz: bin/gotestsum$(EXE)
	@set -e; for fuzz in tablebase/sparse:FuzzForgery internal/probe/survey:FuzzForeignKeys tablebase/reader:FuzzForgery tablebase/writer:FuzzPackedForgery; do \
		$(call run,fuzz-$${fuzz##*:}-$$(basename $${fuzz%%:*}),,-run '^$$' -fuzz "^$${fuzz##*:}$$" -fuzztime 10s -fuzzminimizetime 1x ./$${fuzz%%:*}); done

# The linter and the test runner are in modules of their own, so that users of this one do not get
# their dependencies.
bin/staticcheck$(EXE): tools/lint/go.mod tools/lint/go.sum
	$(GO) build -C tools/lint -o ../../bin/ honnef.co/go/tools/cmd/staticcheck
	@touch $@

bin/gotestsum$(EXE): tools/gotestsum/go.mod tools/gotestsum/go.sum
	@mkdir -p bin/tests
	$(GO) build -C tools/gotestsum -o ../../bin/ gotest.tools/gotestsum
	@touch $@

