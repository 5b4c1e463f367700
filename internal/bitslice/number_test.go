package bitslice

import (
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// numbers are bit-sliced numbers and their twin, a number for each state.
type numbers struct {
	Numbers
	each []int
}

// drawNumbers draws numbers with the given words and digits.
func drawNumbers(t *rapid.T, name string, words, digits int) numbers {
	r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, name), 3))
	n := numbers{make(Numbers, digits), make([]int, 64*words)}
	for d := range n.Numbers {
		n.Numbers[d] = make([]uint64, words)
	}
	for i := range n.each {
		n.set(i, r.IntN(1<<uint(digits)))
	}
	return n
}

func (n *numbers) set(i, v int) {
	n.each[i] = v
	for d, plane := range n.Numbers {
		plane[i>>6] = plane[i>>6]&^(1<<(uint(i)&63)) | uint64(v>>uint(d)&1)<<(uint(i)&63)
	}
}

// check compares the numbers with their twin.
func (n *numbers) check(t *rapid.T) {
	for i, want := range n.each {
		got := 0
		for d, plane := range n.Numbers {
			got |= int(plane[i>>6]>>(uint(i)&63)&1) << uint(d)
		}
		if got != want {
			t.Fatalf("state %d has number %d, want %d", i, got, want)
		}
	}
}

func has(plane []uint64, i int) bool { return plane[i>>6]>>(uint(i)&63)&1 == 1 }

func drawStates(t *rapid.T, name string, words int) []uint64 {
	density := rapid.SampledFrom([]int{0, 1, empty}).Draw(t, name+" density")
	return randomSlice(rapid.Uint64().Draw(t, name), bits.Len(uint(words))-1+WordBits, density)
}

func TestLeast(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words, digits := 1<<rapid.IntRange(0, 5).Draw(t, "words"), rapid.IntRange(1, MaxDigits).Draw(t, "digits")
		least, others := drawNumbers(t, "least", words, digits), drawNumbers(t, "others", words, digits)
		least.Least(others.Numbers)
		for i, v := range others.each {
			least.each[i] = min(least.each[i], v)
		}
		least.check(t)
		others.check(t)
	})
}

func TestKeepLeastAndGreatest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const words = 2
		digits := rapid.IntRange(0, 7).Draw(t, "digits")
		least, greatest := drawNumbers(t, "least", words, digits), drawNumbers(t, "greatest", words, digits)
		v := drawNumbers(t, "v", words, rapid.IntRange(0, digits).Draw(t, "digits of v"))
		those, got := drawStates(t, "those", words), drawStates(t, "has", words)
		before := slices.Clone(got)
		for i := range words {
			j := words - 1 - i // the word of v is another one
			least.KeepLeast(i, &got[i], those[i], v.Numbers, j)
			greatest.KeepGreatest(i, those[i], v.Numbers, j)
		}
		for i := range least.each {
			other := v.each[(words-1-i>>6)<<6|i&63]
			if has(those, i) && (!has(before, i) || other < least.each[i]) {
				least.each[i] = other
			}
			if has(those, i) && other > greatest.each[i] {
				greatest.each[i] = other
			}
			if has(got, i) != (has(before, i) || has(those, i)) {
				t.Fatalf("state %d has a number: %v", i, has(got, i))
			}
		}
		least.check(t)
		greatest.check(t)
	})
}

func TestEqualAndCount(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := 1 << rapid.IntRange(0, 5).Draw(t, "words")
		digits := rapid.IntRange(0, 9).Draw(t, "digits")
		n, states := drawNumbers(t, "n", words, digits), drawStates(t, "states", words)
		v := rapid.IntRange(0, 1<<uint(digits)).Draw(t, "v") // one more than there are
		lose := drawStates(t, "lose", words)
		for i := range lose {
			lose[i] &^= states[i]
		}
		won, lost := make([]uint64, 1<<uint(digits)), make([]uint64, 1<<uint(digits))
		for i, each := range n.each {
			if equal := n.Equal(i>>6, v)>>(uint(i)&63)&1 == 1; equal != (each == v) {
				t.Fatalf("state %d, number %d: equal to %d is %v", i, each, v, equal)
			}
			if has(states, i) {
				won[each] += 5
			}
			if has(lose, i) {
				lost[each] += 5
			}
		}
		gotWon, gotLost := make([]uint64, len(won)), make([]uint64, len(lost))
		n.CountNumbers(gotWon, gotLost, states, lose, 5)
		if !slices.Equal(gotWon, won) || !slices.Equal(gotLost, lost) {
			t.Fatalf("counts %v and %v, want %v and %v", gotWon, gotLost, won, lost)
		}
	})
}

// Settling with steps, and without steps if terminal states are lost, agrees with the rules state
// by state.
func TestSolveIsStateByState(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := rapid.IntRange(0, 9).Draw(t, "k")
		words, digits := Words(k), 7
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 9))
		won, lost := randomSlice(r.Uint64(), k, 2), randomSlice(r.Uint64(), k, 2)
		for i := range lost {
			lost[i] &^= won[i]
		}
		hasLost := randomSlice(r.Uint64(), k, rapid.SampledFrom([]int{0, 1, empty}).Draw(t, "children above"))
		least, greatest := drawNumbers(t, "least", words, digits), drawNumbers(t, "greatest", words, digits)
		for i := range least.each { // no number may overflow on the way
			least.set(i, least.each[i]%100)
			greatest.set(i, greatest.each[i]%100)
		}
		wantWin, wantSteps := make([]bool, 1<<uint(k)), make([]int, 1<<uint(k))
		for i := 1<<uint(k) - 1; i >= 0; i-- {
			any, lo, hi := has(hasLost, i), least.each[i], greatest.each[i]
			for b := 1; b < 1<<uint(k); b <<= 1 {
				child := i | b
				switch {
				case child == i:
				case wantWin[child]:
					hi = max(hi, wantSteps[child])
				case !any || wantSteps[child] < lo:
					any, lo = true, wantSteps[child]
				}
			}
			switch {
			case has(won, i):
				wantWin[i] = true
			case has(lost, i):
			case any:
				wantWin[i], wantSteps[i] = true, lo+1
			default:
				wantSteps[i] = hi + 1
			}
		}
		plain := slices.Clone(won)
		for i := range plain {
			plain[i] |= hasLost[i] &^ lost[i]
		}
		SolveSliceExcept(plain, lost, k)
		win, steps := make([]uint64, words), drawNumbers(t, "steps", words, digits)
		s := StepsSlice{Won: won, Lost: lost, HasLost: hasLost, Least: least.Numbers, Greatest: greatest.Numbers}
		s.Solve(win, steps.Numbers, k)
		for i := range wantWin {
			if has(plain, i) != wantWin[i] || has(win, i) != wantWin[i] {
				t.Fatalf("state %d is won: %v without steps, %v with; want %v", i, has(plain, i), has(win, i), wantWin[i])
			}
			steps.each[i] = wantSteps[i]
		}
		for i := 1 << uint(k); i < 64; i++ {
			steps.set(i, 0) // no state
		}
		steps.check(t)
	})
}
