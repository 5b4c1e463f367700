package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"backsolve/cmd/cli/scripts"
	"backsolve/internal/probe"
	"backsolve/internal/probe/probetest"
)

var program = scripts.Program{Main: main, Root: newCommand}

func TestMain(m *testing.M) { program.TestMain(m) }

func TestScripts(t *testing.T) { program.Test(t, solved(t)) }

// solved returns a directory with the tables of quixo 3×3, with steps, and notakto 4×4.
func solved(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	probetest.Solve(t, dir, probetest.Rules(t, "quixo", 3), 0, true)
	probetest.Solve(t, dir, probetest.Rules(t, "notakto", 4), 0, false)
	return dir
}

// client is a client of a server.
type client struct {
	t *testing.T
	*mcp.ClientSession
}

// connect connects a client by a transport.
func connect(t *testing.T, transport mcp.Transport) client {
	t.Helper()
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), transport, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { session.Close() })
	return client{t, session}
}

// toTables connects a client to a server of the tables of a directory, in this process.
func toTables(t *testing.T, dir string) client {
	t.Helper()
	ours, theirs := mcp.NewInMemoryTransports()
	session, err := tablesServer(dir).Connect(t.Context(), ours, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { session.Wait() })
	return connect(t, theirs)
}

func tablesServer(dir string) *mcp.Server {
	return newServer(&tables{dir: dir, turns: make(chan struct{}, 2)})
}

// arguments are the arguments of a tool.
type arguments = map[string]any

// call calls a tool, and reads its structured answer.
func call[T any](c client, tool string, args arguments) (answer T) {
	c.t.Helper()
	got, err := c.CallTool(c.t.Context(), &mcp.CallToolParams{Name: tool, Arguments: args})
	if err != nil {
		c.t.Fatal(err)
	}
	if got.IsError {
		c.t.Fatalf("%s %v: %s", tool, args, text(got))
	}
	structured, err := json.Marshal(got.StructuredContent)
	if err != nil {
		c.t.Fatal(err)
	}
	if err := json.Unmarshal(structured, &answer); err != nil {
		c.t.Fatal(err)
	}
	return answer
}

// text returns the texts of an answer.
func text(r *mcp.CallToolResult) (all string) {
	for _, c := range r.Content {
		all += c.(*mcp.TextContent).Text
	}
	return all
}

// wantRefused calls a tool and wants an error with these words.
func (c client) wantRefused(words, tool string, args any) {
	c.t.Helper()
	got, err := c.CallTool(c.t.Context(), &mcp.CallToolParams{Name: tool, Arguments: args})
	switch {
	case err != nil:
		c.t.Fatal(err)
	case !got.IsError || !strings.Contains(text(got), words) || len(text(got)) > 600:
		c.t.Errorf("%s answers %.600s, want the error %q", tool, text(got), words)
	}
}

const middle = "X.O/.../..X o"

// The tools agree with the table.
func TestTools(t *testing.T) {
	dir := solved(t)
	table, err := probe.Open(dir, probetest.Rules(t, "quixo", 3))
	if err != nil {
		t.Fatal(err)
	}
	defer table.Close()
	want, err := table.Ask(middle, maxPlies)
	if err != nil {
		t.Fatal(err)
	}
	c := toTables(t, dir)
	of := arguments{"game": "quixo", "size": "3", "position": middle}
	v := call[position](c, "value", of)
	if v.Outcome != want.Outcome.String() || *v.Steps != want.Steps || v.Best != want.Moves[0].Move || v.Source != "table" || v.Position != middle {
		t.Errorf("the value is %+v, want %+v", v, want)
	}
	moves := call[moveList](c, "moves", of).Moves
	if len(moves) != len(want.Moves) {
		t.Fatalf("%d moves, want %d", len(moves), len(want.Moves))
	}
	for i, m := range want.Moves {
		if got := moves[i]; got.Move != m.Move || got.Outcome != m.Outcome.String() || got.Position != m.Position || m.Steps >= 0 && *got.Steps != m.Steps {
			t.Errorf("move %d is %+v, want %+v", i, got, m)
		}
	}
	line := call[mainLine](c, "line", of)
	if len(line.Moves) != want.Steps || line.End != "over" || line.Moves[0] != want.Line.Plies[0].Move {
		t.Errorf("the line is %+v, want %+v", line, want.Line)
	}
	if cut := call[mainLine](c, "line", arguments{"game": "quixo", "size": "3", "max_plies": 1}); len(cut.Moves) != 1 || cut.End != "cut" {
		t.Errorf("the line of a ply is %+v", cut)
	}
	for _, g := range call[gameList](c, "games", nil).Games {
		if known := strings.Join(g.Known, " "); g.Name == "quixo" && known != "3" || g.Name == "notakto" && !strings.HasPrefix(known, "4 ") {
			t.Errorf("%s is known on %s", g.Name, known)
		}
	}
}

// Two players at full strength reach the end that the table promises; a move that leaves the
// position as it is, or one at the end of the game, is refused.
func TestPlay(t *testing.T) {
	c := toTables(t, solved(t))
	at, plies := "startpos", 0
	for over := false; !over; plies++ {
		p := call[played](c, "play", arguments{"game": "quixo", "size": "3", "position": at, "policy": "shortest"})
		if at, over = p.Position, p.Terminal; !strings.Contains(p.Diagram, "a b c") {
			t.Errorf("the diagram is %q", p.Diagram)
		}
	}
	if plies != 7 {
		t.Errorf("the game takes %d plies, want 7", plies)
	}
	c.wantRefused("the game is over", "play", arguments{"game": "quixo", "size": "3", "position": at})
}

// An explanation names the mistake in a move, and what keeps the outcome.
func TestExplain(t *testing.T) {
	c := toTables(t, solved(t))
	explain := func(position, move string) string {
		t.Helper()
		return call[explanation](c, "explain", arguments{"game": "notakto", "size": "4", "position": position, "move": move}).Text
	}
	at := call[moveList](c, "moves", arguments{"game": "notakto", "size": "4", "position": "startpos moves a1 b3 c4"})
	last := at.Moves[len(at.Moves)-1]
	if at.Outcome != "win" || last.Outcome != "lose" {
		t.Fatalf("%+v", at)
	}
	got := explain(at.position.Position, last.Move)
	for _, want := range []string{"The player to move wins. Moves that keep the outcome: 9 of 13. The best is a3.\n", last.Move + " is a mistake: the player loses. The best reply is ", "main line\n  1. " + at.Best} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in the explanation:\n%s", want, got)
		}
	}
	if got := explain(at.position.Position, at.Best); !strings.Contains(got, at.Best+" is a best move: the player wins") {
		t.Error(got)
	}
}

// Hostile arguments get errors that say what is wrong, and the server keeps running.
func TestHostileArguments(t *testing.T) {
	c := toTables(t, solved(t))
	long := strings.Repeat("X", maxPosition+1)
	for _, try := range []struct {
		words, tool string
		args        any
	}{
		{`there is no game "chess"`, "value", arguments{"game": "chess", "size": "3"}},
		{`there is no game`, "value", arguments{"game": "../../etc/passwd", "size": "3"}},
		{`there is no quixo board of size -1`, "value", arguments{"game": "quixo", "size": "-1"}},
		{`there is no quixo board "999999999999"`, "moves", arguments{"game": "quixo", "size": "999999999999"}},
		{`there is no table`, "value", arguments{"game": "quixo", "size": "4"}},
		{`column 1: "z" is not a cell`, "value", arguments{"game": "quixo", "size": "3", "position": "zz"}},
		{`is not`, "value", arguments{"game": "quixo", "size": "3", "position": "\x00\u202e/☃"}},
		{`the text of the position has 16385 bytes`, "line", arguments{"game": "quixo", "size": "3", "position": long}},
		{`max_plies is 1000000000`, "line", arguments{"game": "quixo", "size": "3", "max_plies": 1000000000}},
		{`max_plies is -1`, "line", arguments{"game": "quixo", "size": "3", "max_plies": -1}},
		{`integer`, "line", arguments{"game": "quixo", "size": "3", "max_plies": 1.5}},
		{`max_plies`, "line", json.RawMessage(`{"game":"quixo","size":"3","max_plies":1e400}`)},
		{`is not a move`, "explain", arguments{"game": "quixo", "size": "3", "move": long}},
		{`is not a policy`, "play", arguments{"game": "quixo", "size": "3", "policy": "cheat"}},
		{`is not a probability`, "play", arguments{"game": "quixo", "size": "3", "blunder": 7}},
		{`no steps`, "play", arguments{"game": "notakto", "size": "4", "policy": "shortest"}},
		{`arguments`, "value", arguments{"game": "quixo", "size": "3", "dir": "/etc"}},
		{`arguments`, "value", nil},
		{`arguments`, "value", []int{1, 2}},
	} {
		c.wantRefused(try.words, try.tool, try.args)
	}
	if _, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "solve"}); err == nil {
		t.Error("an unknown tool has an answer")
	}
	call[position](c, "value", arguments{"game": "quixo", "size": "3"})
}

// The program answers over standard input and output, and ends with status 0 when the client
// leaves.
func TestStdio(t *testing.T) {
	cmd := exec.Command("tbmcp", "--dir", solved(t))
	cmd.Stderr = os.Stderr
	c := connect(t, &mcp.CommandTransport{Command: cmd})
	if v := call[position](c, "value", arguments{"game": "quixo", "size": "3"}); v.Outcome != "win" || *v.Steps != 7 {
		t.Errorf("%+v", v)
	}
	if err := c.Close(); err != nil || cmd.ProcessState.ExitCode() != 0 {
		t.Errorf("%v, %v", err, cmd.ProcessState)
	}
}

const hello = `{"jsonrpc":"2.0","id":%s,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`

// answer is an answer to a line.
type answer struct {
	ID    json.RawMessage
	Error struct{ Code int }
}

// say has the program read a text to its end, and returns the answers by identifier.
func say(t *testing.T, text string) (answers []answer) {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	cmd := exec.CommandContext(ctx, "tbmcp", "--dir", t.TempDir())
	cmd.Stdin = strings.NewReader(text)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for line := range strings.Lines(string(out)) {
		var a answer
		if err := json.Unmarshal([]byte(line), &a); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		answers = append(answers, a)
	}
	return answers
}

// What is asked before the input ends is answered, under the identifier that the client gave.
func TestEndOfInput(t *testing.T) {
	for _, id := range []string{"1", "-7", "9007199254740993", `"9007199254740993"`, `"a\u00e9<\n"`, "123456789012345678901234567890", `""`} {
		for _, end := range []string{"", "\n", "\r\n"} {
			if got := say(t, fmt.Sprintf(hello, id)+end); len(got) != 1 || string(got[0].ID) != id || got[0].Error.Code != 0 {
				t.Errorf("initialize of %s is answered by %+v", id, got)
			}
		}
	}
	text := fmt.Sprintf(hello, "0") + "\n" + `{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n"
	for i := range 9 {
		text += fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"line","arguments":{"game":"tictactoe","size":%d}}}`+"\n", i+1, 3)
	}
	if got := say(t, text); len(got) != 10 {
		t.Errorf("10 requests have %d answers", len(got))
	}
}

// A malformed line is answered as JSON-RPC requires, and the next one is read.
func TestMalformedLines(t *testing.T) {
	long := `{"jsonrpc":"2.0","id":5,"method":"ping","params":{"x":"` + strings.Repeat("x", maxMessage) + `"}}`
	for line, code := range map[string]int{
		"x": -32700, "GET / HTTP/1.1": -32700, "{}{}": -32700, `{"jsonrpc":"2.0","id":1,"method":"ping"} {"jsonrpc":"2.0","id":2,"method":"ping"}`: -32700,
		`{"jsonrpc":`: -32700, "\x00": -32700, "[": -32700,
		"[]": -32600, "{}": -32600, "1": -32600, "null": -32600, `"x"`: -32600, `[1]`: -32600, `{"jsonrpc":"1.0","id":1,"method":"ping"}`: -32600,
		`{"jsonrpc":"2.0","id":{},"method":"ping"}`: -32600, `{"jsonrpc":"2.0","id":1,"method":7}`: -32600, long: -32600,
	} {
		got := say(t, line+"\n\n"+fmt.Sprintf(hello, "8"))
		if len(got) != 2 || got[0].Error.Code != code || string(got[0].ID) != "null" || string(got[1].ID) != "8" {
			t.Errorf("%.80q is answered by %+v, want the error %d", line, got, code)
		}
	}
	if got := say(t, "["+fmt.Sprintf(hello, "8")+`,{"jsonrpc":"2.0","id":9,"method":"ping"}]`); len(got) != 2 {
		t.Errorf("a batch of two is answered by %+v", got)
	}
}

// A request that the client cancels is not waited for.
func TestCancelled(t *testing.T) {
	say(t, fmt.Sprintf(hello, "1")+"\n"+`{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n"+
		`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"games"}}`+"\n"+
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}`+"\n")
}

// A request whose identifier is in use is refused, under that identifier.
func TestEqualIdentifiers(t *testing.T) {
	got := say(t, strings.Repeat(fmt.Sprintf(hello, "1")+"\n", 3))
	for _, a := range got {
		if string(a.ID) != "1" || a.Error.Code != 0 && a.Error.Code != -32600 {
			t.Errorf("%+v", a)
		}
	}
	if len(got) != 3 {
		t.Errorf("three requests of one identifier have %d answers", len(got))
	}
}

// A size is text, a number, or part of the board's name.
func TestBoards(t *testing.T) {
	c := toTables(t, solved(t))
	for _, board := range []arguments{
		{"game": "quixo", "size": 3}, {"game": "quixo:3"}, {"game": "quixo:3", "size": 3}, {"game": "quixo", "size": "3x3"},
	} {
		if v := call[position](c, "value", board); v.Outcome != "win" || *v.Steps != 7 {
			t.Errorf("%v: %+v", board, v)
		}
	}
	if v := call[position](c, "value", arguments{"game": "nim:1-3-5", "position": "1/3/5"}); v.Outcome != "win" || v.Position != "1/3/5" {
		t.Errorf("%+v", v)
	}
	c.wantRefused("the size of the board is missing", "value", arguments{"game": "quixo"})
	c.wantRefused("leave out size", "value", arguments{"game": "quixo:3", "size": 4})
	c.wantRefused("there is no nim board", "value", arguments{"game": "nim:9-9-9"})
	c.wantRefused("there is no game", "value", arguments{"game": "chess"})
	c.wantRefused("type", "value", arguments{"game": "quixo", "size": 3.5})
	c.wantRefused("type", "value", arguments{"game": "quixo", "size": []int{3}})
}

// Identifiers come back over HTTP as they were.
func TestIdentifiersOverHTTP(t *testing.T) {
	site := httptest.NewServer(newHandler(tablesServer(t.TempDir()), new(tokens)))
	defer site.Close()
	for _, id := range []string{"9007199254740993", `"9007199254740993"`, "-1"} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, site.URL+"/mcp", strings.NewReader(fmt.Sprintf(hello, id)))
		if err != nil {
			t.Fatal(err)
		}
		r.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}}
		got, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		var a answer
		err = json.NewDecoder(got.Body).Decode(&a)
		if got.Body.Close(); err != nil || string(a.ID) != id {
			t.Errorf("%s comes back as %s, %v", id, a.ID, err)
		}
	}
}

// Over HTTP a client needs the token, and pages of other origins and names get nothing.
func TestHTTP(t *testing.T) {
	dir := solved(t)
	token := filepath.Join(dir, "token")
	if err := os.WriteFile(token, []byte("other solve\ns3cret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("tbmcp", "--dir", dir, "--listen", "127.0.0.1:0", "--token-file", token)
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Process.Kill()
	said, err := bufio.NewReader(stderr).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	url := strings.TrimPrefix(strings.TrimSpace(said), "tbmcp answers at ")
	withToken := &http.Client{Transport: header{"Authorization": "Bearer s3cret"}}
	c := connect(t, &mcp.StreamableClientTransport{Endpoint: url, HTTPClient: withToken, DisableStandaloneSSE: true})
	if v := call[position](c, "value", arguments{"game": "quixo", "size": "3"}); v.Outcome != "win" || *v.Steps != 7 {
		t.Errorf("%+v", v)
	}
	for _, h := range []header{{}, {"Authorization": "Bearer s3cre"}, {"Authorization": "s3cret"}} {
		if status := h.post(t, url, "{}"); status != http.StatusUnauthorized {
			t.Errorf("%v has status %d", h, status)
		}
	}
	if err := os.WriteFile(token, []byte("fresh\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	fresh, late := header{"Authorization": "Bearer fresh"}, time.Now().Add(time.Minute)
	for fresh.post(t, url, "{}") == http.StatusUnauthorized {
		if time.Sleep(time.Millisecond); time.Now().After(late) {
			t.Fatal("the tokens are not read again")
		}
	}
	if status := (header{"Authorization": "Bearer s3cret"}).post(t, url, "{}"); status != http.StatusUnauthorized {
		t.Errorf("the token before has status %d", status)
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	io.Copy(io.Discard, stderr)
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
}

// Requests that no client sends are refused: of other origins and names, too long, not JSON.
func TestHostileRequests(t *testing.T) {
	site := httptest.NewServer(newHandler(tablesServer(t.TempDir()), new(tokens)))
	defer site.Close()
	for want, requests := range map[int][]struct {
		header
		body string
	}{
		http.StatusForbidden: {
			{header{"Origin": "https://evil.example", "Sec-Fetch-Site": "cross-site"}, "{}"},
			{header{"Host": "evil.example"}, "{}"}, // by DNS rebinding
		},
		http.StatusRequestEntityTooLarge: {{header{}, `"` + strings.Repeat("x", maxMessage) + `"`}},
		http.StatusBadRequest:            {{header{}, "no JSON"}, {header{}, strings.Repeat("[", 1<<19)}},
	} {
		for _, r := range requests {
			if status := r.post(t, site.URL+"/mcp", r.body); status != want {
				t.Errorf("%v %.20s has status %d, want %d", r.header, r.body, status, want)
			}
		}
	}
}

// header sends these headers with every request.
type header map[string]string

func (h header) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	for name, value := range h {
		r.Header.Set(name, value)
	}
	if host, ok := h["Host"]; ok {
		r.Host = host
	}
	return http.DefaultTransport.RoundTrip(r)
}

// post sends a body as a client would, and returns the status of the answer.
func (h header) post(t *testing.T, url, body string) int {
	t.Helper()
	r, err := http.NewRequestWithContext(context.Background(), http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	answer, err := h.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	return answer.StatusCode
}
