package probe_test

import (
	"context"
	"errors"
	"testing"

	"backsolve/game"
	"backsolve/internal/probe"
	"backsolve/internal/probe/probetest"
)

// Within ends searches with a context, but still answers what is known without a search.
func TestWithin(t *testing.T) {
	rules := probetest.Rules(t, "quixo", 3)
	cause := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	asked := 0
	searching := &probe.Rater{Rules: game.Opaque[game.Position](rules), RateState: func(ctx context.Context, _ game.Rules, _ game.State) (probe.Rating, error) {
		if asked++; asked > 1 {
			cancel(cause)
			<-ctx.Done()
			return probe.Rating{}, context.Cause(ctx)
		}
		return probe.Rating{}, nil
	}}
	within := probe.WithContext(ctx, searching)
	for i, want := range []error{nil, cause} {
		if _, err := within.AskState(searching.Rules, rules.Start(), probe.NoLine); err != want {
			t.Errorf("question %d: %v, want %v", i, err, want)
		}
	}
	table := probetest.Open(t, rules, 0, false)
	if _, err := probe.WithContext(ctx, table).AskState(searching.Rules, rules.Start(), probe.NoLine); err != nil {
		t.Errorf("the table: %v", err)
	}
}
