package server

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	"backsolve/game"
	"backsolve/game/games"
	"backsolve/internal/probe"
	"backsolve/internal/server/catalog"
)

// The objects of the universal web API (UWAPI) of GamesCrafters. A game has a variant for each of its tables.
type (
	uwapiGame struct {
		ID   string `json:"id"`
		Name string `json:"name"`
		Type string `json:"type"`
		GUI  string `json:"gui"`
	}
	uwapiVariants struct {
		ID       string             `json:"id"`
		Name     string             `json:"name"`
		Custom   bool               `json:"allowCustomVariantCreation"`
		WinBy    bool               `json:"supportsWinBy"`
		Variants []uwapiVariantName `json:"variants"`
	}
	uwapiVariantName struct {
		ID   string `json:"id"`
		Name string `json:"name"`
		GUI  string `json:"gui"`
	}
	uwapiVariant struct {
		uwapiVariantName
		Start        string     `json:"startPosition"`
		AutoGUIStart string     `json:"autoguiStartPosition"`
		Images       *guiThemes `json:"imageAutoGUIData,omitempty"`
	}
	uwapiPosition struct {
		Position   string `json:"position"`
		AutoGUI    string `json:"autoguiPosition"`
		Value      string `json:"positionValue"`
		Remoteness int    `json:"remoteness"`
	}
	uwapiAnswer struct {
		uwapiPosition
		Moves []uwapiMove `json:"moves"`
	}
	uwapiMove struct {
		Move    string `json:"move"`
		AutoGUI string `json:"autoguiMove"`
		Value   string `json:"moveValue"`
		Delta   int    `json:"deltaRemoteness"`
		uwapiPosition
	}
)

type uwapi struct{ *Server }

func (s uwapi) uwapiRoutes(routes *router) {
	for pattern, answer := range map[string]func(http.ResponseWriter, *http.Request) error{
		"GET /uwapi":                               s.uwapiGames,
		"GET /uwapi/{game}":                        s.uwapiGame,
		"GET /uwapi/{game}/{variant}":              s.withVariant(s.uwapiVariant),
		"GET /uwapi/{game}/{variant}/positions":    s.withVariant(s.uwapiPosition),
		"GET /uwapi/{game}/{variant}/instructions": s.withVariant(s.uwapiInstructions),
	} {
		h := gate(s).guard(compressed(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			failIf(w, answer(w, r))
		}), 1))
		routes.handle(pattern, h)
		routes.handle(pattern+"/{$}", h)
	}
}

func (s uwapi) tables() (tables []catalog.Info, fresh freshness, err error) {
	list := s.catalog.List()
	for _, t := range list.Tables {
		if t.Err == nil {
			tables = append(tables, t)
		}
	}
	return tables, freshness{tag: tagOf(list.Version)}, s.catalog.Err()
}

func (s uwapi) uwapiGames(w http.ResponseWriter, r *http.Request) error {
	tables, fresh, err := s.tables()
	if err != nil {
		return err
	}
	listed := []uwapiGame{}
	for i, t := range tables {
		if i == 0 || tables[i-1].Game != t.Game {
			g, err := games.Lookup(t.Game)
			if err != nil {
				return err
			}
			listed = append(listed, uwapiGame{g.Name, g.Title, "twoPlayer", guiKind(!t.Sparse)})
		}
	}
	return s.sendJSON(w, r, fresh, listed)
}

func (s uwapi) uwapiGame(w http.ResponseWriter, r *http.Request) error {
	g, err := games.Lookup(r.PathValue("game"))
	if err != nil {
		return refusal(http.StatusNotFound, "%v", err)
	}
	tables, fresh, err := s.tables()
	if err != nil {
		return err
	}
	answer := uwapiVariants{ID: g.Name, Name: g.Title, Variants: []uwapiVariantName{}}
	for _, t := range tables {
		if t.Game == g.Name {
			answer.Variants = append(answer.Variants, variantName(t.Size, t.After, !t.Sparse))
		}
	}
	return s.sendJSON(w, r, fresh, answer)
}

// variantName returns the name of a table: 5x5-after-a1-c3.
func variantName(size int, after []string, grid bool) uwapiVariantName {
	n := uwapiVariantName{ID: game.Size(size).Board(), Name: game.Size(size).Title(), GUI: guiKind(grid)}
	if len(after) > 0 {
		n.ID += "-after-" + strings.Join(after, "-")
		n.Name += " after " + strings.Join(after, ", ")
	}
	return n
}

// findVariant returns the table that the address names; it must be released.
func (s uwapi) findVariant(r *http.Request) (catalog.Handle, error) {
	name := r.PathValue("variant")
	board, after, _ := strings.Cut(name, "-after-")
	size, ok := game.ParseSize(board)
	if !ok || size.Board() != board {
		return catalog.Handle{}, &httpError{status: http.StatusNotFound,
			text: fmt.Sprintf("%s is not a variant; they are named like 4x4 and 5x5-after-a1-c3", printable(name))}
	}
	h, err := s.catalog.Find(r.PathValue("game"), int(size), strings.ReplaceAll(after, "-", ","))
	if err != nil {
		if errors.Is(err, probe.ErrAfter) {
			err = refusal(http.StatusNotFound, "%v", err)
		}
		return h, err
	}
	if !h.Stored() {
		h.Release()
		return h, refusal(http.StatusNotFound, "%v has no variant here; GET /uwapi lists the games that have", h)
	}
	return h, nil
}

func (s uwapi) withVariant(answer func(http.ResponseWriter, *http.Request, catalog.Handle) error) func(http.ResponseWriter, *http.Request) error {
	return func(w http.ResponseWriter, r *http.Request) error {
		h, err := s.findVariant(r)
		if err != nil {
			return err
		}
		defer h.Release()
		return answer(w, r, h)
	}
}

func (s uwapi) uwapiVariant(w http.ResponseWriter, r *http.Request, h catalog.Handle) error {
	b, after := uwapiBoardOf(h), []string(nil)
	info, start := b.rules.Info(), b.rules.Start()
	if t := h.Table(); t != nil {
		after, start = probe.CellNames(info, t.Space().Taken), t.Start()
	}
	return s.sendJSON(w, r, freshness{tag: tagOf(h.Identity())}, uwapiVariant{
		uwapiVariantName: variantName(info.Size, after, b.grid != nil),
		Start:            b.rules.Format(start),
		AutoGUIStart:     guiPosition(b.grid, start),
		Images:           themesOf(b.grid),
	})
}

func (s uwapi) uwapiInstructions(w http.ResponseWriter, r *http.Request, h catalog.Handle) error {
	info, form := h.Answerer().Info(), ""
	if h.Table() != nil {
		form = "the rows of the board from top to bottom, "
	}
	return s.sendJSON(w, r, freshness{tag: tagOf(h.Identity())}, map[string]string{
		"instructions": fmt.Sprintf("# %s\n\n%s\n\nA position is %sfor example `%s`.\n", info.Title, info.Summary, form, h.Answerer().Example()),
	})
}

func (s uwapi) uwapiPosition(w http.ResponseWriter, r *http.Request, h catalog.Handle) error {
	text := r.URL.Query().Get("p")
	if text == "" {
		return &parameterError{"p", errMissing}
	}
	b := uwapiBoardOf(h)
	p, err := b.rules.Parse(text)
	if err != nil {
		return positionError(err)
	}
	value, rated, err := h.Answerer().Rate(b.rules, p, nil)
	if err != nil {
		return positionError(err)
	}
	s.metrics.countAnswer(h, len(rated))
	return s.sendJSON(w, r, answerFreshness(h, false), b.answer(p, value, rated))
}
