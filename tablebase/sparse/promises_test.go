package sparse

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"iter"
	"math"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"backsolve/game"
	"backsolve/tablebase"
	"backsolve/tablebase/format"
)

// A table has from one to maxTiers tiers, even if play reaches none but the first.
func TestMostTiers(t *testing.T) {
	for tiers, fits := range map[int]bool{0: false, 1: true, maxTiers: true, maxTiers + 1: false} {
		path := filepath.Join(t.TempDir(), "tiers.tb")
		err := Write(path, Header{}, tiers, func(int) iter.Seq2[uint64, Value] { return func(func(uint64, Value) bool) {} })
		if fits {
			if table, opened := Open(path); err != nil || opened != nil || len(table.header.Tiers) != tiers {
				t.Errorf("%d tiers: %v, %v", tiers, err, opened)
			} else if err := table.Close(); err != nil {
				t.Error(err)
			}
		} else if err == nil || tiers > 0 && !errors.Is(err, tablebase.ErrDamaged) {
			t.Errorf("%d tiers: %v", tiers, err)
		}
	}
}

// The bytes of a table never change: with steps it is of version 1, which old programs read.
func TestGolden(t *testing.T) {
	tiers := contents{{0: {game.Win, 3}, 200: {game.Draw, -1}, 1 << 40: {game.Lose, 300}}, nil, {7: {game.Lose, 0}}}
	outcomes := contents{{0: {game.Win, -1}, 9: {game.Draw, -1}}}
	path := filepath.Join(t.TempDir(), "golden.tb")
	for _, c := range []struct {
		of       contents
		h        Header
		version  int
		identity string
	}{
		{tiers, Header{Game: "golden", Program: "test", Start: 200, Rules: 1 << 63}, 1, "0b61fc773b004974049a4b34ca7b36796a9584689da203dd2220dd8376c85053"},
		{outcomes, Header{Game: "golden", Start: 9, Outcomes: true}, 2, "48ae0d13d00ff30433abf3bcdbabaddd85724bf762bc4efed39933b2185dea61"},
	} {
		if err := Write(path, c.h, len(c.of), c.of.states); err != nil {
			t.Fatal(err)
		}
		table, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		if identity := table.Identity(); table.Header().Version != c.version || hex.EncodeToString(identity[:]) != c.identity {
			t.Errorf("version %d, identity %x", table.Header().Version, identity)
		}
		if err := table.Close(); err != nil {
			t.Error(err)
		}
	}
}

// Draws have −1 steps, and nothing has fewer. There are three outcomes.
func TestForgedSteps(t *testing.T) {
	content := read(t, contents{{1: {game.Draw, -1}, 2: {game.Win, 1}}}.write(t))
	for steps, fits := range map[int]bool{-1: true, -2: false, -1 << 15: false, 0: false, 1: false} {
		_, err := openBytes(forge(t, content, func(_, d []byte, _ *Header) { le.PutUint16(d[9:], uint16(steps)) }))
		if (err == nil) != fits {
			t.Errorf("a draw with %d steps: %v", steps, err)
		}
	}
	for outcome, fits := range map[byte]bool{1: true, 2: true, 3: false, 255: false} {
		_, err := openBytes(forge(t, content, func(_, d []byte, _ *Header) { d[8+valueBytes] = outcome }))
		if (err == nil) != fits {
			t.Errorf("outcome %d: %v", outcome, err)
		}
	}
}

// The end says how long the footer is: no longer than the file before it, and no longer than footers are.
func TestLengthOfTheFooter(t *testing.T) {
	footer := func(n int) []byte { return append([]byte(`{"version":`), bytes.Repeat([]byte(" "), n-11)...) }
	for _, c := range []struct {
		footer []byte
		said   int
		cut    bool // the end is not that of a table
	}{
		{nil, 0, false}, {nil, 1, true}, {footer(20), 20, false}, {footer(20), 21, true},
		{footer(maxFooter), maxFooter, false}, {footer(maxFooter + 1), maxFooter + 1, true},
	} {
		b := append([]byte(magic), c.footer...)
		b = le.AppendUint64(b, uint64(c.said))
		b = append(le.AppendUint32(b, format.Checksum(c.footer)), endMagic...)
		if _, err := openBytes(b); !errors.Is(err, tablebase.ErrDamaged) && !c.cut || !errors.Is(err, tablebase.ErrTruncated) && c.cut {
			t.Errorf("%d bytes of footer said to be %d: %v", len(c.footer), c.said, err)
		}
	}
	for _, b := range [][]byte{[]byte(magic + "0123456789abcde"), []byte(magic + "0123456789abcdef")} {
		if _, err := openBytes(b); !errors.Is(err, tablebase.ErrTruncated) || strings.Contains(err.Error(), "are less") != (len(b) < len(magic)+trailer) {
			t.Errorf("%d bytes: %v", len(b), err)
		}
	}
}

// shared is a storage that counts the deadlines that are shared.
type shared struct {
	memory
	begun, ended atomic.Int64
}

func (s *shared) ShareDeadline() (done func()) {
	s.begun.Add(1)
	return func() { s.ended.Add(1) }
}

// What is looked up together shares a deadline, until it is there. What is of no tier is not found.
func TestLookupAllOfAStorage(t *testing.T) {
	s := &shared{memory: memory{Reader: bytes.NewReader(read(t, contents{{3: {game.Win, 1}}}.write(t)))}}
	table, err := OpenStorage("shelf", s)
	if err != nil {
		t.Fatal(err)
	}
	values := make([]Value, 2)
	if err := table.LookupAll([]Ref{{0, 3}, {0, 3}}, values); err != nil || s.begun.Load() != 1 || s.ended.Load() != 1 || values[1].Steps != 1 {
		t.Errorf("%v, %d deadlines, of which %d end: %v", values, s.begun.Load(), s.ended.Load(), err)
	}
	for _, tier := range []int{-1, 1} {
		if v, err := table.Lookup(tier, 3); !errors.Is(err, ErrState) {
			t.Errorf("tier %d has a state: %v, %v", tier, v, err)
		}
	}
	if _, err := table.Near(nil, 0, 2); !errors.Is(err, ErrState) {
		t.Errorf("a state below all: %v", err)
	}
}

// Verifying reports all that it reads, and ends with its context.
func TestProgress(t *testing.T) {
	table := must(t, read(t, random(14, 2, 30_000).write(t)))
	verify := func(ctx context.Context, progress func(tablebase.Event)) error { return table.Verify(ctx, 2, progress) }
	body := uint64(table.header.body())
	for _, c := range []struct {
		do   func(ctx context.Context, progress func(tablebase.Event)) error
		want tablebase.Event
	}{
		{verify, tablebase.Event{Stage: tablebase.Checksums, Unit: "bytes", Done: body, Total: body}},
	} {
		var last tablebase.Event
		if err := c.do(t.Context(), func(e tablebase.Event) {
			if e.Done <= last.Done {
				t.Errorf("%+v after %+v", e, last)
			}
			last = e
		}); err != nil || last != c.want {
			t.Errorf("%+v, %v, want %+v", last, err, c.want)
		}
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		if err := c.do(ended, nil); !errors.Is(err, context.Canceled) || !strings.HasPrefix(err.Error(), "memory: ") {
			t.Errorf("after the end: %v", err)
		}
	}
}

// What a table lacks is known without its states.
func TestLacksSteps(t *testing.T) {
	path := filepath.Join(t.TempDir(), "outcomes.tb")
	if err := Write(path, Header{Outcomes: true}, 1, contents{{1: {game.Win, -1}}}.states); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string][2]bool{path: {true, true}, random(15, 1, 9).write(t): {false, true}, path + "2": {false, false}} {
		if lacks, ok := LacksSteps(path); [2]bool{lacks, ok} != want {
			t.Errorf("%s: %t, %t", path, lacks, ok)
		}
	}
}

// Of the codes of some states as few words are read as have them.
func TestWords(t *testing.T) {
	table := must(t, read(t, random(1, 1, 900).write(t)))
	tier := &table.header.Tiers[0]
	for number := range tier.States {
		for _, states := range []int64{1, 2, tier.States - number} {
			if states > tier.States-number {
				continue
			}
			words, err := table.words(tier, number, states)
			if want := 8 * (((number+states)*tier.bits-1)/64 - number*tier.bits/64 + 1); err != nil || tier.bits < 2 || int64(len(words)) != want {
				t.Fatalf("%d states from %d on: %d bytes, want %d, %v", states, number, len(words), want, err)
			}
		}
	}
}

// The key after one is larger; what ends or overflows is damage.
func TestNext(t *testing.T) {
	for _, c := range []struct {
		key  uint64
		data []byte
		want uint64
	}{{5, []byte{1}, 6}, {5, []byte{0x7f, 9}, 132}, {5, []byte{0x80, 1}, 133}, {5, nil, 0}, {5, []byte{0}, 0}, {5, []byte{0x80}, 0}, {math.MaxUint64, []byte{1}, 0}} {
		got, rest, err := next(c.key, c.data)
		if errors.Is(err, tablebase.ErrDamaged) != (c.want == 0) || got != c.want || c.want == 132 && len(rest) != 1 {
			t.Errorf("after %d, by %v: %d and %v, %v", c.key, c.data, got, rest, err)
		}
	}
}
