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
	threads        cli.CountValue
	memory         cli.BytesValue
	network, store rate
	latency        time.Duration
	jitter, price  float64
	seed           uint64
	from           string
}

// usual returns the default machines, which can be rented anywhere.
func usual() machineFlags {
	return machineFlags{
		threads: cli.NewCount(8, 1<<16), memory: 64 << 30, network: 1.25e9, store: 10e9, latency: 2 * time.Millisecond,
		jitter: 0.2, price: 0.4, seed: 1, from: filepath.Join("docs", "reports"),
	}
}

func (m *machineFlags) add(cmd *cobra.Command) {
	f := cmd.Flags()
	f.Var(&m.threads, "threads", "number of threads and cores of a worker")
	f.Var(&m.memory, "memory", fmt.Sprintf("memory of a worker (default %s)", cli.BytesText(int64(m.memory))))
	f.Var(&m.network, "network", "bandwidth of each machine in bytes a second each way, or none for no limit")
	f.Var(&m.store, "store", "bandwidth of the store in bytes a second each way, or none for no limit")
	f.DurationVar(&m.latency, "latency", m.latency, "latency of a message or request")
	f.Float64Var(&m.jitter, "jitter", m.jitter, "largest relative deviation of the time of a task, 0 to 1")
	f.Float64Var(&m.price, "price", m.price, "dollars for an hour of a machine")
	f.Uint64Var(&m.seed, "seed", m.seed, "seed of all random choices")
	f.StringVar(&m.from, "from", m.from, "`DIR` directory of the measurements")
	cli.NoCompletion(cmd, "threads", "memory", "network", "store", "latency", "jitter", "price", "seed")
	cobra.CheckErr(cmd.MarkFlagDirname("from"))
	cli.Advanced(cmd, "jitter", "seed", "from")
}

func (m *machineFlags) check() error {
	switch {
	case m.latency < 0:
		return cli.Usagef("--latency cannot be negative")
	case !(m.price >= 0):
		return cli.Usagef("--price cannot be negative")
	case !(m.jitter >= 0 && m.jitter <= 1):
		return cli.Usagef("--jitter %v is not between 0 and 1", m.jitter)
	}
	return nil
}

func (m *machineFlags) cluster(workers int) cluster {
	return cluster{
		workers: workers, threads: m.threads.Count, memory: float64(m.memory), network: float64(m.network), store: float64(m.store),
		latency: m.latency.Seconds(), jitter: m.jitter, price: m.price, seed: m.seed, costs: measuredCosts,
	}
}

// rate is bytes a second, +Inf for no limit.
type rate float64

func (r *rate) String() string {
	if math.IsInf(float64(*r), 1) {
		return "none"
	}
	return bytesText(float64(*r))
}

func (*rate) Type() string { return "BYTES" }

func (r *rate) Set(text string) error {
	if text == "none" {
		*r = rate(math.Inf(1))
		return nil
	}
	n, err := humanize.ParseBytes(text)
	if err != nil || n == 0 {
		return fmt.Errorf("give bytes a second, for example 1.25GB, or none for no limit")
	}
	*r = rate(n)
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
