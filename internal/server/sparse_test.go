package server

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"backsolve/game"
	"backsolve/game/custom"
	"backsolve/game/holestest"
	"backsolve/internal/server/api"
	"backsolve/retro/generic"
)

// heap is a game whose positions are drawn: the players take one to three.
type heap struct{}

func (heap) Name() string                        { return "heap-9" }
func (heap) Start() int                          { return 9 }
func (heap) Terminal(s int) (game.Outcome, bool) { return game.Lose, s == 0 }
func (heap) Key(s int) uint64                    { return uint64(s) }
func (heap) FromKey(key uint64) int              { return int(key) }
func (heap) Format(s int) string                 { return strconv.Itoa(s) }
func (heap) Diagram(s int) string                { return "[" + strings.Repeat("*", s) + "]" }
func (heap) MoveName(from, to int) string        { return "take-" + strconv.Itoa(from-to) }
func (heap) Moves(dst []int, s int) []int {
	for n := range min(3, s) {
		dst = append(dst, s-n-1)
	}
	return dst
}

func (heap) Parse(text string) (int, error) {
	s, err := strconv.Atoi(text)
	if err != nil || s < 0 || s > 20 {
		return 0, errors.New("a heap has 0 to 20 counters")
	}
	return s, nil
}

// sparseSite serves two games that are defined by their positions.
func sparseSite(t *testing.T) *site {
	t.Helper()
	dir := t.TempDir()
	for _, g := range []custom.Listed{custom.List(heap{}), custom.List(holestest.Game{})} {
		if err := generic.Make(t.Context(), filepath.Join(dir, g.Info().Name+".tb"), "", g.Numbers(), generic.Options{}); err != nil {
			t.Fatal(err)
		}
	}
	opponents, err := NewOpponents([]string{"fair=mcts:50"}, 1)
	if err != nil {
		t.Fatal(err)
	}
	return startDir(t, dir, func(o *Options) { o.Opponents = opponents })
}

// The same addresses answer for games that are defined by their positions as for others. The
// client checks every answer against the description of the API.
func TestSparseGames(t *testing.T) {
	s := sparseSite(t)
	s.want(200, "/v1/games", `"board":"text"`, `"board":"rows"`, `"name":"heap-9"`)
	s.want(200, "/v1/tables", `"file":"heap-9.tb","game":"heap-9"`)
	s.want(200, "/v1/heap-9/1", `"stored_states":10,`, `"steps":5`, `"longest_win":{"steps":5,`)
	s.want(200, "/v1/heap-9/1/position?p=7+o", `"position":"7 o","outcome":"win","steps":3`, `"diagram":"[*******]\n"`, `{"move":"take-3","outcome":"win","steps":3,"position":"4"}`)
	s.want(200, "/v1/heap-9/1/position?p=0", `"terminal":true,"source":"table"`)
	s.want(200, "/v1/heap-9/1/moves?p=2", `"diagram":"[**]\n"`, `"move":"take-2"`)
	s.want(200, "/v1/heap-9/1/line?p=startpos+moves+take-1&max_plies=9", `"line":{"plies":[{"move":"take-1","position":"7"}`)
	s.want(200, "/v1/heap-9/1/move?p=7&policy=shortest&seed=1", `"move":"take-3"`)
	s.want(200, "/v1/nine-holes/1/reply?p=...%2F...%2F..X+o&opponent=fair", `"after":"`)
	s.want(200, "/v1/nine-holes/1/playouts?p=startpos&iterations=20", `"move":{`)
	s.want(200, "/v1/heap-9/1/random?outcome=lose&steps=2&seed=7", `"position":"4","outcome":"lose","steps":2`)
	s.want(200, "/v1/heap-9/1/random?outcome=win&only=true&seed=7", `"moves":[{"move":"take-`, `"outcome":"lose"`) // a puzzle
	s.want(200, "/uwapi", `{"id":"heap-9","name":"heap-9","type":"twoPlayer","gui":"v0"},{"id":"nine-holes","name":"Nine Holes","type":"twoPlayer","gui":"v0"}`)
	s.want(200, "/uwapi/heap-9", `"variants":[{"id":"1x1","name":"1×1","gui":"v0"}]`)
	s.want(200, "/uwapi/heap-9/1x1", `"startPosition":"9","autoguiStartPosition":""}`)
	s.want(200, "/uwapi/nine-holes/1x1/instructions", `# Nine Holes\n\nPlace three men, `, "A position is for example `.../.../...`")
	s.want(200, "/uwapi/heap-9/1x1/positions?p=2+o", `{"position":"2 o","autoguiPosition":"","positionValue":"win","remoteness":1,"moves":[{"move":"take-2","autoguiMove":"","moveValue":"win","deltaRemoteness":0,"position":"0","autoguiPosition":"","positionValue":"lose","remoteness":0},{"move":"take-1",`)
	var list api.TableList
	if err := json.Unmarshal([]byte(s.want(200, "/v1/tables").body), &list); err != nil || len(list.Tables) != 2 {
		t.Fatalf("%v: %v", list, err)
	}
	s.want(200, "/v1/heap-9/1/position?p=startpos&identity="+*list.Tables[0].Identity, `"outcome":"win"`)
	if body := s.post("/v1/heap-9/1/positions", "application/jsonl", "7\nstartpos\n\"7 o\"\nx\n").body; strings.Count(body, `"outcome":"win"`) < 3 || !strings.Contains(body, `{"line":4,"error":`) {
		t.Errorf("the batch is answered by %s", body)
	}
}

// What no table can answer is refused with a sentence.
func TestSparseGamesRefuse(t *testing.T) {
	s := sparseSite(t)
	for path, want := range map[string]struct {
		status int
		text   string
	}{
		"/v1/heap-10/1/position?p=9":                              {404, "there is no game"},
		"/v1/heap-9/2/position?p=9":                               {404, "its size is 1"},
		"/v1/morris-3/1/position?p=startpos":                      {404, "there is no table of morris-3"},
		"/v1/heap-9/1/position?p=ten":                             {400, "0 to 20 counters"},
		"/v1/heap-9/1/position?p=09":                              {400, "the position is written as 9"},
		"/v1/heap-9/1/position?p=20":                              {400, "play cannot reach this position"},
		"/v1/heap-9/1/position?p=startpos+moves+take-4":           {400, "the moves are take-1, take-2, take-3"},
		"/v1/heap-9/1/position?p=9&after=a1":                      {400, "no tables after given moves"},
		"/v1/heap-9/1/move?p=0":                                   {400, "the game is over"},
		"/v1/heap-9/1/random?outcome=draw":                        {404, "heap-9 has none of draw"},
		"/v1/heap-9/1?identity=" + strings.Repeat("0", 64):        {404, "has another identity"},
		"/uwapi/heap-9/2x2":                                       {404, "its size is 1"},
		"/uwapi/heap-9/1x1/positions/?p=20":                       {400, "play cannot reach this position"},
		"/v1/heap-9/1/position?p=" + strings.Repeat("9", 5000):    {400, "at most 4096 bytes"},
		"/v1/nine-holes/1/position?p=" + url.QueryEscape("\x00/"): {400, "has not 3 rows"},
		"/v1/nine-holes/1/position?p=" + strings.Repeat("/", 900): {400, "has not 3 rows"},
	} {
		r := s.get(path)
		r.want(t, want.status, want.text)
	}
	s.want(http.StatusRequestURITooLong, "/v1/heap-9/1/position?p="+strings.Repeat("9", 10_000), "longer than any position needs")
	if body := s.post("/v1/heap-9/1/positions", "application/jsonl", strings.Repeat("9", 100_000)+"\n").body; !strings.Contains(body, `"error":`) || len(body) > 2000 {
		t.Errorf("a text of 100,000 bytes is answered by %.300s", body)
	}
}
