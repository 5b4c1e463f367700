package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"backsolve/cmd/cli"
	"backsolve/game"
	"backsolve/game/games"
	"backsolve/internal/player"
	"backsolve/internal/probe"
	"backsolve/partition"
)

const instructions = `Exact values of two-player games, from solved tables. Ask games first: it has the names,
the notation and the solved sizes. A position is its text, or startpos; moves may follow
after the word moves: "startpos moves a1d1 d4a4". Outcomes are those of the player to
move, or of the player who makes a move. Steps are the plies to the end under best play.`

func newServer(t *tables) *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "backsolve", Title: "Backsolve", Version: cli.Release()},
		&mcp.ServerOptions{Instructions: instructions, Capabilities: &mcp.ServerCapabilities{}})
	addTool(s, t, "games", "List the games: rules, notation of positions and moves, sizes whose values are known here.", t.games)
	addTool(s, t, "value", "The value of a position: outcome and steps under best play, and the best move.", t.value)
	addTool(s, t, "moves", "All moves of a position with their values, the best first.", t.moves)
	addTool(s, t, "line", "The main line of a position: the moves of both players under best play.", t.line)
	addTool(s, t, "explain", "Explain a position in words: the board, what the moves lead to, the main line. With move, judge that move.", t.explain)
	addTool(s, t, "play", "Choose a move for the player to move, at full strength or weaker.", t.play)
	return s
}

// addTool adds a tool that only reads. As many run at once as t allows.
func addTool[In, Out any](s *mcp.Server, t *tables, name, text string, answer func(context.Context, In) (Out, error)) {
	schema, err := jsonschema.For[In](&jsonschema.ForOptions{TypeSchemas: map[reflect.Type]*jsonschema.Schema{
		reflect.TypeFor[boardSize](): {Types: []string{"integer", "string"}},
	}})
	if err != nil {
		panic(err) // impossible for the types of this package
	}
	tool := &mcp.Tool{Name: name, InputSchema: schema, Description: text, Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true, OpenWorldHint: new(bool)}}
	mcp.AddTool(s, tool, func(ctx context.Context, _ *mcp.CallToolRequest, in In) (*mcp.CallToolResult, Out, error) {
		var out Out
		select {
		case t.turns <- struct{}{}:
			defer func() { <-t.turns }()
		case <-ctx.Done():
			return nil, out, ctx.Err()
		}
		out, err := answer(ctx, in)
		if err != nil {
			return nil, out, errors.New(cli.Sentence(err))
		}
		if text, ok := any(out).(explanation); ok { // its only field, without JSON around it
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text.Text}}}, out, nil
		}
		return nil, out, nil
	})
}

type tables struct {
	dir    string
	search probe.OnDemand
	turns  chan struct{} // of calls
}

type question struct {
	Game     string    `json:"game" jsonschema:"name of the game, for example quixo, or board in one word, for example nim:1-3-5"`
	Size     boardSize `json:"size,omitempty" jsonschema:"size of the board: its rows, or rows and columns, for example 4 or 4x5; not after a board in one word"`
	Position string    `json:"position,omitempty" jsonschema:"text of the position; startpos, the default, is the start; moves may follow: startpos moves a1d1"`
}

type boardSize string

func (s *boardSize) UnmarshalJSON(text []byte) error {
	if text[0] != '"' {
		*s = boardSize(text)
		return nil
	}
	return json.Unmarshal(text, (*string)(s))
}

func (q question) board() (*probe.Board, error) {
	if q.Size != "" && !strings.Contains(q.Game, ":") {
		return cli.ParseBoard(q.Game, string(q.Size), "")
	}
	name, size, oneWord, err := games.Named(q.Game)
	switch {
	case err != nil:
		return nil, err
	case !oneWord:
		if _, err = games.Lookup(q.Game); err == nil {
			err = errors.New("the size of the board is missing; give size, for example 4")
		}
		return nil, err
	case q.Size != "" && string(q.Size) != game.Size(size).String():
		return nil, fmt.Errorf("%s includes a size, which is not %.40q; leave out size", q.Game, string(q.Size))
	}
	return probe.NewBoard(name, size, "")
}

const maxPosition = 16 << 10 // bytes

// asked is a question that has been read, with what answers it, and the answer.
type asked struct {
	*probe.Answer
	rules game.Rules
	state game.State
	from  probe.Answerer
	close func() error
}

func (t *tables) open(ctx context.Context, q question) (a asked, err error) {
	if len(q.Position) > maxPosition {
		return a, fmt.Errorf("the text of the position has %d bytes; %d are allowed", len(q.Position), maxPosition)
	}
	board, err := q.board()
	if err != nil {
		return a, err
	}
	if strings.TrimSpace(q.Position) == "" {
		q.Position = "startpos"
	}
	a.rules = board.Rules()
	if a.state, err = board.Parse(q.Position); err != nil {
		return a, err
	}
	a.from, a.close, err = board.Open(ctx, t.dir, t.search)
	if errors.Is(err, partition.ErrTooLarge) {
		a.from, a.close, err = board.ByRules(err), func() error { return nil }, nil
	}
	return a, err
}

// ask answers a question with a main line of at most maxPlies, or probe.NoLine.
func (t *tables) ask(ctx context.Context, q question, maxPlies int) (a asked, err error) {
	if a, err = t.open(ctx, q); err != nil {
		return a, err
	}
	a.Answer, err = a.from.AskState(a.rules, a.state, maxPlies)
	return a, errors.Join(err, a.close())
}

type value struct {
	Outcome string `json:"outcome" jsonschema:"win, lose or draw"`
	Steps   *int   `json:"steps,omitempty" jsonschema:"plies to the end, if known"`
	Nimber  *int   `json:"nimber,omitempty" jsonschema:"Grundy value, if known"`
	Score   *int   `json:"score,omitempty" jsonschema:"final score, in games that have one"`
}

func newValue(v probe.Value, nimber, score probe.Number) value {
	known := value{Outcome: v.Outcome.String(), Nimber: nimber.Pointer(), Score: score.Pointer()}
	if v.Steps >= 0 {
		known.Steps = &v.Steps
	}
	return known
}

type position struct {
	Position string `json:"position" jsonschema:"text of the position"`
	value
	Terminal bool   `json:"terminal" jsonschema:"the game is over"`
	Source   string `json:"source" jsonschema:"where the value comes from: table, formula, pairing, search or rules"`
	Best     string `json:"best_move,omitempty" jsonschema:"the first of the best moves"`
}

func newPosition(a asked) position {
	p := position{Position: a.Position, value: newValue(a.Value, a.Nimber, a.Score), Terminal: a.Terminal, Source: string(a.Source)}
	if len(a.Moves) > 0 {
		p.Best = a.Moves[0].Move
	}
	return p
}

func (t *tables) value(ctx context.Context, q question) (p position, err error) {
	a, err := t.ask(ctx, q, probe.NoLine)
	if err != nil {
		return p, err
	}
	return newPosition(a), nil
}

type move struct {
	Move string `json:"move"`
	value
	Position string `json:"position" jsonschema:"text of the position after the move"`
}

type moveList struct {
	position
	Moves   []move `json:"moves" jsonschema:"the best first; values are those of the player who moves"`
	Partial bool   `json:"partial,omitempty" jsonschema:"further moves have no known value"`
}

func (t *tables) moves(ctx context.Context, q question) (l moveList, err error) {
	a, err := t.ask(ctx, q, probe.NoLine)
	if err != nil {
		return l, err
	}
	l = moveList{newPosition(a), make([]move, len(a.Moves)), a.Partial}
	for i, m := range a.Moves {
		l.Moves[i] = move{m.Move, newValue(m.Value, m.Nimber, m.Score), m.Position}
	}
	return l, nil
}

const (
	usualPlies = 100
	maxPlies   = 1000
)

type lineQuestion struct {
	question
	MaxPlies *int `json:"max_plies,omitempty" jsonschema:"longest line, from 0 to 1000; 100 by default"`
}

type mainLine struct {
	position
	Moves []string `json:"moves" jsonschema:"the moves of both players in turn"`
	Last  string   `json:"last_position" jsonschema:"text of the position after these moves"`
	End   string   `json:"end" jsonschema:"over: the game ends there; repeats: an earlier position comes again; cut: the line goes on, or further moves are unknown"`
}

func (t *tables) line(ctx context.Context, q lineQuestion) (l mainLine, err error) {
	plies := usualPlies
	if q.MaxPlies != nil {
		plies = *q.MaxPlies
	}
	if plies < 0 || plies > maxPlies {
		return l, fmt.Errorf("max_plies is %d; it must be from 0 to %d", plies, maxPlies)
	}
	a, err := t.ask(ctx, q.question, plies)
	if err != nil {
		return l, err
	}
	l = mainLine{position: newPosition(a), Moves: []string{}, Last: a.Position, End: "over"}
	for _, p := range a.Line.Plies {
		l.Moves, l.Last = append(l.Moves, p.Move), p.Position
	}
	switch {
	case a.Line.Truncated:
		l.End = "cut"
	case a.Line.Repeats >= 0:
		l.End = "repeats"
	}
	return l, nil
}

type playQuestion struct {
	question
	Policy  string  `json:"policy,omitempty" jsonschema:"optimal, the default, keeps the outcome; shortest also wins soonest and loses latest; trap also invites errors"`
	Blunder float64 `json:"blunder,omitempty" jsonschema:"probability of a random move, from 0 to 1; 0 by default"`
}

type played struct {
	move
	Terminal bool   `json:"terminal" jsonschema:"the game is over after the move"`
	Diagram  string `json:"diagram" jsonschema:"drawing of the position after the move"`
}

func (t *tables) play(ctx context.Context, q playQuestion) (p played, err error) {
	strength := player.Strength{Policy: player.Optimal, Blunder: q.Blunder}
	if q.Policy != "" {
		strength.Policy = player.Policy(q.Policy)
	}
	a, err := t.open(ctx, q.question)
	if err != nil {
		return p, err
	}
	defer func() { err = errors.Join(err, a.close()) }()
	v, moves, err := a.from.Rate(a.rules, a.state, nil)
	if err == nil {
		err = strength.Check(v.Steps >= 0 || v.Outcome == game.Draw)
	}
	if err != nil {
		return p, err
	}
	if len(moves) == 0 {
		return p, errOver
	}
	m, err := strength.Choose(player.NewRand(rand.Uint64()), a.rules, a.from, a.state, moves)
	if err != nil {
		return p, err
	}
	after := a.rules.Play(a.state, m.Move)
	_, over := a.rules.Terminal(after)
	text := move{game.MoveText(a.rules, a.state, m.Move), newValue(m.Value, m.Nimber, m.Score), a.rules.Format(after)}
	return played{text, over, a.rules.Diagram(after)}, nil
}

var errOver = errors.New("the game is over; there is no move to be made")

type gameInfo struct {
	Name     string   `json:"name"`
	Rules    string   `json:"rules"`
	Move     string   `json:"move" jsonschema:"how a move is written"`
	Position string   `json:"position" jsonschema:"a position, to show the notation"`
	Known    []string `json:"known_sizes" jsonschema:"sizes whose values are known here; others may be searched"`
}

type gameList struct {
	Games []gameInfo `json:"games"`
}

func (t *tables) games(context.Context, struct{}) (l gameList, err error) {
	known := cli.KnownSizes(&t.dir)
	for _, g := range games.All() {
		rules := g.New(g.MinSize)
		d := gameInfo{Name: g.Name, Rules: g.Summary, Move: rules.Info().MoveForm, Position: rules.Example(), Known: []string{}}
		for _, n := range known(g) {
			d.Known = append(d.Known, game.Size(n).String())
		}
		l.Games = append(l.Games, d)
	}
	return l, nil
}
