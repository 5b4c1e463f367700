package main

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"backsolve/cmd/cli"
)

// machineFlags are the flags that say what the machines are.
type machineFlags struct {
	threads int
	memory  amount
	network amount
	store   amount
	latency time.Duration
	spread  float64
	seed    uint64
	from    string
}

// usual are the machines unless flags say otherwise: what can be rented anywhere.
func usual() machineFlags {
	return machineFlags{
		threads: 8, memory: 64 << 30, network: 1.25e9, store: 10e9, latency: 2 * time.Millisecond,
		spread: 0.2, seed: 1, from: filepath.Join("docs", "reports"),
	}
}

func (m *machineFlags) add(cmd *cobra.Command) {
	*m = usual()
	f := cmd.Flags()
	f.IntVar(&m.threads, "threads", m.threads, "number of threads and cores of a worker")
	f.Var(&m.memory, "memory", "memory of a worker")
	f.Var(&m.network, "network", "bandwidth of each machine in bytes a second each way, or none for no limit")
	f.Var(&m.store, "store", "bandwidth of the store in bytes a second each way, or none for no limit")
	f.DurationVar(&m.latency, "latency", m.latency, "latency of a message or request")
	f.Float64Var(&m.spread, "spread", m.spread, "largest relative deviation of the time of a task, 0 to 1")
	f.Uint64Var(&m.seed, "seed", m.seed, "seed of all random choices")
	f.StringVar(&m.from, "from", m.from, "`DIR` directory of the measurements")
	cli.NoCompletion(cmd, "threads", "memory", "network", "store", "latency", "spread", "seed")
	cobra.CheckErr(cmd.MarkFlagDirname("from"))
	cli.Advanced(cmd, "spread", "seed", "from")
}

// check refuses what cannot be simulated.
func (m *machineFlags) check() error {
	switch {
	case m.threads < 1 || m.threads > 1<<16:
		return cli.Usagef("--threads %d is no number of threads; give 1 to 65536", m.threads)
	case m.memory <= 0 || math.IsInf(float64(m.memory), 1):
		return cli.Usagef("--memory says how much memory a worker has, for example 64GiB")
	case m.network <= 0 || m.store <= 0:
		return cli.Usagef("through a network or a store without any bandwidth nothing comes; give for example 1GB, or none for no limit")
	case m.latency < 0:
		return cli.Usagef("--latency cannot be negative")
	case !(m.spread >= 0 && m.spread <= 1):
		return cli.Usagef("--spread %v is not between 0 and 1", m.spread)
	}
	return nil
}

// cluster is so many such machines.
func (m *machineFlags) cluster(workers int) cluster {
	return cluster{
		workers: workers, threads: m.threads, memory: float64(m.memory), network: float64(m.network), store: float64(m.store),
		latency: m.latency.Seconds(), spread: m.spread, seed: m.seed,
	}
}

// amount is bytes, or bytes a second; +Inf for no limit.
type amount float64

func (a *amount) String() string {
	if math.IsInf(float64(*a), 1) {
		return "none"
	}
	for _, u := range []struct {
		size float64
		name string
	}{{1 << 40, " TiB"}, {1 << 30, " GiB"}} {
		if n := float64(*a) / u.size; n >= 1 && n == math.Trunc(n) {
			return digits(n) + u.name
		}
	}
	return bytesText(float64(*a))
}

func (*amount) Type() string { return "BYTES" }

func (a *amount) Set(text string) error {
	if text == "none" {
		*a = amount(math.Inf(1))
		return nil
	}
	n, err := humanize.ParseBytes(text)
	if err != nil {
		return fmt.Errorf("give bytes, for example 64GiB or 1.25GB, or none")
	}
	*a = amount(n)
	return nil
}

// mostWorkers bounds what can be simulated.
const mostWorkers = 1000

// workerCounts are numbers of workers: 1,10,100.
type workerCounts []int

func (w *workerCounts) String() string {
	var all []string
	for _, n := range *w {
		all = append(all, strconv.Itoa(n))
	}
	return strings.Join(all, ",")
}

func (*workerCounts) Type() string { return "LIST" }

func (w *workerCounts) Set(text string) error {
	var all []int
	for word := range strings.SplitSeq(text, ",") {
		n, err := strconv.Atoi(word)
		if err != nil || n < 1 || n > mostWorkers {
			return fmt.Errorf("give numbers of workers from 1 to %d, for example 1,10,100", mostWorkers)
		}
		all = append(all, n)
	}
	slices.Sort(all)
	*w = slices.Compact(all)
	return nil
}
