package api_test

import (
	"bufio"
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"backsolve/game/examples"
	"backsolve/internal/probe"
	"backsolve/internal/probe/probetest"
	"backsolve/internal/server"
	"backsolve/internal/server/catalog"
	"backsolve/internal/server/jobs"
	"backsolve/internal/server/token"
)

// The sites are servers that differ in what they refuse.
const (
	usual   = "usual"
	secret  = "secret"  // wants a token
	begun   = "begun"   // is not ready yet
	hurried = "hurried" // has had all requests that it takes
	damaged = "damaged" // has a table that cannot be read
	narrow  = "narrow"  // takes one position in a batch
	hasty   = "hasty"   // waits for nobody
	solving = "solving" // solves boards
)

// sites starts all of them until the test ends, and returns their addresses.
func sites(t *testing.T) map[string]string {
	if err := examples.Add(); err != nil {
		t.Fatal(err)
	}
	t.Helper()
	good, bad := t.TempDir(), t.TempDir()
	for _, dir := range []string{good, bad} {
		probetest.Solve(t, dir, probetest.Rules(t, "quixo", 3), 0, true)
	}
	spoil(t, filepath.Join(bad, probe.FileName(probetest.Rules(t, "quixo", 3).Info())))
	all := map[string]string{}
	for name, change := range map[string]func(*server.Options){
		usual:   func(*server.Options) {},
		secret:  func(o *server.Options) { o.Tokens, _ = token.Parse("secret solve") },
		begun:   func(*server.Options) {},
		hurried: func(o *server.Options) { o.Rate = 1e-6 },
		damaged: func(*server.Options) {},
		narrow:  func(o *server.Options) { o.MaxBatch = 1 },
		hasty: func(o *server.Options) {
			o.Read, o.Jobs = 20*time.Millisecond, queue(t)
			o.Tokens, _ = token.Parse("solver solve\n*")
		},
		solving: func(o *server.Options) {
			o.Jobs = queue(t)
			o.Tokens, _ = token.Parse("solver solve\nreader\n*")
		},
	} {
		dir := good
		if name == damaged {
			dir = bad
		}
		all[name] = site(t, dir, name != begun, change)
	}
	if r := ask(t, all, asked{operation: &operations[0], site: hurried, address: "/v1/games"}); r.status != http.StatusOK {
		t.Fatalf("the first request is answered with %d", r.status)
	}
	return all
}

// queue returns a queue with a job that is done. A script stands for tbsolve.
func queue(t *testing.T) *jobs.Queue {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"solver": `#!/bin/sh
case "$1" in *.wasm) set -- rules 4;; esac
echo "{\"stored_states\":7,\"memory_bytes\":$(($2*100)),\"disk_bytes\":9,\"seconds\":1}"
`,
		jobID + ".json": `{"id":"` + jobID + `","game":"quixo","size":4,"has_steps":false,"state":"done","created":"2026-01-02T03:04:05Z","seconds":1,
"plan":{"game":"quixo","size":4,"has_steps":false,"stored_states":7,"memory_bytes":1,"disk_bytes":1,"seconds":1,"possible":true}}`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	q, err := jobs.Open(jobs.Options{Dir: dir, Solver: filepath.Join(dir, "solver"), Memory: 450})
	if err != nil {
		t.Fatal(err)
	}
	return q
}

// site starts a server for a directory's tables; one that is not ready also answers.
func site(t *testing.T, dir string, ready bool, change func(*server.Options)) string {
	t.Helper()
	tables, err := catalog.Open([]string{dir}, catalog.Options{})
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	opponents, err := server.NewOpponents([]string{"any=random"}, 1)
	if err != nil {
		t.Fatal(err)
	}
	o := server.Options{Catalog: tables, Limits: server.DefaultLimits(), Opponents: opponents}
	change(&o)
	s := server.New(o)
	ctx, stop := context.WithCancel(context.Background())
	var serving sync.WaitGroup
	serving.Go(func() {
		if ready {
			s.Serve(ctx, []net.Listener{listener}, nil, time.Second)
			return
		}
		web := &http.Server{Handler: s}
		go web.Serve(listener)
		<-ctx.Done()
		web.Close()
	})
	t.Cleanup(func() {
		stop()
		serving.Wait()
		tables.Close()
	})
	if ready {
		untilReady(t, listener.Addr().String())
	}
	return listener.Addr().String()
}

// untilReady waits until a server takes requests.
func untilReady(t *testing.T, addr string) {
	t.Helper()
	for {
		resp, err := http.Get("http://" + addr + "/readyz")
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode == http.StatusOK {
			return
		}
		time.Sleep(time.Millisecond)
	}
}

// spoil changes a table's data so that its checksums no longer match.
func spoil(t *testing.T, path string) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for i := range b[4096:binary.LittleEndian.Uint64(b[72:])] { // from the header to the footer
		i += 4096
		b[i] ^= 0xff
	}
	if err := os.WriteFile(path, b, 0o644); err != nil {
		t.Fatal(err)
	}
}

// reply is an answer.
type reply struct {
	status            int
	contentType, body string
}

// ask sends a request, whose header may be any, on a connection of its own.
func ask(t *testing.T, addresses map[string]string, a asked) reply {
	t.Helper()
	conn, err := net.Dial("tcp", addresses[a.site])
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(time.Minute))
	fields := map[string]string{"Host": "localhost", "Connection": "close"}
	if a.body != "" {
		fields["Content-Type"], fields["Content-Length"] = cmp.Or(a.media, "application/json"), fmt.Sprint(len(a.body))
	}
	for i := 0; i < len(a.header); i += 2 {
		fields[a.header[i]] = a.header[i+1]
	}
	var request strings.Builder
	fmt.Fprintf(&request, "%s %s HTTP/1.1\r\n", a.method(), a.address)
	for name, value := range fields {
		fmt.Fprintf(&request, "%s: %s\r\n", name, value)
	}
	if _, err := io.WriteString(conn, request.String()+"\r\n"+a.body); err != nil {
		t.Fatal(err)
	}
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatalf("%s %s: %v", a.method(), a.address, err)
	}
	contentType, _, _ := strings.Cut(resp.Header.Get("Content-Type"), ";")
	return reply{resp.StatusCode, contentType, string(body)}
}
