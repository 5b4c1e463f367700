// Package catalog is the tables of one or several directories, kept open for
// questions: files that appear are picked up, those that vanish are dropped, those
// that change are opened again. A table in use stays open until the last user has
// released it.
package catalog

import (
	"cmp"
	"context"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"backsolve/probe"
)

// Catalog is the tables of some directories. Its methods may be called from many
// goroutines at once.
type Catalog struct {
	dirs     []string
	interval time.Duration
	always   bool
	links    bool
	log      *slog.Logger

	now  atomic.Pointer[snapshot]
	lane sync.Pool // of uint8, see lanes

	changing sync.Mutex // held by who changes now
	reloads  atomic.Uint64
	// passed has the files that were told to be passed over, see lookIn; it is
	// guarded by changing.
	passed map[place]bool

	// Background work runs under ctx, which ends with Close; starting is held by
	// who begins any or ends it.
	starting sync.Mutex
	ctx      context.Context
	cancel   context.CancelFunc
	work     sync.WaitGroup
}

// Options say how a catalogue works. The zero value is what a server wants.
type Options struct {
	// Log is told what is picked up, dropped and broken; nil for nobody.
	Log *slog.Logger
	// Interval is the time between two looks at the directories, 0 for 2 s.
	Interval time.Duration
	// CheckAlways is reader.Table.CheckAlways for all tables.
	CheckAlways bool
	// FollowLinks opens tables also where a link leads out of the directory, to
	// another disk for example. Whoever may write into the directory chooses then which
	// files of the machine are opened.
	FollowLinks bool
}

// Open opens the tables of one or several directories, of which an earlier one goes
// before a later one where both have a board's table. A file that cannot be opened is
// no error: it stays listed with its own. The error is that of reading a directory.
// Run keeps the catalogue up to date; Close closes it.
func Open(dirs []string, o Options) (*Catalog, error) {
	c := &Catalog{
		dirs: dirs, interval: cmp.Or(o.Interval, 2*time.Second), always: o.CheckAlways, links: o.FollowLinks, log: o.Log,
		passed: map[place]bool{},
	}
	if c.log == nil {
		c.log = slog.New(slog.DiscardHandler)
	}
	c.ctx, c.cancel = context.WithCancel(context.Background())
	c.lane.New = newLane()
	c.now.Store(newSnapshot(nil, nil, len(dirs)))
	c.Scan()
	if err := c.now.Load().err; err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

// Run looks at the directories again and again until ctx ends.
func (c *Catalog) Run(ctx context.Context) {
	tick := time.NewTicker(c.interval)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			c.Scan()
		}
	}
}

// Close drops all tables; each is closed once its last user has released it.
// Nothing is found after it.
func (c *Catalog) Close() {
	c.starting.Lock()
	c.cancel()
	c.starting.Unlock()
	c.changing.Lock()
	old := c.now.Swap(newSnapshot(nil, []error{errClosed}, 1))
	c.changing.Unlock()
	for _, e := range old.entries {
		e.drop()
	}
	c.work.Wait()
}

// start begins background work unless the catalogue is closed.
func (c *Catalog) start(work func()) bool {
	c.starting.Lock()
	defer c.starting.Unlock()
	if c.ctx.Err() != nil {
		return false
	}
	c.work.Go(work)
	return true
}

// Err says why there are no tables: no directory can be read. It is nil where one can.
func (c *Catalog) Err() error {
	if now := c.now.Load(); now.blind {
		return now.err
	}
	return nil
}

// Find returns what answers for a board: its table, or a strategy where there can
// be none. after has the cells that are marked from the start, separated by
// commas, and is empty for the whole game. The handle must be released.
//
// Errors: those of probe.NewBoard where the board is not known; a
// *probe.MissingError where it has no table here, partition.ErrTooLarge where it
// can have none, the *tablebase.Error of a table that is broken, and a *DirError where
// the table is not found and may be in a directory that cannot be read.
func (c *Catalog) Find(name string, n int, after string) (Handle, error) {
	if h, found, err := c.acquire(key{name, n, after}); found {
		return h, err
	}
	// The board is not there, answered by a strategy, or its cells are not in
	// their order.
	board, err := probe.NewBoard(name, n, after)
	if err != nil {
		return Handle{}, err
	}
	if from := board.Strategy(); from != nil {
		return Handle{strategy: from}, nil
	}
	if err := board.Unsolvable(); err != nil {
		return Handle{}, err
	}
	if h, found, err := c.acquire(keyOf(board.Info(), board.Taken())); found {
		return h, err
	}
	now := c.now.Load()
	if now.err != nil {
		return Handle{}, now.err
	}
	return Handle{}, c.missing(board, now.after(name, n))
}

// missing says that a board has no table in any of the directories, or is not
// finished in one.
func (c *Catalog) missing(board *probe.Board, after []string) *probe.MissingError {
	var missing *probe.MissingError
	for _, dir := range c.dirs {
		m := probe.Missing(dir, board.Info(), board.Taken(), after)
		if m.Unfinished {
			return m
		}
		if missing == nil {
			missing = m
		}
	}
	missing.Dir = strings.Join(c.dirs, " or ")
	return missing
}

// List returns all tables in the order of game, size and given moves.
func (c *Catalog) List() *List { return &c.now.Load().list }

// Totals are numbers that sum a catalogue up.
type Totals struct {
	// OK and Broken count the tables that can be asked and those that cannot.
	OK, Broken int
	// Bytes are the lengths of the files of the tables that can be asked.
	Bytes int64
	// Reloads counts how often a table was picked up or dropped, or opened again
	// because its file changed.
	Reloads uint64
	// Unreadable counts the directories that cannot be read.
	Unreadable int
}

// Totals sums the catalogue up.
func (c *Catalog) Totals() Totals {
	t := c.now.Load().totals
	t.Reloads = c.reloads.Load()
	return t
}

// key is what tables are found by.
type key struct {
	game  string
	size  int
	after string // cells in the order of their text, separated by commas
}
