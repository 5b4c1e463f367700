package page

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"html"
	"image"
	"image/color"
	"image/png"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"backsolve/game"
	"backsolve/game/games"
)

// A link to share has the view in its query rather than behind #: /?quixo/4?p=…&moves=…. So the
// server can describe it to the programs that show previews of links.

var errNoPreview = errors.New("the query names no position; it is GAME/SIZE?p=POSITION&moves=MOVE.MOVE")

// shared returns the rules and the position that a query names.
func shared(query string) (game.Rules, game.State, error) {
	board, rest, _ := strings.Cut(query, "?")
	name, word, _ := strings.Cut(board, "/")
	size, ok := game.ParseSize(word)
	values, err := url.ParseQuery(rest)
	if !ok || err != nil {
		return nil, nil, errNoPreview
	}
	rules, err := games.New(name, int(size))
	if err != nil {
		return nil, nil, err
	}
	state := rules.Start()
	if p := values.Get("p"); p != "" {
		if state, err = rules.Parse(strings.ReplaceAll(p, "_", " ")); err != nil {
			return nil, nil, err
		}
	}
	moves := strings.FieldsFunc(values.Get("moves"), func(r rune) bool { return r == '.' })
	at := len(moves)
	if n, err := strconv.Atoi(values.Get("at")); err == nil {
		at = min(at, max(n, 0))
	}
	for _, text := range moves[:min(at, 400)] { // bounds the work
		legal := rules.Moves(nil, state)
		i := slices.IndexFunc(legal, func(m game.Move) bool { return game.MoveText(rules, state, m) == text })
		if _, over := rules.Terminal(state); over || i < 0 {
			return nil, nil, errNoPreview
		}
		state = rules.Play(state, legal[i])
	}
	return rules, state, nil
}

// described adds what previews show to the page. The picture needs an absolute address:
// that of the request, with TLS also where a proxy says so.
func described(index []byte, r *http.Request) []byte {
	rules, state, err := shared(r.URL.RawQuery)
	if err != nil {
		return index
	}
	info := rules.Info()
	scheme := "http"
	if r.TLS != nil || r.Header.Get("X-Forwarded-Proto") == "https" {
		scheme = "https"
	}
	base, _, _ := strings.Cut(r.RequestURI, "?")
	tags := fmt.Sprintf(`<meta property="og:title" content="%s"><meta property="og:description" content="%s">`,
		html.EscapeString(strings.TrimSpace(info.Title+" "+info.Variant)), html.EscapeString(info.Summary))
	if drawn(rules, state) != nil {
		tags += fmt.Sprintf(`<meta property="og:image" content="%s"><meta name="twitter:card" content="summary_large_image">`, html.EscapeString(scheme+"://"+r.Host+base+"assets/preview.png?"+r.URL.RawQuery))
	}
	return bytes.Replace(index, []byte("</head>"), []byte(tags+"</head>"), 1)
}

// preview answers with the picture of a position.
func preview(w http.ResponseWriter, r *http.Request) {
	rules, state, err := shared(r.URL.RawQuery)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	cells := drawn(rules, state)
	if cells == nil {
		http.Error(w, "There are no pictures of this board.", http.StatusNotFound)
		return
	}
	var b bytes.Buffer // takes what it is given
	_ = png.Encode(&b, picture(cells))
	send(w, r, file{b.Bytes(), "image/png", "public, max-age=86400", tagOf(b.Bytes())})
}

// tagOf returns the ETag of a content.
func tagOf(content []byte) string {
	sum := sha256.Sum256(content)
	return `"` + hex.EncodeToString(sum[:16]) + `"`
}

// send sends a file.
func send(w http.ResponseWriter, r *http.Request, f file) {
	h := w.Header()
	h.Set("Content-Type", f.contentType)
	h.Set("Cache-Control", f.cache)
	h.Set("ETag", f.etag)
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(f.content))
}

// drawn returns the rows of a board of cells, nil for other boards.
func drawn(rules game.Rules, state game.State) []string {
	switch rules.Info().Board {
	case game.OnGrid, game.OfNine, game.OnRows:
		text := rules.Format(state)
		return strings.Split(text[:strings.IndexAny(text+" ", " +")], "/")
	}
	return nil
}

// The palette is the light one of the page: board, tile, X, O.
var palette = color.Palette{color.RGBA{0x77, 0x53, 0x2f, 255}, color.RGBA{0xfb, 0xf3, 0xe2, 255}, color.RGBA{0x2b, 0x25, 0x20, 255}, color.RGBA{0, 0x70, 0x5a, 255}}

// The size of the picture in pixels: the smallest that is shown large.
const width, height, margin = 600, 315, 15

// picture draws rows of cells. What is neither X nor O is a square mark, a dot an empty tile.
func picture(rows []string) image.Image {
	m := image.NewPaletted(image.Rect(0, 0, width, height), palette)
	cols := len(rows[0])
	side := min((width-2*margin)/cols, (height-2*margin)/len(rows))
	left, top := (width-side*cols)/2, (height-side*len(rows))/2
	for y := range side * len(rows) {
		for x := range side * cols {
			m.SetColorIndex(left+x, top+y, pixel(rows[y/side][x/side], 200*(x%side)/side-100, 200*(y%side)/side-100))
		}
	}
	return m
}

// pixel returns the colour of a cell at a place from -100 to 100.
func pixel(c byte, x, y int) uint8 {
	ax, ay, r := max(x, -x), max(y, -y), x*x+y*y
	switch {
	case max(ax, ay) > 95:
		return 0
	case c == 'X' && max(ax, ay) < 55 && max(ax-ay, ay-ax) < 18, c != 'X' && c != 'O' && c != '.' && max(ax, ay) < 40:
		return 2
	case c == 'O' && r < 62*62 && r > 38*38:
		return 3
	}
	return 1
}
