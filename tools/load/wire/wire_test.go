package wire

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// serve returns a connection to a server with a handler.
func serve(t *testing.T, h http.HandlerFunc) *Conn {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return connect(t, s.Listener.Addr().String())
}

func connect(t *testing.T, addr string) *Conn {
	t.Helper()
	c, err := Dial(t.Context(), addr)
	if err != nil {
		t.Fatal(err)
	}
	c.Timeout = 10 * time.Second
	t.Cleanup(func() { c.Close() })
	return c
}

// Whatever the size of bodies and the way they are sent, one answer after the
// other comes through one connection as it was sent.
func TestDo(t *testing.T) {
	c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		sent, _ := io.ReadAll(r.Body)
		status, _ := strconv.Atoi(r.URL.Query().Get("status"))
		w.Header().Set("X-Sent", strconv.Itoa(len(sent)))
		switch r.URL.Query().Get("way") {
		case "length":
			w.Header().Set("Content-Length", strconv.Itoa(len(sent)))
		case "hint":
			w.WriteHeader(http.StatusEarlyHints)
		}
		w.WriteHeader(status)
		for len(sent) > 1000 && r.URL.Query().Get("way") == "parts" {
			w.Write(sent[:1000])
			http.NewResponseController(w).Flush()
			sent = sent[1000:]
		}
		w.Write(sent)
	})
	rapid.Check(t, func(t *rapid.T) {
		way := rapid.SampledFrom([]string{"length", "hint", "parts", "plain"}).Draw(t, "way")
		status := rapid.SampledFrom([]int{200, 400, 500, 304}).Draw(t, "status")
		body := bytes.Repeat([]byte("0123456789"), rapid.IntRange(0, 20_000).Draw(t, "tens"))
		a, err := c.Do(Post("host", fmt.Sprintf("/?way=%s&status=%d", way, status), "text/plain", body, ""))
		if err != nil || a.Status != status || a.Close {
			t.Fatalf("status %d, close %t, error %v", a.Status, a.Close, err)
		}
		want := body
		if status == 304 {
			want = nil
		}
		if !bytes.Equal(a.Body, want) {
			t.Fatalf("a body of %d bytes, want %d", len(a.Body), len(want))
		}
		if got := a.Header.Get("X-Sent"); got != strconv.Itoa(len(body)) {
			t.Fatalf("the field says %q, want %d", got, len(body))
		}
	})
}

func TestClose(t *testing.T) {
	c := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Connection", "close")
		io.WriteString(w, "bye")
	})
	a, err := c.Do(Get("host", "/", ""))
	if err != nil || !a.Close || string(a.Body) != "bye" {
		t.Fatalf("%+v, error %v", a, err)
	}
	if !c.Ends(10 * time.Second) {
		t.Error("the connection did not end")
	}
	if _, err := c.Do(Get("host", "/", "")); !errors.Is(err, ErrUnanswered) {
		t.Errorf("a request after the end: %v, want ErrUnanswered", err)
	}
}

func TestEndsNot(t *testing.T) {
	c := serve(t, func(http.ResponseWriter, *http.Request) {})
	if c.Ends(10 * time.Millisecond) {
		t.Error("an open connection has ended")
	}
}

// What is cut short or is no HTTP is an error, never an answer.
func TestBadAnswers(t *testing.T) {
	for sent, want := range map[string]string{
		"":                    "before an answer",
		"HTTP/1.1 200 OK\r\n": "unexpected EOF",
		"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nfour":                         "unexpected EOF",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nfour":           "unexpected EOF",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nfour\r\n":       "unexpected EOF",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nfour\r\n0\r\n":  "unexpected EOF",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-4\r\nfour\r\n0\r\n": "chunk length",
		"HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n":                            "Content-Length",
		"SSH-2.0-OpenSSH\r\n": "malformed HTTP",
		"HTTP/1.1 abc\r\n":    "malformed HTTP",
	} {
		t.Run("", func(t *testing.T) {
			c := connect(t, sendAndEnd(t, sent))
			a, err := c.Receive()
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%.60q gives %+v and the error %v, want one that says %q", sent, a, err, want)
			}
		})
	}
}

// sendAndEnd serves one connection by sending a text and ending it.
func sendAndEnd(t *testing.T, text string) (addr string) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		if c, err := l.Accept(); err == nil {
			io.WriteString(c, text)
			c.Close()
		}
	}()
	return l.Addr().String()
}

func TestUntilEnd(t *testing.T) {
	c := connect(t, sendAndEnd(t, "HTTP/1.0 200 OK\r\n\r\nall there is"))
	a, err := c.Receive()
	if err != nil || !a.Close || string(a.Body) != "all there is" {
		t.Errorf("%+v, error %v", a, err)
	}
}

// What is written raw is what a proper client asks for.
func TestProper(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		fmt.Fprintf(w, "%s %s %s %s %s", r.Method, r.RequestURI, r.Header.Get("Content-Type"), r.Header.Get("A"), body)
	}))
	defer s.Close()
	addr := s.Listener.Addr().String()
	for want, request := range map[string][]byte{
		"GET /a?p=x%2Fy+z  b ":       Get("host", "/a?p=x%2Fy+z", "A: b\r\n"),
		"POST /b text/plain c body":  Post("host", "/b", "text/plain", []byte("body"), "A: c\r\n"),
		"GET /v1/%2e%2e%2fpasswd   ": Get("host", "/v1/%2e%2e%2fpasswd", ""),
	} {
		raw, err := connect(t, addr).Do(request)
		if err != nil {
			t.Fatal(err)
		}
		r, err := s.Client().Do(Proper(addr, request))
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(r.Body)
		r.Body.Close()
		if err != nil || string(body) != want || string(raw.Body) != want {
			t.Errorf("%q raw, %q by the client (%v), want %q", raw.Body, body, err, want)
		}
	}
}
