package probe

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"backsolve/game"
	"backsolve/game/custom"
	"backsolve/game/games"
	"backsolve/tablebase"
	"backsolve/tablebase/sparse"
)

// Sparse is the open table of a game that is defined by its positions. It answers for those
// that play can reach; for others the error wraps sparse.ErrState and ErrPosition. All methods
// but Close are safe for concurrent use.
type Sparse struct {
	Rater
	rules custom.Listed
	table *sparse.Table
}

// OpenSparse opens the table of a game by its path. The error is the system's, or wraps
// sparse.ErrForeign, also where the table is of another game, or sparse.ErrDamaged.
func OpenSparse(path string, rules custom.Listed) (*Sparse, error) {
	table, err := sparse.Open(path)
	return newSparse(path, rules, table, err)
}

// OpenSparseIn opens a table by its name below a directory, from which no link leads out.
func OpenSparseIn(root *os.Root, name string, rules custom.Listed) (*Sparse, error) {
	table, err := sparse.OpenIn(root, name)
	return newSparse(name, rules, table, err)
}

func newSparse(path string, rules custom.Listed, table *sparse.Table, err error) (*Sparse, error) {
	if err != nil {
		return nil, err
	}
	n := rules.Numbers()
	if h := table.Header(); h.Game != n.Name() || h.Start != n.Start() || len(h.Tiers) != n.Tiers() {
		return nil, errors.Join(fmt.Errorf("%s: %w: it is of %s, or of other rules", path, sparse.ErrForeign, h.Game), table.Close())
	}
	t := &Sparse{rules: rules, table: table}
	t.Rater = Rater{Rules: rules, Source: FromTable, Steps: true, RateState: t.rate}
	return t, nil
}

// Close closes the table.
func (t *Sparse) Close() error { return t.table.Close() }

// Stored returns the file behind the answers.
func (t *Sparse) Stored() *sparse.Table { return t.table }

// Numbers returns the rules as the solver sees them.
func (t *Sparse) Numbers() custom.Rules { return t.rules.Numbers() }

// Value returns what a state is worth.
func (t *Sparse) Value(s game.State) (Value, error) {
	v, err := t.table.Lookup(t.rules.Number(s))
	if errors.Is(err, sparse.ErrState) {
		err = kindError{fmt.Errorf("%s: %w", t.rules.Format(s), err), ErrPosition}
	}
	return Value{v.Outcome, v.Steps}, err
}

// Ask answers a position; see Answerer. The text is that of Board.Parse.
func (t *Sparse) Ask(text string, maxPlies int) (*Answer, error) {
	s, err := t.parse(text)
	if err != nil {
		return nil, err
	}
	return t.AskState(t.rules, s, maxPlies)
}

// AppendAsk appends the answer; see Answerer.
func (t *Sparse) AppendAsk(dst []byte, text string) ([]byte, int, error) {
	return AppendAsk(t, dst, text)
}

// Diagram draws a position, whose text is that of Board.Parse.
func (t *Sparse) Diagram(text string) (string, error) {
	s, err := t.parse(text)
	if err != nil {
		return "", err
	}
	return t.rules.Diagram(s), nil
}

func (t *Sparse) parse(text string) (game.State, error) { return (&Board{rules: t.rules}).Parse(text) }

// Text returns the text of a position by its key, which the table must have.
func (t *Sparse) Text(key uint64) string { return t.rules.Format(t.rules.State(key)) }

func (t *Sparse) rate(_ context.Context, _ game.Rules, s game.State) (r Rating, err error) {
	if r.Value, err = t.Value(s); err != nil {
		return r, err
	}
	for _, m := range t.rules.Moves(nil, s) {
		v, err := t.Value(t.rules.Play(s, m))
		if err != nil {
			return r, err
		}
		r.Moves = append(r.Moves, Rated{Move: m, Value: v.Before()})
	}
	sortRated(r.Moves)
	return r, nil
}

// SparseFileName returns the name of the table file of a game that is defined by its
// positions: connect4-5x5.tb.
func SparseFileName(name string) string { return name + FileSuffix }

// ParseSparseName returns the rules of the game whose table has a file name; nil for none.
func ParseSparseName(file string) custom.Listed {
	name, ok := strings.CutSuffix(file, FileSuffix)
	g, err := games.Lookup(name)
	if !ok || err != nil {
		return nil
	}
	rules, _ := g.New(g.MinSize).(custom.Listed)
	return rules
}

// OpenSparse opens the table of a board in a directory, or the file of BoardOf. The error is
// a *MissingError, a *DirError or that of the function OpenSparse.
func (b *Board) OpenSparse(dir string) (*Sparse, error) {
	if b.file != "" {
		return OpenSparse(b.file, b.listed)
	}
	t, err := OpenSparse(filepath.Join(dir, SparseFileName(b.Info().Name)), b.listed)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, b.Missing(dir)
	}
	return t, err
}

// boardOfSparse returns the board of a table of this kind, by its file.
func boardOfSparse(file string) (*Board, error) {
	table, err := sparse.Open(file)
	if err != nil {
		return nil, err
	}
	defer table.Close()
	b, err := NewBoard(table.Header().Game, 1, "")
	if err != nil || b.listed == nil {
		return nil, &tablebase.Error{Path: file, Err: ErrOtherBoard, Detail: "it is of the game " + table.Header().Game + ", which is not built in", Remedy: "use the program that made it"}
	}
	b.file = file
	return b, nil
}
