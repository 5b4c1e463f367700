package morris

import "strings"

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
