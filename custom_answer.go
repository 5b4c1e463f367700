package backsolve

import (
	"context"
	"fmt"
	"strings"

	"backsolve/probe"
	"backsolve/tablebase/sparse"
)

// Positions is a GameTable of any game: its positions are texts.
type Positions interface {
	// Close closes the table.
	Close() error
	// Stored returns the file behind the answers.
	Stored() *sparse.Table
	// Verify compares all values with the rules.
	Verify(ctx context.Context, o GameOptions) error
	// Ask answers a position with all moves, the best first, and with the main line of at
	// most maxPlies plies unless that is probe.NoLine. See Parse for the text. The error is
	// that of Parse, or wraps ErrUnreached or is that of the table.
	Ask(text string, maxPlies int) (*probe.Answer, error)
	// Diagram draws a position in lines of text. The error is that of Parse.
	Diagram(text string) (string, error)
	// Text returns the text of a position by its key, which Stored must have.
	Text(key uint64) string
}

// Parse reads a position as the game writes it, or startpos; moves may follow after the word
// moves. The error wraps probe.ErrPosition.
func (t *GameTable[S]) Parse(text string) (s S, err error) {
	text, moves, _ := strings.Cut(text+" ", " moves ")
	if text = strings.TrimSpace(text); text == "startpos" {
		s = t.game.Start()
	} else if s, err = t.game.Parse(text); err != nil {
		return s, fmt.Errorf("%w of %s: %w", probe.ErrPosition, t.game.Name(), err)
	}
	for _, name := range strings.Fields(moves) {
		if s, err = t.play(s, name); err != nil {
			return s, err
		}
	}
	return s, nil
}

// play makes the move of a name.
func (t *GameTable[S]) play(s S, name string) (S, error) {
	if _, over := t.game.Terminal(s); !over {
		for _, after := range t.game.Moves(nil, s) {
			if t.MoveName(s, after) == name {
				return after, nil
			}
		}
	}
	return s, fmt.Errorf("%w of %s: there is no move %.40q at %s", probe.ErrPosition, t.game.Name(), name, t.game.Format(s))
}

// Ask answers a position; see Positions.
func (t *GameTable[S]) Ask(text string, maxPlies int) (*probe.Answer, error) {
	s, err := t.Parse(text)
	if err != nil {
		return nil, err
	}
	v, err := t.Value(s)
	if err != nil {
		return nil, err
	}
	a := &probe.Answer{Game: t.game.Name(), Position: t.game.Format(s), Value: v.probed(), Source: probe.FromTable}
	_, a.Terminal = t.game.Terminal(s)
	moves, err := t.Moves(s)
	if err != nil {
		return nil, err
	}
	for _, m := range moves {
		a.Moves = append(a.Moves, probe.Move{Move: m.Name, Value: m.Value.probed(), Position: t.game.Format(m.After)})
	}
	if maxPlies != probe.NoLine {
		a.Line, err = t.mainLine(s, maxPlies)
	}
	return a, err
}

// mainLine returns best moves until the game is over or a position repeats.
func (t *GameTable[S]) mainLine(s S, maxPlies int) (*probe.Line, error) {
	line, seen := &probe.Line{Plies: []probe.Ply{}, Repeats: -1}, map[S]int{}
	for {
		if at, again := seen[s]; again {
			line.Repeats = at
			return line, nil
		}
		seen[s] = len(line.Plies)
		best, err := t.Line(s, 1)
		if err != nil || len(best) == 0 {
			return line, err
		}
		if line.Truncated = len(line.Plies) == maxPlies; line.Truncated {
			return line, nil
		}
		s = best[0].After
		line.Plies = append(line.Plies, probe.Ply{Move: best[0].Name, Position: t.game.Format(s)})
	}
}

// Diagram draws a position: as the game does, else its text.
func (t *GameTable[S]) Diagram(text string) (string, error) {
	s, err := t.Parse(text)
	if err != nil {
		return "", err
	}
	if drawer, ok := t.game.(Drawer[S]); ok {
		return strings.TrimSuffix(drawer.Diagram(s), "\n"), nil
	}
	return t.game.Format(s), nil
}

// Text returns the text of a position by its key.
func (t *GameTable[S]) Text(key uint64) string { return t.game.Format(t.game.FromKey(key)) }
