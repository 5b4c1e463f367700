package wire

import (
	"bufio"
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
		keep := rapid.Bool().Draw(t, "keep")
		a, err := c.Do(Post("host", fmt.Sprintf("/?way=%s&status=%d", way, status), "text/plain", body, ""), keep)
		if err != nil || a.Status != status || a.Close {
			t.Fatalf("status %d, close %t, error %v", a.Status, a.Close, err)
		}
		want := body
		if status == 304 {
			want = nil
		}
		if a.Size != int64(len(want)) || keep && !bytes.Equal(a.Body, want) || !keep && a.Body != nil {
			t.Fatalf("a body of %d bytes, %d kept, want %d", a.Size, len(a.Body), len(want))
		}
		if got := a.Field("x-sent"); (keep || status != 200) && got != strconv.Itoa(len(body)) {
			t.Fatalf("the field says %q, want %d", got, len(body))
		}
	})
}

func TestClose(t *testing.T) {
	c := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Connection", "close")
		io.WriteString(w, "bye")
	})
	a, err := c.Do(Get("host", "/", ""), true)
	if err != nil || !a.Close || string(a.Body) != "bye" {
		t.Fatalf("%+v, error %v", a, err)
	}
	if !c.Ends(10 * time.Second) {
		t.Error("the connection did not end")
	}
	if _, err := c.Do(Get("host", "/", ""), true); !errors.Is(err, ErrUnanswered) {
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
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-4\r\nfour\r\n0\r\n": "length",
		"HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n":                            "length",
		"SSH-2.0-OpenSSH\r\n": "no HTTP",
		"HTTP/1.1 abc\r\n":    "no HTTP",
		"HTTP/1.1 200 OK\r\n" + strings.Repeat("A: b\r\n", maxFields/6+1) + "\r\n": "longer than",
	} {
		t.Run("", func(t *testing.T) {
			c := connect(t, sendAndEnd(t, sent))
			a, err := c.Receive(true)
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
	a, err := c.Receive(true)
	if err != nil || !a.Close || string(a.Body) != "all there is" || a.Size != 12 {
		t.Errorf("%+v, error %v", a, err)
	}
}

func FuzzReadAnswer(f *testing.F) {
	f.Add([]byte("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nfour"))
	f.Add([]byte("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4;x=y\r\nfour\r\n0\r\na: b\r\n\r\n"))
	f.Fuzz(func(t *testing.T, sent []byte) {
		kept, err := readAnswer(bufio.NewReader(bytes.NewReader(sent)), true)
		skipped, skipErr := readAnswer(bufio.NewReader(bytes.NewReader(sent)), false)
		if (err == nil) != (skipErr == nil) || err == nil && (kept.Size != skipped.Size || kept.Size != int64(len(kept.Body))) {
			t.Errorf("kept: %d bytes of %d, %v; skipped: %d bytes, %v", len(kept.Body), kept.Size, err, skipped.Size, skipErr)
		}
	})
}
