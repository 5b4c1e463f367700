package main

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/bits"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"backsolve/cmd/cli/progress"
	"backsolve/cmd/tbsolve/machine"
	"backsolve/game"
	"backsolve/internal/durable"
	"backsolve/partition"
	"backsolve/retro"
	"backsolve/retro/outofcore"
)

// The words of --keep.
const (
	keepTable  = "table"
	keepResult = "result"
)

// result is what is kept of a solve whose table is not: counts, and who wins.
type result struct {
	Game   string   `json:"game"`
	Size   int      `json:"size"`
	After  []string `json:"after"`
	Start  start    `json:"start"`
	Winner string   `json:"winner"` // first or second, of the whole game
	States uint64   `json:"states"`
	Wins   uint64   `json:"wins"`
	Losses uint64   `json:"losses"`

	Classes []resultClass `json:"classes"`
	Marks   []resultMarks `json:"by_marks"`
	// SHA256 is over this object as one line of JSON, with this field empty.
	SHA256 string `json:"sha256"`
}

// resultClass counts a class; terminal wins are part of the wins.
type resultClass struct {
	Class        int    `json:"class"`
	Blocks       int    `json:"blocks"`
	IndexBits    int    `json:"index_bits"`
	Wins         uint64 `json:"wins"`
	TerminalWins uint64 `json:"terminal_wins"`
	Losses       uint64 `json:"losses"`
}

// resultMarks counts the states with so many marks.
type resultMarks struct {
	Marks        int    `json:"marks"`
	Wins         uint64 `json:"wins"`
	TerminalWins uint64 `json:"terminal_wins"`
	Losses       uint64 `json:"losses"`
}

// newResult sums a streamed solve up and checks that every state is counted.
func newResult(rules game.Grid, space partition.Space, moves []string, s *outofcore.Result) (*result, error) {
	r := &result{Game: rules.Name(), Size: rules.Size(), After: moves}
	begin := game.Position{X: space.Taken}
	outcome := game.Lose
	if s.Won {
		outcome = game.Win
	}
	r.Start = start{Position: rules.Format(begin), Outcome: outcome.String()}
	r.Winner = "first"
	if (len(moves)%2 == 0) != s.Won {
		r.Winner = "second"
	}
	r.Marks = make([]resultMarks, rules.Size()*rules.Size()+1)
	for _, c := range s.Classes {
		class := resultClass{Class: c.Class, Blocks: c.Blocks, IndexBits: c.IndexBits}
		for weight, n := range c.Counts.ByWeight {
			class.Wins += n.Wins
			class.TerminalWins += n.TerminalWins
			class.Losses += n.Losses
			mover, other := space.Stones(c.Class, weight)
			m := &r.Marks[mover+other]
			m.Marks = mover + other
			m.Wins += n.Wins
			m.TerminalWins += n.TerminalWins
			m.Losses += n.Losses
		}
		r.Classes = append(r.Classes, class)
		r.Wins += class.Wins
		r.Losses += class.Losses
	}
	r.Marks = r.Marks[bits.OnesCount64(space.Taken):]
	r.States = r.Wins + r.Losses
	free := rules.Size()*rules.Size() - bits.OnesCount64(space.Taken)
	if r.States != 1<<uint(free) {
		return nil, fmt.Errorf("the counts add up to %d states, not to 2^%d: this is a mistake in the program, please report it", r.States, free)
	}
	r.SHA256 = r.sum()
	return r, nil
}

func (r *result) sum() string {
	unsigned := *r
	unsigned.SHA256 = ""
	text, err := json.Marshal(unsigned)
	if err != nil {
		panic(err) // numbers and words alone
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// save writes the result, whole or not at all.
func (r *result) save(path string) error {
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	return durable.Write(path, func(f *os.File) error {
		_, err := f.Write(append(text, '\n'))
		return err
	})
}

// stream solves without keeping the table.
func (s *solver) stream(cmd *cobra.Command, t *target) error {
	began := time.Now()
	if _, err := os.Stat(t.resultPath()); err == nil && !s.force {
		err := fmt.Errorf("%s exists already; --force solves again and replaces it", t.resultPath())
		return cmp.Or(clearAway(t), err)
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	o, err := s.prepareStream(t)
	if err != nil {
		return err
	}
	if err := s.makeDir(); err != nil {
		return err
	}
	files, err := outofcore.Open(t.workPath(), t.space, s.force)
	if err != nil {
		return err
	}
	defer files.Close() // what is lost by an error here is a lock that nobody holds
	limitHeap(o)
	stop := s.watch(cmd, &o, t)
	solved, err := files.Solve(cmd.Context(), o)
	if errors.Is(err, outofcore.ErrDamaged) && s.force {
		if err = files.Discard(); err == nil {
			solved, err = files.Solve(cmd.Context(), o)
		}
	}
	stop()
	if err != nil {
		return explain(err, *s.dir)
	}
	r, err := newResult(t.rules, t.space, t.moves, solved)
	if err != nil {
		return err
	}
	if err := r.save(t.resultPath()); err != nil {
		return fmt.Errorf("%w; what was solved is kept: the same command saves it then", err)
	}
	// Only now can the work files go.
	if err := files.Remove(); err != nil {
		return err
	}
	report := streamReport{
		result: r, Path: t.resultPath(), Resumed: solved.Resumed,
		Seconds: time.Since(began).Seconds(), PeakMemory: machine.PeakMemory(), Read: solved.Read, Written: solved.Written,
	}
	if s.json {
		return json.NewEncoder(cmd.OutOrStdout()).Encode(report)
	}
	return report.writeText(cmd.OutOrStdout())
}

// clearAway removes what a solve that was ended between its last steps has left
// beside its result.
func clearAway(t *target) error {
	if err := outofcore.Clear(t.workPath()); err != nil {
		return err
	}
	l, err := durable.Lock(t.resultPath())
	if errors.Is(err, durable.ErrHeld) {
		return nil // another process is writing it again
	}
	if err != nil {
		return err
	}
	return l.Unlock()
}

// prepareStream refuses what cannot be solved here, before any work.
func (s *solver) prepareStream(t *target) (retro.Options, error) {
	o, source := s.options()
	if good, least := outofcore.Need(t.space, o); o.Memory > 0 && least > o.Memory {
		return o, fmt.Errorf("solving %s takes at least %s of memory, and is fastest with %s, but no more than %s may be used (%s); %s",
			t.name(), bytesText(least), bytesText(good), bytesText(o.Memory), source, source.remedy(least))
	}
	need, free := outofcore.Disk(t.space), s.streamFree(t)
	if free != machine.Unknown && need > free {
		return o, fmt.Errorf("the work files of %s take up to %s, but only %s are free in %s; make room there, or choose another place with --dir",
			t.name(), bytesText(need), bytesText(free), *s.dir)
	}
	return o, nil
}

// streamFree returns the bytes that work files can take, where those of an
// interrupted solve count as free, or machine.Unknown.
func (s *solver) streamFree(t *target) int64 {
	free := machine.FreeDisk(*s.dir)
	if free == machine.Unknown {
		return free
	}
	return free + outofcore.Left(t.workPath())
}

// streamReport is what is said at the end of a streamed solve.
type streamReport struct {
	*result
	Path       string  `json:"path"`
	Resumed    int     `json:"resumed_classes"`
	Seconds    float64 `json:"seconds"`
	PeakMemory int64   `json:"peak_memory_bytes"`
	Read       int64   `json:"bytes_read"`
	Written    int64   `json:"bytes_written"`
}

func (r streamReport) writeText(w io.Writer) error {
	rows := newRows(w)
	rows.add("game", "%s %d×%d after %s", r.Game, r.Size, r.Size, strings.Join(r.After, ", "))
	rows.add("states", "%s", countText(r.States))
	rows.add("wins", "%s", share(r.Wins, r.States))
	rows.add("losses", "%s", share(r.Losses, r.States))
	rows.add("start position", "%s for the player to move", r.Start.Outcome)
	rows.add("winner", "the %s player", r.Winner)
	rows.add("time", "%s", time.Duration(r.Seconds*float64(time.Second)).Round(time.Millisecond))
	if r.Resumed > 0 {
		rows.add("resumed", "after %d of %d classes", r.Resumed, len(r.Classes))
	} else {
		rows.add("speed", "%s", progress.RateText(float64(r.States)/r.Seconds, "states"))
	}
	rows.add("peak memory", "%s", bytesText(r.PeakMemory))
	rows.add("work files", "%s read, %s written", bytesText(r.Read), bytesText(r.Written))
	rows.add("result", "%s", r.Path)
	rows.add("sha256", "%s", r.SHA256)
	return rows.flush()
}
