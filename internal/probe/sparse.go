package probe

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"backsolve/game"
	"backsolve/game/custom"
	"backsolve/game/games"
	"backsolve/tablebase"
	"backsolve/tablebase/remote"
	"backsolve/tablebase/sparse"
)

// Sparse is the open table of a game defined by its positions. For those that play cannot reach, errors wrap
// sparse.ErrState and ErrPosition. All methods but Close are safe for concurrent use.
type Sparse struct {
	Rater
	rules custom.Listed
	table *sparse.Table
}

// OpenSparse opens the table of a game by its path or address, packed or not. It is read until
// ctx ends. The error is that of sparse.Open, or ErrOtherBoard.
func OpenSparse(ctx context.Context, path string, rules custom.Listed) (*Sparse, error) {
	return newSparse(rules)(openSparsePlace(ctx, path))
}

// FindSparse opens the table of a game in a directory, on this machine or on a web server.
// Errors come from OpenSparse.
func FindSparse(ctx context.Context, dir string, rules custom.Listed) (*Sparse, error) {
	far := func(address string) (*sparse.Table, error) { return remote.OpenSparse(ctx, address) }
	return newSparse(rules)(openPlaced(dir, FileName(rules.Info()), sparse.Open, far))
}

// OpenSparseIn opens a table by its name below a directory, from which no link leads out.
func OpenSparseIn(root *os.Root, name string, rules custom.Listed) (*Sparse, error) {
	return newSparse(rules)(sparse.OpenIn(root, name))
}

func openSparsePlace(ctx context.Context, path string) (*sparse.Table, error) {
	if remote.IsURL(path) {
		return remote.OpenSparse(ctx, path)
	}
	return sparse.Open(path)
}

// newSparse returns a function that makes sure that a table is of some rules.
func newSparse(rules custom.Listed) func(*sparse.Table, error) (*Sparse, error) {
	return func(table *sparse.Table, err error) (*Sparse, error) {
		if err != nil {
			return nil, err
		}
		n, h := rules.Numbers(), table.Header()
		other := &tablebase.Error{Path: table.Path(), Err: ErrOtherBoard}
		switch {
		case h.Game != n.Name():
			other.Detail, other.Remedy = fmt.Sprintf("it holds %s, not %s", h.Game, n.Name()), "give it back its name, "+h.Game+FileSuffix
		case n.Start() != custom.Child{Key: h.Start, Tier: h.StartTier} || len(h.Tiers) != n.Tiers() || !custom.Unchanged(n, h.Fingerprint, h.Rules):
			other.Detail, other.Remedy = "the rules of "+h.Game+" have changed since it was solved", "solve the game again, overwriting the table"
		default:
			t := &Sparse{rules: rules, table: table}
			t.Rater = Rater{Rules: rules, Source: FromTable, Steps: !h.Outcomes, RateState: t.rate, RateAlone: t.rateAlone}
			return t, nil
		}
		return nil, errors.Join(other, table.Close())
	}
}

// Close closes the table.
func (t *Sparse) Close() error { return t.table.Close() }

// Stored returns the file behind the answers.
func (t *Sparse) Stored() *sparse.Table { return t.table }

// File returns the table file for code that need not know its kind.
func (t *Sparse) File() tablebase.File { return t.table }

// Board names the board for people.
func (t *Sparse) Board() string { return t.Info().Name }

// FileName returns the name that the table's file has unless it is packed.
func (t *Sparse) FileName() string { return FileName(t.Info()) }

// NoSteps returns the error of a question that needs steps where none are stored.
func (t *Sparse) NoSteps() *StepsError {
	return &StepsError{Board: t.Info(), Dir: DirOf(t.table.Path())}
}

// Numbers returns the rules as the solver sees them.
func (t *Sparse) Numbers() custom.Rules { return t.rules.Numbers() }

// Value returns what a state is worth.
func (t *Sparse) Value(s game.State) (Value, error) {
	var found [1]sparse.Value
	tier, key := t.rules.Number(s)
	err := t.table.LookupAll([]sparse.Ref{{Tier: tier, Key: key}}, found[:])
	return Value(found[0]), t.unreached(s, err)
}

// unreached makes an error of a state without a value, or after it, one that names it.
func (t *Sparse) unreached(s game.State, err error) error {
	if errors.Is(err, sparse.ErrState) {
		return tablebase.OfKind(fmt.Errorf("%s: %w", t.rules.Format(s), err), ErrPosition)
	}
	return err
}

// State returns a state of the table by its tier and its key. The error wraps ErrDamaged and a
// *custom.Fault if no position has the key.
func (t *Sparse) State(tier int, key uint64) (game.State, error) {
	s, err := t.rules.State(custom.Child{Key: key, Tier: tier})
	if err != nil {
		return nil, &tablebase.Error{Path: t.table.Path(), Err: fmt.Errorf("%w: %w", tablebase.ErrDamaged, err)}
	}
	return s, nil
}

// Text returns the text of a state, or its number if no position has it.
func (t *Sparse) Text(tier int, key uint64) string {
	s, err := t.State(tier, key)
	if err != nil {
		return custom.Child{Key: key, Tier: tier}.String()
	}
	return t.rules.Format(s)
}

func (t *Sparse) rateAlone(s game.State) (r Rating, err error) {
	r.Value, err = t.Value(s)
	return r, err
}

func (t *Sparse) rate(_ context.Context, _ game.Rules, s game.State) (r Rating, err error) {
	if r, err = t.rateAlone(s); err != nil {
		return r, err
	}
	moves := t.rules.Moves(nil, s)
	refs, values := make([]sparse.Ref, len(moves)), make([]sparse.Value, len(moves))
	for i, m := range moves {
		refs[i].Tier, refs[i].Key = t.rules.Number(t.rules.Play(s, m))
	}
	if err := t.table.LookupAll(refs, values); err != nil {
		return r, t.unreached(s, err)
	}
	for i, m := range moves {
		r.Moves = append(r.Moves, Rated{Move: m, Value: Value(values[i]).Before()})
	}
	sortRated(r.Moves)
	return r, nil
}

// RulesOf returns the path of the file of rules beside a table, given the table's path.
func RulesOf(table string) string {
	return strings.TrimSuffix(table, tablebase.PackedSuffix) + games.RulesSuffix
}

// ParseSparseName returns the rules of the game whose table has this file name, packed or not, or
// nil.
func ParseSparseName(file string) custom.Listed {
	name, ok := strings.CutSuffix(strings.TrimSuffix(file, tablebase.PackedSuffix), FileSuffix)
	g, err := games.Lookup(name)
	if !ok || err != nil {
		return nil
	}
	rules, _ := g.New(g.MinSize).(custom.Listed)
	return rules
}

// OpenSparse opens the table of a board in a directory, or the file of BoardOf. It is read until
// ctx ends. The error is a *MissingError, a *DirError or that of the function OpenSparse.
func (b *Board) OpenSparse(ctx context.Context, dir string) (*Sparse, error) {
	if b.file != "" {
		return OpenSparse(ctx, b.file, b.listed)
	}
	t, err := FindSparse(ctx, dir, b.listed)
	return t, missing(dir, b.Info(), 0, err)
}

// boardOfSparse returns the board of a table of this kind, by its file.
func boardOfSparse(ctx context.Context, file string) (*Board, error) {
	table, err := openSparsePlace(ctx, file)
	if err != nil {
		return nil, err
	}
	defer table.Close()
	if beside := RulesOf(file); !remote.IsURL(file) {
		if _, _, _, err := games.Local(beside); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	name := table.Header().Game
	b, err := NewBoard(name, 1, "")
	if err != nil || b.listed == nil {
		return nil, &tablebase.Error{Path: file, Err: ErrOtherBoard, Detail: "it is of the game " + name + ", which is not built in", Remedy: "name the file of its rules, or use the program that made it"}
	}
	b.file = file
	return b, nil
}
