package cluster

import (
	"bytes"
	"io"
	"net"
	"net/url"
	"sync"
	"testing"
)

// proxy stands between a client and a NATS server. From the message on that a mark has been seen
// in for the so-many-th time it holds back what the client sends, until it is released.
type proxy struct {
	server, client string // addresses
	mark           []byte
	held           chan struct{} // closed when it holds something back
	released       chan struct{}

	lock  sync.Mutex
	after int // how often the mark may pass
}

func newProxy(t *testing.T, server, mark string, after int) *proxy {
	t.Helper()
	to, err := url.Parse(server)
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{server: to.Host, client: "nats://" + listener.Addr().String(), mark: []byte(mark), after: after}
	p.held, p.released = make(chan struct{}), make(chan struct{})
	t.Cleanup(func() { listener.Close() })
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			go p.serve(client)
		}
	}()
	return p
}

// serve carries a connection.
func (p *proxy) serve(client net.Conn) {
	defer client.Close()
	server, err := net.Dial("tcp", p.server)
	if err != nil {
		return
	}
	defer server.Close()
	go func() {
		defer client.Close()
		io.Copy(client, server)
	}()
	buffer := make([]byte, 64<<10)
	for {
		n, err := client.Read(buffer)
		if err != nil {
			return
		}
		if bytes.Contains(buffer[:n], p.mark) && p.holds() {
			<-p.released
		}
		if _, err := server.Write(buffer[:n]); err != nil {
			return
		}
	}
}

// holds reports whether a mark is the one from which on everything is held back.
func (p *proxy) holds() bool {
	p.lock.Lock()
	defer p.lock.Unlock()
	if p.after--; p.after == -1 {
		close(p.held)
	}
	return p.after == -1
}

// release lets everything pass.
func (p *proxy) release() { close(p.released) }
