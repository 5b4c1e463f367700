package server

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"backsolve/game"
	"backsolve/internal/server/api"
)

// postChunked sends a body without its length.
func (s *site) postChunked(path, media, body string, headers ...string) reply {
	s.t.Helper()
	req, err := http.NewRequest(http.MethodPost, s.url+path, struct{ io.Reader }{strings.NewReader(body)})
	if err != nil {
		s.t.Fatal(err)
	}
	req.Header.Set("Content-Type", media)
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	return s.send(req)
}

// valuesOf returns the values of answers, or an error for lines without one.
func valuesOf(t *testing.T, answers []string) (values []string) {
	t.Helper()
	for _, text := range answers {
		var a api.Answer
		if err := json.Unmarshal([]byte(text), &a); err != nil {
			t.Fatal(err)
		}
		if a.Outcome == "" {
			values = append(values, text)
			continue
		}
		values = append(values, strings.TrimSpace(string(mustMarshal(api.Value{Outcome: a.Outcome, Steps: a.Steps}))))
	}
	return values
}

// recordOf returns the record of a value or an error.
func recordOf(t *testing.T, value string) string {
	t.Helper()
	var v api.Value
	if err := json.Unmarshal([]byte(value), &v); err != nil {
		t.Fatal(err)
	}
	record := [recordBytes]byte{noAnswer, 0, 0xff, 0xff}
	for _, o := range []game.Outcome{game.Draw, game.Win, game.Lose} {
		if v.Outcome == api.Outcome(o.String()) {
			record[0] = map[string]byte{"draw": 0, "win": 1, "lose": 2}[o.String()]
		}
	}
	if v.Steps != nil {
		binary.LittleEndian.PutUint16(record[2:], uint16(*v.Steps))
	}
	return string(record[:])
}

// Values alone agree with the answers, from plain and packed tables, in all forms of a batch and
// however it arrives; so do records.
func TestValues(t *testing.T) {
	plain, packed := start(t, nil), startDir(t, packedDir(t), nil)
	packed.server.batched = 0
	table := open(t, "quixo", 3)
	const binaryPath, path = batchPath, batchPath + "?fields=outcome,steps"
	for name, s := range map[string]*site{"plain": plain, "packed": packed} {
		for _, n := range []int{0, 1, chunkValues, chunkValues + 3} {
			texts := sheafBatch(t, n)
			want := valuesOf(t, answered(t, table, texts))
			lines := strings.Join(texts, "\n")
			whole := s.post(path, linesMedia, lines)
			if got := strings.TrimSuffix(whole.body, "\n"); whole.status != http.StatusOK || got != strings.Join(want, "\n") {
				t.Fatalf("%s, %d positions: status %d\n%.500s\nwant\n%.500s", name, n, whole.status, got, want)
			}
			array := s.post(path, arrayMedia, string(mustMarshal(append([]string{}, texts...))))
			if got, want := strings.TrimSpace(array.body), "["+strings.Join(want, ",\n")+"]"; got != want {
				t.Fatalf("%s, %d positions in an array: %.500s\nwant %.500s", name, n, got, want)
			}
			var records strings.Builder
			for _, v := range want {
				records.WriteString(recordOf(t, v))
			}
			for _, media := range []string{linesMedia, arrayMedia} {
				body := lines
				if media == arrayMedia {
					body = string(mustMarshal(append([]string{}, texts...)))
				}
				r := s.post(binaryPath, media, body, "Accept", recordMedia)
				if chunked := s.postChunked(path, media, body); chunked.body != whole.body && media == linesMedia {
					t.Fatalf("%s, %d positions in chunks: %.100q", name, n, chunked.body)
				}
				if chunked := s.postChunked(batchPath, media, body, "Accept", recordMedia); chunked.body != records.String() {
					t.Fatalf("%s, %d positions in chunks: %.100q", name, n, chunked.body)
				}
				if r.body != records.String() || r.header.Get("Content-Type") != recordMedia || r.header.Get("Content-Length") != fmt.Sprint(n*recordBytes) {
					t.Fatalf("%s, %d positions in %s: %v, %.100q\nwant %.100q", name, n, media, r.header, r.body, records.String())
				}
			}
		}
	}
}

// The values of one position agree with its answer, from whatever source. Nothing else can be
// requested alone.
func TestValueOfPosition(t *testing.T) {
	s := start(t, nil)
	for _, path := range []string{
		"/v1/quixo/3/position?p=startpos", "/v1/notakto/4/position?p=..../..../..../....", "/v1/nim/3/position?p=1/3/5",
		"/v1/quixo/3/position?p=XXX/.../...+o", "/v1/notakto/4/position?after=a1&p=..../..../..../X...",
	} {
		want := valuesOf(t, []string{s.want(200, path).body})[0] + "\n"
		if r := s.want(200, path+"&fields=outcome,steps"); r.body != want || r.header.Get("Etag") == "" {
			t.Errorf("%s: %s, want %s", path, r.body, want)
		}
		s.want(400, path+"&fields=outcome", `"parameter":"fields"`)
	}
	s.want(400, "/v1/quixo/3/position?p=Z&fields=outcome,steps", `"parameter":"p"`)
	s.post(batchPath+"?fields=moves", linesMedia, "x").want(t, 400, `"parameter":"fields"`)
}

// An error after the first records cuts them short; before them it is the answer.
func TestRecordsEndShort(t *testing.T) {
	t.Parallel()
	s := start(t, func(o *Options) { o.MaxBatch = 2 * chunkValues })
	texts := strings.Join(sheafBatch(t, 2*chunkValues+1), "\n")
	s.post(batchPath, linesMedia, texts, "Accept", recordMedia).want(t, 413)
	r := s.postChunked(batchPath, linesMedia, texts, "Accept", recordMedia)
	if r.status == http.StatusOK && (len(r.body) > 2*chunkValues*recordBytes || len(r.body)%recordBytes != 0) || r.status != http.StatusOK && r.status != http.StatusRequestEntityTooLarge {
		t.Errorf("status %d with %d bytes", r.status, len(r.body))
	}
}
