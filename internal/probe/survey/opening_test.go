package survey_test

import (
	"errors"
	"math/rand/v2"
	"testing"

	"backsolve/game"
	"backsolve/internal/probe"
	"backsolve/internal/probe/probetest"
	"backsolve/internal/probe/survey"
	"backsolve/tablebase"
)

// TestVerifyOpening verifies an opening table, whole or by a sample, and finds what is wrong,
// also in its fullest class.
func TestVerifyOpening(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long under the race detector")
	}
	whole := probetest.Open(t, probetest.Rules(t, "notakto", 5), 0, false)
	right, _ := probetest.Opening(t, whole, 4)
	for _, sample := range []uint64{0, 20_000} {
		v, err := survey.Verify(t.Context(), right, survey.VerifyOptions{Sample: sample}, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		states := uint64(0)
		for _, c := range right.Stored().Classes() {
			states += uint64(c.Blocks) << uint(c.IndexBits)
		}
		if sample > 0 {
			states = sample
		}
		if v.States+v.OutOfTable != states || v.OutOfTable == 0 || v.States < states/2 {
			t.Errorf("sample %d: %d states and %d out of table of %d", sample, v.States, v.OutOfTable, states)
		}
	}
	for _, class := range []int{0, 3} {
		wrong := probetest.Altered(t, right, class, func(p *tablebase.Planes, _ *tablebase.Counts) {
			for i := range p.Win {
				p.Win[i] ^= 1 << 40
			}
		})
		for _, sample := range []uint64{0, 20_000} {
			if _, err := survey.Verify(t.Context(), wrong, survey.VerifyOptions{Sample: sample}, nil, nil); !errors.Is(err, survey.ErrDiffers) {
				t.Errorf("class %d, sample %d: %v", class, sample, err)
			}
		}
	}
}

// TestSurveyOpening checks that statistics and random states of an opening table are of its
// classes alone.
func TestSurveyOpening(t *testing.T) {
	whole := probetest.Open(t, probetest.Rules(t, "notakto", 5), 0, false)
	opening, _ := probetest.Opening(t, whole, 3)
	space := opening.Space()
	s, err := survey.Summarize(t.Context(), opening)
	if err != nil || !s.Opening || len(s.Classes) != 3 || s.Total.States != space.StatesOf(3) {
		t.Errorf("%v, %+v", err, s)
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		p, err := survey.Random(t.Context(), opening, survey.Filter{}, r)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := opening.Value(p.(game.Position)); err != nil {
			t.Fatal(err)
		}
	}
	var outOfTable *probe.OutOfTableError
	if _, err := opening.Value(game.Position{X: 1<<25 - 1}); !errors.As(err, &outOfTable) {
		t.Error(err)
	}
}
