package page

import (
	"bytes"
	"crypto/tls"
	"image"
	"image/png"
	"net/http"
	"net/http/httptest"
	"os"
	"reflect"
	"strings"
	"testing"

	"backsolve/game/examples"
)

// A link with its view in the query has a preview: a name, the rules and a picture by an absolute address.
func TestLinkIsDescribed(t *testing.T) {
	for _, c := range []struct {
		target, proto string
		prefix        string // that the handler is mounted below
		secure        bool
		want          []string
		without       string
	}{
		{target: "/?quixo/4?moves=d1d4", want: []string{`property="og:title" content="Quixo 4x4"`, `property="og:description" content="Each player in turn`,
			`property="og:image" content="http://tables.example/assets/preview.png?quixo/4?moves=d1d4"`, `name="twitter:card" content="summary_large_image"`}},
		{target: "/?quixo/4", proto: "https", want: []string{`content="https://tables.example/assets/preview.png?quixo/4"`}},
		{target: "/?quixo/4", secure: true, want: []string{`content="https://tables.example/assets/preview.png?quixo/4"`}},
		{target: "/games/?quixo/4", prefix: "/games", want: []string{`content="http://tables.example/games/assets/preview.png?quixo/4"`}},
		{target: `/?quixo/4?p=XXOO/O.XO/O..X/XXO._x&x="><script>`, want: []string{`&amp;x=&#34;&gt;&lt;script&gt;`}, without: `"><script>`},
		{target: "/?nim/4", want: []string{`content="http://tables.example/assets/preview.png?nim/4"`}},
		{target: "/?morris-3/1", want: []string{`property="og:title"`}, without: "og:image"},
		{target: "/?nonsense", without: "og:title"},
		{target: "/?quixo/4?moves=a1b2", without: "og:title"}, // no legal move
		{target: "/", without: "og:title"},
	} {
		r := httptest.NewRequest("GET", "/", nil)
		r.URL.Path, r.URL.RawQuery, _ = strings.Cut(c.target, "?")
		r.RequestURI, r.Host = c.target, "tables.example"
		if c.proto != "" {
			r.Header.Set("X-Forwarded-Proto", c.proto)
		}
		if c.secure {
			r.TLS = &tls.ConnectionState{}
		}
		w := httptest.NewRecorder()
		http.StripPrefix(c.prefix, Handler()).ServeHTTP(w, r)
		body := w.Body.String()
		if w.Code != http.StatusOK || w.Header().Get("Cache-Control") != "no-cache" {
			t.Errorf("%s: status %d, Cache-Control %q", c.target, w.Code, w.Header().Get("Cache-Control"))
		}
		for _, want := range c.want {
			if !strings.Contains(body, want) {
				t.Errorf("%s has no %s", c.target, want)
			}
		}
		if c.without != "" && strings.Contains(body, c.without) {
			t.Errorf("%s has %s", c.target, c.without)
		}
	}
}

// The picture shows the position: after the moves, and only as many as are shown.
func TestPreviewPicture(t *testing.T) {
	pictures := map[string][]byte{}
	for _, query := range []string{"tictactoe/3", "tictactoe/3?moves=a3.b2", "tictactoe/3?moves=a3.b2&at=1", "tictactoe/3?p=X../.O./..._x", "othello/8", "notakto/2x18", "uttt/9",
		"nim/4", "nim/4?moves=d7", "dawson/9", "dawson/9?moves=e", "dawson/26", "notakto-boards/3", "notakto-boards/8", "notakto-boards/3+4", "notakto-boards/3+4?moves=1b2"} {
		w := get("GET", previewPath+"?"+query)
		m, err := png.Decode(bytes.NewReader(w.Body.Bytes()))
		if err != nil || w.Header().Get("Content-Type") != "image/png" || m.Bounds().Dx() != width || m.Bounds().Dy() != height {
			t.Fatalf("%s: status %d, %v", query, w.Code, err)
		}
		if w.Body.Len() > 50_000 {
			t.Errorf("%s: the picture has %d bytes", query, w.Body.Len())
		}
		if got := w.Header().Get("Cache-Control"); got != "public, max-age=86400" {
			t.Errorf("%s: Cache-Control is %q", query, got)
		}
		if again := get("GET", previewPath+"?"+query, "If-None-Match", w.Header().Get("ETag")); again.Code != http.StatusNotModified {
			t.Errorf("%s: status %d with the ETag", query, again.Code)
		}
		pictures[query] = w.Body.Bytes()
	}
	if !bytes.Equal(pictures["tictactoe/3?moves=a3.b2"], pictures["tictactoe/3?p=X../.O./..._x"]) {
		t.Error("the moves lead to another picture than their position")
	}
	if bytes.Equal(pictures["tictactoe/3?moves=a3.b2"], pictures["tictactoe/3?moves=a3.b2&at=1"]) || bytes.Equal(pictures["tictactoe/3"], pictures["tictactoe/3?moves=a3.b2&at=1"]) {
		t.Error("pictures of different positions are the same")
	}
	for query, after := range map[string]string{"nim/4": "?moves=d7", "dawson/9": "?moves=e", "notakto-boards/3+4": "?moves=1b2"} {
		if bytes.Equal(pictures[query], pictures[query+after]) {
			t.Errorf("%s: a move does not change the picture", query)
		}
	}
	for query, want := range map[string]int{"": 400, "nonsense": 400, "quixo/99": 400, "quixo/4?p=X": 400, "quixo/4?moves=zz": 400, "morris-3/1": 404} {
		if w := get("GET", previewPath+"?"+query); w.Code != want {
			t.Errorf("%q: status %d, want %d", query, w.Code, want)
		}
	}
}

// What is drawn of boards that are no grid, by hand.
func TestDrawn(t *testing.T) {
	for query, want := range map[string][][]string{
		"nim/3":                        {{"o    ", "ooo  ", "ooooo"}},
		"nim/3?p=0/2/5_o":              {{"     ", "oo   ", "ooooo"}},
		"dawson/5?moves=b":             {{" l ll", " d ..", " . dd"}},
		"notakto-boards/2+3?moves=1a1": {{"..", "X."}, {"...", "...", "..."}},
		"quixo/2":                      {{"..", ".."}},
	} {
		rules, state, err := shared(query)
		if err != nil {
			t.Fatal(query, err)
		}
		if got := drawn(rules, state); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %q, want %q", query, got, want)
		}
	}
}

// Boards of any kind keep to the margin, and fill the picture in a direction.
func TestPictureFits(t *testing.T) {
	for _, query := range []string{"nim/8", "nim/1", "dawson/1", "dawson/26", "notakto-boards/8", "notakto-boards/1+4+4", "quixo/5", "notakto/2x18"} {
		rules, state, err := shared(query)
		if err != nil {
			t.Fatal(query, err)
		}
		m, used := picture(drawn(rules, state)).(*image.Paletted), image.Rectangle{}
		for y := range height {
			for x := range width {
				if m.ColorIndexAt(x, y) != 0 {
					used = used.Union(image.Rect(x, y, x+1, y+1))
				}
			}
		}
		if room := m.Rect.Inset(margin); !used.In(room) || used.Dx() < room.Dx()*4/5 && used.Dy() < room.Dy()*4/5 {
			t.Errorf("%s: drawn in %v of %v", query, used, room)
		}
	}
}

func TestMain(m *testing.M) {
	if err := examples.Add(); err != nil { // before the games are listed
		panic(err)
	}
	os.Exit(m.Run())
}
