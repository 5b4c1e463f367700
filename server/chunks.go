package server

import (
	"context"
	"encoding/json"
	"runtime"
	"strconv"
	"sync"

	"backsolve/probe"
	"backsolve/server/catalog"
)

// chunkPositions is how many positions are answered at a time by one goroutine:
// some tens of kilobytes, since each batch keeps several chunks while its client
// reads.
const chunkPositions = 32

// chunk is some positions of a batch with their answers.
type chunk struct {
	// first is the number of the first position, counted from 0.
	first int64
	texts []byte // of the positions, one behind the other
	items []item
	// lookup, unless it is nil, has what the answers need, from the position lookupFrom on.
	lookup     *probe.BatchLookup
	lookupFrom int
	// err is why the batch ends here before its end, nil where it does not.
	err error
	// done receives when answer is there: the answers, separated and all.
	done   chan struct{}
	answer []byte
	// lookups counts the states that the answers name.
	lookups int
}

// item is a position of a chunk.
type item struct {
	end int // of its text
	// err is why it cannot be read, nil where it can.
	err error
}

var chunks = sync.Pool{New: func() any { return &chunk{done: make(chan struct{}, 1)} }}

// layout is what stands between the answers of a batch.
type layout struct {
	first, between, after string
	end, none             string // the end of all, and all where there are none
}

var (
	arrayLayout = layout{first: "[", between: ",\n", end: "]\n", none: "[]\n"}
	linesLayout = layout{after: "\n"}
)

// answers takes the positions of a batch and answers them, chunk by chunk, in
// goroutines. Its methods but ending are for the goroutine that reads.
type answers struct {
	*Server
	handle catalog.Handle
	layout layout
	// queue has the chunks in their order. Each is being answered, and no more
	// are taken in than it has room for.
	queue   chan *chunk
	filling *chunk // nil where there is none yet
	count   int64  // positions that were added
	// most is how many positions are taken in before they are answered.
	most int
	// taken is what batch lookups have taken of the budget, in bytes.
	taken int64
}

func newAnswers(s *Server, h catalog.Handle, l layout) *answers {
	a := &answers{Server: s, handle: h, layout: l, most: chunkPositions, queue: make(chan *chunk, 2*runtime.GOMAXPROCS(0))}
	if t := h.Table(); t != nil && t.Stored().Packed() > 0 && t.Stored().Bytes() >= s.batched {
		a.most = batchLookupPositions
	}
	return a
}

// add takes a position, or why it cannot be read. The error is that of ctx.
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

// current returns the chunk that is being filled.
func (a *answers) current() *chunk {
	if a.filling == nil {
		c := chunks.Get().(*chunk)
		c.reset(a.count)
		a.filling = c
	}
	return a.filling
}

// reset empties a chunk whose first position will have a number, and keeps its memory.
func (c *chunk) reset(first int64) {
	*c = chunk{first: first, texts: c.texts[:0], items: c.items[:0], answer: c.answer[:0], done: c.done}
}

// dispatch has what was added answered. The error is that of ctx.
func (a *answers) dispatch(ctx context.Context) error {
	c := a.filling
	if c == nil {
		return nil
	}
	if len(c.items) > chunkPositions {
		return a.answerTogether(ctx)
	}
	err := a.push(ctx, c)
	if err == nil {
		a.filling = nil
	}
	return err
}

// push has a chunk answered. The error is that of ctx.
func (a *answers) push(ctx context.Context, c *chunk) error {
	select {
	case a.queue <- c:
		go a.answer(c)
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// end has the rest answered, and err, if any, told behind it.
func (a *answers) end(ctx context.Context, err error) {
	if err != nil {
		if c := a.filling; c != nil && len(c.items) > chunkPositions {
			a.answerTogether(ctx) // behind which it is told
		}
		a.current().err = err
	}
	a.dispatch(ctx)
	close(a.queue)
}

// answer answers a chunk.
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
	a.metrics.answered(a.handle, answered, c.lookups)
	if c.err != nil {
		c.answer = append(a.appendUnanswered(c.answer, c.first+int64(answered), c.err), a.layout.end...)
	}
}

// answerItems answers the positions of a chunk and returns how many it has
// answered, all of them unless it fails.
func (a *answers) answerItems(c *chunk) (answered int, err error) {
	defer a.rescue(&err)
	texts, start := string(c.texts), 0
	for i, item := range c.items {
		c.answer = a.appendAnswer(c.answer, c, i, texts[start:item.end])
		answered, start = i+1, item.end
	}
	return answered, nil
}

// appendAnswer appends the answer to a position of a chunk, or why it has none.
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
		answer, moves, err = a.handle.Answerer().AppendAsk(answer, text)
	}
	if err != nil {
		return a.appendUnanswered(dst, number, err)
	}
	c.lookups += 1 + moves
	return append(answer, a.layout.after...)
}

// appendUnanswered appends why a position has no answer.
func (a *answers) appendUnanswered(dst []byte, number int64, err error) []byte {
	text, _ := json.Marshal(forClients(err)) // any string can be encoded
	dst = append(a.separate(dst, number), `{"line":`...)
	dst = strconv.AppendInt(dst, number+1, 10)
	dst = append(append(dst, `,"error":`...), text...)
	return append(append(dst, '}'), a.layout.after...)
}

// separate appends what stands before an answer.
func (a *answers) separate(dst []byte, number int64) []byte {
	if number == 0 {
		return append(dst, a.layout.first...)
	}
	return append(dst, a.layout.between...)
}

// ending returns what ends the answer to the whole batch, for when the queue is
// closed.
func (a *answers) ending() string {
	if a.count == 0 {
		return a.layout.none
	}
	return a.layout.end
}
