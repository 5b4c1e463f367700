package server

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	"backsolve/server/api"
)

// The types that a batch may have.
const (
	arrayMedia  = "application/json"
	linesMedia  = "application/jsonl"
	ndjsonMedia = "application/x-ndjson"
)

// bodiesRoom is what all batches together may keep of bodies that are read to their end
// before they are answered, in bytes.
const bodiesRoom = 64 << 20

// PostPositions answers many positions: of a body whose length is told after they are
// counted, else while they are still being sent.
func (s handlers) PostPositions(w http.ResponseWriter, r *http.Request, game string, size int, params api.PostPositionsParams) {
	failIf(w, s.positions(w, r, game, size, params))
}

func (s *Server) positions(w http.ResponseWriter, r *http.Request, game string, size int, params api.PostPositionsParams) error {
	media, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if media != arrayMedia && media != linesMedia && media != ndjsonMedia {
		return &httpError{status: http.StatusUnsupportedMediaType, text: fmt.Sprintf("positions come as %s, an array of strings, "+
			"or as %s, one a line; say which in Content-Type", arrayMedia, linesMedia)}
	}
	if r.ContentLength > s.limits.MaxBody {
		return s.tooLong()
	}
	give, err := s.long.acquire(r)
	if err != nil {
		return err
	}
	defer give()
	h, err := s.find(game, size, params.After, nil)
	if err != nil {
		return err
	}
	defer h.Release()
	l := linesLayout
	if media == arrayMedia {
		l = arrayLayout
	}
	b := &batch{
		Server: s, w: w, r: r, control: http.NewResponseController(w), media: media,
		answers: newAnswers(s, h, l), left: s.limits.MaxBody,
	}
	defer b.answers.free()
	if n := r.ContentLength; n >= 0 && s.bodies.tryAcquire(n) {
		defer s.bodies.release(n)
		b.whole = true
	}
	return b.run()
}

func (s *Server) tooLong() error {
	return &httpError{status: http.StatusRequestEntityTooLarge,
		text: fmt.Sprintf("the body is longer than %d bytes; send the positions in several requests", s.limits.MaxBody)}
}

func (s *Server) tooMany() error {
	return &httpError{status: http.StatusRequestEntityTooLarge,
		text: fmt.Sprintf("there are more than %d positions; send them in several requests", s.limits.MaxBatch)}
}

// batch is a request for many positions. While one goroutine reads them into
// chunks and others answer these, the handler's own writes the answers in their
// order, so that a client may send and receive at the same time.
type batch struct {
	*Server
	w       http.ResponseWriter
	r       *http.Request
	control *http.ResponseController
	media   string
	answers *answers
	left    int64 // bytes of the body that may still come
	// whole says that the body is read to its end, and its positions are counted, before
	// any is answered.
	whole bool
	// begun says that the answer is on its way.
	begun bool
}

// run answers the batch. It returns an error where nothing has been answered yet.
func (b *batch) run() error {
	b.control.EnableFullDuplex() // where it is not known, nothing else is possible
	// The request's own context ends with the first read that fails, when there
	// is still something to be answered.
	ctx, cancel := context.WithCancel(context.WithoutCancel(b.r.Context()))
	defer cancel()
	body := io.Reader(bodyReader{b, ctx})
	var err error
	if b.whole {
		body, err = b.count(body)
	}
	if err == nil {
		go b.read(ctx, body)
		h := b.w.Header()
		h["Content-Type"], h["Cache-Control"] = []string{b.media}, noStore
		err = b.write()
	} else {
		close(b.answers.queue)
	}
	if err == nil {
		return nil
	}
	// What is still to come of the body is not read, so that no further request
	// can be told from it.
	cancel()
	b.control.SetReadDeadline(time.Unix(1, 0))
	for c := range b.answers.queue { // until the reader has seen it
		<-c.done
	}
	closeAfterReply(b.w)
	if !b.begun {
		return err
	}
	noteError(b.w, err)
	return nil
}

// count reads a body to its end, and returns it. The error says why none of its positions
// are to be answered: it is malformed, or there are too many.
func (b *batch) count(body io.Reader) (io.Reader, error) {
	whole, err := io.ReadAll(body)
	if err != nil {
		return nil, b.bodyError(err)
	}
	positions := b.reader(bytes.NewReader(whole))
	for count := 0; ; count++ {
		switch _, err := positions.next(); {
		case err == io.EOF:
			return bytes.NewReader(whole), nil
		case err != nil && !isLocal(err):
			return nil, b.bodyError(err)
		case count == b.limits.MaxBatch:
			return nil, b.tooMany()
		}
	}
}

// reader returns what reads the positions of a body.
func (b *batch) reader(body io.Reader) batchReader {
	in := bufio.NewReaderSize(body, 32<<10)
	if b.media == arrayMedia {
		return &arrayReader{in: in}
	}
	return &lineReader{in: in}
}

// read reads the positions, until there are none or ctx ends.
func (b *batch) read(ctx context.Context, body io.Reader) {
	err := b.readAll(ctx, b.reader(body))
	b.answers.end(ctx, b.bodyError(err))
}

// readAll reads the positions and returns why there are no more.
func (b *batch) readAll(ctx context.Context, positions batchReader) (err error) {
	defer b.rescue(&err)
	for count := 0; ; count++ {
		text, err := positions.next()
		if err == nil || isLocal(err) {
			err = b.take(ctx, count, text, err)
		}
		if err != nil {
			return err
		}
	}
}

// take takes a position in, or why it cannot be read, unless there are too many.
func (b *batch) take(ctx context.Context, count int, text []byte, unreadable error) error {
	if count == b.limits.MaxBatch {
		return b.tooMany()
	}
	if b.rate != nil && count > 0 && count%positionsPerToken == 0 {
		b.answers.dispatch(ctx)
		if err := b.rate.pace(ctx, b.r); err != nil {
			return err
		}
	}
	return b.answers.add(ctx, text, unreadable)
}

// bodyError says what the end of a body means, nil where it is as it should be.
func (b *batch) bodyError(err error) error {
	var malformed *formatError
	switch {
	case err == io.EOF:
		return nil
	case errors.As(err, &malformed):
		return &httpError{status: http.StatusBadRequest, text: err.Error()}
	case errors.Is(err, os.ErrDeadlineExceeded):
		return &httpError{status: http.StatusRequestTimeout, text: fmt.Sprintf("nothing more of the body has come for %v", b.limits.Read)}
	case errors.Is(err, io.ErrUnexpectedEOF):
		return &httpError{status: http.StatusBadRequest, text: "the body was cut short"}
	}
	return err
}

// bodyReader reads a body that may come slowly: each read has the time of the
// limits, and what has been read before it is answered meanwhile.
type bodyReader struct {
	*batch
	ctx context.Context
}

func (b bodyReader) Read(buf []byte) (int, error) {
	if b.left < 0 {
		return 0, b.tooLong()
	}
	b.answers.dispatch(b.ctx)
	b.control.SetReadDeadline(time.Now().Add(b.limits.Read))
	if b.ctx.Err() != nil { // run has set its deadline, perhaps before this one
		return 0, b.ctx.Err()
	}
	n, err := b.r.Body.Read(buf[:min(int64(len(buf)), b.left+1)])
	b.left -= int64(n)
	if b.left < 0 {
		return 0, b.tooLong()
	}
	if err != nil && err != io.EOF && !errors.Is(err, os.ErrDeadlineExceeded) && !errors.Is(err, io.ErrUnexpectedEOF) {
		err = &formatError{"the body cannot be read: " + err.Error()} // of chunks, mostly
	}
	return n, err
}

// write writes the answers in their order. It returns why the batch was not
// answered to its end.
func (b *batch) write() error {
	for c := range b.answers.queue {
		<-c.done
		if c.err != nil && !b.begun {
			return c.err
		}
		err := b.send(c.answer)
		if err == nil && len(b.answers.queue) == 0 {
			err = b.control.Flush()
		}
		err = cmp.Or(err, c.err)
		chunks.Put(c)
		if err != nil {
			return err
		}
	}
	return b.send([]byte(b.answers.ending()))
}

// written is how many bytes are written in the time that the limits give.
const written = 32 << 10

// send writes a part of the answer. A client that reads slowly is waited for as
// long as it reads something.
func (b *batch) send(part []byte) error {
	b.begun = true
	for bytes := range slices.Chunk(part, written) {
		b.control.SetWriteDeadline(time.Now().Add(b.limits.Write))
		if _, err := b.w.Write(bytes); err != nil {
			return err
		}
	}
	return nil
}

// closeAfterReply makes the server close the connection when the request is
// answered. Once the answer has begun no header can do so, but what net/http
// does for a body that is too large can be had by reading one.
func closeAfterReply(w http.ResponseWriter) {
	for {
		outer, ok := w.(interface{ Unwrap() http.ResponseWriter })
		if !ok {
			break
		}
		w = outer.Unwrap()
	}
	http.MaxBytesReader(w, io.NopCloser(strings.NewReader("too large")), 0).Read(make([]byte, 1))
}
