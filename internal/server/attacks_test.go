package server

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"backsolve/internal/probe"
	"backsolve/internal/probe/probetest"
)

// attack is a request of any bytes with the statuses that may answer it.
type attack struct {
	name, request string
	allowed       []int
	// cut says that the connection may also end without an answer.
	cut bool
}

// response is an answer to an attack; its status is 0 if there was none.
type response struct {
	status int
	header http.Header
	body   []byte
}

// attackConn opens a connection that is closed with the test.
func (s *site) attackConn() *net.TCPConn {
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
	if err != nil {
		s.t.Error(err)
		return nil
	}
	conn.SetDeadline(time.Now().Add(time.Minute))
	s.t.Cleanup(func() { conn.Close() })
	return conn.(*net.TCPConn)
}

// attack sends bytes and then nothing. It is an error if the server neither answers nor closes
// the connection.
func (s *site) attack(request string) (a response, err error) {
	conn := s.attackConn()
	defer conn.Close()
	go func() { // a server need not read all of what it refuses
		io.WriteString(conn, request)
		conn.CloseWrite()
	}()
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		return a, onlyTimeout(err)
	}
	defer resp.Body.Close()
	a.status, a.header = resp.StatusCode, resp.Header
	a.body, err = io.ReadAll(resp.Body)
	return a, onlyTimeout(err)
}

// onlyTimeout returns an error only if a deadline caused it.
func onlyTimeout(err error) error {
	if timeout, ok := errors.AsType[net.Error](err); ok && timeout.Timeout() {
		return err
	}
	return nil
}

// problem says what is wrong with an answer to a malformed request: the API explains errors as
// JSON, net/http rejects malformed HTTP as text.
func (a *response) problem() error {
	switch {
	case bytes.Contains(a.body, []byte("root:")):
		return fmt.Errorf("it shows a file: %.200q", a.body)
	case len(a.body) == 0, a.status/100 == 3, strings.HasPrefix(a.header.Get("Content-Type"), "text/plain"):
		return nil
	case a.status == http.StatusOK:
		if !bytes.Contains(a.body, []byte(`"error":`)) {
			return fmt.Errorf("it tells no error: %.200q", a.body)
		}
		return nil
	}
	var told struct {
		Error     string `json:"error"`
		RequestID string `json:"request_id"`
	}
	if err := json.Unmarshal(a.body, &told); err != nil || told.Error == "" || told.RequestID == "" {
		return fmt.Errorf("an error of status %d without its JSON: %.200q", a.status, a.body)
	}
	return nil
}

// attackHead begins a batch whose header never ends.
const attackHead = "POST /v1/quixo/3/positions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"

// attackBatch is a batch with a body.
func attackBatch(media, body string) string {
	return fmt.Sprintf("POST /v1/quixo/3/positions HTTP/1.1\r\nHost: localhost\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n%s", media, len(body), body)
}

func attackGet(target string) string { return "GET " + target + " HTTP/1.1\r\nHost: localhost\r\n\r\n" }

// noHTTP are requests that HTTP does not allow, among them those by which a second request
// is smuggled past a proxy.
func noHTTP() (all []attack) {
	for _, c := range []struct {
		rest    string
		allowed []int
	}{
		{"Content-Length: 2\r\nContent-Length: 50\r\n\r\n[]" + attackGet("/v1/tables"), []int{400}},
		{"Content-Length: 2, 50\r\n\r\n[]" + attackGet("/v1/tables"), []int{400}},
		{"Content-Length: -2\r\n\r\n[]", []int{400}},
		{"Content-Length: +2\r\n\r\n[]", []int{400}},
		{"Content-Length: 0x2\r\n\r\n[]", []int{400}},
		{"Content-Length: 99999999999999999999\r\n\r\n[]", []int{400}},
		{"Content-Length : 2\r\n\r\n[]", []int{400}},
		{"Content-Length: 2\r\nX: a\r\n b\r\n\r\n[1", []int{200, 400}},
		{"Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n", []int{400, 501}},
		{"Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", []int{400, 501}},
		{"Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n", []int{400, 501}},
		{"Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n[\r\n0\r\n\r\n", []int{400}},
		{"Transfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFFF\r\n[]", []int{400}},
		{"Transfer-Encoding: chunked\r\n\r\n-1\r\n[]\r\n0\r\n\r\n", []int{400}},
		{"Transfer-Encoding: chunked\r\n\r\nxyz\r\n[]\r\n0\r\n\r\n", []int{400}},
		{"Transfer-Encoding: chunked\r\n\r\n1\r\n[]0\r\n\r\n", []int{400}},
	} {
		all = append(all, attack{fmt.Sprintf("%.40q", c.rest), attackHead + c.rest, c.allowed, false})
	}
	for _, request := range []string{
		"GET / HTTP/1.1\r\n\r\n", "GET / HTTP/1.1\r\nHost: localhost\r\nHost: b\r\n\r\n", "GET / HTTP/1.1\r\nHost: a b\r\n\r\n", "GET / HTTP/9.9\r\nHost: localhost\r\n\r\n",
		"GET / HTTP/1.1\r\nHost: localhost\r\nno colon\r\n\r\n", "GET / HTTP/1.1\r\nHost: localhost\r\nX: \x00\r\n\r\n", "GET / HTTP/1.1\r\nHost: localhost\r\nX y: z\r\n\r\n",
		"GET  / HTTP/1.1\r\nHost: localhost\r\n\r\n", "GET /\r\n\r\n", "GET\r\n\r\n", "\r\n\r\n\r\n\r\n", "G\x00T / HTTP/1.1\r\nHost: localhost\r\n\r\n", "GET /\x00 HTTP/1.1\r\nHost: localhost\r\n\r\n",
		"GET /%zz HTTP/1.1\r\nHost: localhost\r\n\r\n", "GET a HTTP/1.1\r\nHost: localhost\r\n\r\n", "get / http/1.1\r\nhost: a\r\n\r\n", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
		"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\x00\x00\x00\x00\x00\x00\x00\r\n", "SSH-2.0-x\r\n", "\xff\xff\xff\xff\r\n\r\n",
		"CONNECT example.org:443 HTTP/1.1\r\nHost: example.org\r\n\r\n", "TRACE / HTTP/1.1\r\nHost: localhost\r\n\r\n", "OPTIONS * HTTP/1.1\r\nHost: localhost\r\n\r\n",
	} {
		all = append(all, attack{fmt.Sprintf("%.40q", request), request, []int{200, 400, 404, 405, 421, 501, 505}, true})
	}
	return all
}

// malformedBodies are malformed batches. If positions are answered before the fault shows, it is
// the last element.
func malformedBodies() (all []attack) {
	const good = `".../.../..."`
	for _, body := range []string{
		"", " ", "\n", "[", "]", "[]]", "{}", "[}", `{"p":1}`, "null", "true", "1", good, "[" + good, "[" + good + ",", "[" + good + ",]", "[," + good + "]",
		"[" + good + good + "]", "[" + good + " " + good + "]", "[" + good + ":" + good + "]", "[" + good + "]" + good, "[" + good + "]x", "[[" + good + "]]",
		"[1]", "[null]", "[true]", "[{}]", "[1e999999]", "[-]", `["`, `["\`, `["\u`, `["\u12`, `["\uD800"]`, `["\x"]`, "['a']", "[\"\x00\"]",
		"[\"\t\"]", "[\"\n\"]", "[\"\xff\xfe\"]", "\xef\xbb\xbf[" + good + "]", "[\"\xc0\xaf\"]", "[\"\xed\xa0\x80\"]", "\x00\x00\x00\x00", "[" + good + ",\x00]",
		"/* */[" + good + "]", "[" + good + "] // done", "NaN", "[NaN]", "[" + good + ";" + good + "]", "a=b&c=d", "<positions/>", `[""]`, `["` + strings.Repeat("X", 5000) + `"]`,
		`["X"]`, `["💥"]`, "[\".../.../... \u0455\"]", strings.Repeat("[", 60_000), "[" + strings.Repeat(`{"a":`, 10_000),
	} {
		all = append(all, attack{fmt.Sprintf("the array %.40q", body), attackBatch("application/json", body), []int{200, 400}, false})
	}
	for _, body := range []string{
		"\n", "\n\n\n", "x", "\x00", "\xff\xff\n", `"`, `"\`, "\"\\ud800\"\n", "{}\n", "[]\n", strings.Repeat("X", 50_000), good + good + "\n", good + ",\n", "\r", "\r\r\n", "\u2028\n",
	} {
		all = append(all, attack{fmt.Sprintf("the lines %.40q", body), attackBatch(linesMedia, body), []int{200, 400}, false})
	}
	for _, media := range []string{"", "text/plain", "application/xml", "multipart/form-data; boundary=x", strings.Repeat("a", 2000)} {
		all = append(all, attack{fmt.Sprintf("the media type %.40q", media), attackBatch(media, "["+good+"]"), []int{400, 415}, false})
	}
	return all
}

// noPaths are addresses that lead nowhere.
func noPaths() (all []attack) {
	for _, target := range []string{
		"/v1/../../etc/passwd", "/../../../../etc/passwd", "/v1/quixo/../../../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/v1/%2e%2e%2f%2e%2e%2fetc%2fpasswd/4",
		"/v1/..%2f..%2fetc/4/position?p=X", "/v1/..%5c..%5cwindows/4", "/assets/../../go.mod", "/assets/%2e%2e/%2e%2e/go.mod", "/assets/..%2f..%2fgo.mod", "//etc/passwd", "/etc/passwd",
		"/v1/quixo%00/4", "/v1/quixo/4%00.tb", "/v1/quixo.tb/4", "/v1//4", "/v1/%20/4", "/v1/" + strings.Repeat("a", 5000) + "/4",
		"/v1/quixo/-1", "/v1/quixo/0", "/v1/quixo/99", "/v1/quixo/4e0", "/v1/quixo/4.0", "/v1/quixo/0x4", "/v1/quixo/٤",
		"/v1/quixo/99999999999999999999999", "/v1/quixo/../quixo/4/position", "/v1/chess/8", "/v1/%ff%fe/4", "/v1/%F0%9F%92%A5/4",
		"/v1/quixo/3/position", "/v1/quixo/3/position?p=%00", "/v1/quixo/3/position?p=%ff", "/v1/quixo/3/position?p=X&p=Y", "/v1/quixo/3/position?p=..%2F..%2Fetc%2Fpasswd",
		"/v1/quixo/3/position?p=X&after=..%2F..%2Fetc%2Fpasswd", "/v1/quixo/3/position;p=X", "/v1/quixo/3/line?p=X&max_plies=-1", "/v1/quixo/3/line?p=X&max_plies=1e9",
		"/v1/quixo/3/move?p=X&blunder=NaN", "/v1/quixo/3/move?p=X&policy=..%2F", "/v1/quixo/3/random?steps=-1", "/v1/quixo/3/random?outcome=%00", "/v1/quixo/3/random?seed=-1",
		"/v1/quixo/3/position?p=" + strings.Repeat("&p=X", 1000),
	} {
		all = append(all, attack{fmt.Sprintf("%.60q", target), attackGet(target), []int{301, 307, 400, 404, 414}, false})
	}
	return all
}

// tooLarge are requests beyond the limits of TestAttacks.
func tooLarge() []attack {
	var zeros bytes.Buffer
	z := gzip.NewWriter(&zeros)
	z.Write(make([]byte, 4<<20)) // a Buffer takes all
	z.Close()
	const target = "/v1/quixo/3/position?p="
	return []attack{
		{"a long body", attackBatch("application/json", "["+strings.Repeat(`"X",`, 64<<10)+`"X"]`), []int{413}, true},
		{"a body of a terabyte", attackHead + "Content-Length: 1000000000000\r\n\r\n[", []int{413}, false},
		{"a long body in chunks", attackHead + "Transfer-Encoding: chunked\r\n\r\n1\r\n[\r\n40000\r\n" + strings.Repeat(`"X",`, 64<<10) + "\r\n5\r\n\"X\"]\n\r\n0\r\n\r\n", []int{200, 413}, true},
		{"more positions than allowed", attackBatch(linesMedia, strings.Repeat("X\n", 2000)), []int{413}, false},
		{"a compressed body", strings.Replace(attackBatch("application/json", zeros.String()), "Content-Type", "Content-Encoding: gzip\r\nContent-Type", 1), []int{400, 415}, false},
		{"a long header", "GET /v1/tables HTTP/1.1\r\nHost: localhost\r\nX: " + strings.Repeat("a", 64<<10) + "\r\n\r\n", []int{431}, true},
		{"a long cookie and a long token", "GET /v1/tables HTTP/1.1\r\nHost: localhost\r\nCookie: " + strings.Repeat("a", 20_000) + "\r\nAuthorization: Bearer " + strings.Repeat("b", 20_000) + "\r\n\r\n", []int{431}, true},
		{"a long address", attackGet(target + strings.Repeat("X", 64<<10)), []int{414, 431}, true},
	}
}

// Malformed requests are refused, one by one.
func TestAttacks(t *testing.T) {
	t.Parallel()
	s := start(t, func(o *Options) { o.MaxBody, o.MaxBatch = 64<<10, 1000 })
	for _, a := range slices.Concat(noHTTP(), malformedBodies(), noPaths(), tooLarge()) {
		got, err := s.attack(a.request)
		switch {
		case err != nil:
			t.Errorf("%s: %v", a.name, err)
		case got.status == 0 && a.cut:
		case !slices.Contains(a.allowed, got.status):
			t.Errorf("%s: status %d, want one of %v: %.200q", a.name, got.status, a.allowed, got.body)
		default:
			if err := got.problem(); err != nil {
				t.Errorf("%s: %v", a.name, err)
			}
		}
	}
	s.want(http.StatusOK, some)
}

// Good requests with bytes changed, left out and put in are never the server's fault.
func TestMutatedRequests(t *testing.T) {
	s := start(t, nil)
	var working sync.WaitGroup
	for seed := range uint64(8) {
		working.Go(func() {
			r := rand.New(rand.NewPCG(13, seed))
			for range 60 {
				request := []byte(attackGet(some))
				if r.IntN(2) == 0 {
					request = []byte(attackBatch("application/json", `[".../.../...","XO./.../..."]`))
				}
				for range 1 + r.IntN(4) {
					switch at := r.IntN(len(request)); r.IntN(3) {
					case 0:
						request[at] = byte(r.IntN(256))
					case 1:
						request = slices.Delete(request, at, at+1)
					case 2:
						request = slices.Insert(request, at, byte(r.IntN(256)))
					}
				}
				got, err := s.attack(string(request))
				if err != nil || got.status >= 500 && got.status != http.StatusNotImplemented && got.status != http.StatusHTTPVersionNotSupported {
					t.Errorf("%q: status %d, %v", request, got.status, err)
				}
			}
		})
	}
	working.Wait()
	s.want(http.StatusOK, some)
}

// Connections that end midway are given up, and one that is half closed after a whole request
// gets its answer.
func TestCutConnections(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	r := rand.New(rand.NewPCG(11, 12))
	get, batch := attackGet(some), attackBatch(linesMedia, strings.Repeat(".../.../...\n", 1000))
	for i := range 100 {
		conn := s.attackConn()
		conn.SetLinger(0) // Close resets it
		switch i % 4 {
		case 0:
			io.WriteString(conn, get[:r.IntN(len(get))])
		case 1:
			io.WriteString(conn, batch[:200+r.IntN(len(batch)-200)])
		case 2:
			io.WriteString(conn, batch)
			conn.Read(make([]byte, 100))
		case 3:
			if got, err := s.attack(get); err != nil || got.status != http.StatusOK {
				t.Errorf("half closed after a request: status %d, %v", got.status, err)
			}
		}
		conn.Close()
	}
	s.quiet()
}

// quiet waits until no request is in flight.
func (s *site) quiet() {
	s.t.Helper()
	for end := time.Now().Add(30 * time.Second); s.server.metrics.count("backsolve_http_requests_in_flight") > 0; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			s.t.Fatal("requests are still in flight")
		}
	}
}

// Slow clients lose their connections, and others are served meanwhile as before.
func TestSlowClients(t *testing.T) {
	const timeout = 200 * time.Millisecond
	s := start(t, func(o *Options) { o.ReadHeader, o.Read, o.Write = timeout, timeout, timeout })
	good := s.want(http.StatusOK, some)
	batch := attackBatch(linesMedia, strings.Repeat(".../.../...\n", 5000))
	for range 6 { // they stay open, and the server gives up on them: see quiet
		conn := s.attackConn()
		conn.SetReadBuffer(4 << 10)
		go io.WriteString(conn, batch)
	}
	var attacking sync.WaitGroup
	for _, slow := range []struct {
		name, sent string
		drip       []byte // what is sent again and again
	}{
		{"a header byte by byte", "GET / HTTP/1.1\r\nHost: localhost\r\nX: ", []byte("a")},
		{"half a batch", batch[:len(batch)/2], nil},
	} {
		for range 6 {
			attacking.Go(func() {
				conn := s.attackConn()
				io.WriteString(conn, slow.sent)
				ended := make(chan error, 1)
				go func() {
					_, err := io.Copy(io.Discard, conn)
					ended <- onlyTimeout(err)
				}()
				for {
					select {
					case err := <-ended:
						if err != nil {
							t.Errorf("%s: the connection is still open", slow.name)
						}
						return
					case <-time.After(timeout / 20):
						conn.Write(slow.drip)
					}
				}
			})
		}
	}
	done := make(chan struct{})
	go func() { attacking.Wait(); close(done) }()
	for served := 0; ; served++ {
		if r := s.want(http.StatusOK, some); r.body != good.body {
			t.Errorf("others get %s", r.body)
		}
		select {
		case <-done:
			if served == 0 {
				t.Error("nobody else asked meanwhile")
			}
			s.quiet()
			return
		case <-time.After(timeout / 20):
		}
	}
}

// harms are what may happen to the file of a table while it is asked.
var harms = map[string]func(path, other string) error{
	"cut short": func(path, _ string) error { return os.Truncate(path, 2000) },
	"emptied":   func(path, _ string) error { return os.Truncate(path, 0) },
	"deleted":   func(path, _ string) error { return os.Remove(path) },
	"damaged": func(path, _ string) error {
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		info, err := f.Stat()
		if err == nil {
			noise := make([]byte, info.Size()-4096)
			rand.NewChaCha8([32]byte{1}).Read(noise)
			_, err = f.WriteAt(noise, 4096)
		}
		return errors.Join(err, f.Close())
	},
	"replaced": func(path, other string) error { return os.Rename(other, path) },
	"a link": func(path, _ string) error {
		return errors.Join(os.Remove(path), os.Symlink("/etc/passwd", path))
	},
	"a directory": func(path, _ string) error { return errors.Join(os.Remove(path), os.Mkdir(path, 0o755)) },
}

// While a table is harmed, whatever has a value is right and all else an error; when it is
// put right, it is asked again.
func TestHarmedTables(t *testing.T) {
	sources := makeTables(t)
	for name, harm := range harms {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			path, other := filepath.Join(dir, "quixo-3x3.tb"), filepath.Join(dir, "notakto-3x3.tb")
			whole := copyTable(t, path, filepath.Join(sources, "quixo-3x3.tb"))
			copyTable(t, other, filepath.Join(sources, "notakto-3x3.tb"))
			s := startDir(t, dir, nil)
			rules, r := probetest.Rules(t, "quixo", 3), rand.New(rand.NewPCG(15, 16))
			known := map[string]string{}
			for range 100 {
				target := "/v1/quixo/3/position?p=" + strings.ReplaceAll(rules.Format(probe.RandomOpenPosition(rules, r)), " ", "%20")
				known[target] = s.want(http.StatusOK, target).body
			}
			harmed := make(chan error, 1)
			go func() { harmed <- harm(path, other) }()
			refused := 0
			for end := time.Now().Add(30 * time.Second); refused < 100 && time.Now().Before(end); {
				for target, want := range known {
					got := s.get(target)
					if got.status == http.StatusOK && got.body != want {
						t.Errorf("%s instead of %s", got.body, want)
					} else if !slices.Contains([]int{200, 404, 500, 503}, got.status) {
						t.Errorf("status %d: %s", got.status, got.body)
					}
					if got.status != http.StatusOK {
						refused++
					}
				}
			}
			if err := <-harmed; err != nil || refused < 100 {
				t.Fatalf("%v, %d refusals", err, refused)
			}
			if info, err := os.Lstat(path); err == nil && info.IsDir() {
				os.Remove(path) // a file cannot take the place of a directory
			}
			if err := errors.Join(os.WriteFile(path+".new", whole, 0o644), os.Rename(path+".new", path)); err != nil {
				t.Fatal(err)
			}
			for target, want := range known {
				if got := s.until(http.StatusOK, target); got.body != want {
					t.Errorf("put right, %s instead of %s", got.body, want)
				}
			}
		})
	}
}

// copyTable copies a table and returns it.
func copyTable(t *testing.T, to, from string) []byte {
	t.Helper()
	data, err := os.ReadFile(from)
	if err == nil {
		err = os.WriteFile(to, data, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	return data
}
