package probe

// What tests need beside what is exported.
var (
	AppendText = appendText
	ParseShape = parseShape
	ShapeGame  = shapeGame
	ShellWord  = shellWord
)

// NewPairing returns the pairing of a board of any size, even where there can be a
// table.
func NewPairing(n int) Answerer { return newPairing(n) }
