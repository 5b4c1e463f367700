package catalog

import (
	"context"
	"sync/atomic"

	"backsolve/game"
	"backsolve/internal/probe"
	"backsolve/internal/probe/survey"
)

// Handle is a table or strategy in use. It must be released once, and not be asked after that.
type Handle struct {
	entry    *entry
	lane     *atomic.Int64
	strategy *probe.StrategyAnswerer // if there is no table
}

// Answerer returns the answerer of the table or strategy.
func (h Handle) Answerer() probe.Answerer {
	if h.entry == nil {
		return h.strategy.Answerer
	}
	return h.entry.open
}

// StrategyTitle names the strategy in sentences; it is empty for a table.
func (h Handle) StrategyTitle() string {
	if h.entry != nil {
		return ""
	}
	return h.strategy.Title
}

// Table returns the table, or nil if a strategy or a sparse table answers.
func (h Handle) Table() *probe.Table {
	if h.entry == nil {
		return nil
	}
	return h.entry.table
}

// Open returns the open table of either kind; there must be one.
func (h Handle) Open() survey.Table { return h.entry.open }

// Rules returns the rules of the table's board; there must be a table.
func (h Handle) Rules() game.Rules {
	rules, _ := survey.RulesOf(h.Open())
	return rules
}

// Stored reports whether a table answers, sparse or of blocks.
func (h Handle) Stored() bool { return h.entry != nil }

// String names the board.
func (h Handle) String() string {
	if t := h.Table(); t != nil {
		return t.Board()
	}
	return h.Answerer().Info().String()
}

// Identity returns the table's identity in hexadecimal; it is empty for a strategy.
func (h Handle) Identity() string {
	if h.entry == nil {
		return ""
	}
	return h.entry.Identity
}

// Stats summarizes the table; there must be one. The work is done once and continues when
// a caller's ctx ends, whose cause is then the error.
func (h Handle) Stats(ctx context.Context) (*survey.Stats, error) { return h.entry.stats(ctx, h.lane) }

// Release ends the use.
func (h Handle) Release() {
	if h.entry != nil {
		h.entry.release(h.lane)
	}
}

// acquire takes a table into use. found reports whether the key exists, broken or not. It does not allocate.
func (c *Catalog) acquire(k key) (h Handle, found bool, err error) {
	for {
		e := c.now.Load().byKey[k]
		switch {
		case e == nil:
			return Handle{}, false, nil
		case e.Err != nil:
			return Handle{}, true, e.Err
		}
		if lane, ok := e.acquire(&c.lane); ok {
			return Handle{entry: e, lane: lane}, true, nil
		}
		// It was dropped meanwhile, so there is another snapshot.
	}
}
