package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// stdio is the transport to the program that starts tbmcp: one message a line. The SDK's (v1.8.0) ends
// at the first malformed line, and at the end of input drops the answers that are still to come.
type stdio struct {
	in  io.Reader
	out io.Writer
}

func (s stdio) Connect(context.Context) (mcp.Connection, error) {
	c := &stdioConn{out: s.out, messages: make(chan jsonrpc.Message), open: map[string]bool{}}
	c.closed, c.close = context.WithCancel(context.Background())
	c.answered = sync.NewCond(&c.lock)
	go c.read(bufio.NewReaderSize(s.in, maxMessage))
	return c, nil
}

type stdioConn struct {
	messages chan jsonrpc.Message
	failed   error // why there are no more messages
	closed   context.Context
	close    context.CancelFunc

	lock     sync.Mutex // guards what follows; lines are written one at a time
	out      io.Writer
	open     map[string]bool // requests without an answer, by identifier
	answered *sync.Cond      // signalled when one is answered, or the connection is closed
}

// read passes on the client's messages until its input ends and all are answered.
func (c *stdioConn) read(in *bufio.Reader) {
	defer close(c.messages)
	for {
		line, err := in.ReadSlice('\n')
		if errors.Is(err, bufio.ErrBufferFull) {
			for errors.Is(err, bufio.ErrBufferFull) {
				_, err = in.ReadSlice('\n')
			}
			c.refuse("null", &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: fmt.Sprintf("a message has more than %d bytes", maxMessage)})
		} else if line = bytes.TrimSpace(line); len(line) > 0 {
			c.pass(line)
		}
		if err != nil {
			if c.failed = err; err == io.EOF {
				c.drain()
			}
			return
		}
	}
}

// pass passes on the messages of a line. Malformed ones it answers itself.
func (c *stdioConn) pass(line []byte) {
	lines := []json.RawMessage{line}
	if !json.Valid(line) {
		c.refuse("null", &jsonrpc.Error{Code: jsonrpc.CodeParseError, Message: "the line is not a single JSON value"})
		return
	}
	if line[0] == '[' { // a batch, as in some versions of the protocol
		json.Unmarshal(line, &lines) // cannot fail: it is valid
		if len(lines) == 0 {
			lines = []json.RawMessage{line}
		}
	}
	for _, text := range lines {
		m, err := jsonrpc.DecodeMessage(hideID(text))
		if err != nil {
			c.refuse("null", &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: err.Error()})
			continue
		}
		if id := c.note(m); id != "" {
			c.refuse(id, &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: "a request with this id waits for its answer"})
			continue
		}
		select {
		case c.messages <- m:
		case <-c.closed.Done():
			return
		}
	}
}

// note records a request that must be answered, or one that the client cancels, which need not be. It
// returns a request's identifier if it is in use already: the SDK drops such requests unanswered.
func (c *stdioConn) note(m jsonrpc.Message) (taken string) {
	request, ok := m.(*jsonrpc.Request)
	if !ok {
		return ""
	}
	c.lock.Lock()
	defer c.lock.Unlock()
	if id, ok := request.ID.Raw().(string); ok {
		if c.open[id] {
			return id
		}
		c.open[id] = true
	} else if request.Method == cancelled {
		var params struct{ RequestID string }
		json.Unmarshal(request.Params, &params) // the SDK refuses malformed ones
		delete(c.open, params.RequestID)
	}
	return ""
}

func (c *stdioConn) drain() {
	c.lock.Lock()
	defer c.lock.Unlock()
	for len(c.open) > 0 && c.closed.Err() == nil {
		c.answered.Wait()
	}
}

// refuse answers a message that is not passed on, with the text of its identifier.
func (c *stdioConn) refuse(id string, why *jsonrpc.Error) {
	text, err := json.Marshal(reply{Version: "2.0", ID: json.RawMessage(id), Error: why})
	if err == nil {
		c.lock.Lock()
		defer c.lock.Unlock()
		c.out.Write(append(text, '\n')) // if the client has gone, the next answer fails, too
	}
}

func (c *stdioConn) Read(ctx context.Context) (jsonrpc.Message, error) {
	select {
	case m, more := <-c.messages:
		if more {
			return m, nil
		}
		return nil, c.failed
	case <-c.closed.Done():
		return nil, io.EOF
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (c *stdioConn) Write(_ context.Context, m jsonrpc.Message) error {
	text, err := jsonrpc.EncodeMessage(m)
	if err != nil {
		return err
	}
	c.lock.Lock()
	defer c.lock.Unlock()
	if answer, ok := m.(*jsonrpc.Response); ok {
		if text, err = showID(text); err != nil {
			return err
		}
		if id, ok := answer.ID.Raw().(string); ok {
			delete(c.open, id)
			defer c.answered.Broadcast()
		}
	}
	_, err = c.out.Write(append(text, '\n'))
	return err
}

func (c *stdioConn) Close() error {
	c.close()
	c.lock.Lock()
	defer c.lock.Unlock()
	c.answered.Broadcast()
	return nil
}

func (*stdioConn) SessionID() string { return "" }
