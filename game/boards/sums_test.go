package boards

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"backsolve/game"
)

// Of all positions of small boards the sums say what going through all moves does.
func TestAllSums(t *testing.T) {
	for _, sides := range [][]int{{1}, {2}, {1, 2, 2}, {2, 3}, {2, 2, 2}, {1, 1, 3}, {1, 1, 2, 2}} {
		r := &rules{sides}
		s := literally(r)
		s.win(r.Start())
		for p, win := range s.wins {
			if got := r.bySums(p); (got == game.Win) != win {
				t.Errorf("%s is known as %v, but is a win: %t", r.Format(p), got, win)
			}
		}
		if len(s.wins) < 2 {
			t.Errorf("%v: no positions", sides)
		}
	}
}

// The same holds for random positions with few empty cells on large boards.
func TestRandomSums(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := &rules{rapid.SliceOfN(rapid.IntRange(1, maxSide), 1, maxSummed).Draw(t, "sides")}
		p := r.Start()
		for empty := 0; ; empty++ { // play until some nine moves are left
			moves := r.Moves(nil, p)
			if len(moves) <= 9 {
				break
			}
			p = r.Play(p, rapid.SampledFrom(moves).Draw(t, "move"))
		}
		s := literally(r)
		if got, win := r.bySums(p), s.win(p); (got == game.Win) != win {
			t.Fatalf("%s is known as %v, but is a win: %t", r.Format(p), got, win)
		}
	})
}

// Sums of 3×3 boards agree with the quotient.
func TestSumsByQuotient(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := threes(rapid.IntRange(1, maxSummed).Draw(t, "boards"))
		p := draw(t, r)
		if got, want := r.bySums(p), r.byQuotient(p); got != want {
			t.Fatalf("%s is %v by sums and %v by the quotient", r.Format(p), got, want)
		}
	})
}

// The boards of up to 4×4 are 665 games, and the empty boards lose or win as is known.
func TestEmptyBoards(t *testing.T) {
	if f := trees(); len(f.form) != allTrees || len(f.moves) != allForms {
		t.Errorf("%d trees of %d forms, want %d of %d", len(f.form), len(f.moves), allTrees, allForms)
	}
	if got, want := (&rules{[]int{3, 4, 3}}).sums(), 19*20/2*665; got != want {
		t.Errorf("%d sums of trees of two boards of 3×3 and one of 4×4, want %d", got, want)
	}
	for _, test := range []struct {
		sides string
		lost  bool
	}{
		{"4", true}, {"44", true}, {"444", true}, {"34", false}, {"344", false}, {"334", true},
		{"24", true}, {"244", true}, {"234", false}, {"224", true}, {"134", true},
	} {
		r := &rules{}
		for _, side := range test.sides {
			r.sides = append(r.sides, int(side-'0'))
		}
		if got := r.bySums(r.Start()); got != game.WinIf(!test.lost) {
			t.Errorf("%s is %v, want lost: %t", r.Info().Variant, got, test.lost)
		}
	}
}

// Every board may be replaced by its form in every sum of up to four boards: if the form is lost,
// the board has no move to a lost sum, and if it is won, the board has the form's moves.
func TestFormsTakeThePlaceOfTrees(t *testing.T) {
	f, lost := trees(), lostSums[maxSide]()
	checked := map[formSet]uint8{}
	for side := 1; side <= maxSide; side++ {
		for marks, tree := range f.of[side] {
			var after formSet
			wins := false
			for cell := range side * side {
				if tree != 0 && marks>>cell&1 == 0 {
					m := f.form[f.of[side][marks|1<<cell]]
					after.add(m)
					wins = wins || f.lost[m]
				}
			}
			form := f.form[tree]
			if known, is := checked[after]; is {
				if known != form {
					t.Fatalf("boards whose moves lead to %v have the forms %d and %d", after.list(), known, form)
				}
				continue
			}
			checked[after] = form
			moves := after.list()
			for _, m := range f.moves[form] {
				if !after.has(m) {
					t.Errorf("board %b of side %d lacks the move of its form to %d", marks, side, m)
				}
			}
			if form == 0 && tree != 0 && !wins {
				t.Errorf("board %b of side %d has the form of dead boards, but is lost", marks, side)
			}
			for i := range lost {
				if lost[i].has(form) && slices.ContainsFunc(moves, lost[i].has) {
					t.Fatalf("board %b of side %d has a move to a lost sum, its form is lost", marks, side)
				}
			}
		}
	}
	if len(checked) < allForms {
		t.Errorf("only %d boards", len(checked))
	}
}

// The census agrees with a search of all sums of two and three trees, and the 129 forms can be
// told apart.
func TestCensus(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	f, lost, c := trees(), lostSums[maxSide](), TakeCensus()
	var want [maxSummed]uint64
	for x := range f.form[1:] {
		for y := range x + 1 {
			set := &lost[placeAny(f.form[1+x], f.form[1+y], 0)]
			if set.has(0) {
				want[1]++
			}
			for z := range y + 1 {
				if set.has(f.form[1+z]) {
					want[2]++
				}
			}
		}
		if lost[place(f.form[1+x], 0, 0)].has(0) {
			want[0]++
		}
	}
	want[3] = c.Lost[3]
	if c.Lost != want || c.Apart != [maxSummed]int{2, 72, 128, allForms} {
		t.Errorf("%+v, want %d lost", c, want)
	}
}
