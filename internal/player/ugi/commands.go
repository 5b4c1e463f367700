package ugi

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"backsolve/game"
	"backsolve/internal/probe"
)

func (s *session) identify() {
	s.print("id name %s", s.Name)
	s.print("id author %s", s.Author)
	for _, o := range s.options() {
		s.print("option name %s type %s", o.Name, o.Type)
	}
	s.print("ugiok")
}

// setOption takes name <name> value <value>.
func (s *session) setOption(args []string) error {
	if len(args) < 3 || args[0] != "name" || args[2] != "value" {
		return errors.New("setoption is not understood; write setoption name <name> value <value>")
	}
	options := s.options()
	i := slices.IndexFunc(options, func(o Option) bool { return strings.EqualFold(o.Name, args[1]) })
	if i < 0 {
		var names []string
		for _, o := range options {
			names = append(names, o.Name)
		}
		return fmt.Errorf("there is no option %.40q; the options are %s", args[1], strings.Join(names, ", "))
	}
	if err := options[i].Set(strings.Join(args[3:], " ")); err != nil {
		return fmt.Errorf("option %s: %w", options[i].Name, err)
	}
	return nil
}

// options has MultiPV, too. Changing one of the host's starts another player.
func (s *session) options() []Option {
	var all []Option
	for _, o := range s.Options {
		set := o.Set
		o.Set = func(value string) error {
			err := set(value)
			if err == nil {
				s.dropPlayer()
			}
			return err
		}
		all = append(all, o)
	}
	return append(all, Option{Name: "MultiPV", Type: fmt.Sprintf("spin default 1 min 1 max %d", maxLines), Set: s.setLines})
}

// setPosition takes startpos or fen <position>, and moves <move>… after it.
func (s *session) setPosition(args []string) error {
	switch {
	case len(args) > 0 && args[0] == "startpos":
	case len(args) > 1 && args[0] == "fen":
		args = args[1:]
	default:
		return fmt.Errorf("position is not understood; write position startpos or position fen %s, and moves after it", s.Answers.Example())
	}
	p, err := game.ParsePosition(s.Rules, s.Start, strings.Join(args, " "))
	if err != nil {
		return err
	}
	if _, err := probe.WithContext(noTime, s.Answers).AskState(s.Rules, p, probe.NoLine); errors.Is(err, probe.ErrPosition) {
		return err
	}
	s.position = p
	return nil
}

// noTime is a context that has ended, so that asking does not search.
var noTime = func() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}()

var errRefused = errors.New("the last position was refused; send one that can be accepted, or uginewgame")

func (s *session) ask(p game.State) (*probe.Answer, error) {
	return s.Answers.AskState(s.Rules, p, probe.NoLine)
}

// queries are the three of the protocol, and some more that a match runner need not know.
var queries = []struct {
	name   string
	answer func(*session) (string, error)
}{
	{"gameover", (*session).gameOver},
	{"p1turn", func(s *session) (string, error) { return fmt.Sprint(s.Rules.Turn(s.position) == game.X), nil }},
	{"result", (*session).result},
	{"fen", func(s *session) (string, error) { return s.Rules.Format(s.position), nil }},
	{"moves", (*session).legalMoves},
	{"value", (*session).value},
	{"nimber", (*session).nimber},
}

func (s *session) query(args []string) error {
	if s.refused {
		return errRefused
	}
	var names []string
	for _, q := range queries {
		if len(args) == 1 && args[0] == q.name {
			answer, err := q.answer(s)
			if err == nil {
				s.print("response %s", answer)
			}
			return err
		}
		names = append(names, q.name)
	}
	return fmt.Errorf("query is not understood; write query and one of %s", strings.Join(names, ", "))
}

func (s *session) gameOver() (string, error) {
	_, over := s.Rules.Terminal(s.position)
	return fmt.Sprint(over), nil
}

func (s *session) result() (string, error) {
	_, over := s.Rules.Terminal(s.position)
	winner, won := game.Winner(s.Rules, s.position)
	switch {
	case !over:
		return "none", nil
	case !won:
		return "draw", nil
	case winner == game.X:
		return "p1win", nil
	}
	return "p2win", nil
}

func (s *session) legalMoves() (string, error) {
	var texts []string
	for _, m := range s.Rules.Moves(nil, s.position) {
		texts = append(texts, game.MoveText(s.Rules, s.position, m))
	}
	if texts == nil {
		return "none", nil
	}
	return strings.Join(texts, " "), nil
}

// value answers win 5, draw or lose, the number being the plies to the end if known.
func (s *session) value() (string, error) {
	a, err := s.ask(s.position)
	switch {
	case errors.Is(err, probe.ErrUnknown):
		return "unknown", nil
	case err != nil:
		return "", err
	case a.Steps < 0:
		return a.Outcome.String(), nil
	}
	return fmt.Sprintf("%v %d", a.Outcome, a.Steps), nil
}

func (s *session) nimber() (string, error) {
	a, err := s.ask(s.position)
	if err == nil {
		if n, known := a.Nimber.Value(); known {
			return fmt.Sprint(n), nil
		}
	} else if !errors.Is(err, probe.ErrUnknown) {
		return "", err
	}
	return "unknown", nil
}
