package main

import (
	"fmt"
	"strconv"
	"strings"

	"backsolve/cmd/cli"
	"backsolve/game"
	"backsolve/game/games"
	"backsolve/partition"
	"backsolve/probe"
)

// source is what positions are asked of. Positions are read before it is opened
// and answered after that.
type source interface {
	// Example returns the text of a position.
	Example() string
	read(text string) (question, error)
	open() error
	close()
}

// question is a position that has been read.
type question interface {
	// diagram draws the position for people.
	diagram() string
	// answer returns what the source says of it, with the main line if wanted.
	answer(line bool) (*probe.Answer, error)
}

// newSource returns what answers for the board that the first two arguments name:
// its table, or a pairing where there can be none.
func newSource(o *options, name, size string) (source, error) {
	if _, err := games.Lookup(name); err != nil {
		return nil, &cli.UsageError{Err: err}
	}
	n, err := cli.ParseSize(size)
	if err != nil {
		return nil, err
	}
	if p, ok := probe.NewPairing(name, n); ok {
		if o.after != "" {
			return nil, cli.Usagef("--after chooses a table, but %s %d×%d has too many states for any; leave it out", name, n, n)
		}
		return pairing{p}, nil
	}
	rules, err := games.New(name, n)
	if err != nil {
		if sizes := probe.PairingSizes(name); sizes != nil {
			err = fmt.Errorf("%w; the second player's pairing answers on boards of size %s", err, strings.Join(sizeTexts(sizes), ", "))
		}
		return nil, &cli.UsageError{Err: err}
	}
	t := &table{dir: *o.dir, rules: rules}
	if o.after != "" {
		if !partition.GoesOn(name) {
			return nil, cli.Usagef("%s has no tables after given moves; leave out --after", name)
		}
		if t.taken, _, err = cli.ParseAfter(rules, o.after); err != nil {
			return nil, err
		}
		if _, over := rules.Terminal(game.Position{X: t.taken}); over {
			return nil, cli.Usagef("--after %s: the game is over after these moves; give fewer", o.after)
		}
	}
	return t, nil
}

func sizeTexts(sizes []int) (texts []string) {
	for _, n := range sizes {
		texts = append(texts, strconv.Itoa(n))
	}
	return texts
}

// table is the table of a game that goes on after the taken cells are marked.
type table struct {
	dir   string
	rules game.Rules
	taken uint64
	*probe.Table
}

func (t *table) Example() string {
	if t.taken != 0 {
		return t.rules.Format(game.Position{X: t.taken})
	}
	return t.rules.Example()
}

func (t *table) read(text string) (question, error) {
	p, err := t.rules.Parse(text)
	return tableQuestion{t, p}, err
}

func (t *table) open() (err error) {
	t.Table, err = probe.OpenAfter(t.dir, t.rules, t.taken)
	return err
}

func (t *table) close() { t.Close() }

type tableQuestion struct {
	*table
	position game.Position
}

func (q tableQuestion) diagram() string { return game.Diagram(q.rules, q.position) }

func (q tableQuestion) answer(line bool) (*probe.Answer, error) {
	a, err := q.Answer(q.position)
	if err == nil && line {
		a.Line, err = q.Line(q.position, probe.WholeLine)
	}
	return a, err
}

// pairing is the second player's pairing strategy.
type pairing struct{ *probe.Pairing }

func (p pairing) read(text string) (question, error) {
	g, err := p.Parse(text)
	return pairingQuestion{p, g}, err
}

func (pairing) open() error { return nil }
func (pairing) close()      {}

type pairingQuestion struct {
	pairing
	grid *game.Grid
}

func (q pairingQuestion) diagram() string { return q.grid.Diagram() }

func (q pairingQuestion) answer(line bool) (*probe.Answer, error) {
	if line {
		return q.Answer(q.grid, probe.WholeLine)
	}
	return q.Answer(q.grid, probe.NoLine)
}
