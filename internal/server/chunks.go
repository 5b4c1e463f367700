package server

import (
	"context"
	"encoding/json"
	"runtime"
	"strconv"
	"sync"

	"backsolve/internal/probe"
	"backsolve/internal/server/catalog"
)

// chunkPositions have answers of some tens of kilobytes; a batch with a slow client keeps several chunks.
const chunkPositions = 32

type chunk struct {
	first      int64  // number of the first position, from 0
	texts      []byte // of the positions, concatenated
	items      []item
	lookup     *probe.BatchLookup // of the positions, or nil
	lookupFrom int                // the number that the first position has in it
	err        error              // why the batch stops after this chunk, or nil
	done       chan struct{}      // receives when answer is complete
	answer     []byte
	lookups    int // states that the answers name

	// For a batch of values alone.
	parts  []string // the texts
	values []probe.Value
	errs   []error
}

type item struct {
	end int   // of its text
	err error // why it cannot be read, or nil
}

var chunks = sync.Pool{New: func() any { return &chunk{done: make(chan struct{}, 1)} }}

type layout struct {
	first, between, after string
	end, none             string // none is the whole answer to an empty batch
}

var (
	arrayLayout = layout{first: "[", between: ",\n", end: "]\n", none: "[]\n"}
	linesLayout = layout{after: "\n"}
	noLayout    layout // of records
)

// answers answers a batch, chunk by chunk, in goroutines. Only the one that reads the batch may call its methods.
type answers struct {
	*Server
	handle  catalog.Handle
	layout  layout
	form    form
	size    int         // positions of a chunk
	queue   chan *chunk // that are being answered, in order; its capacity bounds them
	filling *chunk      // or nil
	count   int64       // positions that were added
	most    int         // positions that are collected before they are answered
	taken   int64       // bytes of the budget of batch lookups
}

func newAnswers(s *Server, h catalog.Handle, l layout, f form) *answers {
	a := &answers{Server: s, handle: h, layout: l, form: f, size: chunkPositions, queue: make(chan *chunk, 2*runtime.GOMAXPROCS(0))}
	if f != fullForm {
		a.size = chunkValues
	}
	a.most = a.size
	if t := h.Table(); t != nil && t.Stored().Packed() > 0 && t.Stored().Bytes() >= s.batched {
		a.most = batchLookupPositions
	}
	return a
}

func (a *answers) add(ctx context.Context, text []byte, unreadable error) error {
	c := a.current()
	c.texts = append(c.texts, text...)
	c.items = append(c.items, item{len(c.texts), unreadable})
	a.count++
	if len(c.items) < a.most {
		return nil
	}
	return a.dispatch(ctx)
}

func (a *answers) current() *chunk {
	if a.filling == nil {
		a.filling = newChunk(a.count)
	}
	return a.filling
}

func newChunk(first int64) *chunk {
	c := chunks.Get().(*chunk)
	*c = chunk{
		first: first, texts: c.texts[:0], items: c.items[:0], answer: c.answer[:0], done: c.done,
		parts: c.parts[:0], values: c.values, errs: c.errs,
	}
	return c
}

// dispatch starts to answer the positions that were added. The error is ctx's.
func (a *answers) dispatch(ctx context.Context) error {
	c := a.filling
	if c == nil {
		return nil
	}
	if len(c.items) > a.size {
		return a.answerTogether(ctx)
	}
	err := a.push(ctx, c)
	if err == nil {
		a.filling = nil
	}
	return err
}

func (a *answers) push(ctx context.Context, c *chunk) error {
	select {
	case a.queue <- c:
		go a.answer(c)
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// end starts to answer the rest, followed by err if that is not nil.
func (a *answers) end(ctx context.Context, err error) {
	if err != nil {
		if c := a.filling; c != nil && len(c.items) > a.size {
			a.answerTogether(ctx)
		}
		a.current().err = err
	}
	a.dispatch(ctx)
	close(a.queue)
}

func (a *answers) answer(c *chunk) {
	a.turns <- struct{}{}
	defer func() {
		a.turns.release()
		c.done <- struct{}{}
	}()
	answered, err := a.answerItems(c)
	c.lookup = nil
	if err != nil {
		c.err = err
	}
	a.metrics.countLookups(a.handle, answered, c.lookups)
	if c.err != nil && a.form != binaryForm { // which ends short
		c.answer = append(a.appendUnanswered(c.answer, c.first+int64(answered), c.err), a.layout.end...)
	}
}

// answerItems answers the positions of a chunk and returns how many: all unless it fails.
func (a *answers) answerItems(c *chunk) (answered int, err error) {
	defer a.rescue(&err)
	if a.form != fullForm {
		a.answerValues(c, &answered)
		return answered, nil
	}
	texts, start := string(c.texts), 0
	for i, item := range c.items {
		c.answer = a.appendAnswer(c.answer, c, i, texts[start:item.end])
		answered, start = i+1, item.end
	}
	return answered, nil
}

func (a *answers) appendAnswer(dst []byte, c *chunk, i int, text string) []byte {
	number := c.first + int64(i)
	if unreadable := c.items[i].err; unreadable != nil {
		return a.appendUnanswered(dst, number, unreadable)
	}
	var moves int
	var err error
	answer := a.separate(dst, number)
	if c.lookup != nil {
		answer, moves, err = c.lookup.AppendAsk(answer, c.lookupFrom+i, text)
	} else {
		answer, moves, err = probe.AppendAsk(a.handle.Answerer(), answer, text)
	}
	if err != nil {
		return a.appendUnanswered(dst, number, err)
	}
	c.lookups += 1 + moves
	return append(answer, a.layout.after...)
}

func (a *answers) appendUnanswered(dst []byte, number int64, err error) []byte {
	text, _ := json.Marshal(forClients(err)) // any string can be encoded
	dst = append(a.separate(dst, number), `{"line":`...)
	dst = strconv.AppendInt(dst, number+1, 10)
	dst = append(append(dst, `,"error":`...), text...)
	return append(append(dst, '}'), a.layout.after...)
}

func (a *answers) separate(dst []byte, number int64) []byte {
	if number == 0 {
		return append(dst, a.layout.first...)
	}
	return append(dst, a.layout.between...)
}
