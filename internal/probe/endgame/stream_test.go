package endgame

import (
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"backsolve/internal/probe"
)

// TestStreamed asks for a position that does not fit in memory. It is solved through work files
// if allowed, packed if they do not fit otherwise, as in memory; otherwise it is refused with
// an estimate.
func TestStreamed(t *testing.T) {
	r := rules(t, "notakto", 6)
	const text = "XX..../.X..../..X.../...X../..X.../XX..XX"
	want, err := ask(t, New(Limits{Timeout: time.Hour}), r, text, false)
	if err != nil {
		t.Fatal(err)
	}
	s, err := r.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	p := endgameOf(t, r, s, false)
	space, err := p.space()
	if err != nil {
		t.Fatal(err)
	}
	in := Limits{Timeout: time.Hour, Threads: 2, Concurrency: 1}
	in.Memory = p.cost(in).bytes - 1
	limited := func(l Limits) (*probe.Answer, error) { return ask(t, New(l), r, text, false) }

	var tooMuch *LimitError
	if _, err := limited(in); !errors.As(err, &tooMuch) || tooMuch.Disk != 0 {
		t.Errorf("without a place for work files: %v", err)
	}
	in.Scratch = scratch(t)
	if _, err := limited(in); !errors.As(err, &tooMuch) || tooMuch.Disk == 0 || !strings.Contains(err.Error(), "of work files") {
		t.Errorf("without room for work files: %v", err)
	}
	in.Disk = 1 << 40
	_, raw := p.streamOptions(space, in)
	for _, disk := range []int64{raw.Disk, raw.Disk - 1} {
		in.Disk = disk
		o, _ := p.streamOptions(space, in)
		if o.Packed != (disk < raw.Disk) {
			t.Errorf("with %d bytes for %d, packed is %v", disk, raw.Disk, o.Packed)
		}
		got, err := limited(in)
		if err != nil {
			t.Fatal(err)
		}
		if got.Value != want.Value || len(got.Moves) != len(want.Moves) {
			t.Fatalf("streamed %v with %d moves, in memory %v with %d", got.Value, len(got.Moves), want.Value, len(want.Moves))
		}
		for i, m := range got.Moves {
			if m != want.Moves[i] {
				t.Errorf("streamed, move %d is %v, in memory %v", i, m, want.Moves[i])
			}
		}
	}
}

// A position that fits in memory takes no work files, though there is a place for them: it is
// solved as well where that is missing.
func TestNotStreamed(t *testing.T) {
	r := rules(t, "notakto", 5)
	const text = "X..../.X.../...../...../....."
	want, err := ask(t, New(Limits{Timeout: time.Hour, Threads: 2}), r, text, false)
	if err != nil {
		t.Fatal(err)
	}
	in := Limits{Timeout: time.Hour, Threads: 2, Memory: 1 << 40, Disk: 1 << 40, Scratch: filepath.Join(t.TempDir(), "none")}
	if got, err := ask(t, New(in), r, text, false); err != nil || got.Value != want.Value || len(got.Moves) != len(want.Moves) {
		t.Errorf("%+v, %v, want %v", got, err, want.Value)
	}
}

// TestStreamFails has no directory for the work files.
func TestStreamFails(t *testing.T) {
	r := rules(t, "notakto", 5)
	p := endgameOf(t, r, r.Start(), false)
	space, err := p.space()
	if err != nil {
		t.Fatal(err)
	}
	l := Limits{Threads: 1, Memory: 1 << 40, Disk: 1 << 40, Scratch: filepath.Join(t.TempDir(), "none")}
	if v, moves, err := p.stream(t.Context(), space, l); !errors.Is(err, fs.ErrNotExist) || moves != nil {
		t.Errorf("without the directory: %v, %v, %v", v, moves, err)
	}
}
