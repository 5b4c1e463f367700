// Package page is what tbserve shows in a browser: an analysis board for every
// table, an opponent to play against, and the statistics of the tables.
//
// The page is made of the TypeScript and the style sheets in src. It loads nothing
// but what is embedded here and asks nothing but the API of the server it comes
// from.
package page

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io/fs"
	"net/http"
	"path"
	"strings"
	"time"
)

//go:generate go run -C ../../tools/page . ../../server/page/src ../../server/page/dist

//go:embed dist
var dist embed.FS

// policy is the Content-Security-Policy of all answers: nothing may come from or
// go to elsewhere, no script or style stands in the page itself, and no other site
// may frame it.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; " +
	"connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// file is what is sent for a path.
type file struct {
	content     []byte
	contentType string
	cache       string
	etag        string
}

// Handler returns the handler of the page: / is the page itself, which a browser
// asks for again each time and gets 304 where it has it, and /assets/ has what it
// consists of, under names that change with the content. All other paths are
// answered with 404, all methods but GET and HEAD with 405. It expects paths from
// the root on; who mounts it elsewhere strips the prefix.
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
		h := w.Header()
		h.Set("Content-Type", f.contentType)
		h.Set("Cache-Control", f.cache)
		h.Set("ETag", f.etag)
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(f.content))
	})
}

// load returns the embedded files by the path at which they are served. That they
// can be read was seen to when they were embedded.
func load() map[string]file {
	files := make(map[string]file)
	err := fs.WalkDir(dist, "dist", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := dist.ReadFile(name)
		sum := sha256.Sum256(content)
		f := file{
			content:     content,
			contentType: contentType(name),
			cache:       "public, max-age=31536000, immutable",
			etag:        `"` + hex.EncodeToString(sum[:16]) + `"`,
		}
		at := strings.TrimPrefix(name, "dist")
		if at == "/index.html" {
			at, f.cache = "/", "no-cache"
		}
		files[at] = f
		return err
	})
	if err != nil {
		panic(err)
	}
	return files
}

// contentType does not ask the system's list, which may say anything.
func contentType(name string) string {
	switch path.Ext(name) {
	case ".html":
		return "text/html; charset=utf-8"
	case ".js":
		return "text/javascript; charset=utf-8"
	case ".css":
		return "text/css; charset=utf-8"
	case ".svg":
		return "image/svg+xml"
	}
	return "application/octet-stream"
}
