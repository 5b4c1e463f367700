package bridge

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"backsolve/game"
	"backsolve/game/custom"
	"backsolve/player"
	"backsolve/probe"
)

const (
	// MaxGames is the largest number of games that are played at once.
	MaxGames = 1 << 24
	// MaxMoves is the number of actions where these number the legal moves.
	MaxMoves = 256
	// Leave is the action that leaves a game as it is, and the value of what is not known.
	Leave = -1
)

// Games are games of one board that are played at once. It is safe for concurrent use.
type Games struct {
	board *probe.Board
	rules game.Rules
	// Actions are the moves by their numbers: of cells row by row from the top left, then of the
	// pass. It is nil if actions number the legal moves of a position by their names.
	Actions []game.Move

	lock   sync.Mutex
	states []game.State
	legal  [][]game.Move
	known  probe.Answerer // by Rate, of the directory dir
	dir    string
	close  func() error
}

// NewGames returns games of a board that is named in one word, at their start.
func NewGames(word string, count uint64) (*Games, error) {
	if count < 1 || count > MaxGames {
		return nil, Inputf("%d games; give a number from 1 to %d", count, MaxGames)
	}
	name, size, err := ParseBoard(word)
	if err != nil {
		return nil, err
	}
	board, err := probe.NewBoard(name, size, "")
	if err != nil {
		return nil, err
	}
	g := &Games{board: board, rules: board.Rules(), close: func() error { return nil }}
	g.Actions = actionsOf(g.rules)
	g.states, g.legal = make([]game.State, count), make([][]game.Move, count)
	for i := range g.states {
		if err := g.put(i, g.rules.Start()); err != nil {
			return nil, err
		}
	}
	return g, nil
}

// actionsOf returns the moves that there can be in any position that play reaches.
func actionsOf(rules game.Rules) (moves []game.Move) {
	if _, listed := rules.(custom.Listed); listed {
		return nil
	}
	info := rules.Info()
	if info.MoveKind == game.Encloses {
		for cell := range game.Size(info.Size).Cells() {
			moves = append(moves, game.Move{From: uint8(cell), To: uint8(cell)})
		}
		return append(moves, game.Pass)
	}
	// Elsewhere nothing is in the way of a move at the start.
	moves = rules.Moves(nil, rules.Start())
	slices.SortFunc(moves, compareMoves)
	return moves
}

func compareMoves(a, b game.Move) int {
	return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To))
}

// Rules returns the rules of the board.
func (g *Games) Rules() game.Rules { return g.rules }

// Count returns the number of games.
func (g *Games) Count() int { return len(g.states) }

// ActionCount returns the number of actions.
func (g *Games) ActionCount() int {
	if g.Actions == nil {
		return MaxMoves
	}
	return len(g.Actions)
}

// Close closes the table that Rate has opened.
func (g *Games) Close() error { return g.close() }

// put sets a game to a state.
func (g *Games) put(i int, s game.State) error {
	moves := g.rules.Moves(g.legal[i][:0], s)
	for k := range moves {
		if g.Actions == nil && k >= MaxMoves || g.Actions != nil && g.action(moves[k]) < 0 {
			return Inputf("game %d: %s has a move that no action stands for: %s", i, g.rules.Format(s), game.MoveText(g.rules, s, moves[k]))
		}
	}
	g.states[i], g.legal[i] = s, moves
	return nil
}

// action returns the number of a move, negative if it has none.
func (g *Games) action(m game.Move) int {
	if at, ok := slices.BinarySearchFunc(g.Actions, m, compareMoves); ok {
		return at
	}
	return Leave
}

// move returns the legal move of an action in a game.
func (g *Games) move(i int, action int32) (m game.Move, legal bool) {
	switch {
	case action < 0 || int(action) >= g.ActionCount():
		return m, false
	case g.Actions != nil:
		return g.Actions[action], slices.Contains(g.legal[i], g.Actions[action])
	case int(action) < len(g.legal[i]):
		return g.legal[i][action], true
	}
	return m, false
}

// eachAction calls do with the legal actions of a game and their moves.
func (g *Games) eachAction(i int, do func(action int, m game.Move)) {
	for k, m := range g.legal[i] {
		if g.Actions != nil {
			k = g.action(m)
		}
		do(k, m)
	}
}

// Set sets the games to positions by their texts. An empty text leaves a game as it is.
func (g *Games) Set(texts Fields) error {
	g.lock.Lock()
	defer g.lock.Unlock()
	for i := range g.states {
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
		return Inputf("positions of %v cannot be drawn; play random moves from the start", g.rules.Info())
	}
	g.lock.Lock()
	defer g.lock.Unlock()
	r := player.NewRand(seed)
	for i := range g.states {
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
		if _, legal := g.move(i, a); !legal && a != Leave {
			return Inputf("game %d: action %d is not legal in %s", i, a, g.rules.Format(g.states[i]))
		}
	}
	for i, a := range actions {
		if m, legal := g.move(i, a); legal {
			if err := g.put(i, g.rules.Play(g.states[i], m)); err != nil {
				return err
			}
		}
	}
	return nil
}

// Observe writes the text of each game, 1 for each legal action of it, the side to move, and the
// outcome for that side, or Leave if the game is not over.
func (g *Games) Observe(texts Fields, legal, turns []byte, results []int8) error {
	g.lock.Lock()
	defer g.lock.Unlock()
	clear(legal)
	var text []byte
	for i, s := range g.states {
		text = g.rules.AppendFormat(text[:0], s)
		if err := texts.put(i, text); err != nil {
			return err
		}
		turns[i], results[i] = byte(g.rules.Turn(s)), Leave
		if outcome, over := g.rules.Terminal(s); over {
			results[i] = int8(outcome)
		}
		g.eachAction(i, func(action int, _ game.Move) { legal[i*g.ActionCount()+action] = 1 })
	}
	return nil
}

// Moves writes the text of each legal action of a game into the field of its number.
func (g *Games) Moves(i uint64, texts Fields) (err error) {
	g.lock.Lock()
	defer g.lock.Unlock()
	if i >= uint64(len(g.states)) {
		return Inputf("there is no game %d; give a number below %d", i, len(g.states))
	}
	clear(texts.Bytes)
	g.eachAction(int(i), func(action int, m game.Move) {
		if err == nil {
			err = texts.put(action, []byte(game.MoveText(g.rules, g.states[i], m)))
		}
	})
	return err
}

// Rate looks up the value of each game for the player to move and, unless actions is nil, those of
// its actions for that player. It asks the table in dir, or what knows the game without one. Both
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
	for i, s := range g.states {
		value, all, err := g.known.Rate(g.rules, s, rated[:0])
		if err != nil {
			return fmt.Errorf("game %d: %w", i, err)
		}
		values[i], rated = valueOf(value), all
		if actions == nil {
			continue
		}
		g.eachAction(i, func(action int, m game.Move) {
			if at := slices.IndexFunc(rated, func(r probe.Rated) bool { return r.Move == m }); at >= 0 {
				actions[i*g.ActionCount()+action] = valueOf(rated[at].Value)
			}
		})
	}
	return nil
}

// know opens what knows the values, unless it is open.
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
