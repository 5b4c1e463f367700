package server

import (
	"net"
	"runtime"
	"testing"
	"testing/synctest"
	"time"
)

// The memory of a flood is collected once, after its end; small numbers of connections
// never cause a collection, nor does a flood of which most stay.
func TestTrim(t *testing.T) {
	for _, c := range []struct {
		why   string
		steps []int // connections opened, or closed where negative, a minute apart
		want  int
	}{
		{"all go", []int{flood, -flood}, 1},
		{"more than half go", []int{2 * flood, -flood - 1}, 1},
		{"half go", []int{2 * flood, -flood}, 0},
		{"few", []int{flood - 1, 1 - flood}, 0},
		{"few at once, many in all", []int{400, -400, 400, -400, 400, -400}, 0},
		{"twice", []int{flood, -flood, flood, -flood}, 2},
		{"what is left of a flood is no flood", []int{flood, 1 - flood, -1}, 1},
		{"in steps", []int{8 * flood, -5 * flood, -2 * flood, -flood}, 3},
	} {
		t.Run(c.why, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				collected := 0
				e := &trimmer{collect: func() { collected++ }}
				for _, n := range c.steps {
					for range n {
						e.noteOpened()
					}
					for range -n {
						e.noteClosed()
					}
					time.Sleep(time.Minute)
					synctest.Wait()
				}
				if collected != c.want {
					t.Errorf("%d collections, want %d", collected, c.want)
				}
			})
		})
	}
}

// The memory of connections, which pools also keep, is free after a collection.
func TestTrimGivesBack(t *testing.T) {
	kept := make([]*[]byte, 1000)
	for i := range kept {
		kept[i] = buffers.Get().(*[]byte)
		*kept[i] = append((*kept[i])[:0], make([]byte, 64<<10)...)
	}
	inUse := func() int64 {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	before := inUse()
	for _, b := range kept {
		buffers.Put(b)
	}
	clear(kept)
	giveBack()
	if freed := before - inUse(); freed < 1000*60<<10 {
		t.Errorf("%d bytes were freed of %d", freed, 1000*64<<10)
	}
}

// Every connection is counted while it is open, however often it is closed.
func TestTrimIsTold(t *testing.T) {
	c, limited := listenLimited(t, 2)
	for range 3 {
		var conns []net.Conn
		for range 2 {
			client, err := net.Dial("tcp", limited.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			defer client.Close()
			conn, err := limited.Accept()
			if err != nil {
				t.Fatal(err)
			}
			conns = append(conns, conn)
		}
		if c.trimmer.open != 2 {
			t.Errorf("%d connections are open, want 2", c.trimmer.open)
		}
		for _, conn := range conns {
			conn.Close()
			conn.Close()
		}
		if c.trimmer.open != 0 {
			t.Errorf("%d connections are open, want none", c.trimmer.open)
		}
	}
}
