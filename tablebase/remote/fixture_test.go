//go:build !js

package remote_test

import (
	"context"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"backsolve/tablebase"
	"backsolve/tablebase/reader"
	"backsolve/tablebase/remote"
	"backsolve/tablebase/writer"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// silence is how long tests wait for a server that says nothing, and answerTimeout for one
// that does.
const (
	silence       = 50 * time.Millisecond
	answerTimeout = time.Minute
)

// longAgo is when files were changed that say so.
var longAgo = time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)

// shape is that of the tables in these tests: they have several chunks, and steps.
var shape = tablebase.Shape{Game: "quixo", Size: 4, Planes: 2, Steps: true}

// write writes a table with random contents, packed as well, and returns the directory.
// Seeds make different ones of the same length, unpacked.
func write(t testing.TB, seed uint64) string {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, "table.tb")
	w, err := writer.Create(path, shape, false)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	r := rand.New(rand.NewPCG(seed, seed))
	const blocks, words = 60, 256
	c := tablebase.Class{Class: 3, IndexBits: 14}
	for b := range uint64(blocks) {
		c.Masks = append(c.Masks, 7+100*b)
	}
	p := tablebase.Planes{Win: make([]uint64, blocks*words), Lose: make([]uint64, blocks*words), Steps: [][]uint64{make([]uint64, blocks*words), make([]uint64, blocks*words)}}
	for i := range p.Win {
		p.Win[i] = r.Uint64() | r.Uint64()
		p.Lose[i] = r.Uint64() &^ p.Win[i]
		p.Steps[0][i], p.Steps[1][i] = p.Win[i]|r.Uint64()&p.Lose[i], r.Uint64()&p.Win[i]
	}
	if err := w.Seal(c, p, counts(c)); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Finish(); err != nil {
		t.Fatal(err)
	}
	if _, err := writer.Pack(context.Background(), path, false, nil); err != nil {
		t.Fatal(err)
	}
	return dir
}

// counts are counts that add up, though not those of any planes.
func counts(c tablebase.Class) tablebase.Counts {
	n := tablebase.Counts{ByWeight: make([]tablebase.OutcomeCounts, c.IndexBits+1), BySteps: make([]tablebase.StepCounts, 4)}
	states := uint64(len(c.Masks))
	for i := range n.ByWeight {
		n.ByWeight[i] = tablebase.OutcomeCounts{Wins: states}
		n.BySteps[3].Wins += states
		states = states * uint64(c.IndexBits-i) / uint64(i+1)
	}
	return n
}

// site is a web server that counts requests.
type site struct {
	*httptest.Server
	lock     sync.Mutex
	requests []*http.Request
	bytes    int64 // of bodies
}

// serve starts a server until the test ends.
func serve(t testing.TB, h http.Handler) *site {
	t.Helper()
	s := &site{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.lock.Lock()
		s.requests = append(s.requests, r)
		s.lock.Unlock()
		h.ServeHTTP(&counter{w, s}, r)
	}))
	t.Cleanup(s.Close)
	return s
}

// files serves a directory.
func files(dir string) http.Handler { return http.FileServerFS(os.DirFS(dir)) }

// counter counts what is sent.
type counter struct {
	http.ResponseWriter
	site *site
}

func (c *counter) Write(b []byte) (int, error) {
	c.site.lock.Lock()
	c.site.bytes += int64(len(b))
	c.site.lock.Unlock()
	return c.ResponseWriter.Write(b)
}

func (c *counter) Unwrap() http.ResponseWriter { return c.ResponseWriter }

// traffic returns the requests, and the bytes of their responses, since the last call.
func (s *site) traffic() (requests int, bytes int64) {
	s.lock.Lock()
	defer s.lock.Unlock()
	requests, bytes = len(s.requests), s.bytes
	s.requests, s.bytes = nil, 0
	return requests, bytes
}

// open opens a table until the test ends.
func open(t testing.TB, address string) *reader.Table {
	t.Helper()
	table, err := remote.OpenQuickly(context.Background(), address, answerTimeout, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { table.Close() })
	return table
}

// same compares what two tables say.
func same(t testing.TB, got, want *reader.Table) {
	t.Helper()
	if got.Identity() != want.Identity() || got.Bytes() != want.Bytes() || got.Packed() != want.Packed() || got.Shape() != want.Shape() {
		t.Error("it is another table")
	}
	r := rand.New(rand.NewPCG(5, 5))
	masks, err := want.Masks(0)
	if err != nil {
		t.Fatal(err)
	}
	for range 300 {
		mask, index := masks[r.IntN(len(masks))], r.Uint64N(1<<14)
		var at, wanted [1]reader.Place
		keys := []reader.Key{{Class: 3, Mask: mask, Index: index, Hint: -1}}
		n, err := got.FindAll(keys, at[:])
		want.FindAll(keys, wanted[:])
		if err != nil || n != 1 || at != wanted {
			t.Fatalf("mask %d is in %+v, not %+v: %v", mask, at, wanted, err)
		}
		e, err := got.Lookup(3, at[0].Block, index)
		we, _ := want.Lookup(3, at[0].Block, index)
		if err != nil || e != we {
			t.Fatalf("state %d of block %d: %v, %v, want %v", index, at[0].Block, e, err, we)
		}
	}
}
