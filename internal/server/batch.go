package server

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"backsolve/internal/server/api"
)

const (
	arrayMedia  = "application/json"
	linesMedia  = "application/jsonl"
	ndjsonMedia = "application/x-ndjson"
)

// bodyBudget bounds all bodies that are read before they are answered, in bytes.
const bodyBudget = 64 << 20

func (s handlers) positions(w http.ResponseWriter, r *http.Request, game string, size int, params api.PostPositionsParams) error {
	if err := checkFields(params.Fields); err != nil {
		return err
	}
	media, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if media != arrayMedia && media != linesMedia && media != ndjsonMedia {
		return refusal(http.StatusUnsupportedMediaType, "send positions as %s, an array of strings, or as %s, one a line; say which in Content-Type", arrayMedia, linesMedia)
	}
	if r.ContentLength > s.limits.MaxBody {
		return tooLong(s.Server)
	}
	release, err := s.long.acquire(r)
	if err != nil {
		return err
	}
	defer release()
	h, err := s.find(game, size, params.After, nil)
	if err != nil {
		return err
	}
	defer h.Release()
	f, l, replies := formOf(r, params.Fields), linesLayout, media
	switch {
	case f == binaryForm:
		l, replies = noLayout, recordMedia
	case media == arrayMedia:
		l = arrayLayout
	}
	b := &batch{
		Server: s.Server, w: w, r: r, control: http.NewResponseController(w), media: media, replies: replies,
		answers: newAnswers(s.Server, h, l, f), left: s.limits.MaxBody,
	}
	defer b.answers.releaseBudget()
	if n := r.ContentLength; n >= 0 && s.bodies.tryAcquire(n) {
		defer s.bodies.release(n)
		b.whole = true
	}
	return b.run()
}

func tooLong(s *Server) error {
	return refusal(http.StatusRequestEntityTooLarge, "the body is longer than %d bytes; send the positions in several requests", s.limits.MaxBody)
}

func tooMany(s *Server) error {
	return refusal(http.StatusRequestEntityTooLarge, "there are more than %d positions; send them in several requests", s.limits.MaxBatch)
}

// batch is a request for many positions. One goroutine reads them into chunks, others answer these, and the handler's
// writes the answers in order, so that a client can send and receive at the same time.
type batch struct {
	*Server
	w       http.ResponseWriter
	r       *http.Request
	control *http.ResponseController
	media   string // of the body
	replies string // media type of the response
	answers *answers
	left    int64 // bytes of the body that may still arrive
	whole   bool  // the body is read and checked before any answer
	begun   bool  // part of the response is sent
}

// run answers the batch. It returns an error if nothing is sent yet.
func (b *batch) run() error {
	b.control.EnableFullDuplex() // an error means HTTP/2, which is full duplex
	// The request's context ends with the first failed read, when answers are still due.
	ctx, cancel := context.WithCancel(context.WithoutCancel(b.r.Context()))
	defer cancel()
	body := io.Reader(bodyReader{b, ctx})
	var err error
	if b.whole {
		body, err = b.count(body)
	}
	if err == nil {
		go func() { b.answers.end(ctx, b.bodyError(b.read(ctx, b.reader(body)))) }()
		h := b.w.Header()
		h["Content-Type"], h["Cache-Control"], h["X-Content-Type-Options"] = []string{b.replies}, noStore, nosniff
		err = b.write()
	} else {
		close(b.answers.queue)
	}
	if err == nil {
		return nil
	}
	// The rest of the body is not read, so the connection cannot carry another request.
	cancel()
	b.control.SetReadDeadline(time.Unix(1, 0))
	for c := range b.answers.queue { // until the reader closes it
		<-c.done
	}
	closeAfterReply(b.w)
	if !b.begun {
		return err
	}
	noteError(b.w, err)
	return nil
}

// count reads a body to its end and returns it, or an error if it is malformed or has too many positions.
func (b *batch) count(body io.Reader) (io.Reader, error) {
	whole, err := io.ReadAll(body)
	if err != nil {
		return nil, b.bodyError(err)
	}
	positions := b.reader(bytes.NewReader(whole))
	for count := 0; ; count++ {
		switch _, err := positions.next(); {
		case err == io.EOF:
			if b.answers.form == binaryForm { // so that a client notices an early end
				b.w.Header()["Content-Length"] = []string{strconv.Itoa(count * recordBytes)}
			}
			return bytes.NewReader(whole), nil
		case err != nil && !isLocal(err):
			return nil, b.bodyError(err)
		case count == b.limits.MaxBatch:
			return nil, tooMany(b.Server)
		}
	}
}

func (b *batch) reader(body io.Reader) batchReader {
	in := bufio.NewReaderSize(body, 32<<10)
	if b.media == arrayMedia {
		return &arrayReader{in: in}
	}
	return &lineReader{in: in}
}

// read reads the positions until an error, which it returns.
func (b *batch) read(ctx context.Context, positions batchReader) (err error) {
	defer b.rescue(&err)
	for count := 0; ; count++ {
		text, err := positions.next()
		if err == nil || isLocal(err) {
			err = b.addPosition(ctx, count, text, err)
		}
		if err != nil {
			return err
		}
	}
}

// addPosition adds a position, or the reason why it cannot be read, unless there are too many.
func (b *batch) addPosition(ctx context.Context, count int, text []byte, unreadable error) error {
	if count == b.limits.MaxBatch {
		return tooMany(b.Server)
	}
	if b.rate != nil && count > 0 && count%positionsPerToken == 0 {
		b.answers.dispatch(ctx)
		if err := b.rate.pace(ctx, b.r); err != nil {
			return err
		}
	}
	return b.answers.add(ctx, text, unreadable)
}

// bodyError returns the error for the client, nil at the proper end of a body.
func (b *batch) bodyError(err error) error {
	switch {
	case err == io.EOF:
		return nil
	case errors.Is(err, os.ErrDeadlineExceeded):
		return refusal(http.StatusRequestTimeout, "no more of the body arrived for %v", b.limits.Read)
	case errors.Is(err, io.ErrUnexpectedEOF):
		return refusal(http.StatusBadRequest, "the body was cut short")
	}
	return err
}

// bodyReader reads a body that may arrive slowly. Each read has the time limit; positions read before it expires are answered.
type bodyReader struct {
	*batch
	ctx context.Context
}

func (b bodyReader) Read(buf []byte) (int, error) {
	if b.left < 0 {
		return 0, tooLong(b.Server)
	}
	b.answers.dispatch(b.ctx)
	b.control.SetReadDeadline(time.Now().Add(b.limits.Read))
	if b.ctx.Err() != nil { // run may have set its deadline before this one
		return 0, b.ctx.Err()
	}
	n, err := b.r.Body.Read(buf[:min(int64(len(buf)), b.left+1)])
	b.left -= int64(n)
	if b.left < 0 {
		return 0, tooLong(b.Server)
	}
	if err != nil && err != io.EOF && !errors.Is(err, os.ErrDeadlineExceeded) && !errors.Is(err, io.ErrUnexpectedEOF) {
		err = malformed("the body cannot be read: %v", err) // of chunks, mostly
	}
	return n, err
}

// write writes the answers in order. It returns the error that ends the batch early.
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
	end := b.answers.layout.end
	if b.answers.count == 0 {
		end = b.answers.layout.none
	}
	return b.send([]byte(end))
}

// writeSize is how many bytes are written within the time limit.
const writeSize = 32 << 10

// send writes a part of the response. A slow client has the time limit for each piece.
func (b *batch) send(part []byte) error {
	b.begun = true
	for bytes := range slices.Chunk(part, writeSize) {
		b.control.SetWriteDeadline(time.Now().Add(b.limits.Write))
		if _, err := b.w.Write(bytes); err != nil {
			return err
		}
	}
	return nil
}

// closeAfterReply makes the server close the connection after the response. Once that has
// begun, no header can, but MaxBytesReader does so for a body that is too large.
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
