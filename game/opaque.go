package game

// Opaque returns rules with opaque states. They panic on states of
// other rules.
func Opaque[S comparable](r RulesOf[S]) Rules { return opaque[S]{r} }

// opaque takes states out of their interface and puts them back.
type opaque[S comparable] struct{ of RulesOf[S] }

func (o opaque[S]) Info() Info                       { return o.of.Info() }
func (o opaque[S]) Start() State                     { return o.of.Start() }
func (o opaque[S]) Turn(s State) Side                { return o.of.Turn(s.(S)) }
func (o opaque[S]) Terminal(s State) (Outcome, bool) { return o.of.Terminal(s.(S)) }
func (o opaque[S]) Moves(buf []Move, s State) []Move { return o.of.Moves(buf, s.(S)) }
func (o opaque[S]) Play(s State, m Move) State       { return o.of.Play(s.(S), m) }
func (o opaque[S]) Format(s State) string            { return o.of.Format(s.(S)) }
func (o opaque[S]) FormatMove(m Move) string         { return o.of.FormatMove(m) }
func (o opaque[S]) Diagram(s State) string           { return o.of.Diagram(s.(S)) }
func (o opaque[S]) Example() string                  { return o.of.Example() }

func (o opaque[S]) Parse(text string) (State, error) {
	s, err := o.of.Parse(text)
	if err != nil {
		return nil, err
	}
	return s, nil
}

func (o opaque[S]) AppendFormat(dst []byte, s State) []byte { return o.of.AppendFormat(dst, s.(S)) }

func (o opaque[S]) ParseMove(s State, text string) (Move, error) { return o.of.ParseMove(s.(S), text) }
