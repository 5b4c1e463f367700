package probe_test

import (
	"encoding/json"
	"testing"

	"pgregory.net/rapid"

	"backsolve/internal/probe"
)

// TestAppendText compares any text, even invalid UTF-8, with encoding/json. Texts of games are
// not copied.
func TestAppendText(t *testing.T) {
	want := func(text string) string {
		b, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	for c := range 256 {
		for _, text := range []string{string([]byte{byte(c)}), string([]byte{'a', byte(c), 'b'})} {
			if got := string(probe.AppendText([]byte("x"), text)); got != "x"+want(text) {
				t.Errorf("%q is written as %s, want %s", text, got, want(text))
			}
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String().Draw(t, "text")
		if got := string(probe.AppendText(nil, text)); got != want(text) {
			t.Fatalf("%q is written as %s, want %s", text, got, want(text))
		}
	})
	dst := make([]byte, 0, 100)
	if n := testing.AllocsPerRun(100, func() { probe.AppendText(dst, "XXOO/O.XO/O..X/XXO. x ~!#()") }); n != 0 {
		t.Errorf("the text of a position is copied %g times", n)
	}
}
