package server

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

// readAll returns all positions of a body, or of each why it cannot be read.
func readAll(r batchReader) (texts []string, err error) {
	for {
		text, err := r.next()
		switch {
		case err == io.EOF:
			return texts, nil
		case isLocal(err):
			texts = append(texts, "error: "+err.Error())
		case err != nil:
			return texts, err
		default:
			texts = append(texts, string(text))
		}
	}
}

func small(r io.Reader) *bufio.Reader { return bufio.NewReaderSize(r, maxPosition+16) }

// The reader accepts a body as an array of strings if encoding/json does, and reads the same
// strings, in however small pieces it arrives.
func FuzzArrayReader(f *testing.F) {
	for _, body := range []string{
		`[]`, `["a"]`, ` [ "a" , "b\n\"\u00e4" ] `, `["a",]`, `[,]`, `["a" "b"]`, `["`, `["\`, `["\x"]`, "[\"\n\"]", `[1]`, `[null]`, `{}`, ``, `["a"]x`,
		"[\"\xff\"]", `["` + strings.Repeat("x", maxPosition) + `"]`, `["` + strings.Repeat("x", maxPosition+1) + `","y"]`,
	} {
		f.Add([]byte(body), uint8(3))
	}
	f.Fuzz(func(t *testing.T, body []byte, piece uint8) {
		var raw []json.RawMessage
		wantErr := json.Unmarshal(body, &raw) // whole strings are malformed only in their place
		got, err := readAll(&arrayReader{in: small(&pieces{bytes.NewReader(body), int(piece) + 1})})
		if one, oneErr := readAll(&arrayReader{in: small(iotest.OneByteReader(bytes.NewReader(body)))}); len(one) != len(got) || (oneErr == nil) != (err == nil) {
			t.Errorf("%q: %q, %v or %q, %v", body, got, err, one, oneErr)
		}
		var malformed *httpError
		if err != nil && !errors.As(err, &malformed) {
			t.Fatalf("%q: %v", body, err)
		}
		if wantErr != nil || raw == nil {
			return // a string that is malformed in itself is an error of its own here
		}
		if err != nil {
			for _, r := range raw {
				if r[0] != '"' {
					return
				}
			}
			t.Fatalf("%q: %v", body, err)
		}
		if len(got) != len(raw) {
			t.Fatalf("%q: %q", body, got)
		}
		for i, r := range raw {
			var want string
			if err := json.Unmarshal(r, &want); err != nil {
				t.Fatalf("%q is read though %v", body, err)
			}
			if len(r) > maxPosition+2 {
				continue // said to be too long
			}
			if got[i] != want && !strings.HasPrefix(got[i], "error: ") {
				t.Errorf("%q: %q, want %q", body, got[i], want)
			}
		}
	})
}

// pieces reads a number of bytes at a time.
type pieces struct {
	r io.Reader
	n int
}

func (p *pieces) Read(b []byte) (int, error) { return p.r.Read(b[:min(p.n, len(b))]) }

// Each line has one position or one error, in however small pieces it arrives.
func FuzzLineReader(f *testing.F) {
	for _, body := range []string{
		"", "a", "a\n", "a\r\n\r\nb", "\"a\"\n\"b\\n\"\n", "\"a\n", "\"\n", "\xff\n", strings.Repeat("x", maxPosition) + "\ny", strings.Repeat("x", 5*maxPosition) + "\ny",
	} {
		f.Add([]byte(body), uint8(3))
	}
	f.Fuzz(func(t *testing.T, body []byte, piece uint8) {
		got, err := readAll(&lineReader{in: small(&pieces{bytes.NewReader(body), int(piece) + 1})})
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.SplitAfter(string(body), "\n")
		if lines[len(lines)-1] == "" {
			lines = lines[:len(lines)-1]
		}
		if len(got) != len(lines) {
			t.Fatalf("%q: %d positions, %d lines", body, len(got), len(lines))
		}
		for i, line := range lines {
			want := string(bytes.TrimSpace([]byte(line)))
			quoted := ""
			switch {
			case len(line) > maxPosition:
				want = "error: " + errLong.Error()
			case want == "":
				want = "error: " + errBlank.Error()
			case want[0] == '"' && json.Unmarshal([]byte(want), &quoted) == nil:
				want = quoted
			case want[0] == '"':
				if !strings.HasPrefix(got[i], "error: this is not a JSON string") {
					t.Errorf("%q: %q", line, got[i])
				}
				continue
			}
			if got[i] != want {
				t.Errorf("%q: %q, want %q", line, got[i], want)
			}
		}
	})
}

// An error of the body is passed on.
func TestReadersPassErrorsOn(t *testing.T) {
	broken := iotest.ErrReader(errors.New("unplugged"))
	for _, r := range []batchReader{&lineReader{in: small(broken)}, &arrayReader{in: small(broken)}} {
		if _, err := readAll(r); err == nil || err.Error() != "unplugged" {
			t.Errorf("%T: %v", r, err)
		}
	}
}
