package remote

import (
	"cmp"
	"slices"
	"sync"

	"backsolve/tablebase/format"
)

const (
	// cacheBytes bounds what is kept as fetched; the table caches unpacked frames itself.
	cacheBytes = 32 << 20
	// maxSpan is the most that one request asks for.
	maxSpan = 1 << 20
	// maxGap is the longest gap between two pieces that are fetched by one request.
	maxGap = 16 << 10
)

type span struct {
	offset, length int64
	done           chan struct{} // closed when there are bytes or an error
	bytes          []byte
	err            error
}

func (s *span) has(w format.Extent) bool {
	return s.offset <= w.Offset && w.Offset+w.Length <= s.offset+s.length
}

// cache has the spans of a file. It evicts the least recently used.
type cache struct {
	lock  sync.Mutex
	spans []*span // the least recently used first
	bytes int64   // that were fetched
}

func split(pieces []format.Extent, w format.Extent) []format.Extent {
	for ; w.Length > maxSpan; w.Offset, w.Length = w.Offset+maxSpan, w.Length-maxSpan {
		pieces = append(pieces, format.Extent{Offset: w.Offset, Length: maxSpan})
	}
	if w.Length > 0 {
		pieces = append(pieces, w)
	}
	return pieces
}

// take returns the span of each piece, and the fresh ones, which the caller must fetch.
func (c *cache) take(wanted []format.Extent) (spans, fresh []*span) {
	c.lock.Lock()
	defer c.lock.Unlock()
	spans = make([]*span, len(wanted))
	var missing []int
	for i, w := range wanted {
		at := slices.IndexFunc(c.spans, func(s *span) bool { return s.has(w) })
		if at < 0 {
			missing = append(missing, i)
			continue
		}
		spans[i] = c.spans[at]
		c.spans = append(slices.Delete(c.spans, at, at+1), spans[i])
	}
	slices.SortFunc(missing, func(a, b int) int { return cmp.Compare(wanted[a].Offset, wanted[b].Offset) })
	for _, i := range missing {
		w := wanted[i]
		if n := len(fresh) - 1; n >= 0 && fresh[n].extend(w) {
			spans[i] = fresh[n]
			continue
		}
		spans[i] = &span{offset: w.Offset, length: w.Length, done: make(chan struct{})}
		fresh = append(fresh, spans[i])
	}
	c.spans = append(c.spans, fresh...)
	return spans, fresh
}

// extend makes a fresh span reach to the end of a later piece, unless that is too far away.
func (s *span) extend(w format.Extent) bool {
	end := max(s.offset+s.length, w.Offset+w.Length)
	if w.Offset > s.offset+s.length+maxGap || end > s.offset+maxSpan {
		return false
	}
	s.length = end - s.offset
	return true
}

// loaded ends the fetching of a span, which is forgotten after an error.
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
		oldest := slices.IndexFunc(c.spans, func(s *span) bool { return s.bytes != nil })
		c.bytes -= c.spans[oldest].length
		c.spans = slices.Delete(c.spans, oldest, oldest+1)
	}
}
