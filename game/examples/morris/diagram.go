package morris

import (
	"fmt"
	"strings"
)

// Describe returns the title and the rules.
func (g Game) Describe() (title, rules string) {
	return fmt.Sprintf("Six Men's Morris with %d men", g.Men), "Place your men, then move one at a time along a line. " +
		"Three in a row take a man. Who has two men left, or cannot move, loses."
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
