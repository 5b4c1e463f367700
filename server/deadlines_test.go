package server

import (
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"testing"
	"testing/synctest"
	"time"
)

// end is how a call on a connection ended, and when.
type end struct {
	at   time.Duration
	done int
	late bool
}

// callMany calls again and again on a connection while deadlines of all kinds are set,
// and its far end does what the calls wait for now and then.
func callMany(seed uint64, wrap func(net.Conn) net.Conn, call func(net.Conn) (int, error), set func(net.Conn, time.Time), answer func(net.Conn)) (ends []end) {
	start, r := time.Now(), rand.New(rand.NewPCG(seed, 1))
	near, far := net.Pipe()
	conn := wrap(near)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			n, err := call(conn)
			late := errors.Is(err, os.ErrDeadlineExceeded)
			ends = append(ends, end{time.Since(start), n, late})
			if err != nil && !late {
				return
			}
			time.Sleep(time.Duration(3e6 + n))
		}
	}()
	const steps = 40
	answers := make(chan struct{}, steps)
	go func() {
		for range answers {
			answer(far)
		}
	}()
	for range steps {
		time.Sleep(time.Duration(r.IntN(50_000_000) | 1))
		switch r.IntN(5) {
		case 0:
			set(conn, time.Time{})
		case 1:
			set(conn, time.Unix(1, 0))
		case 2, 3:
			set(conn, time.Now().Add(time.Duration(r.IntN(100_000_000)|1)))
		case 4:
			answers <- struct{}{}
		}
	}
	time.Sleep(time.Nanosecond) // else a call may not be told of a deadline before it is lifted
	set(conn, time.Time{})
	time.Sleep(time.Second)
	close(answers)
	far.Close()
	near.Close()
	<-done
	return ends
}

// Whatever deadlines are set, calls on a patient connection end as they do on one that is
// told of all, and at the same time.
func TestPatientConn(t *testing.T) {
	calls := map[string]struct {
		call   func(net.Conn) (int, error)
		set    func(net.Conn, time.Time)
		answer func(net.Conn)
	}{
		"read": {
			func(c net.Conn) (int, error) { return c.Read(make([]byte, 2)) },
			func(c net.Conn, t time.Time) { c.SetReadDeadline(t) },
			func(c net.Conn) { c.Write([]byte("abc")) },
		},
		"write": {
			func(c net.Conn) (int, error) { return c.Write(make([]byte, 3)) },
			func(c net.Conn, t time.Time) { c.SetWriteDeadline(t) },
			func(c net.Conn) { c.Read(make([]byte, 2)) },
		},
		"both": {
			func(c net.Conn) (int, error) { return c.Read(make([]byte, 2)) },
			func(c net.Conn, t time.Time) { c.SetDeadline(t) },
			func(c net.Conn) { c.Write([]byte("abc")) },
		},
	}
	for name, c := range calls {
		t.Run(name, func(t *testing.T) {
			ended := 0
			for seed := range uint64(50) {
				synctest.Test(t, func(t *testing.T) {
					plain := func(c net.Conn) net.Conn { return c }
					patient := func(c net.Conn) net.Conn { return newPatientConn(c) }
					want := callMany(seed, plain, c.call, c.set, c.answer)
					got := callMany(seed, patient, c.call, c.set, c.answer)
					for i := range min(len(got), len(want)) {
						if got[i] != want[i] {
							t.Fatalf("seed %d: call %d ends with %v, want %v", seed, i, got[i], want[i])
						}
					}
					if len(got) != len(want) {
						t.Errorf("seed %d: %d calls, want %d", seed, len(got), len(want))
					}
					ended += len(got)
				})
			}
			if ended < 1000 {
				t.Errorf("only %d calls", ended)
			}
		})
	}
}

// told is a connection that counts how often it is told of a deadline.
type told struct {
	net.Conn
	times int
}

func (t *told) SetReadDeadline(at time.Time) error {
	t.times++
	return t.Conn.SetReadDeadline(at)
}

// What an http.Server does for each request tells the connection of no deadline, once it
// was told of one.
func TestPatientConnIsToldOfFewDeadlines(t *testing.T) {
	near, far := net.Pipe()
	defer far.Close()
	inner := &told{Conn: near}
	conn := newPatientConn(inner)
	defer conn.Close()
	const requests = 100
	go far.Write(make([]byte, requests))
	for range requests {
		conn.SetReadDeadline(time.Now().Add(time.Hour))
		if _, err := io.ReadFull(conn, make([]byte, 1)); err != nil {
			t.Fatal(err)
		}
		conn.SetReadDeadline(time.Now().Add(2 * time.Hour))
		conn.SetReadDeadline(time.Time{})
		conn.SetReadDeadline(time.Unix(1, 0))
		if _, err := conn.Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Fatal(err)
		}
		conn.SetReadDeadline(time.Time{})
	}
	if inner.times != 1 {
		t.Errorf("%d deadlines for %d requests, want 1", inner.times, requests)
	}
}
