// Package probe answers questions from tables: the outcome of a position, the
// steps to the end, all moves ranked, the main line; it sums tables up and
// verifies them through the rules. It joins game, partition and tablebase. Where
// no table is possible, a known strategy may answer.
package probe

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"backsolve/bitboard"
	"backsolve/game"
	"backsolve/partition"
	"backsolve/tablebase"
)

// Table is the table of one game on one board, open for questions. All its
// methods but Close may be called from many goroutines at once.
type Table struct {
	rules  game.Grid
	space  partition.Space
	stored *tablebase.Table
	steps  bool // are stored
}

// DefaultDir returns the directory where tables are sought unless another one
// is named: $BACKSOLVE_TABLES, or tables in the working directory.
func DefaultDir() string {
	if dir := os.Getenv("BACKSOLVE_TABLES"); dir != "" {
		return dir
	}
	return "tables"
}

// FileName returns the name of a board's table file: quixo-4x4.tb.
func FileName(board game.Info) string { return FileNameAfter(board, 0) }

// Open opens the table of a board in a directory, the packed one where there is
// no other. A *MissingError says that there is none; other errors are those of
// tablebase.Open, ErrOtherBoard where the file holds another board's table, and
// partition.ErrTooLarge where there can be none.
func Open(dir string, rules game.Grid) (*Table, error) { return OpenAfter(dir, rules, 0) }

// OpenAfter opens the table of a game that goes on after the given cells are
// marked, like Open: that of the whole game where there are none.
func OpenAfter(dir string, rules game.Grid, taken uint64) (*Table, error) {
	space, err := partition.NewAfter(rules, taken)
	if err != nil {
		return nil, err
	}
	path := filepath.Join(dir, FileNameAfter(rules.Info(), taken))
	stored, err := tablebase.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		stored, err = tablebase.Open(path + tablebase.PackedSuffix)
	}
	if err != nil {
		return nil, missing(dir, rules, taken, err)
	}
	return newTable(rules, space, stored)
}

// OpenFile opens a table by its path and finds the rules that belong to it.
func OpenFile(path string) (*Table, error) { return openStored(tablebase.Open(path)) }

// OpenIn opens a table by its name beneath a directory, from which no link leads
// out, and finds the rules that belong to it. The name must be the one of its
// board, packed or not, else the error is ErrOtherBoard.
func OpenIn(root *os.Root, name string) (*Table, error) {
	t, err := openStored(tablebase.OpenIn(root, name))
	if err != nil {
		return nil, err
	}
	if right := FileNameAfter(t.rules.Info(), t.space.Taken); strings.TrimSuffix(name, tablebase.PackedSuffix) != right {
		t.Close()
		return nil, t.otherBoard("it holds "+t.Board(), "give it back its name, "+right)
	}
	return t, nil
}

// openStored finds the rules that belong to a table file that was opened.
func openStored(stored *tablebase.Table, err error) (*Table, error) {
	if err != nil {
		return nil, err
	}
	rules, taken, err := parseShape(stored.Shape())
	if err == nil {
		var space partition.Space
		if space, err = partition.NewAfter(rules, taken); err == nil {
			return newTable(rules, space, stored)
		}
	}
	stored.Close()
	return nil, &tablebase.Error{Path: stored.Path(), Err: ErrOtherBoard, Detail: err.Error(), Remedy: "use the version of backsolve that made it"}
}

func newTable(rules game.Grid, space partition.Space, stored *tablebase.Table) (*Table, error) {
	t := &Table{rules, space, stored, stored.Shape().Steps}
	if err := t.checkShape(); err != nil {
		stored.Close()
		return nil, err
	}
	return t, nil
}

// checkShape refuses a table that cannot be the one of this board.
func (t *Table) checkShape() error {
	shape, planes := t.stored.Shape(), 1
	if t.space.Draws {
		planes = 2
	}
	if shape.Game != ShapeGame(t.rules.Info(), t.space.Taken) || shape.Size != t.rules.Size() {
		return t.otherBoard(fmt.Sprintf("it holds %v, not %s", shape, t.Board()),
			"give it back its name, and make the missing one with: "+t.solveCommand())
	}
	if shape.Planes != planes {
		return t.damaged("it has %d planes of outcomes, not %d", shape.Planes, planes)
	}
	blocks := partition.BlockCounts(t.space)
	classes := t.stored.Classes()
	if len(classes) != len(blocks) {
		return t.damaged("it has %d classes, not %d", len(classes), len(blocks))
	}
	for _, c := range classes {
		if c.Class >= len(blocks) || int64(c.Blocks) != blocks[c.Class] || c.IndexBits != t.space.IndexBits[c.Class] {
			return t.damaged("class %d has %d blocks of 2^%d states, which is not the cut of %s",
				c.Class, c.Blocks, c.IndexBits, t.Board())
		}
		if err := t.checkCounts(c); err != nil {
			return err
		}
	}
	return nil
}

// Rules returns the rules of the board.
func (t *Table) Rules() game.Grid { return t.rules }

// Start returns the position that the table's game begins with.
func (t *Table) Start() game.Position {
	p := t.rules.Start()
	p.X |= t.space.Taken
	return p
}

// Stored returns the table file behind the answers.
func (t *Table) Stored() *tablebase.Table { return t.stored }

// HasSteps reports whether the table knows the steps to the end.
func (t *Table) HasSteps() bool { return t.steps }

// Close closes the table file.
func (t *Table) Close() error { return t.stored.Close() }

// Lookup returns the outcome of a position for the player to move and the
// steps to the end under best play, −1 for a draw and in a table without
// steps. It does not allocate unless it fails: with ErrPosition where p is no
// position of the board, or with the errors of tablebase.Table.Lookup.
func (t *Table) Lookup(p game.Position) (outcome game.Outcome, steps int, err error) {
	place, err := t.place(p)
	if err != nil {
		return 0, 0, err
	}
	e, err := t.stored.Lookup(place.Class, place.Block, place.Index)
	return e.Outcome, e.Steps, err
}

// place returns where a position lies in the table file.
func (t *Table) place(p game.Position) (tablebase.Place, error) {
	if !t.isPosition(p) {
		if missing := t.space.Taken &^ p.X; missing != 0 {
			return tablebase.Place{}, t.notAfter(missing)
		}
		return tablebase.Place{}, fmt.Errorf("%w of %s: X %#x, O %#x, to move %d", ErrPosition, t.Board(), p.X, p.O, p.Mark)
	}
	s := t.space.Locate(p)
	block, found, err := t.stored.Find(s.Class, s.Mask)
	if err != nil {
		return tablebase.Place{}, err
	}
	if !found {
		return tablebase.Place{}, t.damaged("class %d has no block of the mask %#x", s.Class, s.Mask)
	}
	return tablebase.Place{Class: s.Class, Block: block, Index: uint64(s.Index)}, nil
}

// dir returns the directory of the table file.
func (t *Table) dir() string { return filepath.Dir(t.stored.Path()) }

// isPosition reports whether p is one that the rules can parse.
func (t *Table) isPosition(p game.Position) bool {
	n := t.rules.Size()
	if (p.X|p.O)&^bitboard.All(n) != 0 || p.X&t.space.Taken != t.space.Taken || p.X&p.O != 0 || p.Mark > game.O {
		return false
	}
	return t.rules.Marks() == 2 || p.O == 0 && p.Mark == game.X
}

// After returns the names of the cells that are marked from the start.
func (t *Table) After() []string { return CellNames(t.rules.Info(), t.space.Taken) }

// Board names the board for people: quixo 4×4, notakto 5×5 after c3.
func (t *Table) Board() string { return boardText(t.rules.Info(), t.space.Taken) }

// solveCommand is the command line that makes the table.
func (t *Table) solveCommand() string { return solveCommand(t.rules.Info(), t.space.Taken, t.dir()) }

// StepsCommand is the command line that makes the table again, with steps.
func (t *Table) StepsCommand() string { return t.solveCommand() + " --steps --force" }

// boardText names a board as Table.Board does.
func boardText(board game.Info, taken uint64) string {
	name := board.String()
	if taken != 0 {
		name += " after " + strings.Join(CellNames(board, taken), ", ")
	}
	return name
}
