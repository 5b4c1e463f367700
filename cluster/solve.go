// Package cluster solves one board with many processes, on one machine or on many. A coordinator
// cuts each class into shards. Workers take them from a work queue of NATS JetStream, solve them, put
// the results into a store and write them into the table. Other workers read there what they need, and
// check them. All state that must survive a crash is in the store and in a key-value bucket.
package cluster

import (
	"fmt"
	"strings"
	"time"

	"backsolve/game"
	"backsolve/game/games"
	"backsolve/partition"
	"backsolve/retro"
)

// Solve is the record of a solve, which coordinator and workers share.
type Solve struct {
	// ID identifies this solve.
	ID string `json:"id"`
	// Game and Size name the board. Taken has the cells that are marked at the start.
	Game  string    `json:"game"`
	Size  game.Size `json:"size"`
	Taken uint64    `json:"taken,omitempty"`
	// Steps and Nimbers are as in retro.Options.
	Steps   bool `json:"steps,omitempty"`
	Nimbers bool `json:"nimbers,omitempty"`
	// Version is the program's, which coordinator and workers must share.
	Version string `json:"version"`
	// ShardBytes is the size of a shard, all planes together, in bytes.
	ShardBytes int64 `json:"group_bytes"`
	// Began is when the solve began.
	Began time.Time `json:"began"`
	// Class is the class in progress, −1 before the first.
	Class int `json:"class"`
	// Solved means that all classes are solved. What remains is to finish the table or, if none
	// is kept, to save the result whose checksum is Result.
	Solved bool   `json:"solved,omitempty"`
	Result string `json:"result,omitempty"`
	// Over means that the solve is finished or discarded, and no worker solves for it any more.
	Over bool `json:"over,omitempty"`

	// Shards means that the shards of a class depend on each other and are solved in rounds: at least Spread,
	// one for each worker, and enough for each to fit into WorkerMemory bytes, 0 for any number.
	Shards       bool  `json:"shards,omitempty"`
	WorkerMemory int64 `json:"worker_memory,omitempty"`
	// Stream means that no table is kept, and Packed that slices are stored packed then. An object has
	// ObjectBlocks blocks. A shard has objects of ShardBlocks blocks in all. It has fewer if the class
	// would otherwise have less than Spread shards, one for each worker.
	Stream       bool `json:"stream,omitempty"`
	Packed       bool `json:"packed,omitempty"`
	ObjectBlocks int  `json:"part_blocks,omitempty"`
	ShardBlocks  int  `json:"group_blocks,omitempty"`
	Spread       int  `json:"spread,omitempty"`
	// HighFirst means that the slices, stored as in memory, are from big-endian machines.
	HighFirst bool `json:"high_first,omitempty"`
}

// NewSolve describes a solve of a space into a table.
func NewSolve(space *partition.Space, o retro.Options) Solve {
	return Solve{
		Game: space.Game, Size: game.Size(space.Size), Taken: space.Taken, Steps: o.Steps, Nimbers: o.Nimbers, Class: -1,
		Shards: space.Kind != partition.FixedSlice,
	}
}

// NewStream describes a solve that keeps no table, in shards of at most shardBlocks blocks.
func NewStream(space *partition.Space, packed bool, shardBlocks int) Solve {
	s := NewSolve(space, retro.Options{})
	s.Stream, s.Packed, s.ShardBlocks = true, packed, shardBlocks
	return s
}

// Board describes what is solved, for example "notakto 6×6 with steps".
func (s *Solve) Board() string {
	text := s.Game + " " + s.Size.Title()
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

// name is the board in the names of objects, for example notakto-6-steps.
func (s *Solve) name() string {
	parts := []string{s.Game, strings.ReplaceAll(s.Size.String(), ",", "-")} // a comma is no character of keys
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

func (s *Solve) same(o *Solve) bool { return s.name() == o.name() }

// isGarbage reports whether a record is left from a solve that is over, or from one whose table or
// result exists. own means that nothing else can be in this NATS.
func (s *Solve) isGarbage(finished *Solve, own bool) bool {
	return s.Over || s.same(finished) && (own || s.Solved && s.Result == finished.Result)
}

func (s *Solve) options() retro.Options {
	return retro.Options{Steps: s.Steps, Nimbers: s.Nimbers}
}

func (s *Solve) space() (*partition.Space, error) {
	rules, err := games.NewGrid(s.Game, int(s.Size))
	if err != nil {
		return nil, err
	}
	return partition.NewAfter(rules, s.Taken)
}
