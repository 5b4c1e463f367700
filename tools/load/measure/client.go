package measure

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/valyala/fasthttp"
)

// asker asks over one connection, which it keeps. It is for one goroutine.
type asker struct {
	token   string
	client  fasthttp.HostClient
	request fasthttp.Request
	answer  fasthttp.Response
}

const (
	// askTime is how long a request may take to be sent, and its answer to come.
	askTime = time.Minute
	// idleTime is how long a connection is kept while another workload is sent.
	idleTime = time.Minute
	// readBuffer suits both the header of an answer and a large body.
	readBuffer = 32 << 10
)

func newAsker(addr, token string) *asker {
	return &asker{token: token, client: fasthttp.HostClient{
		Addr: addr, Dial: dial, MaxConns: 1,
		MaxIdleConnDuration: idleTime,
		ReadTimeout:         askTime, WriteTimeout: askTime, ReadBufferSize: readBuffer,
		// What fails is counted, and not sent again.
		MaxIdemponentCallAttempts: 1,
		NoDefaultUserAgentHeader:  true, DisablePathNormalizing: true,
	}}
}

// errNobody is the error where a connection cannot be opened.
var errNobody = errors.New("nobody listens")

func dial(addr string) (net.Conn, error) {
	c, err := net.Dial("tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errNobody, err)
	}
	return c, nil
}

// ask sends a question. The body of the answer is good until the next one.
func (a *asker) ask(q *question) (body []byte, err error) {
	a.request.Reset() // lest the length of another body stays
	a.request.Header.SetMethod(q.method)
	a.request.Header.SetHost("localhost") // wherever it is sent
	a.request.SetRequestURI(q.target)
	a.request.Header.SetContentType(q.media)
	a.request.SetBodyRaw(q.body)
	if a.token != "" {
		a.request.Header.Set("Authorization", "Bearer "+a.token)
	}
	if err := a.client.Do(&a.request, &a.answer); err != nil {
		return nil, err
	}
	if status, closed := a.answer.StatusCode(), a.answer.ConnectionClose(); status != http.StatusOK || closed {
		return nil, fmt.Errorf("%s is answered with status %d, connection closed %t", q.kind, status, closed)
	}
	return a.answer.Body(), nil
}

func (a *asker) close() { a.client.CloseIdleConnections() }
