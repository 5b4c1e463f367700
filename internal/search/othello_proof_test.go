package search

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"backsolve/game"
	"backsolve/internal/progress"
)

// prove4 proves the board of 4×4 in a file.
func prove4(t *testing.T, ctx context.Context, path string, tell func(progress.Event)) (*Proof, error) {
	t.Helper()
	return ProveOthello(ctx, newRules(t, "othello", 4), ProofOptions{Path: path, Threads: 2, Bytes: 1 << 20, Progress: tell})
}

func silent(progress.Event) {}

// The 4×4 board is lost by 10: by 11 discs to 3, as published, and two empty cells. The second run only checks the file.
func TestProof(t *testing.T) {
	path := filepath.Join(t.TempDir(), "proof")
	last := uint64(0)
	first, err := prove4(t, t.Context(), path, func(e progress.Event) {
		if last = e.Done; e.Done > e.Total || e.Stage == "" {
			t.Errorf("%+v is told", e)
		}
	})
	if err != nil || first.Score != -10 || len(first.Line) < 9 || first.Nodes == 0 || last == 0 {
		t.Fatalf("%+v, %v, %v done", first, err, last)
	}
	again, err := prove4(t, t.Context(), path, func(progress.Event) { t.Error("a finished file is searched again") })
	if err != nil || again.Score != -10 || strings.Join(again.Line, " ") != strings.Join(first.Line, " ") {
		t.Errorf("%+v, %v", again, err)
	}
}

// A stopped search keeps what it has solved, and the next one continues from there.
func TestProofResumes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "proof")
	enough := errors.New("enough")
	for stops := 0; ; stops++ {
		ctx, cancel := context.WithCancelCause(t.Context())
		calls := 0
		proof, err := prove4(t, ctx, path, func(progress.Event) {
			if calls++; calls == 5 {
				cancel(enough)
			}
		})
		cancel(nil)
		if err == nil {
			if proof.Score != -10 || stops < 2 {
				t.Errorf("%+v after %d stops", proof, stops)
			}
			return
		}
		if !errors.Is(err, enough) || stops > 100 {
			t.Fatalf("stop %d: %v", stops, err)
		}
	}
}

// A file that is damaged, of another board, or does not prove its claim is refused.
func TestProofIsChecked(t *testing.T) {
	path := filepath.Join(t.TempDir(), "proof")
	if _, err := prove4(t, t.Context(), path, silent); err != nil {
		t.Fatal(err)
	}
	var good Proof
	records, err := proofFormat.Read(path, &good)
	if err != nil {
		t.Fatal(err)
	}
	for want, change := range map[string]func(p *Proof, records []byte) []byte{
		"of another board": func(p *Proof, records []byte) []byte { p.Size = 6; return records },
		"prove a score from": func(p *Proof, records []byte) []byte {
			p.Positions = 0
			return nil
		},
		"not -6":         func(p *Proof, records []byte) []byte { p.Score = -6; return records },
		"of its line":    func(p *Proof, records []byte) []byte { p.Line[3] = "a1"; return records },
		"not to the end": func(p *Proof, records []byte) []byte { p.Line = p.Line[:8]; return records },
		"that cannot be": func(p *Proof, records []byte) []byte { records[0] = 0xff; return records },
	} {
		changed := good
		changed.Line = append([]string(nil), good.Line...)
		if err := proofFormat.Write(path, &changed, change(&changed, append([]byte(nil), records...))); err != nil {
			t.Fatal(err)
		}
		if _, err := prove4(t, t.Context(), path, silent); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "delete it") {
			t.Errorf("%s: %v", want, err)
		}
	}
}

// The file's positions have the values in the file.
func TestPositionsOfProof(t *testing.T) {
	path := filepath.Join(t.TempDir(), "proof")
	if _, err := prove4(t, t.Context(), path, silent); err != nil {
		t.Fatal(err)
	}
	rules := newRules(t, "othello", 4)
	p := &prover{nullSearch: newNullSearch(4, 1, 0), ProofOptions: ProofOptions{Path: path}, rules: rules, kept: map[discs]bounds{}}
	if err := p.load(); err != nil || len(p.kept) < 20 {
		t.Fatalf("%d positions, %v", len(p.kept), err)
	}
	for d, b := range p.kept {
		if score := value(newNullSearch(4, 1, 0), d, 0); score < int(b.low) || score > int(b.high) {
			t.Errorf("%+v is worth %d, not from %d to %d", d, score, b.low, b.high)
		}
	}
	if m := p.move(passCell); m != game.Pass {
		t.Errorf("a pass is %v", m)
	}
}
