package remote

import (
	"context"
	"errors"
	"io"
	"net/url"
	"syscall/js"
)

// browserClient uses the browser's fetch. net/http does so, too, but more than doubles what a
// page loads, and cannot bypass the browser's cache, where parts of a file may be of an older
// version.
type browserClient struct{}

func newClient() client { return browserClient{} }

func (browserClient) close() {}

func (browserClient) get(ctx context.Context, address string, headers map[string]string) (*reply, error) {
	if u, err := url.Parse(address); err != nil || u.User != nil {
		return nil, errors.New("browsers take no address with a password")
	}
	list := js.Global().Get("Headers").New()
	for name, value := range headers {
		if name != "Accept-Encoding" { // browsers set it themselves, and for ranges as is wanted
			list.Call("set", name, value)
		}
	}
	abort := js.Global().Get("AbortController").New()
	answer, err := await(ctx, abort, js.Global().Call("fetch", address, map[string]any{
		"headers": list, "cache": "no-store", "signal": abort.Get("signal"),
	}))
	if err != nil {
		return nil, &transientError{cause: err}
	}
	header := func(name string) string {
		if v := answer.Get("headers").Call("get", name); v.Type() == js.TypeString {
			return v.String()
		}
		return ""
	}
	body := &stream{ctx: ctx, abort: abort}
	if b := answer.Get("body"); b.Truthy() {
		body.reader = b.Call("getReader")
	}
	return &reply{answer.Get("status").Int(), answer.Get("statusText").String(), header, body}, nil
}

type stream struct {
	ctx    context.Context
	abort  js.Value
	reader js.Value // undefined where there is no body
	rest   js.Value // of the piece that was read last
	left   int      // its bytes
}

func (s *stream) Read(p []byte) (int, error) {
	for s.left == 0 {
		if s.reader.IsUndefined() {
			return 0, io.EOF
		}
		read, err := await(s.ctx, s.abort, s.reader.Call("read"))
		if err != nil {
			return 0, err
		}
		if read.Get("done").Bool() {
			return 0, io.EOF
		}
		s.rest = read.Get("value")
		s.left = s.rest.Get("length").Int()
	}
	n := js.CopyBytesToGo(p, s.rest)
	s.left -= n
	s.rest = s.rest.Call("subarray", n)
	return n, nil
}

// Close aborts the rest of the response.
func (s *stream) Close() error {
	s.abort.Call("abort")
	return nil
}

type result struct {
	value js.Value
	err   error
}

// await waits for a promise. When ctx ends, it aborts the request.
func await(ctx context.Context, abort, promise js.Value) (js.Value, error) {
	settled := make(chan result, 1)
	kept := js.FuncOf(func(_ js.Value, args []js.Value) any {
		settled <- result{value: args[0]}
		return nil
	})
	defer kept.Release()
	broken := js.FuncOf(func(_ js.Value, args []js.Value) any {
		settled <- result{err: errors.New(args[0].Call("toString").String())}
		return nil
	})
	defer broken.Release()
	promise.Call("then", kept, broken)
	select {
	case o := <-settled:
		return o.value, o.err
	case <-ctx.Done():
		abort.Call("abort")
		<-settled // or a function would be called that is released
		return js.Undefined(), ctx.Err()
	}
}
