package faulttest

import (
	"fmt"
	"math/rand/v2"
	"os/exec"
	"slices"
	"testing"
	"time"
)

// A job that is killed before, after or within any of its system calls, also
// several times, ends with the right bytes and has kept the finished classes.
func TestKillsAtCalls(t *testing.T) {
	needsTracer(t)
	y := newTally(t, "kills")
	eachCase(t, jobs(), 2, 22, func(t *testing.T, j *job, random *rand.Rand) {
		dir := writeFiles(t, j.found)
		kept := 0
		for range 1 + random.IntN(2) {
			action := []Action{KillBefore, KillAfter, KillWithin}[random.IntN(3)]
			f := Fault{At: 1 + random.IntN(len(j.undisturbed(t))), Action: action}
			r := j.trace(t, dir, f)
			if !r.Fired {
				continue // it resumes where the last kill left it, with fewer calls
			}
			killed := r.Calls[f.At-1]
			t.Logf("killed: %s call %d, %s %s", action, f.At, killed.Op, killed.Path)
			kept += j.finished(r.Calls)
			y.fault(j.name, f)
			if j.checkFinal(t, dir) && !j.forced() {
				break
			}
		}
		y.ended(j.recover(t, dir, kept))
	})
}

// If a job is killed after it has named its file, running the same command again leaves nothing beside
// the file.
func TestKillsAfterNaming(t *testing.T) {
	needsTracer(t)
	y := newTally(t, "kills")
	for _, j := range smallJobs() {
		t.Run(j.name, func(t *testing.T) {
			t.Parallel()
			j.prepare(t)
			calls := j.undisturbed(t)
			named := slices.IndexFunc(calls, func(c Call) bool { return c.Op == Rename && c.To == j.final })
			step := 1
			if !long() {
				step = max(1, (len(calls)-named)/8)
			}
			for at := named + 1; at <= len(calls); at += step {
				t.Run(fmt.Sprint(at), func(t *testing.T) {
					onFailure(t)
					dir, f := writeFiles(t, j.found), Fault{At: at, Action: KillAfter}
					t.Logf("killed after %s %s", calls[at-1].Op, calls[at-1].Path)
					j.trace(t, dir, f)
					y.fault(j.name, f)
					y.ended(j.recover(t, dir, 0))
				})
			}
		})
	}
}

// Larger jobs are killed at random moments.
func TestKillsAtMoments(t *testing.T) {
	larger := []*job{
		{name: "quixo_4", args: solve("quixo 4"), final: "tables/quixo-4x4.tb"},
		{name: "quixo_4_steps", args: solve("quixo 4 --steps"), final: "tables/quixo-4x4.tb"},
		{name: "quixo_4_steps_written_packed", args: solve("quixo 4 --steps --packed"), final: "tables/quixo-4x4.tb.zst"},
		{name: "notakto_6", args: solve("notakto 6"), final: "tables/notakto-6x6.tb"},
		{name: "notakto_5_streamed", args: solve("notakto 5 --after c3 --keep result"), final: "tables/notakto-5x5-after-c3.json"},
		{name: "notakto_5_opening", args: solve("notakto 5 --keep opening=200kB"), halves: true,
			final: "tables/notakto-5x5.json", beside: "tables/notakto-5x5.tb"},
		{name: "pack", args: copying("pack tables/quixo-4x4.tb"), final: "tables/quixo-4x4.tb.zst", before: [][]string{solve("quixo 4 --steps")}},
		{name: "unpack", args: copying("unpack tables/quixo-4x4.tb.zst"), final: "tables/quixo-4x4.tb",
			before: [][]string{solve("quixo 4 --steps"), copying("pack tables/quixo-4x4.tb"), {move, "tables/quixo-4x4.tb", "moved"}}},
	}
	y := newTally(t, "kills")
	eachCase(t, larger, 1, 30, func(t *testing.T, j *job, random *rand.Rand) {
		dir := writeFiles(t, j.found)
		for range 1 + random.IntN(3) {
			cmd := exec.Command(tbsolve, j.args...)
			cmd.Dir = dir
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			moment := time.Duration(random.Int64N(int64(j.took)))
			time.Sleep(moment)
			cmd.Process.Kill()
			if cmd.Wait(); !cmd.ProcessState.Exited() {
				y.fault(j.name, moment)
			}
			if j.checkFinal(t, dir) {
				break
			}
		}
		y.ended(j.recover(t, dir, 0))
	})
}

// eachCase runs few cases of each job in a short run, and many in a long
// one. What is random in a case follows from the job's name and its number.
func eachCase(t *testing.T, jobs []*job, few, many int, test func(t *testing.T, j *job, random *rand.Rand)) {
	cases := few
	if long() {
		cases = many
	}
	for _, j := range jobs {
		t.Run(j.name, func(t *testing.T) {
			t.Parallel()
			j.prepare(t)
			for n := range cases {
				t.Run(fmt.Sprint(n), func(t *testing.T) {
					onFailure(t)
					test(t, j, j.random(n))
				})
			}
		})
	}
}
