package server

import (
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"backsolve/internal/probe"
	"backsolve/internal/probe/probetest"
	"backsolve/tablebase/writer"
)

// packedDir returns a directory with the packed table of quixo 3×3.
func packedDir(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	rules := probetest.Rules(t, "quixo", 3)
	probetest.Solve(t, dir, rules, 0, true)
	path := filepath.Join(dir, probe.FileName(rules.Info()))
	if _, err := writer.Pack(t.Context(), path, false, nil); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	return dir
}

// sheafBatch returns many texts, of which some are no positions.
func sheafBatch(t testing.TB, n int) (texts []string) {
	t.Helper()
	rules, r := probetest.Rules(t, "quixo", 3), rand.New(rand.NewPCG(8, 8))
	for i := range n {
		text := rules.Format(probe.RandomPosition(rules, r))
		if i%37 == 5 {
			text = "nonsense"
		}
		texts = append(texts, text)
	}
	return texts
}

// Batches of any length from a packed table get the same answers as from any other, even without
// room to look positions up together.
func TestPackedBatches(t *testing.T) {
	s := startDir(t, packedDir(t), func(o *Options) { o.MaxBatch = 2000 })
	s.server.batched = 0
	table := open(t, "quixo", 3)
	byteBudget := s.server.lookups.left.Load()
	all := sheafBatch(t, 10*chunkPositions-1)
	answers := answered(t, table, all)
	for _, left := range []int64{byteBudget, 100} {
		s.server.lookups.left.Store(left)
		for _, n := range []int{0, 1, chunkPositions, chunkPositions + 1, len(all)} {
			want, lines := strings.Join(answers[:n], "\n"), strings.Join(all[:n], "\n")
			whole := s.post(batchPath, linesMedia, lines)
			if whole.status != http.StatusOK || strings.TrimSuffix(whole.body, "\n") != want {
				t.Fatalf("%d positions: status %d\n%.500s\nwant\n%.500s", n, whole.status, whole.body, want)
			}
			if pieces := s.postPieces(linesMedia, lines, []int{9000}); pieces.body != whole.body {
				t.Fatalf("%d positions in pieces: %.500s", n, pieces.body)
			}
		}
		if got := s.server.lookups.left.Load(); got != left {
			t.Errorf("%d bytes are left, want %d", got, left)
		}
	}
}

// An error after many positions of a batch follows their answers.
func TestPackedBatchFailsLate(t *testing.T) {
	t.Parallel()
	s := startDir(t, packedDir(t), func(o *Options) { o.MaxBatch = 300 })
	s.server.batched = 0
	r := s.postPieces(linesMedia, strings.Join(sheafBatch(t, 301), "\n"), []int{1 << 20})
	lines := strings.Split(strings.TrimSuffix(r.body, "\n"), "\n")
	if r.status == http.StatusOK && (len(lines) != 301 || !strings.HasPrefix(lines[300], `{"line":301,"error":"there are more than 300 positions`)) {
		t.Errorf("%d lines, the last is %s", len(lines), lines[len(lines)-1])
	} else if r.status != http.StatusOK {
		r.want(t, http.StatusRequestEntityTooLarge, "more than 300")
	}
}
