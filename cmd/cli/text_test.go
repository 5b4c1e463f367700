package cli

import (
	"strings"
	"testing"
)

func TestBytesValue(t *testing.T) {
	for text, want := range map[string]BytesValue{"8GiB": 8 << 30, "8G": 8_000_000_000, "8000000000": 8_000_000_000, "1.5 GiB": 3 << 29} {
		var v BytesValue
		if err := v.Set(text); err != nil || v != want {
			t.Errorf("%s: %d, %v", text, v, err)
		}
	}
	for _, text := range []string{"", "0", "-1GiB", "GiB", "1e30", "99999PiB", "nan"} {
		var v BytesValue
		if err := v.Set(text); err == nil || v != 0 {
			t.Errorf("%s: %d, %v", text, v, err)
		}
	}
}

func TestWrap(t *testing.T) {
	if got := Wrap("a  short\ntext "); got != "a short text" {
		t.Errorf("%q", got)
	}
	word := strings.Repeat("é", 26)
	got := Wrap(strings.Repeat(word+" ", 7))
	line := strings.Join([]string{word, word, word}, " ") // 80 characters
	if want := line + "\n" + line + "\n" + word; got != want {
		t.Errorf("%q, not %q", got, want)
	}
}
