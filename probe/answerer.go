package probe

import "backsolve/game"

// Answerer answers for the positions of one board: a *Table, or what a Strategy
// makes. Its methods may be called from many goroutines at once.
type Answerer interface {
	// Info describes the board.
	Info() game.Info
	// HasSteps reports whether it knows the steps to the end.
	HasSteps() bool
	// Example returns the text of a position that shows the notation.
	Example() string
	// Ask answers the position of a text, with the main line of at most maxPlies
	// plies unless that is NoLine. The error is a *game.SyntaxError, that of
	// Table.Rank, or wraps ErrUnknown where a strategy does not tell the outcome.
	Ask(text string, maxPlies int) (*Answer, error)
	// AskState answers a state of the board's rules as Ask does its text.
	AskState(rules game.Rules, s game.State, maxPlies int) (*Answer, error)
	// AppendAsk appends to dst the JSON of what Ask answers without a line. After
	// an error, which is one of Ask, dst is returned as it was.
	AppendAsk(dst []byte, text string) ([]byte, error)
	// Rate returns the value of a state of the board's rules and appends its moves
	// whose worth is known, the best first as Table.Rank orders them. A state that is
	// over has none. Errors are those of Ask; buf is returned as it was then.
	Rate(rules game.Rules, s game.State, buf []Rated) (Value, []Rated, error)
}

// AppendAsk is AppendAsk of an Answerer that has no faster way than by Ask.
func AppendAsk(a Answerer, dst []byte, text string) ([]byte, error) {
	answer, err := a.Ask(text, NoLine)
	if err != nil {
		return dst, err
	}
	return answer.AppendJSON(dst), nil
}

// AnswerRated returns the answer to a state from what rate says of it and of those that
// follow, with the main line unless maxPlies is NoLine. Where the game is over, the source is
// the rules. Errors are those of rate.
func AnswerRated(rules game.Rules, s game.State, source Source, maxPlies int, rate func(game.State) (Value, []Rated, error)) (*Answer, error) {
	v, moves, err := rate(s)
	if err != nil {
		return nil, err
	}
	board := rules.Info()
	a := &Answer{Game: board.Name, Size: board.Size, Position: rules.Format(s), Value: v, Source: source, Moves: make([]Move, len(moves))}
	if _, a.Terminal = rules.Terminal(s); a.Terminal {
		a.Source = FromRules
	}
	for i, m := range moves {
		a.Moves[i] = Move{Move: rules.FormatMove(m.Move), Value: m.Value, Nimber: m.Nimber, Score: m.Score, Position: rules.Format(rules.Play(s, m.Move))}
	}
	if maxPlies < 0 {
		return a, nil
	}
	a.Line, err = MainLine(rules, s, maxPlies, func(s game.State) ([]Rated, error) {
		_, moves, err := rate(s)
		return moves, err
	})
	if err != nil {
		return nil, err
	}
	return a, nil
}

// Rated is a legal move with what it is worth to the player who makes it, counted
// from the position before it.
type Rated struct {
	Move game.Move
	Value
	// Nimber is that of the position after the move, in games that have nimbers.
	Nimber Nimber
	// Score is how the game ends after the move, in games that end with a score.
	Score Score
	// TieBreak orders equally good moves: a smaller one makes progress. In an
	// opening table it is the class of the position after the move, the emptiest 0, and
	// the table answers at once where it is small. In one without steps, of a game that
	// can go in circles, it is for a move that wins 0 where that ends the game, else one
	// more than the blank cells after it. It is 0 elsewhere.
	TieBreak int
}

// Info describes the board.
func (t *Table) Info() game.Info { return t.rules.Info() }

// Example returns the text of a position that shows the notation.
func (t *Table) Example() string { return example(t.rules, t.space.Taken) }

// Ask answers the position of a text as Answerer says.
func (t *Table) Ask(text string, maxPlies int) (*Answer, error) {
	p, err := t.rules.Parse(text)
	if err != nil {
		return nil, err
	}
	return t.ask(p, maxPlies)
}

// AskState answers a state as Answerer says.
func (t *Table) AskState(_ game.Rules, s game.State, maxPlies int) (*Answer, error) {
	p, ok := s.(game.Position)
	if !ok {
		return nil, ErrPosition
	}
	return t.ask(p, maxPlies)
}

// ask answers a position, with the main line unless maxPlies is NoLine.
func (t *Table) ask(p game.Position, maxPlies int) (*Answer, error) {
	defer t.stored.Question()()
	a, err := t.Answer(p)
	if err == nil && maxPlies >= 0 {
		a.Line, err = t.Line(p, maxPlies)
	}
	if err != nil {
		return nil, err
	}
	return a, nil
}

// AppendAsk appends the answer as Answerer says.
func (t *Table) AppendAsk(dst []byte, text string) ([]byte, error) {
	p, err := t.rules.Parse(text)
	if err != nil {
		return dst, err
	}
	return t.AppendAnswer(dst, p)
}

// Rate rates the moves as Answerer says.
func (t *Table) Rate(_ game.Rules, s game.State, buf []Rated) (Value, []Rated, error) {
	p, ok := s.(game.Position)
	if !ok {
		return Value{}, buf, ErrPosition
	}
	defer t.stored.Question()()
	w := scratches.Get().(*scratch)
	defer scratches.Put(w)
	value, err := w.rank(t, p)
	if err != nil {
		return Value{}, buf, err
	}
	for _, r := range w.ranked {
		buf = append(buf, Rated{Move: r.Move, Value: r.Value, Nimber: r.Nimber, TieBreak: t.classOf(r)})
	}
	return value, buf, nil
}

// example returns the text of a position that shows the notation: of a game that
// goes on after the taken cells are marked, where it begins.
func example(rules game.Grid, taken uint64) string {
	if taken != 0 {
		return rules.Format(game.Position{X: taken})
	}
	return rules.Example()
}
