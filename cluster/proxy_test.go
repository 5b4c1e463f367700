package cluster

import (
	"bytes"
	"io"
	"net"
	"net/url"
	"sync"
	"testing"
)

// proxy forwards connections to a NATS server, and can hold back what the client sends.
type proxy struct {
	server, client string        // addresses
	held           chan struct{} // closed when it holds back a message
	released       chan struct{}
	release        func() // stops holding back

	lock  sync.Mutex
	mark  []byte
	after int // how often the mark passes first
}

func newProxy(t *testing.T, server string) *proxy {
	t.Helper()
	return newProxyAt(t, server, "127.0.0.1:0")
}

// newProxyAt does that with an address to listen at.
func newProxyAt(t *testing.T, server, address string) *proxy {
	t.Helper()
	to, err := url.Parse(server)
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{server: to.Host, client: "nats://" + listener.Addr().String()}
	p.held, p.released = make(chan struct{}), make(chan struct{})
	t.Cleanup(func() { listener.Close() })
	p.release = sync.OnceFunc(func() { close(p.released) })
	t.Cleanup(p.release)
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

// serve forwards a connection.
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
		if p.holds(buffer[:n]) {
			<-p.released
		}
		if _, err := server.Write(buffer[:n]); err != nil {
			return
		}
	}
}

// hold holds back everything from the message on that contains mark, after that many other messages
// with it.
func (p *proxy) hold(mark string, after int) {
	p.lock.Lock()
	defer p.lock.Unlock()
	p.mark, p.after = []byte(mark), after
}

// holds reports whether that message is among some bytes.
func (p *proxy) holds(sent []byte) bool {
	p.lock.Lock()
	defer p.lock.Unlock()
	if p.mark == nil {
		return false
	}
	if p.after -= bytes.Count(sent, p.mark); p.after >= 0 {
		return false
	}
	p.mark = nil
	close(p.held)
	return true
}
