package page

import (
	"bytes"
	"crypto/tls"
	"image"
	"image/png"
	"net/http"
	"net/http/httptest"
	"os"
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
			`property="og:image" content="http://tables.example/assets/previews/quixo.png"`, `name="twitter:card" content="summary_large_image"`}},
		{target: "/?quixo/4", proto: "https", want: []string{`content="https://tables.example/assets/previews/quixo.png"`}},
		{target: "/?quixo/4", secure: true, want: []string{`content="https://tables.example/assets/previews/quixo.png"`}},
		{target: "/games/?quixo/4", prefix: "/games", want: []string{`content="http://tables.example/games/assets/previews/quixo.png"`}},
		{target: `/?quixo/4?p=XXOO/O.XO/O..X/XXO._x&x="><script>`, want: []string{"og:title"}, without: "<script>"},
		{target: `/"><script>/?quixo/4`, prefix: `/"><script>`, want: []string{`/&#34;&gt;&lt;script&gt;/assets/previews`}, without: `"><script>`},
		{target: "/?nim/4", want: []string{`content="http://tables.example/assets/previews/nim.png"`}},
		{target: "/?morris-3/1", want: []string{`property="og:title"`}, without: "og:image"},
		{target: "/?nonsense", without: "og:title"},
		{target: "/?quixo/99", without: "og:title"},
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

// Every game of the program itself has a picture.
func TestPreviewPictures(t *testing.T) {
	for _, name := range []string{"notakto", "notakto-boards", "quixo", "tictactoe", "nim", "dawson", "othello", "uttt"} {
		w := get("GET", previewPath(name+"/3"))
		m, err := png.Decode(bytes.NewReader(w.Body.Bytes()))
		if err != nil || w.Header().Get("Content-Type") != "image/png" || m.Bounds() != image.Rect(0, 0, 600, 315) {
			t.Errorf("%s: status %d, %v", name, w.Code, err)
		}
	}
}

func TestMain(m *testing.M) {
	if err := examples.Add(); err != nil { // before the games are listed
		panic(err)
	}
	os.Exit(m.Run())
}
