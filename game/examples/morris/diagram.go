package morris

import (
	_ "embed" // the board
	"fmt"
	"math/bits"
	"strings"
)

//go:embed board.json
var board string

// Board says what it is played on.
func (Game) Board() string { return board }

// End says why the player to move has lost.
func (Game) End(s State) string {
	if bits.OnesCount16(s.mine) < 3 {
		return "few"
	}
	return "blocked"
}

// Describe returns the title and the rules.
func (g Game) Describe() (title, rules string) {
	return fmt.Sprintf("Six Men's Morris with %d men", g.Men), "Place your men, then move them along the lines; three in a row take a man, " +
		"and a player with two men left, or without a move, loses."
}

// Diagram draws both squares, with the men where they stand.
func (Game) Diagram(s State) string {
	const picture = `
a-----b-----c
|     |     |
|  i--j--k  |
|  |     |  |
h--p     l--d
|  |     |  |
|  o--n--m  |
|     |     |
g-----f-----e`
	return strings.Map(func(r rune) rune {
		if p := r - 'a'; p >= 0 && p < 16 {
			return rune(".XO"[s.mine>>p&1+2*(s.theirs>>p&1)])
		}
		return r
	}, picture[1:])
}
