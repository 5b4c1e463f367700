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

//go:embed morabaraba.json
var twelveBoard string

// Board describes the board for drawing.
func (g Game) Board() string {
	return map[*squares]string{six: sixBoard, nine: nineBoard, twelve: twelveBoard}[g.squares()]
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
	if g.squares() != six {
		title, flying = "Nine Men's Morris", "With three men left, move to any point. "
	}
	if g.Corners {
		title = fmt.Sprintf("Morabaraba with %d men", g.Men)
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

const twelvePicture = `
a--------b--------c
| \      |      / |
|  i-----j-----k  |
|  | \   |   / |  |
|  |  q--r--s  |  |
|  |  |     |  |  |
h--p--x     t--l--d
|  |  |     |  |  |
|  |  w--v--u  |  |
|  | /   |   \ |  |
|  o-----n-----m  |
| /      |      \ |
g--------f--------e`

// Diagram draws the squares, with the men where they stand.
func (g Game) Diagram(s State) string {
	picture := map[*squares]string{six: sixPicture, nine: ninePicture, twelve: twelvePicture}[g.squares()]
	return strings.Map(func(r rune) rune {
		if p := r - 'a'; p >= 0 && p < 24 {
			return rune(".XO"[s.mine>>p&1+2*(s.theirs>>p&1)])
		}
		return r
	}, picture[1:])
}
