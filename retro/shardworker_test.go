package retro

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"backsolve/partition"
	"backsolve/tablebase/format"
)

// peers solves shards by workers in this process. Which worker takes a turn is random; some turns
// are taken twice, and some workers are replaced by new ones that know nothing.
type peers struct {
	t       *testing.T
	space   *partition.Space
	o       Options
	workers []*ShardWorker
	shards  int
	random  *rand.Rand

	counter *ShardWorker // counts what is in the table

	class, most int
	above       map[int]*SolvedSection
	labels      map[[2]int][]SectionLabels
}

func (p *peers) Above(section int) (*SolvedSection, error) {
	of, there := p.above[section]
	if !there {
		return nil, fmt.Errorf("class %d has no section %d", p.class+1, section)
	}
	return of, nil
}

func (p *peers) Labels(shard, round int, take func(l SectionLabels) error) error {
	for _, l := range p.labels[[2]int{shard, round}] {
		if err := take(l); err != nil {
			return err
		}
	}
	return nil
}

// any returns a worker.
func (p *peers) any() *ShardWorker {
	i := p.random.IntN(len(p.workers))
	if w := p.workers[i]; w == nil || p.random.IntN(9) == 0 {
		if w != nil {
			w.Close()
		}
		var err error
		if p.workers[i], err = NewShardWorker(p.t.Context(), p.space, p.o, ShardSource{p.Above, p.Labels}); err != nil {
			p.t.Fatal(err)
		}
	}
	return p.workers[i]
}

func (p *peers) turn(task ShardTask) (all []SectionLabels, labelled bool, until int) {
	w := p.any()
	labelled, until, err := w.Turn(task)
	if err == nil {
		err = w.Labels(task.Shard, task.Round, func(l SectionLabels) error {
			all = append(all, SectionLabels{l.Section, bytes.Clone(l.Won), bytes.Clone(l.Lost)})
			return nil
		})
	}
	if err != nil {
		p.t.Fatal(err)
	}
	return all, labelled, until
}

func (p *peers) Solve(_ context.Context, c *SharedClass) error {
	p.class, p.labels = c.Class(), map[[2]int][]SectionLabels{}
	cut := c.job.sectioning(c.job.class.Class)
	task := ShardTask{Class: c.Class(), Shards: min(p.shards, cut.sections())}
	p.most = max(p.most, task.Shards)
	most := 0
	for more := true; more || task.Round <= most; task.Round++ {
		now := uint64(0)
		for task.Shard = range task.Shards {
			all, labelled, until := p.turn(task)
			most = max(most, until)
			if p.random.IntN(4) == 0 {
				if again, _, _ := p.turn(task); !slices.EqualFunc(all, again, equalLabels) {
					p.t.Errorf("class %d: shard %d labels something else in round %d when its turn is taken again", p.class, task.Shard, task.Round)
				}
			}
			if p.labels[[2]int{task.Shard, task.Round}] = all; labelled {
				now |= 1 << task.Shard
			}
		}
		task.Labelled = append(task.Labelled, now)
		more = now != 0
	}
	for range 2 * task.Shards { // labels that were lost are made again
		lost := task
		lost.Shard, lost.Round = p.random.IntN(task.Shards), p.random.IntN(1+p.random.IntN(task.Round))
		lost.Labelled = task.Labelled[:lost.Round]
		if again, _, _ := p.turn(lost); !slices.EqualFunc(p.labels[[2]int{lost.Shard, lost.Round}], again, equalLabels) {
			p.t.Errorf("class %d: shard %d labels something else in round %d when that is made again", p.class, lost.Shard, lost.Round)
		}
	}
	above, counts := map[int]*SolvedSection{}, StateCounts{}
	plies := task.Round
	for plies > 0 && task.Labelled[plies-1] == 0 {
		plies--
	}
	parts, file, err := c.Layout(plies)
	pieces := make([][]uint32, len(parts))
	var words []int64
	for task.Shard = range task.Shards {
		w := p.any()
		err = errors.Join(err, w.Seal(task, func(of *SolvedSection) error {
			above[of.Section] = of
			words = append(words, int64(len(of.Win)))
			return p.write(file, c.Class(), of, parts, &counts, pieces)
		}))
	}
	if err == nil {
		err = c.Written(&counts, words, pieces)
	}
	if err != nil {
		p.t.Fatal(err)
	}
	for section, want := range p.above { // one that is lost is in the table, too
		of, err := c.AboveSection(section)
		if err != nil || !reflect.DeepEqual(of, want) {
			p.t.Errorf("class %d: section %d of the class above is read again as another one, or not: %v", p.class, section, err)
		}
	}
	p.above = above
	return nil
}

// write writes a section into the table, and adds what another worker counts there.
func (p *peers) write(file string, class int, of *SolvedSection, parts []format.Part, counts *StateCounts, pieces [][]uint32) error {
	words := p.counter.sectionWords(p.counter.cut.Class(class))
	outcomes, steps, err := of.Columns(words, parts[format.Steps].Columns)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(file, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	first := int64(of.Section) * int64(words)
	for i, columns := range [][][]uint64{outcomes, steps} {
		if len(columns) == 0 {
			continue
		}
		sums, err := parts[i].WriteStretch(f, first, columns)
		if err == nil {
			_, err = parts[i].ReadStretch(f, first, columns)
		}
		if err != nil {
			return err
		}
		pieces[i] = append(pieces[i], sums...)
	}
	found, err := p.counter.CountColumns(class, of.Section, outcomes, steps)
	if err == nil {
		counts.Add(found)
	}
	of.Win[0] ^= 1
	if wrong, err := p.counter.CountColumns(class, of.Section, outcomes, steps); err == nil && wrong.Equal(found) {
		p.t.Errorf("class %d: section %d is counted alike with another state won", class, of.Section)
	}
	of.Win[0] ^= 1
	return err
}

func equalLabels(a, b SectionLabels) bool {
	return a.Section == b.Section && bytes.Equal(a.Won, b.Won) && bytes.Equal(a.Lost, b.Lost)
}

// Whoever takes the turns of shards, the table is the same.
func TestShardWorkers(t *testing.T) {
	for i, name := range []string{"quixo:3", "quixo:4x2,both-win", "quixo:3x3,both-draw", "tictactoe:3", "quixo:4x3", "quixo:4x3,three"} {
		if testing.Short() && (i == 2 || i == 4) {
			continue // they take long under the race detector; the last has as many cells
		}
		o := Options{Threads: 2}
		if i == 5 {
			o.Steps, o.DownTo = true, enoughOf4x3
		}
		t.Run(strings.ReplaceAll(name, ":", " "), func(t *testing.T) {
			space := newVariant(t, name)
			path, _ := solve(t, space, o)
			want := contents(t, written(path, o))
			dir := t.TempDir()
			p := &peers{
				t: t, space: space, workers: make([]*ShardWorker, 1+i%3), shards: 2 + 3*(i%4),
				o: o, random: rand.New(rand.NewPCG(1, uint64(i))),
			}
			p.o.LogPath = filepath.Join(dir, "worker")
			o.Scheduler = p.Solve
			path = filepath.Join(dir, "table.tb")
			var err error
			if p.counter, err = NewShardWorker(t.Context(), space, p.o, ShardSource{p.Above, p.Labels}); err != nil {
				t.Fatal(err)
			}
			defer p.counter.Close()
			solveTo(t, path, space, tuned{Options: o})
			if !bytes.Equal(contents(t, written(path, o)), want) {
				t.Error("other bytes")
			}
			if p.most < min(p.shards, 5) {
				t.Errorf("at most %d shards", p.most)
			}
			for _, w := range p.workers {
				if w != nil {
					w.Close()
				}
			}
		})
	}
}
