package faulttest

import (
	"maps"
	"math/rand/v2"
	"slices"
	"syscall"
	"testing"
)

// script records calls, one after another.
type script struct {
	calls []Call
	place int
}

func (p *script) do(c Call) int {
	c.Begin, c.End = p.place+1, p.place+2
	p.place += 2
	if c.Op == Open {
		c.File = len(p.calls)
	}
	p.calls = append(p.calls, c)
	return len(p.calls) - 1
}

func (p *script) open(path string) int { return p.do(Call{Op: Open, Path: path}) }
func (p *script) write(file int, offset int64, text string) {
	p.do(Call{Op: Write, File: file, Offset: offset, Data: []byte(text)})
}
func (p *script) sync(file int) { p.do(Call{Op: Sync, File: file}) }
func (p *script) syncDir(path string) {
	p.do(Call{Op: Sync, File: -1, Path: path})
}
func (p *script) rename(from, to string) {
	p.do(Call{Op: Rename, Path: from, To: to})
}

// at returns the disk after the given number of begins and ends.
func (p *script) at(t *testing.T, before Files, places int) *Disk {
	t.Helper()
	d := New(before)
	if err := d.Replay(p.calls, places); err != nil {
		t.Fatal(err)
	}
	return d
}

// outcomes returns which contents of a file cuts may leave, "gone" for none.
func (p *script) outcomes(t *testing.T, before Files, places int, path string) map[string]bool {
	t.Helper()
	found := map[string]bool{}
	for _, style := range Styles {
		for n := range 200 {
			content, ok := p.at(t, before, places).Cut(style, rand.New(rand.NewPCG(uint64(n), 1)))[path]
			if ok {
				found[string(content)] = true
			} else {
				found["gone"] = true
			}
		}
	}
	return found
}

func expect(t *testing.T, found map[string]bool, want ...string) {
	t.Helper()
	slices.Sort(want)
	if got := slices.Sorted(maps.Keys(found)); !slices.Equal(got, want) {
		t.Errorf("cuts leave %q, not %q", got, want)
	}
}

// What is written, synced, renamed and synced in its directory replaces a file
// at once and for good; without the sync of the data it may be empty, torn or
// zeros under its new name; without that of the directory, it may be the old one.
func TestReplacedFile(t *testing.T) {
	before := Files{"a": []byte("old")}
	replace := func(syncs bool) (*script, int) {
		p := &script{}
		f := p.open("a.new")
		p.write(f, 0, "new")
		if syncs {
			p.sync(f)
		}
		p.rename("a.new", "a")
		renamed := p.place
		p.syncDir(".")
		return p, renamed
	}
	p, renamed := replace(true)
	for places := range renamed - 1 {
		expect(t, p.outcomes(t, before, places, "a"), "old")
	}
	expect(t, p.outcomes(t, before, renamed, "a"), "old", "new")
	expect(t, p.outcomes(t, before, p.place, "a"), "new")

	p, _ = replace(false)
	expect(t, p.outcomes(t, before, p.place, "a"), "", "n", "ne", "new", "\x00\x00\x00")
}

// A sync covers what was over when it began and nothing of what came later; until
// it ends, it promises nothing. A failed one never does.
func TestSyncCovers(t *testing.T) {
	before := Files{"a": []byte{}}
	p := &script{}
	f := p.open("a")
	p.write(f, 0, "1")
	p.sync(f)
	p.write(f, 1, "2")
	expect(t, p.outcomes(t, before, 5, "a"), "", "1", "\x00")
	expect(t, p.outcomes(t, before, 6, "a"), "1")
	expect(t, p.outcomes(t, before, 8, "a"), "1", "12", "1\x00")
	p.calls[2].Err = syscall.EIO
	if found := p.outcomes(t, before, 6, "a"); !found[""] {
		t.Error("a failed sync has had its effect")
	}
}

// A write that was under way when the sync began is not covered.
func TestWriteUnderWayIsNotSynced(t *testing.T) {
	p := &script{calls: []Call{
		{Op: Open, Path: "a", Begin: 1, End: 2},
		{Op: Write, Offset: 0, Data: []byte("1"), Begin: 3, End: 6},
		{Op: Sync, Begin: 4, End: 5},
	}}
	if found := p.outcomes(t, Files{"a": []byte{}}, 6, "a"); !found[""] {
		t.Error("it is on the disk in all cuts")
	}
}

// Writes reach the disk in any order, sector by sector; those to one sector do
// not mix with what nobody wrote.
func TestTornWrites(t *testing.T) {
	before := Files{"a": []byte{}}
	p := &script{}
	f := p.open("a")
	p.write(f, 0, "1")
	p.write(f, 1, "2")
	expect(t, p.outcomes(t, before, p.place, "a"), "", "\x00", "1", "12", "1\x00", "\x002", "\x00\x00")
}

// A truncation may be lost even if data written after it is there.
func TestLostTruncation(t *testing.T) {
	before := Files{"a": []byte("old")}
	p := &script{}
	f := p.do(Call{Op: Open, Path: "a", Truncates: true})
	p.write(f, 0, "n")
	found := p.outcomes(t, before, p.place, "a")
	for _, want := range []string{"old", "", "n", "nld", "\x00"} {
		if !found[want] {
			t.Errorf("no cut leaves %q, but %q", want, slices.Sorted(maps.Keys(found)))
		}
	}
	p.do(Call{Op: Truncate, File: f, Size: 0})
	p.sync(f)
	expect(t, p.outcomes(t, before, p.place, "a"), "")
}

// What lies in a directory whose name is not on the disk is gone, and what was
// removed may be there again.
func TestNames(t *testing.T) {
	p := &script{}
	p.do(Call{Op: MakeDir, Path: "d"})
	f := p.open("d/a")
	p.sync(f)
	p.syncDir("d")
	expect(t, p.outcomes(t, Files{}, p.place, "d/a"), "gone", "")
	p.syncDir(".")
	expect(t, p.outcomes(t, Files{}, p.place, "d/a"), "")
	p.do(Call{Op: Remove, Path: "d/a"})
	expect(t, p.outcomes(t, Files{}, p.place, "d/a"), "gone", "")
	if now := p.at(t, Files{}, p.place).Now(); len(now) != 1 || now["d"] != nil {
		t.Errorf("the script sees %v", now)
	}
}

// AllButOne loses exactly one.
func TestAllButOne(t *testing.T) {
	p := &script{}
	for i := range 4 {
		f := p.open(string(rune('a' + i)))
		p.write(f, 0, "1")
	}
	whole := 0
	for n := range 100 {
		left := p.at(t, Files{}, p.place).Cut(AllButOne, rand.New(rand.NewPCG(uint64(n), 1)))
		right := 0
		for _, content := range left {
			if string(content) == "1" {
				right++
			}
		}
		if right < 3 {
			t.Fatalf("%v is left", left)
		}
		whole += right / 4
	}
	if whole > 30 { // a torn write may be whole by chance
		t.Errorf("%d of 100 lose nothing", whole)
	}
}

// What the disk does not know, it refuses.
func TestUnknownCallsAreRefused(t *testing.T) {
	p := &script{}
	p.open("a")
	p.rename("a", "d/a")
	if err := New(Files{"d": nil}).Replay(p.calls, p.place); err == nil {
		t.Error("a rename into another directory is not refused")
	}
}
