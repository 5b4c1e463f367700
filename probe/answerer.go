package probe

// Answerer answers positions by their text: a *Table or a *Pairing. Its methods
// may be called from many goroutines at once.
type Answerer interface {
	// Example returns the text of a position that shows the notation.
	Example() string
	// Ask answers the position of a text, with the main line of at most maxPlies
	// plies unless that is NoLine. The error is a *game.SyntaxError, or one of
	// Table.Rank or Pairing.Answer.
	Ask(text string, maxPlies int) (*Answer, error)
	// AppendAsk appends to dst the JSON of what Ask answers without a line. After
	// an error, which is one of Ask, dst is returned as it was.
	AppendAsk(dst []byte, text string) ([]byte, error)
}

// Example returns the text of a position that shows the notation.
func (t *Table) Example() string { return (&Board{rules: t.rules, taken: t.space.Taken}).Example() }

// Ask answers the position of a text as Answerer says.
func (t *Table) Ask(text string, maxPlies int) (*Answer, error) {
	p, err := t.rules.Parse(text)
	if err != nil {
		return nil, err
	}
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

// Ask answers the position of a text as Answerer says.
func (p *Pairing) Ask(text string, maxPlies int) (*Answer, error) {
	g, err := p.Parse(text)
	if err != nil {
		return nil, err
	}
	return p.Answer(g, maxPlies)
}

// AppendAsk appends the answer as Answerer says.
func (p *Pairing) AppendAsk(dst []byte, text string) ([]byte, error) {
	a, err := p.Ask(text, NoLine)
	if err != nil {
		return dst, err
	}
	return a.AppendJSON(dst), nil
}
