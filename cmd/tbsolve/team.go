package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"backsolve/bitslice"
	"backsolve/cluster"
	"backsolve/cluster/local"
	"backsolve/cluster/store"
	"backsolve/cmd/cli"
	"backsolve/cmd/tbsolve/machine"
	"backsolve/internal/durable"
	"backsolve/partition"
	"backsolve/retro"
)

// sharing is how a solve is shared out to several processes: --workers, --cluster and
// --store.
type sharing struct {
	workers    countValue // processes that are started on this machine, 0 for none
	url, store string     // "" for those of this solve alone
	replicas   int        // servers of NATS that keep a copy of what it has
}

// maxWorkers is more processes than a machine has a use for.
const maxWorkers = 1024

func (s *sharing) register(cmd *cobra.Command) {
	f := cmd.Flags()
	s.workers = countValue{max: maxWorkers}
	f.Var(&s.workers, "workers", "solve by so many processes on this machine; what --threads and --memory allow is for all together")
	f.StringVar(&s.url, "cluster", "", "solve by the workers (tbsolve work) of a cluster: the `address` of its NATS, nats://host:4222")
	f.IntVar(&s.replicas, "replicas", 1, "with --cluster: how many NATS servers keep a copy of what a crash must not lose: 1, 3 or 5")
	f.StringVar(&s.store, "store", "", "where the processes put what they share: a `directory` that all see, or s3://bucket/prefix")
}

// on reports whether several processes are asked for.
func (s *sharing) on() bool { return s.workers.count > 0 || s.url != "" }

// check refuses what cannot be shared out. The error is a *cli.UsageError.
func (s *sharing) check(t *target) error {
	switch {
	case !s.on() && s.store != "":
		return cli.Usagef("--store is for solves by several processes; give --workers or --cluster, or leave it out")
	case !s.on():
		return nil
	case s.url != "" && s.store == "":
		return cli.Usagef("--cluster needs the --store that its workers have: a directory that all see, or s3://bucket/prefix")
	}
	if err := cluster.Check(t.space); err != nil {
		return cli.Usagef("%w; run tbsolve %s %d without --workers and --cluster", err, t.space.Game, t.space.Size)
	}
	if s.replicas != 1 && (s.url == "" || s.replicas != 3 && s.replicas != 5) {
		return cli.Usagef("--replicas %d: give 1, 3 or 5, and 1 without --cluster; 3 outlive the loss of one server of NATS, 5 that of two", s.replicas)
	}
	if s.url != "" {
		if err := cluster.CheckURL(s.url); err != nil {
			return cli.Usagef("--cluster: %w", err)
		}
	}
	return nil
}

// teamDir is where the processes of one machine keep what they share.
func (t *target) teamDir() string { return t.path + ".cluster" }

// workerNeed is the memory in bytes that a worker is reckoned to take.
func workerNeed(space partition.Space, o retro.Options, threads int) int64 {
	o.Threads = threads
	return retro.HandNeed(space, o, cluster.MostGroupBytes)
}

// storeBytes is what the processes of a solve share takes in the store at most: the parts
// of all classes, until the table is finished.
func storeBytes(space partition.Space, o retro.Options) (total int64) {
	for class, blocks := range partition.BlockCounts(space) {
		if class >= o.DownTo {
			words := int64(bitslice.Words(space.IndexBits[class]))
			total += 8 * int64(float64(blocks*words)*retro.StateBits(space, o, class, false))
		}
	}
	return total
}

// threadsEach is how many threads each of the workers of this machine gets.
func (s *sharing) threadsEach(threads int) int { return max(1, threads/max(1, s.workers.count)) }

// checkRoom refuses processes that this machine has not the memory or the disk for, of which so
// many bytes are free.
func (s *sharing) checkRoom(t *target, o retro.Options, source memorySource, free int64) error {
	own, each := retro.Need(t.space, o), workerNeed(t.space, o, s.threadsEach(o.Threads))
	need := own + int64(s.workers.count)*each
	if o.Memory > 0 && need > o.Memory {
		return fmt.Errorf("solving %s by %d workers takes about %s of memory, %s for the table and %s for each worker, but no more than %s may be used (%s); %s",
			shapeText(t.space, o), s.workers.count, bytesText(need), bytesText(own), bytesText(each), bytesText(o.Memory), source, source.remedy(need))
	}
	return s.checkDisk(t, o, free)
}

// checkDisk refuses processes that this machine has not the disk for: the table, and what the
// processes share unless that is elsewhere.
func (s *sharing) checkDisk(t *target, o retro.Options, free int64) error {
	if s.store != "" {
		return nil // of the table alone it has been said before
	}
	table, store := retro.DiskBytes(t.space, o, false), storeBytes(t.space, o)
	if need := table + store; free != machine.Unknown && need > free {
		return fmt.Errorf("solving %s by several processes takes about %s of the disk (%s for the table, %s for what the workers share), but only %s are free; make room there, choose another place with --dir, or another --store",
			shapeText(t.space, o), bytesText(need), bytesText(table), bytesText(store), bytesText(free))
	}
	return nil
}

// shared is a solve that is shared out.
type shared struct {
	solve cluster.Solve
	// dir is where the processes of this machine keep what they share.
	dir string
	// threads and memory are what a worker of this machine may use, 0 bytes being no limit.
	threads int
	memory  int64
	// anew discards what was begun.
	anew bool
}

// shareTable is the solve into a table as it is shared out.
func (s *solver) shareTable(t *target, o retro.Options) shared {
	what := shared{solve: cluster.NewSolve(t.space, o), dir: t.teamDir(), threads: s.sharing.threadsEach(o.Threads)}
	if o.Memory > 0 {
		left := (o.Memory - retro.Need(t.space, o)) / int64(max(1, s.sharing.workers.count))
		what.memory = max(left, workerNeed(t.space, o, what.threads))
	}
	return what
}

// team is the processes of a solve, as far as they belong to this one.
type team struct {
	coordinator *cluster.Coordinator // nil where this process solves alone
	server      *local.Server        // nil where NATS runs elsewhere
	workers     *workers             // nil where none are started here
}

// gather has the processes ready that a solve is shared out to. The context that it returns ends
// with the given one, and when the solve is ended from elsewhere. The team must be closed,
// whatever the error is.
func (s *solver) gather(ctx context.Context, t *target, what shared, say func(text string)) (m *team, _ context.Context, err error) {
	m = new(team)
	how, place, err := s.reach(ctx, m, what.dir)
	if err != nil {
		return m, ctx, err
	}
	how.Anew, how.Say = what.anew, say
	if m.coordinator, err = cluster.Begin(ctx, t.space, what.solve, how); err != nil {
		return m, ctx, err
	}
	if s.sharing.workers.count > 0 {
		if m.workers, err = s.startWorkers(m, how, place, what, say); err != nil {
			return m, ctx, err
		}
	}
	return m, m.coordinator.Context(), nil
}

// reach says where NATS and the store are. A NATS of this solve alone is started, in a directory, and
// the store opened, whose place it returns.
func (s *solver) reach(ctx context.Context, m *team, dir string) (how cluster.Options, place string, err error) {
	how = cluster.Options{URL: s.sharing.url, Version: programVersion(), Force: s.force, Expect: s.sharing.workers.count, Replicas: s.sharing.replicas}
	if place = s.sharing.store; place == "" {
		place = filepath.Join(dir, "store")
	}
	if err := checkOwn(dir); err != nil {
		return how, place, err
	}
	if how.URL == "" {
		if m.server, err = local.Start(filepath.Join(dir, "nats")); err != nil {
			return how, place, err
		}
		how.URL, how.Getenv, how.Own = m.server.URL(), m.server.Getenv, true
	}
	how.Store, err = store.Open(ctx, place)
	return how, place, err
}

// checkOwn refuses a directory for what processes share that is a link, or has one in it: what
// is shared would be written to wherever that leads.
func checkOwn(dir string) error {
	for _, path := range []string{dir, filepath.Join(dir, "nats"), filepath.Join(dir, "store")} {
		if info, err := os.Lstat(path); err == nil && !info.IsDir() {
			return fmt.Errorf("cannot write to %s: it is a link or a file, where a directory of this program belongs; remove it, or choose another directory with --dir", path)
		}
	}
	return nil
}

// startWorkers starts the worker processes of this machine.
func (s *solver) startWorkers(m *team, how cluster.Options, place string, what shared, say func(string)) (*workers, error) {
	each := workerProcess{url: how.URL, store: place, threads: what.threads, memory: what.memory, environment: os.Environ()}
	if m.server != nil {
		each.environment = append(each.environment, m.server.Environment()...)
	}
	none := func(err error) {
		if m.server != nil { // nobody else can come
			m.coordinator.Fail(err)
		}
	}
	return startWorkers(s.sharing.workers.count, each, say, none)
}

// finish takes the solve out of the cluster, when the table is finished.
func (m *team) finish() error {
	if m.coordinator == nil {
		return nil
	}
	err := m.coordinator.Finish()
	m.close()
	return err
}

// close ends the processes and keeps what they have solved. A second time it does nothing.
func (m *team) close() {
	if m.workers != nil {
		m.workers.stop()
		m.workers = nil
	}
	if m.coordinator != nil {
		m.coordinator.Close()
		m.coordinator = nil
	}
	if m.server != nil {
		m.server.Stop()
		m.server = nil
	}
}

// clearTeam removes what processes have shared for a table that is finished, unless
// somebody solves it again.
func clearTeam(t *target) error { return clearShared(t.teamDir(), t.path) }

// clearShared removes a directory of what processes have shared, unless somebody has the lock.
func clearShared(dir, lock string) error {
	if _, err := os.Stat(dir); err != nil {
		return nil
	}
	l, err := durable.Lock(lock)
	if errors.Is(err, durable.ErrHeld) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("cannot remove what the workers of the solve have left: %w; remove %s yourself", err, dir)
	}
	defer l.Unlock()
	return removeShared(dir)
}

// removeShared removes it while the lock is held.
func removeShared(dir string) error {
	if err := os.RemoveAll(dir); err != nil {
		return fmt.Errorf("cannot remove what the workers of the solve have left: %w; remove %s yourself", err, dir)
	}
	return nil
}
