package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"backsolve/tablebase"
)

// The fullest classes of Quixo 5×5, solved together by two workers, have the counts and the bytes
// that they have by one process.
func TestQuixo5Together(t *testing.T) {
	if os.Getenv("BACKSOLVE_LONG") == "" {
		t.Skip("solves four classes of Quixo 5×5 four times, which takes minutes")
	}
	for name, how := range map[string][]string{"outcomes": nil, "steps": {"--steps"}} {
		t.Run(name, func(t *testing.T) { wantSameTogether(t, how) })
	}
}

func wantSameTogether(t *testing.T, how []string) {
	solve := func(more ...string) (classes, data []byte) {
		dir := t.TempDir()
		args := []string{"quixo", "5", "--down-to-class", "22", "--quiet", "--json", "--dir", dir}
		text := output(t, slices.Concat(args, how, more)...)
		var r struct {
			Classes json.RawMessage `json:"classes"`
		}
		if err := json.Unmarshal([]byte(text), &r); err != nil {
			t.Fatalf("%v: %s", err, text)
		}
		data, err := os.ReadFile(filepath.Join(dir, "quixo-5x5.tb"+tablebase.PartialSuffix))
		if err != nil || len(data) < 1<<20 {
			t.Fatalf("%d bytes: %v", len(data), err)
		}
		return r.Classes, data
	}
	counts, want := solve()
	again, got := solve("--workers", "2")
	if !bytes.Equal(again, counts) {
		t.Errorf("the counts are %s, not %s", again, counts)
	}
	if !bytes.Equal(got, want) {
		t.Error("the classes have other bytes")
	}
}
