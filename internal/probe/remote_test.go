package probe_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"backsolve/game"
	"backsolve/internal/probe"
	"backsolve/tablebase"
	"backsolve/tablebase/remote"
	"backsolve/tablebase/writer"
)

// serveDir serves a directory until the test ends, and counts the requests.
func serveDir(t *testing.T, dir string) (address string, requests *atomic.Int64) {
	t.Helper()
	requests = new(atomic.Int64)
	files := http.FileServerFS(os.DirFS(dir))
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		files.ServeHTTP(w, r)
	}))
	t.Cleanup(s.Close)
	return s.URL, requests
}

// packedIn returns a directory with the packed table of a board, and also the unpacked one if
// plain.
func packedIn(t *testing.T, rules game.Grid, unpacked bool) string {
	t.Helper()
	dir, name := t.TempDir(), probe.FileName(rules.Info())
	data, err := os.ReadFile(filepath.Join(solvedIn(t, rules, true), name))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := writer.Pack(context.Background(), path, false, nil); err != nil {
		t.Fatal(err)
	}
	if !unpacked {
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestRemote compares answers from a web server, packed or not, with those from the file.
func TestRemote(t *testing.T) {
	for _, board := range []struct {
		game string
		n    int
	}{{"quixo", 3}, {"notakto", 4}} {
		rules := newRules(t, board.game, board.n)
		want := open(t, board.game, board.n, true)
		for form, dir := range map[string]string{
			"packed": packedIn(t, rules, false), "both": packedIn(t, rules, true), "plain": solvedIn(t, rules, true),
		} {
			t.Run(board.game+" "+form, func(t *testing.T) {
				address, _ := serveDir(t, dir)
				table, err := probe.Open(address+"/", rules)
				if err != nil {
					t.Fatal(err)
				}
				defer table.Close()
				if packed := strings.HasSuffix(table.Stored().Path(), tablebase.PackedSuffix); packed != (form != "plain") {
					t.Errorf("opened is %s", table.Stored().Path())
				}
				byAddress, err := probe.OpenURL(t.Context(), table.Stored().Path())
				if err != nil {
					t.Fatal(err)
				}
				defer byAddress.Close()
				for _, p := range randomPositions(want, 300) {
					right, err := want.Answer(p)
					if err != nil {
						t.Fatal(err)
					}
					for _, from := range []*probe.Table{table, byAddress} {
						if a, err := from.Answer(p); err != nil || !reflect.DeepEqual(a, right) {
							t.Fatalf("%s: %v, %v, want %v", rules.Format(p), a, err, right)
						}
					}
				}
			})
		}
	}
}

// TestRemoteMissing checks the error of a table that a server lacks; no local directory counts.
func TestRemoteMissing(t *testing.T) {
	address, requests := serveDir(t, t.TempDir())
	hidden := strings.Replace(address, "http://", "http://me:secret@", 1) + "/tables?key=secret"
	_, err := probe.Open(hidden, newRules(t, "quixo", 3))
	var missing *probe.MissingError
	if !errors.As(err, &missing) || !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	want := "there is no table of quixo 3×3 in " + address + "/tables"
	if err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	if n := requests.Load(); n != 2 {
		t.Errorf("%d requests, where there are two names to ask for", n)
	}
	if _, err := probe.OpenFile(hidden); err == nil || strings.Contains(err.Error(), "secret") || !strings.Contains(err.Error(), "get the file") {
		t.Errorf("as a file: %v", err)
	}
}

// TestRemoteWrongTable checks that errors of a remote table name the server.
func TestRemoteWrongTable(t *testing.T) {
	quixo := newRules(t, "quixo", 4)
	dir := copyTable(t, open(t, "quixo", 3, true), quixo)
	address, _ := serveDir(t, dir)
	_, err := probe.Open(address, quixo)
	if !errors.Is(err, probe.ErrOtherBoard) || !strings.Contains(err.Error(), address+"/quixo-4x4.tb:") {
		t.Error(err)
	}
}

// TestContextEndsReading cancels the context of a board, which ends reading.
func TestContextEndsReading(t *testing.T) {
	rules := newRules(t, "quixo", 3)
	address, _ := serveDir(t, packedIn(t, rules, false))
	board, err := probe.NewBoard("quixo", 3, "")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := board.Open(ctx, address, probe.OnDemand{}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// busy serves a directory. Once busy, it answers the third request for each range, and asks the
// others to wait.
type busy struct {
	http.Handler
	lock  sync.Mutex
	tries map[string]int // by range, nil before
}

func (b *busy) RoundTrip(r *http.Request) (*http.Response, error) {
	b.lock.Lock()
	defer b.lock.Unlock()
	answer := httptest.NewRecorder()
	if b.tries != nil {
		b.tries[r.Header.Get("Range")]++
	}
	if b.tries == nil || b.tries[r.Header.Get("Range")] == 3 {
		b.ServeHTTP(answer, r)
	} else {
		answer.Header().Set("Retry-After", "45")
		answer.WriteHeader(http.StatusServiceUnavailable)
	}
	return answer.Result(), nil
}

// TestDeadlineOfAnswers checks that an answer from a web server has one deadline for all its
// requests.
func TestDeadlineOfAnswers(t *testing.T) {
	table := open(t, "notakto", 4, true)
	file := table.Stored().Path()
	const text = "XXX./X.XX/X..X/.XX." // needs two requests, one after the other
	for name, ask := range map[string]func(*probe.Table) error{
		"Ask": func(t *probe.Table) error {
			_, err := t.Ask(text, probe.WholeLine)
			return err
		},
		"AppendAsk": func(t *probe.Table) error {
			_, _, err := probe.AppendAsk(t, nil, text)
			return err
		},
		"Rate": func(t *probe.Table) error {
			p, err := t.Rules().Parse(text)
			if err == nil {
				_, _, err = t.Rate(nil, p, nil)
			}
			return err
		},
	} {
		synctest.Test(t, func(t *testing.T) {
			before := http.DefaultTransport
			defer func() { http.DefaultTransport = before }()
			server := &busy{Handler: http.FileServerFS(os.DirFS(filepath.Dir(file)))}
			http.DefaultTransport = server
			table, err := probe.OpenURL(t.Context(), "http://host/"+filepath.Base(file))
			if err != nil {
				t.Fatal(err)
			}
			defer table.Close()
			server.tries = map[string]int{}
			begun := time.Now()
			err = ask(table)
			if took := time.Since(begun); took > remote.Deadline || err == nil || len(server.tries) < 2 {
				t.Errorf("%s: after %v and %v: %v", name, took, server.tries, err)
			}
		})
	}
}
