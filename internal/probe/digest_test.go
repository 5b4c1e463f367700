package probe_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"backsolve/game"
	"backsolve/game/games"
	"backsolve/internal/probe"
)

// TestDigests compares digests of 2,000 positions with those that the tests of the Python package
// compute as well, by rules of their own.
func TestDigests(t *testing.T) {
	golden, err := os.ReadFile("testdata/digests.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(golden)) {
		board, want, _ := strings.Cut(strings.TrimSpace(line), " ")
		name, size, _, err := games.Named(board)
		if err != nil {
			t.Fatal(err)
		}
		rules, err := games.New(name, size)
		if err != nil {
			t.Fatal(err)
		}
		hash, again := sha256.New(), new(bytes.Buffer)
		if err := probe.WriteRules(t.Context(), io.MultiWriter(hash, again), rules, 2000); err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprintf("%x", hash.Sum(nil)); got != want {
			t.Errorf("%s has the digest %s, want %s; it begins with\n%.300s", board, got, want, again)
		}
		if lines := strings.Count(again.String(), "\n"); lines != 2000 {
			t.Errorf("%s has %d lines", board, lines)
		}
	}
}

// fullWriter takes one line.
type fullWriter struct{ lines int }

var errFull = errors.New("full")

func (w *fullWriter) Write(b []byte) (int, error) {
	if w.lines++; w.lines > 1 {
		return 0, errFull
	}
	return len(b), nil
}

func TestDigestFails(t *testing.T) {
	if err := probe.WriteRules(t.Context(), new(fullWriter), game.Opaque(newRules(t, "quixo", 3)), 5); !errors.Is(err, errFull) {
		t.Errorf("%v", err)
	}
	stopped, stop := context.WithCancel(t.Context())
	stop()
	if err := probe.WriteRules(stopped, io.Discard, game.Opaque(newRules(t, "quixo", 3)), 1<<30); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}
