package page

import (
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"backsolve/game/games"
)

// get asks the handler; headers are names and values by turns.
func get(method, target string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, target, nil)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	Handler().ServeHTTP(w, r)
	return w
}

func TestIndexIsRevalidated(t *testing.T) {
	w := get("GET", "/")
	if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), "<title>backsolve</title>") {
		t.Fatalf("GET /: status %d, %q", w.Code, w.Body)
	}
	if got := w.Header().Get("Cache-Control"); got != "no-cache" {
		t.Errorf("Cache-Control is %q, want no-cache", got)
	}
	if w := get("GET", "/", "If-None-Match", w.Header().Get("ETag")); w.Code != http.StatusNotModified || w.Body.Len() > 0 {
		t.Errorf("with the ETag: status %d and %d bytes, want 304 and none", w.Code, w.Body.Len())
	}
	if w := get("HEAD", "/"); w.Code != http.StatusOK || w.Body.Len() > 0 {
		t.Errorf("HEAD: status %d and %d bytes, want 200 and none", w.Code, w.Body.Len())
	}
}

// All that index.html names must exist, at relative addresses, so that the page also works below
// a path.
func TestAssets(t *testing.T) {
	index := get("GET", "/").Body.String()
	types := map[string]string{".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8", ".svg": "image/svg+xml", ".woff2": "font/woff2"}
	found := regexp.MustCompile(`(?:src|href)="(assets/[^"]*(\.\w+))"`).FindAllStringSubmatch(index, -1)
	named := make(map[string]bool) // by the kind of file
	for _, m := range found {
		w := get("GET", "/"+m[1])
		if w.Code != http.StatusOK || w.Body.Len() == 0 {
			t.Errorf("GET /%s: status %d and %d bytes", m[1], w.Code, w.Body.Len())
		}
		if got := w.Header().Get("Cache-Control"); !strings.Contains(got, "immutable") {
			t.Errorf("/%s: Cache-Control is %q, want it immutable", m[1], got)
		}
		if got := w.Header().Get("Content-Type"); got != types[m[2]] {
			t.Errorf("/%s: Content-Type is %q, want %q", m[1], got, types[m[2]])
		}
		named[m[2]] = true
	}
	if len(named) != len(types) {
		t.Errorf("index.html names only files of the kinds %v", named)
	}
}

func TestNothingFromElsewhere(t *testing.T) {
	for _, target := range []string{"/", "/" + regexp.MustCompile(`assets/app[^"]*`).FindString(get("GET", "/").Body.String())} {
		w := get("GET", target)
		if got := w.Header().Get("Content-Security-Policy"); got != policy {
			t.Errorf("%s: Content-Security-Policy is %q", target, got)
		}
		for _, url := range regexp.MustCompile(`https?://[^"'\x60 ]*`).FindAllString(w.Body.String(), -1) {
			if url != "http://www.w3.org/2000/svg" {
				t.Errorf("%s names %s", target, url)
			}
		}
	}
	if inline := regexp.MustCompile(`(?i)<style|\sstyle=|\son\w+=|<script(?:[^>]*)>[^<]`).FindString(get("GET", "/").Body.String()); inline != "" {
		t.Errorf("index.html has %q, which the policy forbids", inline)
	}
}

func TestRefused(t *testing.T) {
	for _, c := range []struct {
		method, target string
		status         int
	}{
		{"GET", "/index.html", http.StatusNotFound},
		{"GET", "/assets/", http.StatusNotFound},
		{"GET", "/assets/../page.go", http.StatusNotFound},
		{"POST", "/", http.StatusMethodNotAllowed},
		{"DELETE", "/", http.StatusMethodNotAllowed},
	} {
		if w := get(c.method, c.target); w.Code != c.status {
			t.Errorf("%s %s: status %d, want %d", c.method, c.target, w.Code, c.status)
		}
	}
}

// Games have names in languages that the page speaks.
func TestTitlesAreOfLanguages(t *testing.T) {
	named := 0
	for _, g := range games.All() {
		for tag := range g.Titles {
			named++
			if _, err := os.Stat(filepath.Join("src", "languages", tag+".json")); err != nil {
				t.Errorf("%s has a title in %q, which is no language of the page", g.Name, tag)
			}
		}
	}
	if named == 0 {
		t.Error("no game has a title in another language")
	}
}

// The page learns about games from the server alone: neither its sources nor its bundle names
// one.
func TestNoGameIsNamed(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long under the race detector")
	}
	for _, g := range games.All() {
		name := regexp.MustCompile(`(?i)(^|[^a-z0-9])` + regexp.QuoteMeta(g.Name) + `([^a-z0-9]|$)`)
		for _, dir := range []string{"src", "dist"} {
			files := 0
			err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
				// The comments of generated types have the examples of the specification.
				if err != nil || entry.IsDir() || strings.HasSuffix(path, ".gen.ts") {
					return err
				}
				files++
				content, err := os.ReadFile(path)
				if at := name.FindIndex(content); at != nil {
					t.Errorf("%s names %s: %.80q", path, g.Name, content[at[0]:])
				}
				return err
			})
			if err != nil || files < 3 {
				t.Errorf("%d files in %s, %v", files, dir, err)
			}
		}
	}
}
