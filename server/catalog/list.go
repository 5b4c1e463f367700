package catalog

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"backsolve/game"
	"backsolve/probe"
)

// List is the tables of a catalogue at one time. It must not be changed.
type List struct {
	// Tables are in the order of game, size and given moves; files whose name is
	// none of a board come last.
	Tables []Info
	// Version is another one whenever the list is.
	Version string
}

// Info describes a table file.
type Info struct {
	// File is its name in the directory, and Dir that, if there are several.
	File, Dir string
	// Err is why it cannot be asked, nil where it can; all below but Game, Size
	// and After is empty then, and these too where the name is none of a board.
	Err  error
	Game string
	Size int
	// After has the cells that are marked from the start.
	After []string
	// Start is the text of the position that the game begins with, and Value what
	// it is worth.
	Start string
	Value probe.Value
	// HasSteps says whether the table knows the steps to the end.
	HasSteps bool
	// States is the number of states of the whole game.
	States uint64
	// Bytes is the length of the table, Packed that of its file where it is
	// packed, else 0.
	Bytes, Packed int64
	// Identity tells the table from every other one, in hexadecimal.
	Identity string
}

// key returns what the table is found by.
func (i *Info) key() key { return key{i.Game, i.Size, strings.Join(i.After, ",")} }

// snapshot is the catalogue at one time.
type snapshot struct {
	entries []*entry // as listed
	byFile  map[place]*entry
	byKey   map[key]*entry
	list    List
	totals  Totals
	err     error // of the directories that cannot be read
	blind   bool  // none of them can
}

// newSnapshot returns the catalogue of the entries of a number of directories, of
// which some, with the failures, could not be read.
func newSnapshot(entries []*entry, failures []error, dirs int) *snapshot {
	s := &snapshot{
		entries: entries, byFile: map[place]*entry{}, byKey: map[key]*entry{},
		err: joined(failures), blind: dirs > 0 && len(failures) == dirs, totals: Totals{Unreadable: len(failures)},
	}
	slices.SortFunc(entries, func(a, b *entry) int {
		return cmp.Or(compareNames(a.Game, b.Game), cmp.Compare(a.Size, b.Size),
			slices.Compare(a.After, b.After), cmp.Compare(a.at.dir, b.at.dir), cmp.Compare(a.File, b.File))
	})
	hash := sha256.New()
	for _, e := range entries {
		s.byFile[e.at] = e
		s.list.Tables = append(s.list.Tables, e.Info)
		fmt.Fprintf(hash, "%q %q %s %d %v\n", e.Dir, e.File, e.Identity, e.Packed, e.Err)
		// Of an earlier directory it is there already, unless it is broken.
		if before := s.byKey[e.key()]; e.Game != "" && (before == nil || before.Err != nil && e.Err == nil) {
			s.byKey[e.key()] = e
		}
		if e.Err != nil {
			s.totals.Broken++
			continue
		}
		s.totals.OK++
		s.totals.Bytes += cmp.Or(e.Packed, e.Bytes)
	}
	s.list.Version = hex.EncodeToString(hash.Sum(nil)[:16])
	return s
}

// compareNames orders the names of games; none comes last.
func compareNames(a, b string) int {
	if (a == "") != (b == "") {
		return -cmp.Compare(a, b)
	}
	return cmp.Compare(a, b)
}

// after returns the given moves of the tables that go on after some.
func (s *snapshot) after(name string, n int) (after []string) {
	for _, e := range s.entries {
		if e.Game == name && e.Size == n && len(e.After) > 0 && e.Err == nil {
			after = append(after, strings.Join(e.After, ","))
		}
	}
	return after
}

// keyOf returns what the table of a board is found by.
func keyOf(board game.Info, taken uint64) key {
	return key{board.Name, board.Size, strings.Join(probe.CellNames(board, taken), ",")}
}
