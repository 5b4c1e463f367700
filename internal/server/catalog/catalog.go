// Package catalog keeps the tables of directories open. It opens new files, reopens changed ones
// and drops those that vanish. A table stays open until its last user releases it.
package catalog

import (
	"context"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"backsolve/internal/probe"
)

// Catalog is the tables of some directories. It is safe for concurrent use.
type Catalog struct {
	dirs   []string
	always bool
	log    *slog.Logger

	now  atomic.Pointer[snapshot]
	lane sync.Pool // of numbers of lanes, uint8, which gives each core its own

	reloads  atomic.Uint64
	changing sync.Mutex     // guards writes of now, and what follows
	shadowed map[place]bool // files of boards of earlier directories, once logged
	rules    map[place]readRules

	// Background work runs under ctx, which ends with Close. starting guards its start.
	starting sync.Mutex
	ctx      context.Context
	cancel   context.CancelFunc
	work     sync.WaitGroup
}

const scanEvery = 2 * time.Second

// Options configure a catalogue. The zero value has the defaults.
type Options struct {
	Log         *slog.Logger // gets tables that are opened, dropped or broken; nil for no log
	CheckAlways bool         // as reader.Table.CheckAlways, for all tables
}

// Open opens the tables of directories, of which the first with a board's table wins. It lists what cannot be opened with its
// error, and fails if a directory cannot be read. Run keeps the catalogue up to date; Close closes it.
func Open(dirs []string, o Options) (*Catalog, error) {
	c := &Catalog{
		dirs: dirs, always: o.CheckAlways, log: o.Log,
		shadowed: map[place]bool{}, rules: map[place]readRules{},
	}
	if c.log == nil {
		c.log = slog.New(slog.DiscardHandler)
	}
	c.ctx, c.cancel = context.WithCancel(context.Background())
	var next atomic.Uint32
	c.lane.New = func() any { return uint8(next.Add(1) % lanes) } // a uint8 becomes an interface without allocation
	c.now.Store(newSnapshot(nil, nil, len(dirs)))
	c.Scan()
	if err := c.now.Load().err; err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

// Run scans the directories every two seconds until ctx ends.
func (c *Catalog) Run(ctx context.Context) {
	tick := time.NewTicker(scanEvery)
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

// Close drops all tables; each is closed when its last user releases it.
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

// start runs background work unless the catalogue is closed.
func (c *Catalog) start(work func()) bool {
	c.starting.Lock()
	defer c.starting.Unlock()
	if c.ctx.Err() != nil {
		return false
	}
	c.work.Go(work)
	return true
}

// Err returns an error if no directory can be read.
func (c *Catalog) Err() error {
	if now := c.now.Load(); now.blind {
		return now.err
	}
	return nil
}

// Find returns a board's table, or its strategy if it needs no table. after lists the cells
// marked from the start, separated by commas. The handle must be released.
//
// Errors are those of probe.NewBoard for an unknown board, a *probe.MissingError if it has no
// table here, partition.ErrTooLarge if it can have none, the *tablebase.Error of a broken table,
// and a *DirError if the table may be in an unreadable directory.
func (c *Catalog) Find(name string, n int, after string) (Handle, error) {
	if h, found, err := c.acquire(key{name, n, after}); found {
		return h, err
	}
	// There is no table, or a strategy answers, or the cells are in another order.
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
	info := board.Info()
	if h, found, err := c.acquire(key{info.Name, info.Size, strings.Join(probe.CellNames(info, board.Taken()), ",")}); found {
		return h, err
	}
	now := c.now.Load()
	if now.err != nil {
		return Handle{}, now.err
	}
	return Handle{}, c.missing(board, now.after(name, n))
}

func (c *Catalog) missing(board *probe.Board, after []string) *probe.MissingError {
	for _, dir := range c.dirs {
		if m := probe.Missing(dir, board.Info(), board.Taken(), after); m.Unfinished {
			return m
		}
	}
	return probe.Missing(strings.Join(c.dirs, " or "), board.Info(), board.Taken(), after)
}

// List returns all tables by game, size and given moves.
func (c *Catalog) List() *List { return &c.now.Load().list }

// Totals summarizes a catalogue.
type Totals struct {
	OK, Broken int    // tables
	Bytes      int64  // of the files of the OK tables
	Reloads    uint64 // how often a table was opened, reopened or dropped
	Unreadable int    // directories that cannot be read
}

// Totals returns the totals.
func (c *Catalog) Totals() Totals {
	t := c.now.Load().totals
	t.Reloads = c.reloads.Load()
	return t
}

type key struct {
	game  string
	size  int
	after string // cells in the order of their text, separated by commas
}
