package server

import (
	"encoding/binary"
	"math"
	"net/http"
	"strings"

	"backsolve/internal/probe"
)

type form int

const (
	fullForm   form = iota // the answer with all moves
	valueForm              // outcome and steps as JSON
	binaryForm             // outcome and steps in a record of recordBytes
)

const recordMedia = "application/octet-stream"

// A record has recordBytes: the outcome, 0 for a draw, 1 for a win, 2 for a loss or noAnswer; a
// zero; and the steps as a little-endian number of 16 bits, noSteps16 if there are none.
const (
	recordBytes = 4
	noAnswer    = math.MaxUint8
	noSteps16   = math.MaxUint16
)

// chunkValues is the number of positions in a chunk of values, whose answers are short.
const chunkValues = 512

func checkFields(fields *string) error {
	return check("fields", fields == nil || *fields == "outcome,steps")
}

func formOf(r *http.Request, fields *string) form {
	switch {
	case strings.Contains(r.Header.Get("Accept"), recordMedia):
		return binaryForm
	case fields != nil:
		return valueForm
	}
	return fullForm
}

func (a *answers) answerValues(c *chunk, answered *int) {
	texts, start := string(c.texts), 0
	for _, item := range c.items {
		c.parts, start = append(c.parts, texts[start:item.end]), item.end
	}
	if cap(c.values) < len(c.items) {
		c.values, c.errs = make([]probe.Value, a.size), make([]error, a.size)
	}
	values, errs := c.values[:len(c.items)], c.errs[:len(c.items)]
	if c.lookup != nil {
		c.lookup.Values(c.lookupFrom, c.parts, values, errs)
	} else {
		probe.Values(a.handle.Answerer(), c.parts, values, errs)
	}
	clear(c.parts) // so that the texts are freed
	for i, item := range c.items {
		err := errs[i]
		if item.err != nil {
			err = item.err
		}
		number := c.first + int64(i)
		switch {
		case a.form == binaryForm:
			c.answer = appendRecord(c.answer, values[i], err)
		case err != nil:
			c.answer = a.appendUnanswered(c.answer, number, err)
		default:
			c.answer = append(values[i].AppendJSON(a.separate(c.answer, number)), a.layout.after...)
		}
		if *answered++; err == nil {
			c.lookups++
		}
	}
}

func appendRecord(dst []byte, v probe.Value, err error) []byte {
	code, steps := byte(noAnswer), uint16(noSteps16)
	if err == nil {
		code = byte(v.Outcome)
		if v.Steps >= 0 {
			steps = uint16(v.Steps)
		}
	}
	return binary.LittleEndian.AppendUint16(append(dst, code, 0), steps)
}
