// Package page is the web page of tbserve: an analysis board for every table, an opponent, and
// the statistics of the tables.
//
// The page is bundled from the TypeScript and style sheets in src. It loads only what is embedded
// here, and uses only the API of its own server.
package page

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io/fs"
	"net/http"
	"path"
	"strings"
	"time"
)

//go:generate go run -C ../../../tools/page . ../../internal/server/page/src ../../internal/server/page/dist

//go:embed dist
var dist embed.FS

// lessons are the positions of the tutorial by board: for a first move, a quick win, and a trap.
//
//go:embed lessons.json
var lessons []byte

// previews are pictures of games, 600×315 pixels, which programs show beside links.
//
//go:embed previews
var previews embed.FS

// policy is the Content-Security-Policy: no other origins, no inline scripts or styles, no frames.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; " +
	"connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

type file struct {
	content     []byte
	contentType string
	cache       string
	etag        string
}

// Handler serves the page at /, revalidated at each visit, and its parts below /assets/, whose names change with their
// content. Other paths get 404, methods other than GET and HEAD get 405.
func Handler() http.Handler {
	files := load()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		f, ok := files[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			w.Header().Set("Allow", "GET, HEAD")
			http.Error(w, "The page can only be read.", http.StatusMethodNotAllowed)
			return
		}
		if r.URL.Path == "/" && r.URL.RawQuery != "" {
			_, pictured := files[previewPath(r.URL.RawQuery)]
			w.Header().Set("Vary", "X-Forwarded-Proto")
			f.content = described(f.content, r, pictured)
			f.etag = tagOf(f.content)
		}
		send(w, r, f)
	})
}

// load returns the embedded files by path. Embedded files can always be read.
func load() map[string]file {
	files := map[string]file{"/assets/lessons.json": {lessons, "application/json", "no-cache", tagOf(lessons)}}
	add := func(dir fs.FS, root, below, cache string) {
		err := fs.WalkDir(dir, root, func(name string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			content, err := fs.ReadFile(dir, name)
			kind := contentTypes[path.Ext(name)]
			files[below+strings.TrimPrefix(name, root)] = file{content, cmp.Or(kind, "application/octet-stream"), cache, tagOf(content)}
			return err
		})
		if err != nil {
			panic(err)
		}
	}
	add(dist, "dist", "", "public, max-age=31536000, immutable")
	add(previews, "previews", "/assets/previews", "public, max-age=86400")
	index := files["/index.html"]
	index.cache = "no-cache"
	files["/"] = index
	delete(files, "/index.html")
	return files
}

func tagOf(content []byte) string {
	sum := sha256.Sum256(content)
	return `"` + hex.EncodeToString(sum[:16]) + `"`
}

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

// contentTypes are indexed by suffix. The system's MIME types vary.
var contentTypes = map[string]string{
	".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8",
	".svg": "image/svg+xml", ".png": "image/png", ".woff2": "font/woff2",
}
