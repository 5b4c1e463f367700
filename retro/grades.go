package retro

import (
	"cmp"
	"math"
	"math/bits"
	"slices"

	"backsolve/internal/bitslice"
	"backsolve/retro/internal/plylog"
	"backsolve/retro/internal/work"
)

// grades order the states of the class above by their value for the player to move there: first lost ones, by
// their steps, then drawn ones, and last won ones, with the most steps first. So the lowest grade among a
// state's children above says all that they decide. If it belongs to a lost child, the state is won in one
// step more. If it belongs to a won one, all are won, the last of them after these steps.
type grades struct {
	above *level
	// places has for each grade the destination of states with this lowest grade. The last is also for states
	// without a child above.
	places []place
	drawn  int // the grade of drawn states
	// planes are the planes of the class above from word first on. The sections that were read are valid.
	planes [][]uint64
	first  int
	// lowest has the lowest grades for units of the class in work, from word firstLowest on. It is nil
	// where units are decided one by one, from the whole class above.
	lowest      [][]uint64
	firstLowest int
}

// place is a ply of a log. Drawn states have no log.
type place struct {
	log *plylog.Log
	ply int
}

// newGrades numbers the plies that occur in the class above.
func (s *bySteps) newGrades() *grades {
	g, above := &grades{above: s.above}, s.logsAbove()
	for ply := range above.lost.Plies() {
		if above.lost.Any(ply) {
			g.places = append(g.places, place{s.wonAbove, ply})
		}
	}
	g.drawn = len(g.places)
	g.places = append(g.places, place{})
	for ply := above.won.Plies() - 1; ply > 0; ply-- {
		if above.won.Any(ply) {
			g.places = append(g.places, place{s.ready, ply})
		}
	}
	g.places = append(g.places, place{s.ready, 0})
	return g
}

func (g *grades) digits() int { return bits.Len(uint(len(g.places) - 1)) }

func (g *grades) free(plane func(words []uint64)) {
	for _, p := range slices.Concat(g.planes, g.lowest) {
		plane(p)
	}
}

// read grades a section of the class above by its logs.
func (g *grades) read(w *work.Worker, section int) error {
	from, to := g.above.won.Section(section)
	for d, plane := range g.planes {
		fill(plane[from-g.first:to-g.first], -uint64(g.drawn>>d&1))
	}
	for grade, place := range g.places {
		log := g.above.won
		switch {
		case grade < g.drawn:
			log = g.above.lost
		case grade == g.drawn:
			continue
		}
		if err := log.Read(place.ply, section, &w.Log); err != nil {
			return err
		}
		for differ := uint(grade ^ g.drawn); differ != 0; differ &= differ - 1 {
			plane := g.planes[bits.TrailingZeros(differ)][from-g.first:]
			for i, at := range w.Log.At {
				plane[at] ^= w.Log.Words[i]
			}
		}
	}
	return nil
}

func fill(words []uint64, x uint64) {
	for i := range words {
		words[i] = x
	}
}

// lower lowers the grades of a unit's states to those of their children in blocks first to end−1. Both
// are in the order of reading.
func (g *grades) lower(f *fixpoint, w *work.Worker, unit, first, end int, lowest bitslice.Numbers) {
	block, part := f.units.Block(unit)
	words := w.DirtyBuffer(readBuffer, len(g.planes)*f.units.Words)
	w.To = slices.AppendSeq(w.To[:0], slices.Chunk(words, f.units.Words))
	f.eachAbove(w, block, first, end, func(child int, m *bitslice.IndexMap) {
		plan := w.Plan(m)
		w.From = w.From[:0]
		for _, plane := range g.planes {
			w.From = append(w.From, plane[child*g.above.words-g.first:][:g.above.words])
		}
		if plan.Needs() != 0 { // other states do not have this child
			g.none(w.To)
		}
		w.Gather(plan, w.To, part, w.From)
		lowest.Least(w.To)
	})
}

// none fills words by digit with the grade of states without a child.
func (g *grades) none(words bitslice.Numbers) {
	for d, plane := range words {
		fill(plane, -uint64((len(g.places)-1)>>d&1))
	}
}

// decideAbove finds what the class above decides of the units in work: the candidates by the ply after
// which all their children above are won, and the states that are won by a child there, by its steps.
func (s *bySteps) decideAbove() error {
	g := s.newGrades()
	if s.above == nil {
		return s.decideWhole(g)
	}
	log := g.above.won
	words, sections := g.above.planeWords(), log.Sections()
	parts := cmp.Or(s.inParts, s.plan.Classes[s.cut.MaskBits-s.class.Class.Class].Parts)
	defer s.ledger.DropSpare() // the class needs fewer planes
	defer g.free(s.ledger.Free)
	if parts == 0 {
		err := addPlanes(&g.planes, g.digits(), words, s.ledger.DirtyPlane)
		if err == nil {
			s.forEach(0, sections, func(w *work.Worker, section int) { s.class.Pool.Fail(g.read(w, section)) })
			err = s.decideWhole(g)
		}
		return err
	}
	s.ledger.DropSpare()
	inBlock := max(g.above.words/log.SectionWords(), 1)
	atOnce := (sections/inBlock + parts - 1) / parts * inBlock
	own := (s.ready.Sections() + parts - 1) / parts
	err := addPlanes(&g.planes, g.digits(), min(atOnce*log.SectionWords(), words), s.ledger.DirtyPlane)
	if err == nil {
		err = addPlanes(&g.lowest, g.digits(), min(own*s.ready.SectionWords(), s.level.planeWords()), s.ledger.DirtyPlane)
	}
	if err != nil {
		return err
	}
	all := func(int) bool { return true }
	return s.decideInWindows(g, all, func(do func(first, end int)) {
		eachWindow(sections, atOnce, all, func(first, end int) {
			g.first, _ = log.Section(first)
			do(first, end)
		})
	})
}

func (s *bySteps) decideWhole(g *grades) error {
	first, end := s.sections(s.ready)
	return s.decideSections(g, first, end, func(w *work.Worker, unit int) bitslice.Numbers {
		words := w.DirtyBuffer(gatherWinBuffer, g.digits()*s.units.Words)
		w.Sets[unitDigits] = slices.AppendSeq(w.Sets[unitDigits][:0], slices.Chunk(words, s.units.Words))
		g.none(w.Sets[unitDigits])
		g.lower(s.fixpoint, w, unit, 0, math.MaxInt, w.Sets[unitDigits])
		return w.Sets[unitDigits]
	})
}

// decideInWindows decides as many sections at once as lowest has room for, from as many of the class above
// at once as eachWindow gives. Links lead to the needed ones of these.
func (s *bySteps) decideInWindows(g *grades, needed func(section int) bool, eachWindow func(do func(first, end int))) error {
	above, words := s.above.won, s.units.Words
	ofUnit := func(w *work.Worker, unit int) bitslice.Numbers {
		w.Sets[unitDigits] = w.Sets[unitDigits][:0]
		for _, plane := range g.lowest {
			w.Sets[unitDigits] = append(w.Sets[unitDigits], plane[unit*words-g.firstLowest:][:words])
		}
		return w.Sets[unitDigits]
	}
	first, last := s.sections(s.ready)
	section := s.ready.SectionWords()
	for atOnce := (len(g.lowest[0]) + section - 1) / section; first < last; first += atOnce {
		end := min(first+atOnce, last)
		from, _ := s.ready.Section(first)
		_, to := s.ready.Section(end - 1)
		g.firstLowest = from
		g.none(g.lowest)
		eachWindow(func(firstAbove, endAbove int) {
			s.forEach(firstAbove, endAbove, func(w *work.Worker, section int) {
				if needed(section) {
					s.class.Pool.Fail(g.read(w, section))
				}
			})
			firstWord, _ := above.Section(firstAbove)
			_, endWord := above.Section(endAbove - 1)
			s.forEach(from/words, to/words, func(w *work.Worker, unit int) {
				g.lower(s.fixpoint, w, unit, firstWord/s.above.words, endWord/s.above.words, ofUnit(w, unit))
			})
		})
		if err := s.decideSections(g, first, end, ofUnit); err != nil {
			return err
		}
	}
	return nil
}

// decideSections writes to the logs where the lowest grades put the states of sections first to end−1.
func (s *bySteps) decideSections(g *grades, first, end int, lowest func(w *work.Worker, unit int) bitslice.Numbers) error {
	for _, p := range g.places {
		if p.log != nil {
			p.log.Begin(p.ply)
		}
	}
	s.forEach(first, end, func(w *work.Worker, section int) {
		from, to := s.ready.Section(section)
		for unit := from / s.units.Words; unit < to/s.units.Words; unit++ {
			lowest := lowest(w, unit)
			over := s.readTerminals(w, s.terminals(w, s.units.Mirror(unit)))
			for i, x := range over {
				w.ByGrade = plylog.Sort(w.ByGrade, lowest, i, uint32(unit*s.units.Words-from+i), bitslice.Valid(s.units.K)&^x)
			}
		}
		for grade := range min(len(w.ByGrade), len(g.places)) { // the class above may have had more
			if p := g.places[grade]; p.log != nil {
				s.class.Pool.Fail(p.log.AppendSparse(p.ply, section, &w.ByGrade[grade], &w.Log))
			}
			w.ByGrade[grade].Reset()
		}
	})
	s.ready.Trim()
	s.wonAbove.Trim()
	return s.class.Pool.Cause()
}

// labelWonAbove labels the states that are won by a child above that is lost in a ply. won is the plane of
// won states, or nil where these join it later.
func (s *bySteps) labelWonAbove(ply int, won []uint64) {
	log, last := s.wonAbove, s.level.words-1
	if !log.Any(ply) {
		return
	}
	order := newOrder(s.units.K, s.level.words)
	first, end := s.sections(log)
	s.forEach(first, end, func(w *work.Worker, section int) {
		s.class.Pool.Fail(log.Read(ply, section, &w.Log))
		// The order of the index: that of a block's words is reversed.
		from, _ := log.Section(section)
		within := last & (log.SectionWords() - 1)
		from ^= last &^ within
		n := 0
		for i, at := range w.Log.At {
			at ^= uint32(within)
			_, x := order.word(0, w.Log.Words[i])
			if x &= s.undecided[from+int(at)]; x == 0 {
				continue
			}
			s.undecided[from+int(at)] &^= x
			if won != nil {
				won[from+int(at)] |= x
			}
			w.Log.At[n], w.Log.Words[n] = at, x
			n++
		}
		s.newWon.add(w, from, w.Log.At[:n], w.Log.Words[:n])
	})
}
