package boards

import (
	"fmt"
	"iter"
	"reflect"
	"slices"
	"testing"

	"backsolve/game"
)

// definition takes the census by definition: it goes through the moves of every sum. It shares
// nothing with the census but the rules, which it states again.
type definition struct {
	numbers map[string]int // of games, by the games that their moves lead to
	moves   [][]int        // of each game
	boards  map[[2]int]int // the game by the side of a board and its marks
	wins    map[uint64]bool
	forms   map[int]int
}

func newDefinition() *definition {
	d := &definition{map[string]int{}, nil, map[[2]int]int{}, map[uint64]bool{}, map[int]int{}}
	d.game(nil) // 0, so that a dead board leaves the key of a sum as it is
	return d
}

// game returns the number of the game whose moves lead to the given games.
func (d *definition) game(moves []int) int {
	moves = slices.Compact(slices.Sorted(slices.Values(moves)))
	number, known := d.numbers[fmt.Sprint(moves)]
	if !known {
		number = len(d.moves)
		d.numbers[fmt.Sprint(moves)], d.moves = number, append(d.moves, moves)
	}
	return number
}

// isDead reports whether a row, a column or a main diagonal is complete.
func isDead(side, marks int) bool {
	complete := func(first, step int) bool {
		for i := range side {
			if marks>>(first+i*step)&1 == 0 {
				return false
			}
		}
		return true
	}
	dead := complete(0, side+1) || complete(side-1, side-1)
	for i := range side {
		dead = dead || complete(i*side, 1) || complete(i, side)
	}
	return dead
}

// board returns the game of a board.
func (d *definition) board(side, marks int) int {
	if number, known := d.boards[[2]int{side, marks}]; known {
		return number
	}
	var moves []int
	for cell := range side * side {
		if marks>>cell&1 == 0 && !isDead(side, marks) {
			moves = append(moves, d.board(side, marks|1<<cell))
		}
	}
	number := d.game(moves)
	d.boards[[2]int{side, marks}] = number
	return number
}

// win reports whether the player to move wins a sum, which it sorts: without a move, or by a move to
// a lost sum.
func (d *definition) win(sum ...int) bool {
	slices.Sort(sum)
	key := uint64(0)
	for _, g := range sum {
		key = key<<16 | uint64(g)
	}
	if win, known := d.wins[key]; known {
		return win
	}
	over, win := true, false
	for i, g := range sum {
		for _, to := range d.moves[g] {
			next := slices.Clone(sum)
			next[i] = to
			over, win = false, win || !d.win(next...)
		}
	}
	d.wins[key] = over || win
	return over || win
}

// form simplifies a game by Conway's rule (On Numbers and Games, chapter 12): a game replaces
// another with further moves if each of those can be answered by a move back to it. A game
// without moves does so only if the other is won.
func (d *definition) form(g int) int {
	if form, known := d.forms[g]; known {
		return form
	}
	var moves, answers []int
	for _, m := range d.moves[g] {
		moves = append(moves, d.form(m))
		answers = append(answers, d.moves[d.form(m)]...)
	}
	form := d.game(moves)
	for _, h := range answers {
		same := len(d.moves[h]) > 0 || d.win(g)
		for _, m := range d.moves[h] {
			same = same && slices.Contains(moves, m)
		}
		for _, m := range moves {
			same = same && (slices.Contains(d.moves[h], m) || slices.Contains(d.moves[m], h))
		}
		if same {
			form = h
			break
		}
	}
	d.forms[g] = form
	return form
}

// sums returns the sums of the given number of the games, in any order.
func sums(games []int, number int) iter.Seq[[]int] {
	return func(yield func([]int) bool) {
		if number == 0 {
			yield(nil)
			return
		}
		for i, g := range games {
			for more := range sums(games[i:], number-1) {
				if !yield(append([]int{g}, more...)) {
					return
				}
			}
		}
	}
}

// apart returns how many sums of a number of games can be told apart by adding a number of further games.
func (d *definition) apart(games []int, of, further int) int {
	seen := map[string]bool{}
	for sum := range sums(games, of) {
		var results []byte
		for more := range sums(games, further) {
			result := byte('L')
			if d.win(slices.Concat(sum, more)...) {
				result = 'W'
			}
			results = append(results, result)
		}
		seen[string(results)] = true
	}
	return len(seen)
}

// census counts sums of boards up to a side; it leaves out what takes too many boards.
func (d *definition) census(side, most int) *Census {
	var live []int
	forms := map[int]bool{}
	for n := 1; n <= side; n++ {
		for marks := range 1 << (n * n) {
			if g := d.board(n, marks); g != 0 && !slices.Contains(live, g) {
				live = append(live, g)
			}
		}
	}
	games := append([]int{0}, live...)
	for _, g := range games {
		forms[d.form(g)] = true
	}
	c := &Census{Trees: len(games), Forms: len(forms)}
	for number := 1; number <= most; number++ {
		for sum := range sums(live, number) {
			c.Sums[number-1]++
			if !d.win(slices.Clone(sum)...) {
				c.Lost[number-1]++
			}
		}
		c.Apart[number-1] = d.apart(games, 1, number-1)
	}
	if most == maxSummed {
		c.Pairs, c.Triples = d.apart(games, 2, 2), d.apart(games, 3, 1)
	}
	return c
}

// Every figure of the census of boards up to 3×3 agrees with a search of all sums of up to four
// boards, and of boards up to 4×4 with a search of all sums of up to two.
func TestCensusByDefinition(t *testing.T) {
	d := newDefinition()
	for side := 1; side <= maxSide; side++ {
		most := maxSummed
		if side == maxSide {
			most = 2
		}
		if most < maxSummed && testing.Short() {
			t.Skip("takes a second")
		}
		got, want := censusUpTo(side), d.census(side, most)
		if most == maxSummed {
			for number := 1; number <= maxSummed; number++ {
				for sides := range sums([]int{1, 2, 3}[:side], number) {
					var empty []int
					for _, n := range sides {
						empty = append(empty, d.board(n, 0))
					}
					if !d.win(empty...) {
						want.Empty = append(want.Empty, game.Summed(sides...))
					}
				}
			}
			slices.Sort(got.Empty)
			slices.Sort(want.Empty)
		} else {
			copy(want.Sums[most:], got.Sums[most:])
			copy(want.Lost[most:], got.Lost[most:])
			copy(want.Apart[most:], got.Apart[most:])
			want.Pairs, want.Triples, want.Empty = got.Pairs, got.Triples, got.Empty
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("boards up to %d×%d: %+v, by definition %+v", side, side, got, want)
		}
	}
}
