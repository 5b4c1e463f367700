package remote

import (
	"cmp"
	"slices"
	"sync"

	"backsolve/tablebase/format"
)

const (
	// cacheBytes bounds what is kept of a file, as it is there: the table keeps unpacked
	// frames itself.
	cacheBytes = 32 << 20
	// mostSpan is the most that is asked for with one request.
	mostSpan = 1 << 20
	// mostGap is how much between two pieces is rather fetched with them than that they
	// take two requests.
	mostGap = 16 << 10
)

// span is a run of bytes that was fetched or is being fetched.
type span struct {
	offset, length int64
	done           chan struct{} // closed when there are bytes or an error
	bytes          []byte
	err            error
	used           uint64 // the clock when it was last asked for
}

func (s *span) has(w format.Extent) bool {
	return s.offset <= w.Offset && w.Offset+w.Length <= s.offset+s.length
}

// cache has the spans of a file. Those that were not asked for the longest give way.
type cache struct {
	lock  sync.Mutex
	clock uint64
	spans []*span
	bytes int64 // that are there
}

// split appends an extent in pieces for which a span suffices.
func split(pieces []format.Extent, w format.Extent) []format.Extent {
	for ; w.Length > mostSpan; w.Offset, w.Length = w.Offset+mostSpan, w.Length-mostSpan {
		pieces = append(pieces, format.Extent{Offset: w.Offset, Length: mostSpan})
	}
	if w.Length > 0 {
		pieces = append(pieces, w)
	}
	return pieces
}

// take returns the span that has each of the pieces, and which of them nobody is
// fetching yet: the caller does.
func (c *cache) take(wanted []format.Extent) (spans, fresh []*span) {
	c.lock.Lock()
	defer c.lock.Unlock()
	c.clock++
	spans = make([]*span, len(wanted))
	var missing []int
	for i, w := range wanted {
		at := slices.IndexFunc(c.spans, func(s *span) bool { return s.has(w) })
		if at < 0 {
			missing = append(missing, i)
			continue
		}
		spans[i] = c.spans[at]
		spans[i].used = c.clock
	}
	slices.SortFunc(missing, func(a, b int) int { return cmp.Compare(wanted[a].Offset, wanted[b].Offset) })
	for _, i := range missing {
		w := wanted[i]
		if n := len(fresh) - 1; n >= 0 && fresh[n].reach(w) {
			spans[i] = fresh[n]
			continue
		}
		spans[i] = &span{offset: w.Offset, length: w.Length, done: make(chan struct{}), used: c.clock}
		fresh = append(fresh, spans[i])
	}
	c.spans = append(c.spans, fresh...)
	return spans, fresh
}

// reach makes a span, which nobody fetches yet, long enough for a piece that begins
// behind its start, unless that is too far away.
func (s *span) reach(w format.Extent) bool {
	end := max(s.offset+s.length, w.Offset+w.Length)
	if w.Offset > s.offset+s.length+mostGap || end > s.offset+mostSpan {
		return false
	}
	s.length = end - s.offset
	return true
}

// keep has a span that was fetched already.
func (c *cache) keep(offset int64, bytes []byte) {
	s := &span{offset: offset, length: int64(len(bytes)), done: make(chan struct{})}
	c.lock.Lock()
	c.spans = append(c.spans, s)
	c.lock.Unlock()
	c.loaded(s, bytes, nil)
}

// loaded has what came of fetching a span. One without its bytes is fetched again when
// it is asked for again.
func (c *cache) loaded(s *span, bytes []byte, err error) {
	c.lock.Lock()
	defer c.lock.Unlock()
	if s.bytes, s.err = bytes, err; err != nil {
		c.spans = slices.DeleteFunc(c.spans, func(o *span) bool { return o == s })
	} else {
		c.bytes += s.length
	}
	close(s.done)
	for c.bytes > cacheBytes {
		c.drop()
	}
}

// drop forgets the span that was not asked for the longest, of those that are there.
func (c *cache) drop() {
	oldest := -1
	for i, s := range c.spans {
		if s.bytes != nil && (oldest < 0 || s.used < c.spans[oldest].used) {
			oldest = i
		}
	}
	c.bytes -= c.spans[oldest].length
	c.spans = slices.Delete(c.spans, oldest, oldest+1)
}
