package server

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"backsolve/game"
	"backsolve/internal/probe"
	"backsolve/internal/server/api"
	"backsolve/internal/server/page"
)

// address returns the address that asks of a position.
func positionPath(board, text string) string {
	return "/v1/" + board + "/position?p=" + url.QueryEscape(text)
}

// everyPosition returns the texts of all positions of a board with X to move and,
// with two sides, O.
func everyPosition(rules game.Grid) (texts []string) {
	n := rules.Rows() * rules.Cols()
	kinds := rules.Marks() + 1
	count := 1
	for range n {
		count *= kinds
	}
	for code := range count {
		var p game.Position
		for cell := range n {
			switch code % kinds {
			case 1:
				p.X |= 1 << uint(cell)
			case 2:
				p.O |= 1 << uint(cell)
			}
			code /= kinds
		}
		texts = append(texts, rules.Format(p))
		if kinds == 3 {
			p.Mark = game.O
			texts = append(texts, rules.Format(p))
		}
	}
	return texts
}

// Each answer is what tbquery --json prints.
func TestPosition(t *testing.T) {
	s := start(t, nil)
	for board, table := range map[string]*probe.Table{"quixo/2": open(t, "quixo", 2), "notakto/3": open(t, "notakto", 3)} {
		for _, text := range everyPosition(table.Rules()) {
			a, err := table.Ask(text, probe.NoLine)
			if err != nil {
				t.Fatal(err)
			}
			want, err := json.Marshal(a)
			if err != nil {
				t.Fatal(err)
			}
			if r := s.want(http.StatusOK, positionPath(board, text)); r.body != string(want)+"\n" {
				t.Errorf("%s\n%s\nwant\n%s", text, r.body, want)
			}
		}
	}
}

// Wherever a position is a parameter, it can be startpos, and moves can follow.
func TestStartpos(t *testing.T) {
	s := start(t, func(o *Options) {
		var err error
		if o.Opponents, err = NewOpponents([]string{"any=random"}, 1); err != nil {
			t.Fatal(err)
		}
	})
	for board, moved := range map[string][2]string{
		"quixo/3": {"startpos moves a1c1 a3a1", ".../.../O.X x"}, "notakto/3": {"startpos moves b2", ".../.X./..."}, "nim/3": {"startpos moves a1", "0/3/5 o"},
	} {
		for _, operation := range []string{"position?", "line?max_plies=3&", "move?seed=1&", "moves?", "playouts?seed=1&iterations=10&", "reply?opponent=any&seed=1&"} {
			path := "/v1/" + board + "/" + operation + "p="
			if got, want := s.want(http.StatusOK, path+escaped(moved[0])).body, s.want(http.StatusOK, path+escaped(moved[1])).body; got != want {
				t.Errorf("%s: %s\nwant %s", path, got, want)
			}
			s.want(http.StatusOK, path+"startpos")
			s.want(http.StatusBadRequest, path+escaped("startpos moves z9"), `"parameter":"p"`, "move 1")
			s.want(http.StatusBadRequest, path+escaped("startpos x"), `"parameter":"p"`)
		}
	}
	s.want(http.StatusOK, "/v1/notakto/4/position?p=startpos&after=a1", `"position":"..../..../..../X..."`)
	for _, query := range []string{"", "?fields=outcome,steps"} { // batches, too
		path := "/v1/quixo/3/positions" + query
		got := s.post(path, "application/json", `["startpos", "startpos moves a1c1 a3a1", "startpos moves a1"]`).body
		want := s.post(path, "application/json", `[".../.../... x", ".../.../O.X x"]`).body
		if !strings.HasPrefix(got, strings.TrimSuffix(want, "]\n")) || !strings.Contains(got, `{"line":3,"error":"move 1: `) {
			t.Errorf("%s: %s\nwant %s", path, got, want)
		}
	}
}

// A game may end without a winner: the position is drawn and over, and a draw has no
// steps.
func TestDrawnEnd(t *testing.T) {
	s := start(t, nil)
	const over = `"outcome":"draw","steps":null,"terminal":true,"source":"table","moves":[]`
	s.want(http.StatusOK, positionPath("tictactoe/3", "XOX/XOO/OXX o"), over)
	r := s.want(http.StatusOK, "/v1/tictactoe/3/line?p=.../.../...+x", `"outcome":"draw","steps":null,"terminal":false`, `"repeats":null}`)
	var answer api.LineAnswer
	if err := json.Unmarshal([]byte(r.body), &answer); err != nil || len(answer.Line.Plies) != 9 {
		t.Fatalf("%v, a line of %d plies, want 9", err, len(answer.Line.Plies))
	}
	s.want(http.StatusOK, positionPath("tictactoe/3", answer.Line.Plies[8].Position), over)
	for seed := range 20 {
		s.want(http.StatusOK, fmt.Sprintf("/v1/tictactoe/3/random?outcome=draw&seed=%d", seed), `"outcome":"draw"`)
	}
}

func TestPositionAfterMoves(t *testing.T) {
	s := start(t, nil)
	r := s.want(http.StatusOK, positionPath("notakto/4", "..../..../..../X...")+"&after=a1", `"steps":`)
	if strings.Contains(r.body, `"steps":null`) {
		t.Errorf("not of the table with steps: %s", r.body)
	}
	r = s.want(http.StatusBadRequest, positionPath("notakto/4", "..../..../..../.X..")+"&after=a1", "there is no X on a1", `"parameter":"p"`)
	s.want(http.StatusBadRequest, positionPath("notakto/4", "..../..../..../X...")+"&after=a1,z9", `"parameter":"after"`, `"column":`)
	s.want(http.StatusBadRequest, positionPath("quixo/3", ".../.../...")+"&after=a1", `"parameter":"after"`)
	s.want(http.StatusNotFound, positionPath("notakto/4", "..../..../..../.X..")+"&after=b1")
}

func TestMalformedRequests(t *testing.T) {
	s := start(t, nil)
	for _, c := range []struct {
		path   string
		status int
		texts  []string
	}{
		{"/v1/quixo/3/position", 400, []string{"p: is missing", `"parameter":"p"`}},
		{"/v1/quixo/3/position?p=", 400, []string{`"column":1`}},
		{"/v1/quixo/3/position?p=.../.z./...", 400, []string{`"column":6`, `"parameter":"p"`}},
		{"/v1/quixo/3/position?p=%zz", 400, []string{`"parameter":"p"`, "cannot be read"}},
		{"/v1/quixo/3/position?p=.../.../...;q=1", 400, []string{`"parameter":"p"`, "semicolon"}},
		{"/v1/quixo/3/position?p=.../.../...&p=.../.../...", 400, []string{"is given twice"}},
		{"/v1/quixo/3/position?p=.../.../...&polcy=shortest", 400, []string{`"parameter":"polcy"`, "only p, after"}},
		{"/v1/quixo/3/position?p=.../.../...&%22=", 400, []string{"knows no such parameter"}},
		{"/v1/tables?p=1", 400, []string{"takes no parameters"}},
		{"/v1/quixo/three/position?p=.../.../...", 400, []string{`"parameter":"size"`, "rows of the board"}},
		{"/v1/quixo/99999999999999999999/position?p=.../.../...", 400, []string{`"parameter":"size"`}},
		{"/v1/quixo/3/line?p=.../.../...&max_plies=-1", 400, []string{`"parameter":"max_plies"`, "from 0 to 10000"}},
		{"/v1/quixo/3/line?p=.../.../...&max_plies=10001", 400, []string{`"parameter":"max_plies"`}},
		{"/v1/quixo/3/line?p=.../.../...&max_plies=many", 400, []string{`"parameter":"max_plies"`}},
		{"/v1/quixo/3/move?p=.../.../...&policy=best", 400, []string{`"parameter":"policy"`, "optimal, shortest or trap"}},
		{"/v1/quixo/3/move?p=.../.../...&blunder=2", 400, []string{`"parameter":"blunder"`}},
		{"/v1/quixo/3/move?p=.../.../...&blunder=NaN", 400, []string{`"parameter":"blunder"`}},
		{"/v1/quixo/3/move?p=.../.../...&seed=-1", 400, []string{`"parameter":"seed"`}},
		{"/v1/quixo/3/move?p=.../.../...&seed=1.5", 400, []string{`"parameter":"seed"`}},
		{"/v1/quixo/3/random?outcome=tie", 400, []string{`"parameter":"outcome"`, "win, lose or draw"}},
		{"/v1/quixo/3/random?steps=65536", 400, []string{`"parameter":"steps"`}},
		{"/v1/go/19/position?p=x", 404, []string{"go", "notakto", "quixo"}},
		{"/v1/quixo/1/position?p=.", 404, []string{"quixo"}},
		{"/v1/quixo/4/position?p=..../..../..../....", 404, []string{"there is no table of quixo 4×4"}},
		{"/v1/quixo/8/position?p=startpos", 404, []string{"too large"}},
		{"/v1/quixo/3/nonsense", 404, []string{"/v1/tables"}},
		{"/nonsense%22%0a", 404, []string{"there is nothing at"}},
		{"/v1/quixo/3/position?p=" + strings.Repeat("X", maxAddress), 414, []string{"POST"}},
	} {
		t.Run(c.path[:min(len(c.path), 60)], func(t *testing.T) {
			s.get(c.path).want(t, c.status, c.texts...)
		})
	}
}

func TestMethods(t *testing.T) {
	s := start(t, nil)
	for _, c := range []struct{ method, path, allow string }{
		{"PUT", "/v1/tables", "GET, HEAD"},
		{"DELETE", "/v1/quixo/3/position", "GET, HEAD"},
		{"GET", "/v1/quixo/3/positions", "POST"},
		{"NONSENSE", "/healthz", "GET, HEAD"},
		{"POST", "/uwapi/", "GET, HEAD"},
	} {
		r := s.do(c.method, c.path, "")
		r.want(t, http.StatusMethodNotAllowed, c.method)
		if got := r.header.Get("Allow"); got != c.allow {
			t.Errorf("%s %s: Allow is %q, want %q", c.method, c.path, got, c.allow)
		}
	}
	if r := s.do("HEAD", positionPath("quixo/3", ".../.../..."), ""); r.status != http.StatusOK || r.body != "" || r.header.Get("Content-Length") == "0" {
		t.Errorf("HEAD: %d, %v, %q", r.status, r.header, r.body)
	}
}

// Addresses in other spellings redirect to the right ones, and missing files of the page are
// errors like all others.
func TestOtherAddresses(t *testing.T) {
	s := start(t, func(o *Options) { o.Page = page.Handler() })
	s.client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	for path, want := range map[string]string{"//v1/tables": "/v1/tables", "/v1/./tables?x=1": "/v1/tables?x=1", "/v1/quixo/../tables": "/v1/tables", "/assets": "/assets/"} {
		resp, err := s.client.Get(s.url + path)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if got := resp.Header.Get("Location"); resp.StatusCode != http.StatusTemporaryRedirect || got != want {
			t.Errorf("%s: status %d to %q, want %q", path, resp.StatusCode, got, want)
		}
	}
	s.want(http.StatusNotFound, "/assets/nothing.js", "there is nothing at /assets/nothing.js")
	s.want(http.StatusNotFound, "/assets/", "there is nothing at")
	s.want(http.StatusOK, "/", "<html")
}

// What the pairing answers on boards without a table.
func TestPairing(t *testing.T) {
	s := start(t, nil)
	empty := strings.TrimSuffix(strings.Repeat("......../", 8), "/")
	once := "X" + empty[1:]
	s.want(http.StatusOK, positionPath("notakto/8", empty), `"outcome":"lose"`, `"source":"pairing"`)
	s.want(http.StatusOK, positionPath("notakto/8", "XXXXXXXX"+empty[8:]), `"source":"rules"`, `"terminal":true`)
	s.want(http.StatusBadRequest, positionPath("notakto/8", "X"+empty), `"column":9`)
	s.want(http.StatusNotFound, positionPath("notakto/8", "XX.X"+empty[4:]), "not known")
	s.want(http.StatusOK, "/v1/notakto/8/line?max_plies=4&p="+once, `"line":{"plies":[{"move":"g7"`, `"truncated":true`)
	s.want(http.StatusOK, "/v1/notakto/8/move?seed=1&p="+once, `"move":"g7"`)
	s.want(http.StatusBadRequest, "/v1/notakto/8/move?policy=shortest&p="+once, `"parameter":"policy"`, "pairing")
	s.want(http.StatusNotFound, "/v1/notakto/8", "no table", "pairing")
	s.want(http.StatusNotFound, "/v1/notakto/8/random", "no table", "pairing")
	r := s.post("/v1/notakto/8/positions", linesMedia, once+"\n"+once[1:]+"\n")
	r.want(t, http.StatusOK, `"source":"pairing"`, `{"line":2,"error":`)
}

// Games without tables are answered like others, with their nimbers.
func TestFormula(t *testing.T) {
	s := start(t, nil)
	s.want(http.StatusOK, positionPath("nim/3", "1/3/5"), `"outcome":"win","steps":7,"nimber":7,"terminal":false,"source":"formula","moves":[{"move":"c3","outcome":"win","steps":7,"nimber":0,"position":"1/3/2 o"}`)
	s.want(http.StatusOK, positionPath("nim-misere/3", "0/0/0 o"), `"outcome":"win","steps":0,"terminal":true,"source":"rules","moves":[]`)
	s.want(http.StatusOK, positionPath("dawson/9", "........."), `"outcome":"win","steps":4,"terminal":false,"source":"search"`)
	s.want(http.StatusOK, "/v1/dawson-normal/9/line?p=...-X-...", `"outcome":"lose"`, `"nimber":0`, `"repeats":null`)
	s.want(http.StatusOK, "/v1/nim/3/move?seed=1&policy=shortest&p=1/3/5", `"move":{"move":"c3","nimber":0,"outcome":"win"`)
	s.want(http.StatusBadRequest, positionPath("nim/3", "1/3/16"), `"column":5`, "the number of counters is from 0 to 15")
	s.want(http.StatusNotFound, "/v1/nim/21/position?p=1", "there is no nim board of size 21")
	s.want(http.StatusNotFound, "/v1/nim/3", "nim has no tables; positions, lines and moves are answered from a formula")
	s.want(http.StatusNotFound, "/v1/dawson/9/random", "dawson has no tables; positions, lines and moves are answered from the solver of small games")
	r := s.post("/v1/nim/3/positions", linesMedia, "1/0/0\n1/3\n")
	r.want(t, http.StatusOK, `"nimber":1,`, `{"line":2,"error":`)
}

func TestLine(t *testing.T) {
	s := start(t, nil)
	table := open(t, "notakto", 3)
	a, err := table.Ask(".../.../.X.", 1000)
	if err != nil {
		t.Fatal(err)
	}
	want, err := json.Marshal(a)
	if err != nil {
		t.Fatal(err)
	}
	if r := s.want(http.StatusOK, "/v1/notakto/3/line?p=.../.../.X."); r.body != string(want)+"\n" {
		t.Errorf("%s\nwant %s", r.body, want)
	}
	s.want(http.StatusOK, "/v1/notakto/3/line?p=.../.../.X.&max_plies=2", `"truncated":true`)
	s.want(http.StatusOK, "/v1/notakto/3/line?p=.../.../.X.&max_plies=0", `"line":{"plies":[],"repeats":null,"truncated":true}`)
	s.want(http.StatusBadRequest, "/v1/notakto/3/line?p=.../..", `"column":`)
}
