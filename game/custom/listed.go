package custom

import (
	"cmp"
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"unicode/utf8"

	"backsolve/game"
)

// Turner is implemented by games whose positions, and their texts, say who is to move.
type Turner[S comparable] interface {
	// Turn returns the side to move. X begins, and the sides alternate.
	Turn(s S) game.Side
}

// Encoder is implemented by games that define a network's inputs. By default these are the cells
// of the player to move and of the opponent, if texts are rows of X, O and dots, or else the bits
// of the number; and the tier and the side to move.
type Encoder[S comparable] interface {
	// Inputs is how many numbers Encode writes.
	Inputs() int
	Encode(dst []float32, s S)
}

// Relative is implemented by games that write the men of the player to move as X and the
// opponent's as O. Players and servers show X for the first player instead.
type Relative interface {
	// Relative returns true.
	Relative() bool
}

// Listed are the rules of a Game for players and servers. The text of a position is that of
// the game; a space and an o follow if the second player is to move.
type Listed interface {
	game.Rules
	game.MoveTexter
	// Check is the function Check for the game.
	Check(games int, seed uint64) error
	// Numbers returns the rules as the solver sees them.
	Numbers() Rules
	// Number returns the tier and the number of a state.
	Number(s game.State) (tier int, key uint64)
	// Inputs is how many numbers Encode writes: a network's inputs for a position.
	Inputs() int
	Encode(dst []float32, at Child)
	// Board returns the game's description of its board, or nil if nothing in it can be drawn.
	Board() *Board
	// End returns the sentence that says why the game has ended in a state, or "".
	End(s game.State) string
	// State returns a state with a number; the first player is to move unless the game's
	// positions say otherwise. Errors come from Rules.Text.
	State(at Child) (game.State, error)
}

// Entry returns the entry of a Game in the list of games.
func Entry(l Listed) game.Game {
	info := l.Info()
	return game.Game{
		Name: info.Name, Title: info.Title, Summary: info.Summary, MinSize: info.Size, MaxSize: info.Size,
		New: func(int) game.Rules { return l },
	}
}

// List returns the rules of a Game for players and servers. Its one board has the size 1.
func List[S comparable](g Game[S]) Listed {
	l := &listed[S]{game: g, numbers: newRules(g)}
	l.turner, _ = g.(Turner[S])
	l.board, l.other, l.cells = boardOf(g), otherView(g), sync.OnceValue(func() int { return cellsOf(g.Format(g.Start())) })
	l.info = game.Info{
		Name: g.Name(), Title: g.Name(), Size: 1, Board: game.AsText,
		Summary: "A game that is defined by its positions.", MoveForm: "one of the moves that are listed for the position",
	}
	if describer, ok := any(g).(Describer); ok {
		l.info.Title, l.info.Summary = describer.Describe()
	}
	if _, draws := g.(Drawer[S]); !draws && columns(g.Format(g.Start())) > 0 {
		l.info.Board = game.OnRows
	}
	return l
}

type listed[S comparable] struct {
	game    Game[S]
	numbers *rules[S]
	info    game.Info
	turner  Turner[S] // nil where positions do not say who is to move
	board   *Board
	other   func(text string) string // nil if both players see the same text
	cells   func() int               // of texts that are rows of X, O and dots, else 0
	last    atomic.Pointer[lastNamed[S]]
}

var _ Listed = (*listed[int])(nil)

type turned[S comparable] struct {
	position S
	side     game.Side
}

func (l *listed[S]) turn(s S, side game.Side) turned[S] {
	if l.turner != nil {
		side = l.turner.Turn(s)
	}
	return turned[S]{s, side}
}

func (l *listed[S]) Info() game.Info               { return l.info }
func (l *listed[S]) Numbers() Rules                { return l.numbers.ranked() }
func (l *listed[S]) Start() game.State             { return l.turn(l.game.Start(), game.X) }
func (l *listed[S]) Turn(s game.State) game.Side   { return s.(turned[S]).side }
func (l *listed[S]) Format(s game.State) string    { return l.text(s.(turned[S])) }
func (l *listed[S]) FormatMove(m game.Move) string { return "#" + strconv.Itoa(1+index(m)) }

func (l *listed[S]) Board() *Board { return l.board }

// Example returns the board's example, or else, of the positions after up to a few moves, the one
// with the most moves.
func (l *listed[S]) Example() string {
	s := l.Start()
	switch {
	case l.board == nil:
		return l.Format(s)
	case l.board.Example != "":
		return l.board.Example
	}
	for ply, first := 0, len(l.Moves(nil, s)); ply < 8 && 2*len(l.Moves(nil, s)) >= first; ply++ {
		moves, next, most := l.Moves(nil, s), s, 0
		for i := range min(3, len(moves)) {
			after := l.Play(s, moves[(7*ply+5*i)%len(moves)])
			if n := len(l.Moves(nil, after)); n > most {
				next, most = after, n
			}
		}
		s = next
	}
	return l.Format(s)
}

func (l *listed[S]) End(s game.State) string {
	if ender, ok := l.game.(Ender[S]); ok && l.board != nil {
		return l.board.Ends[ender.End(s.(turned[S]).position)]
	}
	return ""
}

func (l *listed[S]) Number(s game.State) (tier int, key uint64) {
	at := l.numbers.number(s.(turned[S]).position)
	return at.Tier, at.Key
}

func (l *listed[S]) Check(games int, seed uint64) error { return Check(l.game, games, seed) }

func (l *listed[S]) State(at Child) (s game.State, err error) {
	defer caught(&err, at.String)
	if _, err := l.numbers.Text(at); err != nil {
		return nil, err
	}
	return l.turn(l.numbers.position(at), game.X), nil
}

// cellsOf returns the number of cells of a text that is rows of X, O and dots, else 0.
func cellsOf(text string) int {
	board := rowCells(text)
	if columns(text) == 0 || strings.Trim(board, ".XO") != "" {
		return 0
	}
	return len(board)
}

// Inputs counts the inputs of the game's Encoder, or else of cells or bits, tier and side.
func (l *listed[S]) Inputs() int {
	if own, ok := l.game.(Encoder[S]); ok {
		return own.Inputs()
	}
	seen := 2 * l.cells()
	if seen == 0 {
		seen = 64
	}
	return seen + bits.Len(uint(l.numbers.Tiers()-1)) + 1
}

// Encode writes the inputs.
func (l *listed[S]) Encode(dst []float32, at Child) {
	s := l.numbers.position(at)
	if own, ok := l.game.(Encoder[S]); ok {
		own.Encode(dst, s)
		return
	}
	side := l.turn(s, game.X).side
	clear(dst)
	write := func(n uint64, width int) {
		for i := range width {
			dst[i] = float32(n >> i & 1)
		}
		dst = dst[width:]
	}
	if n := l.cells(); n == 0 {
		write(at.Key, 64)
	} else {
		for i, letter := range []byte(rowCells(l.game.Format(s)))[:n] {
			if letter == "XO"[side] {
				dst[i] = 1
			} else if letter == "XO"[side.Other()] {
				dst[n+i] = 1
			}
		}
		dst = dst[2*n:]
	}
	write(uint64(at.Tier), bits.Len(uint(l.numbers.Tiers()-1)))
	write(uint64(side), 1)
}

// Images returns a state and the others that share its number, as far as the game lists them.
func (l *listed[S]) Images(s game.State) []game.State {
	t, all := s.(turned[S]), []game.State{s}
	symmetric, ok := l.game.(Symmetric[S])
	if !ok {
		return all
	}
	for _, image := range symmetric.Images(nil, t.position) {
		if other := l.turn(image, t.side); !slices.Contains(all, game.State(other)) && l.numbers.number(image) == l.numbers.number(t.position) {
			all = append(all, other)
		}
	}
	return all
}

func (l *listed[S]) Terminal(s game.State) (game.Outcome, bool) {
	return l.game.Terminal(s.(turned[S]).position)
}

// index returns the index of a move in the game's Moves.
func index(m game.Move) int { return int(m.From)<<8 | int(m.To) }

func (l *listed[S]) Moves(buf []game.Move, s game.State) []game.Move {
	for _, m := range l.namedMoves(s.(turned[S])) {
		buf = append(buf, game.Move{From: uint8(m.index >> 8), To: uint8(m.index)})
	}
	return buf
}

func (l *listed[S]) Play(s game.State, m game.Move) game.State {
	t := s.(turned[S])
	return l.turn(l.game.Moves(nil, t.position)[index(m)], t.side.Other())
}

// MoveText returns the name of a move.
func (l *listed[S]) MoveText(s game.State, m game.Move) string {
	for _, named := range l.namedMoves(s.(turned[S])) {
		if named.index == index(m) {
			return named.name
		}
	}
	return l.FormatMove(m)
}

func (l *listed[S]) ParseMove(s game.State, text string) (game.Move, error) {
	var names []string
	for _, m := range l.namedMoves(s.(turned[S])) {
		if m.name == text {
			return game.Move{From: uint8(m.index >> 8), To: uint8(m.index)}, nil
		}
		names = append(names, m.name)
	}
	reason := "the game is over"
	if len(names) > 0 {
		const most = 12
		reason = "the moves are " + strings.Join(names[:min(most, len(names))], ", ")
		if len(names) > most {
			reason += fmt.Sprintf(" and %d more", len(names)-most)
		}
	}
	return game.Move{}, &game.IllegalMoveError{Move: fmt.Sprintf("%.40q", text), Reason: reason}
}

func (l *listed[S]) AppendFormat(dst []byte, s game.State) []byte { return append(dst, l.Format(s)...) }

// firstView returns a text of the game as the first player sees it, or the other way round.
func (l *listed[S]) firstView(text string, side game.Side) string {
	if l.other != nil && side == game.O {
		return l.other(text)
	}
	return text
}

func (l *listed[S]) text(t turned[S]) string {
	text := l.firstView(l.game.Format(t.position), t.side)
	if t.side == game.O {
		text += " " + game.O.String()
	}
	return text
}

// longest is the greatest length, in bytes, of a position's text that is read.
const longest = 4096

func (l *listed[S]) Parse(text string) (game.State, error) {
	wrong := func(reason string) error {
		return &game.SyntaxError{Text: text, Column: 1, Reason: reason, Example: l.Example()}
	}
	body, side := strings.TrimSpace(text), game.X
	if len(body) > longest || !utf8.ValidString(body) {
		return nil, wrong(fmt.Sprintf("a position has at most %d bytes of UTF-8", longest))
	}
	before, second := strings.CutSuffix(body, " "+game.O.String())
	if body = before; second {
		side = game.O
	}
	body = l.firstView(body, side)
	s, err := l.game.Parse(body)
	switch {
	case err != nil:
	case l.game.Format(s) != body:
		err = fmt.Errorf("the position is written as %s", l.game.Format(s))
	case second && l.turn(s, side).side == game.X:
		err = errors.New("it is the first player's turn; leave out the o")
	}
	if err != nil {
		return nil, wrong(l.firstView(err.Error(), side))
	}
	return l.turn(s, side), nil
}

func (l *listed[S]) Diagram(s game.State) string {
	t := s.(turned[S])
	if drawer, ok := l.game.(Drawer[S]); ok {
		return l.firstView(strings.TrimSuffix(drawer.Diagram(t.position), "\n"), t.side) + "\n"
	}
	text := l.text(t)
	if l.info.Board == game.OnRows {
		board, rest := splitRows(text)
		text = strings.TrimSpace(strings.ReplaceAll(board, "/", "\n") + "\n" + strings.TrimSpace(rest))
	}
	return text + "\n"
}

// namedMove is a move by its index in the game's Moves.
type namedMove struct {
	name  string
	index int
}

// lastNamed is the position that was asked for last: callers that want its moves want each move's
// name.
type lastNamed[S comparable] struct {
	position turned[S]
	moves    []namedMove
}

// namedMoves returns the moves of a position, ordered by name. If several lead to the same position,
// the first is listed.
func (l *listed[S]) namedMoves(t turned[S]) []namedMove {
	if last := l.last.Load(); last != nil && last.position == t {
		return last.moves
	}
	if _, over := l.game.Terminal(t.position); over {
		return nil
	}
	after := l.game.Moves(nil, t.position)
	moves := make([]namedMove, len(after))
	for i, name := range moveNames(l.game, t.position, after, l.board, func(text string) string { return l.firstView(text, t.side) }) {
		moves[i] = namedMove{name, i}
	}
	slices.SortStableFunc(moves, func(a, b namedMove) int { return cmp.Compare(a.name, b.name) })
	moves = slices.CompactFunc(moves, func(a, b namedMove) bool { return after[a.index] == after[b.index] })
	l.last.Store(&lastNamed[S]{t, moves})
	return moves
}
