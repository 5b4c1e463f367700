package main

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"backsolve/cmd/cli"
)

// machineFlags describe the machines.
type machineFlags struct {
	threads int
	memory  amount
	network amount
	store   amount
	latency time.Duration
	jitter  float64
	seed    uint64
	from    string
}

// usual returns the default machines, which can be rented anywhere.
func usual() machineFlags {
	return machineFlags{
		threads: 8, memory: 64 << 30, network: 1.25e9, store: 10e9, latency: 2 * time.Millisecond,
		jitter: 0.2, seed: 1, from: filepath.Join("docs", "reports"),
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
	f.Float64Var(&m.jitter, "jitter", m.jitter, "largest relative deviation of the time of a task, 0 to 1")
	f.Uint64Var(&m.seed, "seed", m.seed, "seed of all random choices")
	f.StringVar(&m.from, "from", m.from, "`DIR` directory of the measurements")
	cli.NoCompletion(cmd, "threads", "memory", "network", "store", "latency", "jitter", "seed")
	cobra.CheckErr(cmd.MarkFlagDirname("from"))
	cli.Advanced(cmd, "jitter", "seed", "from")
}

func (m *machineFlags) check() error {
	switch {
	case m.threads < 1 || m.threads > 1<<16:
		return cli.Usagef("--threads %d: give a number from 1 to 65536", m.threads)
	case m.memory <= 0 || math.IsInf(float64(m.memory), 1):
		return cli.Usagef("--memory says how much memory a worker has, for example 64GiB")
	case m.network <= 0 || m.store <= 0:
		return cli.Usagef("--network and --store need a bandwidth; give for example 1GB, or none for no limit")
	case m.latency < 0:
		return cli.Usagef("--latency cannot be negative")
	case !(m.jitter >= 0 && m.jitter <= 1):
		return cli.Usagef("--jitter %v is not between 0 and 1", m.jitter)
	}
	return nil
}

func (m *machineFlags) cluster(workers int) cluster {
	return cluster{
		workers: workers, threads: m.threads, memory: float64(m.memory), network: float64(m.network), store: float64(m.store),
		latency: m.latency.Seconds(), jitter: m.jitter, seed: m.seed,
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

// checkWorkers sorts numbers of workers and removes duplicates.
func checkWorkers(workers []int) ([]int, error) {
	const most = 1000
	slices.Sort(workers)
	if len(workers) == 0 || workers[0] < 1 || workers[len(workers)-1] > most {
		return nil, cli.Usagef("--workers: give numbers of workers from 1 to %d, for example 1,10,100", most)
	}
	return slices.Compact(workers), nil
}
