// Package page is the web page of tbserve: an analysis board for every table, an opponent, and
// the statistics of the tables.
//
// The page is bundled from the TypeScript and style sheets in src. It loads only what is embedded
// here, and uses only the API of its own server.
package page

import (
	"embed"
	"io/fs"
	"net/http"
	"path"
	"strings"
)

//go:generate go run -C ../../tools/page . ../../server/page/src ../../server/page/dist

//go:embed dist
var dist embed.FS

// lessons are the positions of the tutorial by board: for a first move, a quick win, and a trap.
//
//go:embed lessons.json
var lessons []byte

// previewPath is where the pictures of positions are, each by its query.
const previewPath = "/assets/preview.png"

// policy is the Content-Security-Policy: no other origins, no inline scripts or styles, no frames.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; " +
	"connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// file is the response for a path.
type file struct {
	content     []byte
	contentType string
	cache       string
	etag        string
}

// Handler serves the page at /, revalidated at each visit, and its parts below /assets/, whose
// names change with their content, and the picture of a position for the previews of links. Other paths get 404, methods other than GET and HEAD get 405.
// To mount it elsewhere, use http.StripPrefix.
func Handler() http.Handler {
	files := load()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		f, ok := files[r.URL.Path]
		if !ok && r.URL.Path != previewPath {
			http.NotFound(w, r)
			return
		}
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			w.Header().Set("Allow", "GET, HEAD")
			http.Error(w, "The page can only be read.", http.StatusMethodNotAllowed)
			return
		}
		switch {
		case r.URL.Path == previewPath:
			preview(w, r)
			return
		case r.URL.Path == "/" && r.URL.RawQuery != "":
			w.Header().Set("Vary", "X-Forwarded-Proto")
			f.content = described(f.content, r)
			f.etag = tagOf(f.content)
		}
		send(w, r, f)
	})
}

// load returns the embedded files by path. Embedded files can always be read.
func load() map[string]file {
	files := map[string]file{"/assets/lessons.json": {lessons, "application/json", "no-cache", tagOf(lessons)}}
	err := fs.WalkDir(dist, "dist", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := dist.ReadFile(name)
		f := file{
			content:     content,
			contentType: contentType(name),
			cache:       "public, max-age=31536000, immutable",
			etag:        tagOf(content),
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

// contentType does not use the system's MIME types, which vary.
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
	case ".woff2":
		return "font/woff2"
	}
	return "application/octet-stream"
}
