// Package cluster solves one board by many processes, on one machine or on many. A
// coordinator cuts each class into groups of blocks; workers take them from a work queue of
// NATS JetStream, settle them and put what comes of it into a store, from which the
// coordinator puts the table together and other workers read what they need of it. What is
// to survive a crash of any of them is in the store and in a key-value bucket.
package cluster

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"time"

	"backsolve/game/games"
	"backsolve/partition"
	"backsolve/retro"
)

// Solve is what is solved: the record by which all who take part agree.
type Solve struct {
	// ID is of this solve alone.
	ID string `json:"id"`
	// Game and Size name the board, Taken has the cells that the game goes on after.
	Game  string `json:"game"`
	Size  int    `json:"size"`
	Taken uint64 `json:"taken,omitempty"`
	// Steps and Nimbers are as in retro.Options.
	Steps   bool `json:"steps,omitempty"`
	Nimbers bool `json:"nimbers,omitempty"`
	// Version is that of the program. All who take part have the same.
	Version string `json:"version"`
	// GroupBytes is how large a group is made, all planes together.
	GroupBytes int64 `json:"group_bytes"`
	// Began is when the solve began.
	Began time.Time `json:"began"`
	// Class is the class in work, −1 before the first.
	Class int `json:"class"`
	// Solved says that the last class is solved, and what is left is to finish the table or, where
	// none is kept, to save the result that Result identifies.
	Solved bool   `json:"solved,omitempty"`
	Result string `json:"result,omitempty"`
	// Over says that the solve is finished or discarded, and that what it has left in NATS and in
	// the store is being deleted. Nobody works for it any more.
	Over bool `json:"over,omitempty"`

	// Stream says that no table is kept, and Packed that slices are stored packed then: what
	// is put and read are parts of PartBlocks blocks, and a group is as many of them as make
	// GroupBlocks blocks, or so few that the class in work has Spread groups, one for each worker.
	Stream      bool `json:"stream,omitempty"`
	Packed      bool `json:"packed,omitempty"`
	PartBlocks  int  `json:"part_blocks,omitempty"`
	GroupBlocks int  `json:"group_blocks,omitempty"`
	Spread      int  `json:"spread,omitempty"`
	// HighFirst says that slices are those of machines whose words have the highest byte first:
	// they are stored as they lie in memory.
	HighFirst bool `json:"high_first,omitempty"`
}

// NewSolve describes the solve of a space.
func NewSolve(space *partition.Space, o retro.Options) Solve {
	return Solve{Game: space.Game, Size: space.Size, Taken: space.Taken, Steps: o.Steps, Nimbers: o.Nimbers, Class: -1}
}

// NewStream describes the solve of a space that keeps no table, by groups of so many blocks at
// most.
func NewStream(space *partition.Space, packed bool, groupBlocks int) Solve {
	s := NewSolve(space, retro.Options{})
	s.Stream, s.Packed, s.GroupBlocks = true, packed, groupBlocks
	return s
}

// Board names what is solved for people: notakto 6×6 with steps.
func (s *Solve) Board() string {
	text := fmt.Sprintf("%s %d×%d", s.Game, s.Size, s.Size)
	if s.Taken != 0 {
		text += fmt.Sprintf(" after the cells %#x", s.Taken)
	}
	switch {
	case s.Steps:
		text += " with steps"
	case s.Nimbers:
		text += " with nimbers"
	case s.Stream:
		text += ", no table kept"
	}
	return text
}

// name is the board in names of objects: notakto-6-steps.
func (s *Solve) name() string {
	parts := []string{s.Game, fmt.Sprint(s.Size)}
	if s.Taken != 0 {
		parts = append(parts, fmt.Sprintf("after-%x", s.Taken))
	}
	switch {
	case s.Steps:
		parts = append(parts, "steps")
	case s.Nimbers:
		parts = append(parts, "nimbers")
	case s.Stream:
		parts = append(parts, "stream")
	}
	return strings.Join(parts, "-")
}

// same reports whether two records are of the same board, solved for the same.
func (s *Solve) same(o *Solve) bool { return s.name() == o.name() }

// leftBy reports whether a record is of a solve that is over, or of one whose table or result is there
// and that was to be deleted. A NATS of that table alone has nothing else.
func (s *Solve) leftBy(of *Solve, own bool) bool {
	return s.Over || s.same(of) && (own || s.Solved && s.Result == of.Result)
}

// options are those of who settles blocks of the solve.
func (s *Solve) options() retro.Options {
	return retro.Options{Steps: s.Steps, Nimbers: s.Nimbers}
}

// space returns the space of the board.
func (s *Solve) space() (*partition.Space, error) {
	rules, err := games.NewGrid(s.Game, s.Size)
	if err != nil {
		return nil, err
	}
	return partition.NewAfter(rules, s.Taken)
}

// Check says why a space cannot be solved by several processes: only where the same cells make
// up every slice can blocks be settled one by one.
func Check(space *partition.Space) error {
	if space.Kind != partition.FixedSlice {
		return fmt.Errorf("%s %d×%d is solved by one process: its classes cannot be handed out in groups of blocks", space.Game, space.Size, space.Size)
	}
	return nil
}

// newID returns an identifier that nobody else has.
func newID() string {
	var b [8]byte
	rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}

// layer is a class, or that half of one which is solved first.
type layer struct {
	class int
	set   bool
}

// name is the layer in names: 12, or 12-set.
func (l layer) name() string {
	if l.set {
		return fmt.Sprintf("%02d-set", l.class)
	}
	return fmt.Sprintf("%02d", l.class)
}

// group is a run of blocks that is one task, or a part of one.
type group struct {
	layer
	first, blocks int
	// check says that what came of the group is to be compared with what another worker finds.
	check bool
}

// number is the group's in its layer, in names.
func (g group) number() string {
	if g.check {
		return strconv.Itoa(g.first) + "-check"
	}
	return strconv.Itoa(g.first)
}

// mostGroups is how many groups a class has at most: each costs some messages.
const mostGroups = 2048

// cut cuts blocks into runs of a size.
func cut(g group, size int) (all []group) {
	for first := g.first; first < g.first+g.blocks; first += size {
		all = append(all, group{layer: g.layer, first: first, blocks: min(size, g.first+g.blocks-first)})
	}
	return all
}

// groupBlocks returns how many blocks a group of a class has that has so many.
func (s *Solve) groupBlocks(space *partition.Space, class, blocks int) int {
	fit := s.GroupBytes / s.options().Plan(space).BlockBytes(class)
	return max(1, int(min(fit, int64(blocks))), (blocks+mostGroups-1)/mostGroups)
}

// groups cuts a class of so many blocks into groups.
func (s *Solve) groups(space *partition.Space, class, blocks int) []group {
	size := s.groupBlocks(space, class, blocks)
	return cut(group{layer: layer{class: class}, blocks: blocks}, size)
}

// The names of things. A solve has an identifier of its own, so that whoever comes late
// with something of an earlier one does no harm.

// prefix begins the names of the objects of all solves of the board.
func (s *Solve) prefix() string { return s.name() + "/" }

// marker is the name of the object by which a worker knows the store.
func (s *Solve) marker() string { return s.prefix() + s.ID + "/solve" }

// classPrefix begins the names of the objects of a class.
func (s *Solve) classPrefix(class int) string { return s.layerPrefix(layer{class: class}) }

// layerPrefix begins the names of the objects of a layer.
func (s *Solve) layerPrefix(l layer) string {
	return fmt.Sprintf("%s%s/class-%s/", s.prefix(), s.ID, l.name())
}

// object is the name of what came of a group.
func (s *Solve) object(g group) string {
	return fmt.Sprintf("%sblocks-%08d-%08d", s.layerPrefix(g.layer), g.first, g.first+g.blocks-1)
}

// noteOf ends the keys of what is noted of a group.
func (s *Solve) noteOf(g group) string { return s.ID + "." + g.layer.name() + "." + g.number() }

// doneKeys begins the keys of the groups of a layer that are done.
func (s *Solve) doneKeys(l layer) string { return fmt.Sprintf("done.%s.%s.", s.ID, l.name()) }

// doneKey is the key under which a group is noted as done.
func (s *Solve) doneKey(g group) string { return "done." + s.noteOf(g) }

// attemptKey is the key under which attempts at a group are counted.
func (s *Solve) attemptKey(g group) string { return "attempts." + s.noteOf(g) }

// layerSubjects begins the subjects of the tasks of a layer.
func (s *Solve) layerSubjects(l layer) string {
	return fmt.Sprintf("%s.%s.%s.", taskSubjects, s.ID, l.name())
}

// taskSubject is the subject of the task of a group.
func (s *Solve) taskSubject(g group) string { return s.layerSubjects(g.layer) + g.number() }
