package bridge

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"backsolve/game"
	"backsolve/game/examples"
	"backsolve/game/games"
	"backsolve/internal/player"
	"backsolve/internal/probe"
)

const (
	// MaxGames is the largest number of games that are played at once.
	MaxGames = 1 << 24
	// Leave is the action that leaves a game unchanged, and stands for an unknown value.
	Leave = -1
)

// Games are games of one board that are played at once. It is safe for concurrent use.
type Games struct {
	Rules game.Rules
	// Actions are the moves by their numbers: of cells row by row from the top left, then of the
	// pass. It is nil if actions number the legal moves of a position by their names.
	Actions []game.Move

	board *probe.Board
	lock  sync.Mutex
	games []oneGame
	spare oneGame        // for the next put
	known probe.Answerer // by Rate, of the directory dir
	dir   string
	close func() error
}

type oneGame struct {
	state   game.State
	legal   []game.Move
	actions []int32
}

// NewGames returns games of a board, as backsolve.Open takes it, at their start.
func NewGames(word string, count uint64) (*Games, error) {
	if count < 1 || count > MaxGames {
		return nil, Inputf("%d games; give a number from 1 to %d", count, MaxGames)
	}
	if err := examples.Add(); err != nil {
		return nil, err
	}
	name, size, err := games.Board(word)
	if err != nil {
		return nil, Inputf("%v", err)
	}
	board, err := probe.NewBoard(name, size, "")
	if err != nil {
		return nil, err
	}
	g := &Games{board: board, Rules: board.Rules(), close: func() error { return nil }}
	g.Actions = player.Actions(g.Rules)
	g.games = make([]oneGame, count)
	for i := range g.games {
		if err := g.put(i, g.Rules.Start()); err != nil {
			return nil, err
		}
	}
	return g, nil
}

// Count returns the number of games.
func (g *Games) Count() int { return len(g.games) }

// ActionCount returns the number of actions.
func (g *Games) ActionCount() int {
	if g.Actions == nil {
		return player.MostMoves
	}
	return len(g.Actions)
}

// Close closes the table that Rate has opened.
func (g *Games) Close() error { return g.close() }

// put sets a game to a state. If it fails, the game stays as it is.
func (g *Games) put(i int, s game.State) error {
	one := &g.spare
	one.state, one.legal, one.actions = s, g.Rules.Moves(one.legal[:0], s), one.actions[:0]
	for k, m := range one.legal {
		numbered := k < player.MostMoves
		if g.Actions != nil {
			k, numbered = player.ActionOf(g.Actions, m)
		}
		if !numbered {
			return Inputf("game %d: %s has a move that no action stands for: %s", i, g.Rules.Format(s), game.MoveText(g.Rules, s, m))
		}
		one.actions = append(one.actions, int32(k))
	}
	g.games[i], g.spare = g.spare, g.games[i]
	return nil
}

// Set sets the games to positions by their texts. An empty text leaves a game as it is.
func (g *Games) Set(texts Fields) error {
	g.lock.Lock()
	defer g.lock.Unlock()
	for i := range g.games {
		text := texts.get(i)
		if text == "" {
			continue
		}
		s, err := g.board.Parse(text)
		if err == nil {
			err = g.put(i, s)
		}
		if err != nil {
			return fmt.Errorf("position %d: %w", i, err)
		}
	}
	return nil
}

// Draw sets the games to random open positions, each as likely as any other.
func (g *Games) Draw(seed uint64) error {
	grid := g.board.Grid()
	if grid == nil {
		return Inputf("positions of %v cannot be drawn; play random moves from the start", g.Rules.Info())
	}
	g.lock.Lock()
	defer g.lock.Unlock()
	r := player.NewRand(seed)
	for i := range g.games {
		if err := g.put(i, probe.RandomOpenPosition(grid, r)); err != nil {
			return err
		}
	}
	return nil
}

// Step plays an action in each game. If one is not legal, no game changes.
func (g *Games) Step(actions []int32) error {
	g.lock.Lock()
	defer g.lock.Unlock()
	for i, a := range actions {
		if a != Leave && !slices.Contains(g.games[i].actions, a) {
			return Inputf("game %d: action %d is not legal in %s", i, a, g.Rules.Format(g.games[i].state))
		}
	}
	for i, a := range actions {
		one := &g.games[i]
		if a == Leave {
			continue
		}
		if err := g.put(i, g.Rules.Play(one.state, one.legal[slices.Index(one.actions, a)])); err != nil {
			return err
		}
	}
	return nil
}

// Observe writes each game's text, 1 for each legal action, the side to move, and its outcome, Leave if it is not over.
func (g *Games) Observe(texts Fields, legal, turns []byte, results []int8) error {
	g.lock.Lock()
	defer g.lock.Unlock()
	clear(legal)
	var text []byte
	for i := range g.games {
		s := g.games[i].state
		text = g.Rules.AppendFormat(text[:0], s)
		if err := texts.put(i, text); err != nil {
			return err
		}
		turns[i], results[i] = byte(g.Rules.Turn(s)), Leave
		if outcome, over := g.Rules.Terminal(s); over {
			results[i] = int8(outcome)
		}
		for _, action := range g.games[i].actions {
			legal[i*g.ActionCount()+int(action)] = 1
		}
	}
	return nil
}

// Moves writes the text of each legal action of a game into the field of its number.
func (g *Games) Moves(i uint64, texts Fields) error {
	g.lock.Lock()
	defer g.lock.Unlock()
	if i >= uint64(len(g.games)) {
		return Inputf("there is no game %d; give a number below %d", i, len(g.games))
	}
	clear(texts.Bytes)
	one := &g.games[i]
	for k, action := range one.actions {
		if err := texts.put(int(action), []byte(game.MoveText(g.Rules, one.state, one.legal[k]))); err != nil {
			return err
		}
	}
	return nil
}

// Rate looks up the value of each game for the player to move and, unless actions is nil, the values of
// its actions for that player. It asks the table in dir, or the strategy of a game without one. Both
// numbers of an action that is not legal or not known are Leave.
func (g *Games) Rate(dir string, values, actions []Value) error {
	g.lock.Lock()
	defer g.lock.Unlock()
	if err := g.know(dir); err != nil {
		return err
	}
	for i := range actions {
		actions[i] = Value{Leave, Leave}
	}
	var rated []probe.Rated
	for i, one := range g.games {
		value, all, err := g.known.Rate(g.Rules, one.state, rated[:0])
		if err != nil {
			return fmt.Errorf("game %d: %w", i, err)
		}
		values[i], rated = Value{int32(value.Outcome), int32(value.Steps)}, all
		if actions == nil {
			continue
		}
		for _, r := range rated {
			action := one.actions[slices.Index(one.legal, r.Move)]
			actions[i*g.ActionCount()+int(action)] = Value{int32(r.Outcome), int32(r.Steps)}
		}
	}
	return nil
}

func (g *Games) know(dir string) error {
	if g.known != nil && g.dir == dir {
		return nil
	}
	known, closeTable, err := g.board.Known(context.Background(), dir)
	if err != nil {
		return err
	}
	if t, ok := known.(*probe.Table); ok {
		t.Number()
	}
	before := g.close
	g.known, g.dir, g.close = known, dir, closeTable
	return before()
}

// Fields are texts in fields of some width. A text ends at a zero or at the end of its field.
type Fields struct {
	Bytes []byte
	Width int
}

func (f Fields) get(i int) string {
	text, _, _ := strings.Cut(string(f.Bytes[i*f.Width:(i+1)*f.Width]), "\x00")
	return text
}

func (f Fields) put(i int, text []byte) error {
	if len(text) > f.Width {
		return Inputf("the text %.80q has %d bytes and does not fit into %d; give wider fields", text, len(text), f.Width)
	}
	clear(f.Bytes[i*f.Width+copy(f.Bytes[i*f.Width:], text) : (i+1)*f.Width])
	return nil
}
