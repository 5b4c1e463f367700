// Package tablebase describes what a table holds, and what can be wrong with one. A table
// stores the bits of slices; it knows neither rules nor engine. The packages below it read
// and write tables: writer as a solve goes on, reader for lookups, remote over HTTP; format
// and pack have the bytes of the file, which docs/reference/format.md describes.
package tablebase

import (
	"errors"
	"fmt"
	"strings"

	"backsolve/game"
	"backsolve/internal/bitslice"
	"backsolve/internal/durable"
)

// Shape says what a table holds. All its classes share it.
type Shape struct {
	// Game is the game's name, with the word for a board that is not n×n or of a variant:
	// notakto, notakto-4x5, quixo-5x5,four. It has 1 to 32 characters of a-z, 0-9, '-' and ','.
	Game string
	// Size is the n of the n×n board, or the greater of rows and columns, 1 to 26.
	Size int
	// Planes is 2 where the game can draw, 1 where every state is won or lost.
	Planes int
	// Steps says that each class carries the digits of the steps as well.
	Steps bool
	// Nimbers says that each class carries the digits of nimbers instead of steps: the Grundy
	// values of the game without the moves that end it at once and lose. Such a table has one
	// plane. A lost state has nimber 0, a won one another; a won state with 0 is terminal and
	// has no nimber.
	Nimbers bool
	// Opening says that the table has only the emptiest classes, down to 0 marked cells.
	Opening bool
	// Archive says that the file is packed without the steps of won states, which readers
	// derive. The table is the same, and so is its identity.
	Archive bool
}

const maxName = 32

// Numbers says which numbers states have besides their outcome: with steps.
func (s Shape) Numbers() string {
	switch {
	case s.Steps:
		return "with steps"
	case s.Nimbers:
		return "with nimbers"
	}
	return "without steps"
}

// String describes the shape for messages: quixo 4×4 with steps.
func (s Shape) String() string {
	text := fmt.Sprintf("%s %d×%d %s", s.Game, s.Size, s.Size, s.Numbers())
	if name, board, ok := game.CutBoard(s.Game); ok {
		text = fmt.Sprintf("%s %s %s", name, board, s.Numbers())
	}
	if s.Opening {
		text += ", the emptiest classes alone"
	}
	if s.Archive {
		text += ", as an archive"
	}
	return text
}

const (
	// PackedSuffix ends the name of a packed table.
	PackedSuffix = ".zst"
	// PartialSuffix ends the name of the file that has the data of an unfinished table.
	PartialSuffix = ".partial"
	// ManifestSuffix ends the name of the file that lists its sealed classes.
	ManifestSuffix = ".manifest"
)

// Lock is durable.Lock of a table, whose plain and packed forms share it.
func Lock(path string) (*durable.Locked, error) {
	return durable.Lock(strings.TrimSuffix(path, PackedSuffix))
}

// SparseMagic begins the tables of package sparse.
const SparseMagic = "backsolve sparse"

// Class is the cut of one class: its blocks and the length of their slices.
type Class struct {
	// Class is the number of marked cells, 0 to 64, different in each class of a table.
	Class int
	// IndexBits is k, 0 to 40, where a slice has 2^k states.
	IndexBits int
	// Masks are the canonical masks of the blocks, strictly ascending, at least one.
	Masks []uint64
}

// Planes are the solved bits of a run of blocks. Each plane has blocks × Words words; block b
// of the run has those from b*Words.
type Planes struct {
	// Win has the states won for the player to move.
	Win []uint64
	// Lose has the lost states; nil where Shape.Planes is 1, as all others are lost.
	Lose []uint64
	// Steps are the digits of the steps or nimbers, lowest first, 0 for draws; nil without them.
	Steps [][]uint64
	// Reader, if set, has the digits of a class to be sealed in place of Steps.
	Reader *RunReader
	// Outcomes, if set, has Win and Lose of a class to be sealed, in the runs of Reader.
	Outcomes *RunReader
}

// RunReader reads the planes of a class that do not fit in memory together.
type RunReader struct {
	// Digits is the number of binary digits of a Reader, 0 to 16.
	Digits int
	// Run is how many words are read at once, a power of two; the last run may be shorter.
	Run int
	// Read fills dst, the planes, with the words of a run from first, a multiple of
	// Run. dst may be longer than the last run. It must be safe for concurrent use.
	Read func(dst [][]uint64, first int) error
}

// OutcomeCounts counts states of the whole game, with all symmetric images of a stored state.
// Terminal states are also part of Wins and Losses. Files have the fields in this order.
type OutcomeCounts struct {
	Wins, Losses, Draws, TerminalWins, TerminalLosses uint64
}

// StepCounts counts states of the whole game with the same steps or nimber. Files have the fields in this order.
type StepCounts struct {
	Wins, Losses uint64
}

// Counts describes a class without its planes being read.
type Counts struct {
	// ByWeight[i] counts the states whose index has i one-bits, up to IndexBits.
	ByWeight []OutcomeCounts
	// BySteps[s] counts the states that end after s plies; empty without steps. In a table with
	// nimbers it counts the states with nimber s; the terminal states are the wins of 0.
	BySteps []StepCounts
}

// ClassInfo describes a class that is in a table.
type ClassInfo struct {
	// Class is the number of marked cells.
	Class int
	// IndexBits is k, where a slice has 2^k states.
	IndexBits int
	// Blocks is the number of blocks.
	Blocks int
	// Digits is the number of binary digits of the steps, or nimbers, stored, 0 to 16.
	Digits int
	// Counts sums the class up. It is shared: do not change it.
	Counts Counts
}

// Words returns the length of a block's slice in words of 64 states, at least 1. If k < 6, the bits
// above 2^k are zero.
func (c ClassInfo) Words() int { return bitslice.Words(c.IndexBits) }

// Entry is what a table knows of a state.
type Entry struct {
	Outcome game.Outcome
	// Steps is the number of plies to the end, −1 for a draw and in a table without steps.
	Steps int
	// Nimber is the Grundy value, −1 for a terminal state and in a table without nimbers.
	Nimber int
}

// Summary describes a finished table.
type Summary struct {
	// Identity is the SHA-256 over header and footer, and so over the checksums
	// of all data: two tables with the same identity are the same.
	Identity [32]byte
	// Bytes is the length of the file.
	Bytes int64
}

// Numbered says whether states have a number besides their outcome.
func (s Shape) Numbered() bool { return s.Steps || s.Nimbers }

// Check says why no table can have the shape.
func (s Shape) Check() error {
	if len(s.Game) < 1 || len(s.Game) > maxName {
		return fmt.Errorf("the game's name %q has %d characters, not 1 to %d", s.Game, len(s.Game), maxName)
	}
	if strings.Trim(s.Game, "abcdefghijklmnopqrstuvwxyz0123456789-,") != "" {
		return fmt.Errorf("the game's name %q has other characters than a-z, 0-9, - and ,", s.Game)
	}
	if s.Size < 1 || s.Size > game.MaxLayout {
		return fmt.Errorf("a board of %d×%d cells is not between 1×1 and 26×26", s.Size, s.Size)
	}
	if s.Planes < 1 || s.Planes > 2 {
		return fmt.Errorf("%d planes of outcomes are neither 1 nor 2", s.Planes)
	}
	if s.Nimbers && (s.Steps || s.Opening || s.Planes != 1) {
		return errors.New("a table with nimbers has all classes, no steps and no draws")
	}
	if s.Archive && (!s.Steps || s.Opening) {
		return errors.New("only a whole table with steps can be an archive; other tables can be packed")
	}
	return nil
}
