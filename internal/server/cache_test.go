package server

import (
	"bytes"
	"encoding/hex"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"backsolve/internal/probe"
)

// Answers to addresses that name the table are immutable; without its identity another table may
// answer tomorrow; random answers are not stored.
func TestCacheControl(t *testing.T) {
	const immutable, check, never = "public, max-age=31536000, immutable", "public, no-cache", "no-store"
	paths := map[string]string{
		"/v1/games":                                             check,
		"/v1/tables":                                            check,
		"/v1/quixo/3":                                           check,
		"/v1/quixo/3/position?p=.../.../...":                    check,
		"/v1/quixo/3/line?p=.../.../...":                        check,
		"/v1/quixo/3/move?p=.../.../...&seed=1":                 check,
		"/v1/quixo/3/move?p=.../.../...":                        never,
		"/v1/quixo/3/random?seed=1":                             check,
		"/v1/quixo/3/random":                                    never,
		"/v1/notakto/4/position?p=..../..../..../....":          check,
		"/v1/notakto/4/position?p=..../..../..../X...&after=a1": check,
		"/v1/notakto/8/position?p=" + strings.Repeat("......../", 7) + "........": check,
		"/uwapi/":                        check,
		"/uwapi/quixo/":                  check,
		"/uwapi/quixo/3x3/":              check,
		"/uwapi/quixo/3x3/instructions/": check,
		"/uwapi/quixo/3x3/positions/?p=.../.../...":           check,
		"/uwapi/notakto/4x4/positions/?p=..../..../..../....": check,
		"/v1/openapi.yaml": check,
		"/healthz":         never,
		"/readyz":          never,
	}
	quixo, notakto := identity(open(t, "quixo", 3)), identity(open(t, "notakto", 4))
	for address, want := range map[string]string{
		"/v1/quixo/3?identity=":                           immutable,
		"/v1/quixo/3/position?p=.../.../...&identity=":    immutable,
		"/v1/quixo/3/line?p=.../.../...&identity=":        immutable,
		"/v1/quixo/3/move?p=.../.../...&seed=1&identity=": immutable,
		"/v1/quixo/3/move?p=.../.../...&identity=":        never,
		"/v1/quixo/3/random?seed=1&identity=":             immutable,
		"/v1/quixo/3/random?identity=":                    never,
	} {
		paths[address+quixo] = want
	}
	paths["/v1/notakto/4/position?p=..../..../..../....&identity="+notakto] = immutable
	s := start(t, nil)
	private := start(t, func(o *Options) { o.Tokens = tokensOf(t, "secret") })
	for path, want := range paths {
		r := s.want(http.StatusOK, path)
		if got := r.header.Get("Cache-Control"); got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
		r = private.get(path, "Authorization", "Bearer secret")
		if got, want := r.header.Get("Cache-Control"), strings.Replace(want, "public", "private", 1); got != want {
			t.Errorf("%s with a token: %q, want %q", path, got, want)
		}
		tag := r.header.Get("ETag")
		if (tag == "") != (want == never) {
			t.Errorf("%s: ETag %q", path, tag)
		}
		if tag == "" {
			continue
		}
		for _, sent := range []string{tag, strings.TrimPrefix(tag, "W/"), `"other", ` + tag, "*"} {
			r := s.get(path, "If-None-Match", sent)
			if r.status != http.StatusNotModified || r.body != "" || r.header.Get("ETag") != tag {
				t.Errorf("%s: If-None-Match: %s gives %d with %q", path, sent, r.status, r.body)
			}
		}
		if r := s.get(path, "If-None-Match", `"other", W/"another"`); r.status != http.StatusOK {
			t.Errorf("%s: another tag gives %d", path, r.status)
		}
	}
}

// identity returns the identity of a table as it is written.
func identity(table *probe.Table) string {
	sum := table.Stored().Identity()
	return hex.EncodeToString(sum[:])
}

// An identity must be that of the board's own table, or there is no answer.
func TestIdentity(t *testing.T) {
	s := start(t, nil)
	quixo, notakto := identity(open(t, "quixo", 3)), identity(open(t, "notakto", 3))
	for _, address := range []string{"?", "/position?p=.../.../...&", "/line?p=.../.../...&", "/move?p=.../.../...&", "/random?"} {
		s.want(http.StatusOK, "/v1/quixo/3"+address+"identity="+quixo)
		s.want(http.StatusNotFound, "/v1/quixo/3"+address+"identity="+notakto, "has another identity, "+quixo)
		s.want(http.StatusBadRequest, "/v1/quixo/3"+address+"identity="+quixo[:63], `"parameter":"identity"`, "64 hexadecimal digits")
		s.want(http.StatusBadRequest, "/v1/quixo/3"+address+"identity="+strings.ToUpper(quixo), `"parameter":"identity"`)
		s.want(http.StatusBadRequest, "/v1/quixo/3"+address+"identity=", `"parameter":"identity"`)
	}
	s.want(http.StatusNotFound, "/v1/notakto/8/position?p="+strings.Repeat("......../", 7)+"........&identity="+quixo, "no table")
	s.want(http.StatusNotFound, "/v1/quixo/4/position?p=..../..../..../....&identity="+quixo, "there is no table")
	searching(t, time.Second).want(http.StatusNotFound, positionPath("notakto/7", late)+"&identity="+quixo, "there is no table")
}

// Two tables have different tags, and so have two versions of the list.
func TestTagsDiffer(t *testing.T) {
	s := start(t, nil)
	whole := s.get("/v1/notakto/4").header.Get("ETag")
	if after := s.get("/v1/notakto/4?after=a1").header.Get("ETag"); after == whole {
		t.Errorf("both tables have the tag %s", whole)
	}
}

// What may be kept is not if the request is refused, whatever the client claims to
// have.
func TestNoTagForErrors(t *testing.T) {
	r := start(t, nil).get("/v1/quixo/3/position?p=...", "If-None-Match", "*")
	if r.want(t, http.StatusBadRequest); r.header.Get("ETag") != "" {
		t.Errorf("ETag %q", r.header.Get("ETag"))
	}
}

// uncompress returns the contents of a body.
func uncompress(t *testing.T, coding, body string) string {
	t.Helper()
	var r io.Reader
	var err error
	switch coding {
	case "gzip":
		r, err = gzip.NewReader(strings.NewReader(body))
	case "zstd":
		var z *zstd.Decoder
		z, err = zstd.NewReader(strings.NewReader(body))
		if err == nil {
			defer z.Close()
		}
		r = z
	default:
		return body
	}
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if _, err := b.ReadFrom(r); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestCompression(t *testing.T) {
	s := start(t, nil)
	large, small := "/v1/quixo/3/position?p=.../.../...", "/v1/notakto/3/position?p=XXX/.../..."
	for accept, want := range map[string]string{"": "", "gzip": "gzip", "zstd": "zstd", "gzip, zstd": "zstd", "br": "", "zstd;q=0, gzip": "gzip"} {
		plain, r := s.get(large), s.get(large, "Accept-Encoding", accept)
		if got := r.header.Get("Content-Encoding"); got != want {
			t.Errorf("Accept-Encoding: %s gives %q, want %q", accept, got, want)
		}
		if uncompress(t, want, r.body) != plain.body {
			t.Errorf("%s: %q", accept, r.body)
		}
		if want != "" && len(r.body) >= len(plain.body) {
			t.Errorf("%s: %d bytes of %d", accept, len(r.body), len(plain.body))
		}
		if r.header.Get("Vary") != "Accept-Encoding" || r.header.Get("ETag") != plain.header.Get("ETag") {
			t.Errorf("%s: %v", accept, r.header)
		}
		if r := s.get(small, "Accept-Encoding", accept); r.header.Get("Content-Encoding") != "" {
			t.Errorf("%s: a small answer is compressed", accept)
		}
	}
	batch := strings.Repeat(".../.../...\n", 1000)
	plain := s.post("/v1/quixo/3/positions", linesMedia, batch)
	if r := s.post("/v1/quixo/3/positions", linesMedia, batch, "Accept-Encoding", "zstd"); uncompress(t, "zstd", r.body) != plain.body {
		t.Errorf("a compressed batch differs: %d bytes", len(r.body))
	}
}
