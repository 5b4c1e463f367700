package morris

import (
	_ "embed" // the board
	"fmt"
	"math/bits"
	"strings"
)

//go:embed six.json
var sixBoard string

//go:embed nine.json
var nineBoard string

// Board says what it is played on.
func (g Game) Board() string {
	if g.squares() == nine {
		return nineBoard
	}
	return sixBoard
}

// End says why the player to move has lost.
func (Game) End(s State) string {
	if bits.OnesCount32(s.mine) < 3 {
		return "few"
	}
	return "blocked"
}

// Describe returns the title and the rules.
func (g Game) Describe() (title, rules string) {
	title, flying := fmt.Sprintf("Six Men's Morris with %d men", g.Men), ""
	if g.squares() == nine {
		title, flying = "Nine Men's Morris", "With three men left, move to any point. "
	}
	if g.Placed {
		title += ", all men placed"
	}
	return title, "Place your men, then move one at a time along a line. " + flying +
		"Three in a row take a man. A player who has two men left, or cannot move, loses."
}

const sixPicture = `
a-----b-----c
|     |     |
|  i--j--k  |
|  |     |  |
h--p     l--d
|  |     |  |
|  o--n--m  |
|     |     |
g-----f-----e`

const ninePicture = `
a--------b--------c
|        |        |
|  i-----j-----k  |
|  |     |     |  |
|  |  q--r--s  |  |
|  |  |     |  |  |
h--p--x     t--l--d
|  |  |     |  |  |
|  |  w--v--u  |  |
|  |     |     |  |
|  o-----n-----m  |
|        |        |
g--------f--------e`

// Diagram draws the squares, with the men where they stand.
func (g Game) Diagram(s State) string {
	picture := sixPicture
	if g.squares() == nine {
		picture = ninePicture
	}
	return strings.Map(func(r rune) rune {
		if p := r - 'a'; p >= 0 && p < 24 {
			return rune(".XO"[s.mine>>p&1+2*(s.theirs>>p&1)])
		}
		return r
	}, picture[1:])
}
