package server

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"backsolve/internal/probe"
)

const batchPath = "/v1/quixo/3/positions"

// answered returns the answers to a batch, one by one from the table alone.
func answered(t testing.TB, table *probe.Table, texts []string) (lines []string) {
	t.Helper()
	for i, text := range texts {
		var v any
		a, err := table.Ask(text, probe.NoLine)
		if len(text) > maxPosition {
			err = errLong
		}
		if v = a; err != nil {
			v = struct {
				Line  int    `json:"line"`
				Error string `json:"error"`
			}{i + 1, err.Error()}
		}
		line, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, string(line))
	}
	return lines
}

// Batches of both types, arriving in any pieces, get the answers of their positions asked one by
// one.
func TestBatchIsWhatItsPositionsAre(t *testing.T) {
	s := start(t, nil)
	table := open(t, "quixo", 3)
	text := rapid.OneOf(
		rapid.StringMatching(`[XO.]{3}/[XO.]{3}/[XO.]{3}( [xo])?`),
		rapid.StringMatching(`[XO./ ]{0,14}`),
		rapid.Just("\"quoted\" \\ ü \u2028 <&>"),
		rapid.Just(strings.Repeat("X", maxPosition+1)),
	)
	rapid.Check(t, func(r *rapid.T) {
		texts := rapid.SliceOfN(text, 0, 300).Draw(r, "texts")
		want := answered(t, table, texts)
		pieces := rapid.SliceOfN(rapid.IntRange(1, 2000), 1, 20).Draw(r, "pieces")

		body, err := json.Marshal(texts)
		if err != nil {
			t.Fatal(err)
		}
		array := "[" + strings.Join(want, ",\n") + "]\n"
		if got := s.postPieces(arrayMedia, string(body), pieces); got.body != array {
			t.Fatalf("%q gives\n%s\nwant\n%s", body, got.body, array)
		}
		var lines strings.Builder
		for i, text := range texts {
			if i%2 == 0 || strings.HasPrefix(text, `"`) {
				quoted, err := json.Marshal(text)
				if err != nil {
					t.Fatal(err)
				}
				text = string(quoted)
			}
			lines.WriteString(text + "\n")
		}
		got := s.postPieces(linesMedia, lines.String(), pieces)
		for i, line := range strings.Split(strings.TrimSuffix(got.body, "\n"), "\n") {
			if len(want) > 0 && !sameAnswer(line, want[i]) {
				t.Fatalf("line %d of %q is\n%s\nwant\n%s", i+1, lines.String(), line, want[i])
			}
		}
	})
}

// sameAnswer compares answers, errors only in that they are some: a blank line is
// malformed otherwise than a blank string.
func sameAnswer(a, b string) bool {
	var x, y struct{ Line int }
	return a == b || json.Unmarshal([]byte(a), &x) == nil && json.Unmarshal([]byte(b), &y) == nil && x == y && x.Line > 0
}

// postPieces sends a batch in pieces of the given lengths, again and again.
func (s *site) postPieces(media, body string, lengths []int) reply {
	s.t.Helper()
	r, w := io.Pipe()
	go func() {
		for i := 0; body != ""; i++ {
			n := min(lengths[i%len(lengths)], len(body))
			if _, err := io.WriteString(w, body[:n]); err != nil {
				return
			}
			body = body[n:]
		}
		w.Close()
	}()
	return s.postReader(media, r)
}

// postReader sends a batch without its length.
func (s *site) postReader(media string, body io.Reader) reply {
	s.t.Helper()
	req, err := http.NewRequest(http.MethodPost, s.url+batchPath, body)
	if err != nil {
		s.t.Fatal(err)
	}
	req.Header.Set("Content-Type", media)
	resp, err := s.client.Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	got, err := io.ReadAll(resp.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	reply := reply{resp.StatusCode, resp.Header, string(got)}
	checkReply(s.t, req, reply)
	return reply
}

func TestBatchRefusals(t *testing.T) {
	t.Parallel()
	s := start(t, func(o *Options) { o.MaxBatch, o.MaxBody = 3, 100 })
	const one = `".../.../..."`
	for _, c := range []struct {
		media, body string
		status      int
		text        string
	}{
		{arrayMedia, `[` + one + `,` + one + `,` + one + `]`, 200, "position"},
		{arrayMedia, `[]`, 200, "[]\n"},
		{arrayMedia, " [\n] ", 200, "[]\n"},
		{linesMedia, ``, 200, ""},
		{ndjsonMedia, one + "\r\n", 200, "position"},
		{"application/json; charset=utf-8", `[` + one + `]`, 200, "position"},
		{arrayMedia, `[` + one + `,` + one + `,` + one + `,` + one + `]`, 413, "more than 3 positions"},
		{linesMedia, "1\n2\n3\n4", 413, "more than 3 positions"},
		{linesMedia, strings.Repeat("x", 101), 413, "longer than 100 bytes"},
		{arrayMedia, ``, 400, "ends within the array"},
		{arrayMedia, `{}`, 400, "'{'"},
		{arrayMedia, `[1]`, 400, "'1'"},
		{arrayMedia, `[` + one + `,]`, 400, "']'"},
		{arrayMedia, `[` + one + ` ` + one + `]`, 400, "a comma or the end"},
		{arrayMedia, `[` + one + `] x`, 400, "nothing after"},
		{arrayMedia, `[` + one, 400, "ends within the array"},
		{arrayMedia, `["...`, 400, "ends within the array"},
		{arrayMedia, `[` + one + `,`, 400, "ends within the array"},
		{"text/plain", one, 415, "application/jsonl"},
		{"", one, 415, "application/jsonl"},
	} {
		t.Run(c.media+" "+c.body[:min(len(c.body), 40)], func(t *testing.T) {
			t.Parallel() // closing a connection takes half a second
			s.post(batchPath, c.media, c.body).want(t, c.status, c.text)
		})
	}
}

// A batch of known length is counted before any of it is answered: an error in the batch as a
// whole is its only answer, however late in the body.
func TestBatchIsCountedFirst(t *testing.T) {
	const line = ".../.../... o\n"
	many := strings.Repeat(line, 10*chunkPositions)
	s := start(t, func(o *Options) { o.MaxBatch = 10*chunkPositions - 1 })
	for name, c := range map[string]struct {
		media, body string
		status      int
		text        string
	}{
		"too many lines":   {linesMedia, many, 413, "more than"},
		"too many strings": {arrayMedia, `["` + strings.TrimSuffix(strings.ReplaceAll(many, "\n", `","`), `,"`) + `]`, 413, "more than"},
		"malformed":        {arrayMedia, "[" + strings.Repeat(`"",`, 5*chunkPositions) + "null]", 400, "malformed"},
		"cut":              {arrayMedia, "[" + strings.Repeat(`"",`, 5*chunkPositions), 400, "ends within the array"},
		"as many as may":   {linesMedia, strings.TrimPrefix(many, line), 200, "position"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s.post(batchPath, c.media, c.body).want(t, c.status, c.text)
		})
	}
}

// A body that stops arriving is refused, and none of it is answered.
func TestBatchOfAnnouncedLength(t *testing.T) {
	t.Parallel()
	s := start(t, func(o *Options) { o.Read = 50 * time.Millisecond })
	conn := s.dial(strings.Replace(batchHeader, "Transfer-Encoding: chunked", "Content-Length: 100", 1) + ".../.../... x\n")
	if got, err := io.ReadAll(conn); err != nil || !strings.Contains(string(got), " 408 ") || strings.Contains(string(got), `"game"`) {
		t.Errorf("%v, %q", err, got)
	}
}

// A body beyond the byte budget is answered while it arrives, and the budget is released in
// any case.
func TestBatchBeyondBudget(t *testing.T) {
	t.Parallel()
	s := start(t, func(o *Options) { o.MaxBatch = 2*chunkPositions - 1 })
	before := s.server.bodies.left.Load()
	many := strings.Repeat(".../.../... o\n", 2*chunkPositions)
	s.post(batchPath, linesMedia, many).want(t, http.StatusRequestEntityTooLarge, "more than")
	s.post(batchPath, linesMedia, many[:14]).want(t, http.StatusOK, "position")
	if got := s.server.bodies.left.Load(); got != before {
		t.Errorf("%d bytes are left, want %d", got, before)
	}
	s.server.bodies.left.Store(10)
	if r := s.post(batchPath, linesMedia, many); r.status == http.StatusOK && !strings.HasSuffix(r.body, "in several requests\"}\n") {
		t.Errorf("%d, %.300q", r.status, r.body[max(0, len(r.body)-300):])
	}
	if got := s.server.bodies.left.Load(); got != 10 {
		t.Errorf("%d bytes are left, want 10", got)
	}
}

// What is wrong after the answer has begun is its last element.
func TestBatchFailsLate(t *testing.T) {
	t.Parallel()
	const line = ".../.../... o\n"
	many := strings.Repeat(line, 2*chunkPositions)
	for name, c := range map[string]struct {
		change func(*Options)
		media  string
		body   string
		error  string
	}{
		"too many":  {func(o *Options) { o.MaxBatch = 2*chunkPositions - 1 }, linesMedia, many, "more than"},
		"too long":  {func(o *Options) { o.MaxBody = int64(len(many)) - 1 }, linesMedia, many, "longer than"},
		"malformed": {nil, arrayMedia, "[" + strings.Repeat(`"",`, 2*chunkPositions) + "null]", "malformed"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := start(t, c.change)
			got := s.postPieces(c.media, c.body, []int{8 << 10})
			if got.status != http.StatusOK { // the error may have been found before anything was written
				got.want(t, got.status, c.error)
				return
			}
			lines := strings.Split(strings.TrimSpace(got.body), "\n")
			var last struct {
				Line  int
				Error string
			}
			err := json.Unmarshal([]byte(strings.Trim(lines[len(lines)-1], "[],")), &last)
			if err != nil || last.Line != len(lines) || !strings.Contains(last.Error, c.error) {
				t.Errorf("%d lines, the last is %.300q: %v", len(lines), lines[len(lines)-1], err)
			}
		})
	}
}

// A client may wait for each answer before it sends the next position, also where
// answers are compressed.
func TestBatchAnswersWhileItIsSent(t *testing.T) {
	s := start(t, nil)
	for _, coding := range []string{"", "gzip", "zstd"} {
		for _, c := range []struct{ media, before, between, after string }{
			{linesMedia, "", "\n", "\n"},
			{arrayMedia, `["`, `","`, `"]`},
		} {
			body, send := io.Pipe()
			req, err := http.NewRequest(http.MethodPost, s.url+batchPath, body)
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("Content-Type", c.media)
			req.Header.Set("Accept-Encoding", coding)
			go io.WriteString(send, c.before+".../.../..."+c.between)
			resp, err := s.client.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			if got := resp.Header.Get("Content-Encoding"); got != coding {
				t.Fatalf("Content-Encoding: %s, want %s", got, coding)
			}
			answers := bufio.NewReader(resp.Body)
			first, err := answers.Peek(10) // comes before the rest is sent
			if err != nil {
				t.Fatal(err)
			}
			if coding == "" && !strings.Contains(string(first), `{"game"`) {
				t.Errorf("%q", first)
			}
			io.WriteString(send, "X../.../..."+c.after)
			send.Close()
			rest, err := io.ReadAll(answers)
			if err != nil {
				t.Fatal(err)
			}
			if got := uncompress(t, coding, string(rest)); strings.Count(got, `"terminal":false`) != 2 {
				t.Errorf("%s %s: %q", coding, c.media, got)
			}
			resp.Body.Close()
		}
	}
}

// dial opens a connection and sends a text on it.
func (s *site) dial(text string) net.Conn {
	s.t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { conn.Close() })
	if _, err := io.WriteString(conn, text); err != nil {
		s.t.Fatal(err)
	}
	return conn
}

const batchHeader = "POST " + batchPath + " HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/jsonl\r\nTransfer-Encoding: chunked\r\n\r\n"

// A client that sends without end and never reads is cut off, and the server is
// free for others.
func TestBatchOfAClientThatNeverReads(t *testing.T) {
	t.Parallel()
	s := start(t, func(o *Options) { o.Write, o.MaxRequests, o.MaxBatch = 100*time.Millisecond, 1, 1<<30 })
	conn := s.dial(batchHeader)
	conn.SetDeadline(time.Now().Add(time.Minute))
	line := strings.Repeat(".../.../... x\n", 1000)
	chunk := fmt.Sprintf("%x\r\n%s\r\n", len(line), line)
	var err error
	for err == nil {
		_, err = io.WriteString(conn, chunk)
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		t.Fatal("the server goes on reading")
	}
	s.untilFree()
}

// untilFree waits until a server that takes one request at a time accepts one.
func (s *site) untilFree() {
	s.t.Helper()
	for s.get("/v1/tables").status == http.StatusServiceUnavailable {
		time.Sleep(time.Millisecond)
	}
}

// A client that stops sending a body gets an error and is cut off.
func TestBatchOfAClientThatStops(t *testing.T) {
	t.Parallel()
	s := start(t, func(o *Options) { o.Read = 50 * time.Millisecond })
	for body, want := range map[string]string{
		"":                       "408",
		"4\r\n.../":              "408",
		"c\r\n.../.../...\n\r\n": `{"line":2,"error":"no more of the body arrived for 50ms"}`,
	} {
		got, err := io.ReadAll(s.dial(batchHeader + body))
		if err != nil || !strings.Contains(string(got), want) {
			t.Errorf("after %q: %v, %q", body, err, got)
		}
	}
}

// A body that is not read to its end does not become the next request.
func TestUnreadBodyIsNoRequest(t *testing.T) {
	t.Parallel()
	s := start(t, func(o *Options) { o.MaxBatch = 1 })
	hidden := "x\nGET /v1/tables HTTP/1.1\r\nHost: localhost\r\n\r\n"
	got, err := io.ReadAll(s.dial(fmt.Sprintf("POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/jsonl\r\nContent-Length: %d\r\n\r\n%s",
		batchPath, len(hidden), hidden)))
	if err != nil || strings.Count(string(got), "HTTP/1.1") != 1 {
		t.Errorf("%v, %q", err, got)
	}
}

// A body whose chunks cannot be read is the client's fault.
func TestMalformedChunks(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	for _, chunks := range []string{"FFFFFFFFFFFFFFFFF\r\n", "-1\r\n", "x\r\n", "1\r\nxx\r\n"} {
		resp, err := http.ReadResponse(bufio.NewReader(s.dial(batchHeader+chunks)), nil)
		if err != nil {
			t.Fatal(err)
		}
		if body, _ := io.ReadAll(resp.Body); resp.StatusCode != http.StatusBadRequest || !strings.Contains(string(body), "cannot be read") {
			t.Errorf("%q: status %d, %s", chunks, resp.StatusCode, body)
		}
	}
}
