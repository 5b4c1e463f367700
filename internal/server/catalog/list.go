package catalog

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"backsolve/internal/probe"
)

// List is the tables of a catalogue at one time. It must not be modified.
type List struct {
	Tables  []Info // by game, size and given moves; files with a name of no board come last
	Version string // changes with the list
}

// Info describes a table file.
type Info struct {
	File, Dir string // its name, and its directory if there are several
	// Err is why it cannot be opened, or nil. With an error, only Game, Size and After are set,
	// if the file has the name of a board.
	Err           error
	Game          string
	Size          int
	After         []string    // cells marked from the start
	Start         string      // text of the initial position
	Value         probe.Value // of that
	Sparse        bool        // the game is defined by its positions
	HasSteps      bool        // to the end
	States        uint64      // of the whole game
	Bytes, Packed int64       // unpacked, and of a packed file, else 0
	Identity      string      // in hexadecimal
}

func (i *Info) key() key { return key{i.Game, i.Size, strings.Join(i.After, ",")} }

type snapshot struct {
	entries []*entry // as listed
	byFile  map[place]*entry
	byKey   map[key]*entry
	list    List
	totals  Totals
	err     error // of unreadable directories
	blind   bool  // all are unreadable
}

// newSnapshot returns the catalogue of a number of directories; failures are the errors of unreadable ones.
func newSnapshot(entries []*entry, failures []error, dirs int) *snapshot {
	s := &snapshot{
		entries: entries, byFile: map[place]*entry{}, byKey: map[key]*entry{},
		err: joined(failures), blind: dirs > 0 && len(failures) == dirs, totals: Totals{Unreadable: len(failures)},
	}
	slices.SortFunc(entries, func(a, b *entry) int {
		return cmp.Or(-cmp.Compare(min(len(a.Game), 1), min(len(b.Game), 1)), cmp.Compare(a.Game, b.Game), cmp.Compare(a.Size, b.Size),
			slices.Compare(a.After, b.After), cmp.Compare(a.at.dir, b.at.dir), cmp.Compare(a.File, b.File))
	})
	hash := sha256.New()
	for _, e := range entries {
		s.byFile[e.at] = e
		s.list.Tables = append(s.list.Tables, e.Info)
		fmt.Fprintf(hash, "%q %q %s %d %v\n", e.Dir, e.File, e.Identity, e.Packed, e.Err)
		// Earlier directories win, unless their table is broken.
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

func (s *snapshot) after(name string, n int) (after []string) {
	for _, e := range s.entries {
		if e.Game == name && e.Size == n && len(e.After) > 0 && e.Err == nil {
			after = append(after, strings.Join(e.After, ","))
		}
	}
	return after
}
