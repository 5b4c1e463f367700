package nim

import (
	"fmt"
	"strconv"
	"strings"

	"backsolve/game"
)

// Parse reads the text that Format writes, with or without white space around it. The side to
// move may also be written if it is x.
func (r *rules) Parse(text string) (position, error) {
	s := game.NewScanner(text, r.Example())
	if s.Peek() == "" {
		return position{}, s.Fail("there is no position; write the counters of the %s, separated by slashes", r.heaps())
	}
	var p position
	for heap := range r.n {
		if heap > 0 {
			if s.Peek() != "/" {
				return position{}, s.Fail("expected a slash and the next of the %s", r.heaps())
			}
			s.Skip()
		}
		counters, err := s.Number(0, r.maxCounters(), "counters")
		if err != nil {
			return position{}, err
		}
		p.heaps[heap] = uint8(counters)
	}
	if s.Peek() == "/" {
		return position{}, s.Fail("the position continues after its %s; leave out the rest", r.heaps())
	}
	turn, err := s.Side("heaps")
	if err != nil {
		return position{}, err
	}
	p.turn = turn
	return p, nil
}

// heaps describes the heaps of a position.
func (r *rules) heaps() string {
	if r.n == 1 {
		return "1 heap"
	}
	return fmt.Sprintf("%d heaps", r.n)
}

// Format returns the counters of the heaps, separated by slashes, and a space and an o if o is to
// move: 1/3/5 o.
func (r *rules) Format(p position) string { return string(r.AppendFormat(nil, p)) }

// AppendFormat appends the text of p, as Format returns it.
func (r *rules) AppendFormat(dst []byte, p position) []byte {
	for heap := range r.n {
		if heap > 0 {
			dst = append(dst, '/')
		}
		dst = strconv.AppendInt(dst, int64(p.counters(heap)), 10)
	}
	if p.turn == game.O {
		dst = append(dst, " o"...)
	}
	return dst
}

// ParseMove reads a heap's letter and the number of counters taken from it.
func (r *rules) ParseMove(p position, text string) (game.Move, error) {
	s := game.NewScanner(text, "a1")
	heap, err := s.Letter(r.n, "a heap")
	if err != nil {
		return game.Move{}, err
	}
	taken, err := s.Number(1, r.maxCounters(), "counters")
	if err != nil {
		return game.Move{}, err
	}
	if err := s.End("a move is a heap's letter and the number of counters that are taken"); err != nil {
		return game.Move{}, err
	}
	m := game.Move{From: uint8(heap), To: uint8(taken)}
	return game.Legal(m, r.FormatMove(m), illegal(p, heap, taken))
}

// illegal says why a number of counters cannot be taken from a heap, or "" if it can.
func illegal(p position, heap, taken int) string {
	switch left := p.counters(heap); {
	case p.empty():
		return "the game is over, as no counter is left"
	case left == 0:
		return fmt.Sprintf("heap %c is empty; take from another one", 'a'+heap)
	case left < taken:
		return fmt.Sprintf("heap %c has only %d; take %[2]d or fewer", 'a'+heap, left)
	}
	return ""
}

// FormatMove returns the text that ParseMove reads.
func (*rules) FormatMove(m game.Move) string {
	return string('a'+rune(m.From)) + strconv.Itoa(int(m.To))
}

// Diagram draws the heaps below each other: the letter, the number of counters and a
// stroke for each.
func (r *rules) Diagram(p position) string {
	var b strings.Builder
	for heap := range r.n {
		line := fmt.Sprintf("%c %2d  %s", 'a'+heap, p.counters(heap), strings.Repeat("|", p.counters(heap)))
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	return b.String()
}

// Example returns the text of the start.
func (r *rules) Example() string { return r.Format(r.Start()) }
