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
	boards := drawn(rules, state)
	if boards == nil {
		http.Error(w, "There are no pictures of this board.", http.StatusNotFound)
		return
	}
	var b bytes.Buffer // takes what it is given
	_ = png.Encode(&b, picture(boards))
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

// drawn returns the rows of each board, nil where a position is only text. A heap is a row, a file a column.
func drawn(rules game.Rules, state game.State) [][]string {
	text, _, _ := strings.Cut(rules.Format(state), " ")
	switch rules.Info().Board {
	case game.OnGrid, game.OfNine, game.OnRows:
		text, _, _ = strings.Cut(text, "+")
		return [][]string{strings.Split(text, "/")}
	case game.OfBoards:
		var boards [][]string
		for board := range strings.SplitSeq(text, "+") {
			boards = append(boards, strings.Split(board, "/"))
		}
		return boards
	case game.OfHeaps:
		return [][]string{heaps(rules.Format(rules.Start()), text)}
	case game.OnRow:
		return [][]string{files(text)}
	}
	return nil
}

// heaps returns a row for each heap: its counters, and a space for each that the largest at the start or now has more.
func heaps(start, now string) []string {
	most := 0
	for _, n := range strings.FieldsFunc(start+"/"+now, func(r rune) bool { return r < '0' || r > '9' }) {
		count, _ := strconv.Atoi(n) // digits alone
		most = max(most, count)
	}
	var rows []string
	for n := range strings.SplitSeq(now, "/") {
		count, _ := strconv.Atoi(n)
		rows = append(rows, strings.Repeat("o", count)+strings.Repeat(" ", most-count))
	}
	return rows
}

// files returns the three ranks: on an open file the pawns face each other, on one that was played they block each
// other, beside that there are none.
func files(text string) []string {
	return []string{
		strings.NewReplacer(".", "l", "X", "l", "-", " ").Replace(text),
		strings.NewReplacer(".", ".", "X", "d", "-", " ").Replace(text),
		strings.NewReplacer(".", "d", "X", ".", "-", " ").Replace(text),
	}
}

// The palette is the light one of the page: board, tile, X and dark pawns, O, counters and light pawns, and their edge.
var palette = color.Palette{
	color.RGBA{0x77, 0x53, 0x2f, 255}, color.RGBA{0xfb, 0xf3, 0xe2, 255}, color.RGBA{0x2b, 0x25, 0x20, 255}, color.RGBA{0, 0x70, 0x5a, 255},
	color.RGBA{0xe9, 0xc7, 0x7c, 255}, color.RGBA{0x8a, 0x65, 0x26, 255},
}

// The size of the picture in pixels: the smallest that is shown large.
const width, height, margin = 600, 315, 15

// picture draws boards side by side, in the number of columns that makes their cells largest. What is neither X, O,
// counter nor pawn is a square mark, a dot an empty tile, a space nothing.
func picture(boards [][]string) image.Image {
	m := image.NewPaletted(image.Rect(0, 0, width, height), palette)
	rows, cols := 0, 0 // of the largest board
	for _, b := range boards {
		rows, cols = max(rows, len(b)), max(cols, len(b[0]))
	}
	side, across := 0, 0
	for n := 1; n <= len(boards); n++ {
		// Between boards there is half a cell.
		if s := min(2*(width-2*margin)/(n*(2*cols+1)-1), 2*(height-2*margin)/((len(boards)+n-1)/n*(2*rows+1)-1)); s > side {
			side, across = s, n
		}
	}
	down := (len(boards) + across - 1) / across
	left, top := (width-side*(across*(2*cols+1)-1)/2)/2, (height-side*(down*(2*rows+1)-1)/2)/2
	for i, b := range boards {
		x0, y0 := left+i%across*side*(2*cols+1)/2, top+i/across*side*(2*rows+1)/2
		for y := range side * len(b) {
			for x := range side * len(b[0]) {
				m.SetColorIndex(x0+x, y0+y, pixel(b[y/side][x/side], 200*(x%side)/side-100, 200*(y%side)/side-100))
			}
		}
	}
	return m
}

// pixel returns the colour of a cell at a place from -100 to 100.
func pixel(c byte, x, y int) uint8 {
	ax, ay, r := max(x, -x), max(y, -y), x*x+y*y
	switch {
	case c == ' ':
		return 0
	case c == 'o' && r < 88*88:
		return 4
	case c == 'o' || max(ax, ay) > 95:
		return 0
	case c == 'l' || c == 'd':
		return pawn(c == 'l', ax, y)
	case c == 'X' && max(ax, ay) < 55 && max(ax-ay, ay-ax) < 18, c != 'X' && c != 'O' && c != '.' && max(ax, ay) < 40:
		return 2
	case c == 'O' && r < 62*62 && r > 38*38:
		return 3
	}
	return 1
}

// pawn returns the colour of a pawn at a place: a head over a body that widens downwards.
func pawn(light bool, x, y int) uint8 {
	inside := func(edge int) bool {
		return x*x+(y+35)*(y+35) < (28+edge)*(28+edge) || y > -20 && y < 55+edge && x < 18+edge+(y+20)*2/5
	}
	switch {
	case inside(0) && light:
		return 4
	case inside(0):
		return 2
	case inside(7) && light:
		return 5
	}
	return 1
}
