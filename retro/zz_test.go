package retro_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"syscall"
	"testing"
	"time"
	"runtime/pprof"

	"backsolve/bitboard"
	"backsolve/game"
	"backsolve/game/notakto"
	"backsolve/partition"
	"backsolve/retro"
)

func cpu() float64 {
	var u syscall.Rusage
	syscall.Getrusage(0, &u)
	return float64(u.Utime.Sec+u.Stime.Sec) + float64(u.Utime.Usec+u.Stime.Usec)/1e6
}

func TestZZ(t *testing.T) {
	n, _ := strconv.Atoi(os.Getenv("N"))
	m, _ := strconv.Atoi(os.Getenv("M"))
	cnt, _ := strconv.Atoi(os.Getenv("CNT"))
	if n == 0 { t.Skip() }
	r := rand.New(rand.NewPCG(1, 2))
	if f := os.Getenv("PROF"); f != "" { g, _ := os.Create(f); pprof.StartCPUProfile(g); defer pprof.StopCPUProfile() }
	for i := 0; i < cnt; {
		w := notakto.EmptyWide(n)
		for _, c := range r.Perm(n * n)[:m] { w = w.Mark(c) }
		if w.Complete() { continue }
		i++
		rest, _ := notakto.RestOf(w)
		c0, t0 := cpu(), time.Now()
		s, err := partition.NewRest(partition.MarkingGame{Name: "notakto", Size: n, Cells: len(rest.Open), Lines: rest.Lines})
		if err != nil { t.Fatal(err) }
		_ = bitboard.All
		l, err := retro.SolveLast(context.Background(), s, 0, retro.Options{Steps: os.Getenv("STEPS") != ""})
		if err != nil { t.Fatal(err) }
		o, st := l.Lookup(game.Position{})
		fmt.Printf("open %d free %d forb %d lines %d mask %d slice %d sym %d: %v %d cpu %.2f wall %.2f mem %d MiB\n", len(rest.Open), len(rest.Free), len(rest.Forbidden), len(rest.Lines), s.MaskBits, s.IndexBits[0], s.Symmetries.Len(), o, st, cpu()-c0, time.Since(t0).Seconds(), l.Memory()>>20)
		l.Close()
	}
}
