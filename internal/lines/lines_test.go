package lines

import (
	"bufio"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

// A byte order mark is not part of a line.
func TestByteOrderMark(t *testing.T) {
	line, long, err := Next(bufio.NewReader(strings.NewReader("\ufeffa\nb")), 9)
	if err != nil || long || string(line) != "a" {
		t.Errorf("%q, %t, %v", line, long, err)
	}
}

// Lines are read whole, up to the most bytes; longer ones are skipped, also beyond the buffer.
func TestNext(t *testing.T) {
	const most = 20
	var text string
	want := []string{"", "a", strings.Repeat("b", most-1), strings.Repeat("c", most), strings.Repeat("d", most+1), strings.Repeat("e", 99), " f ", "g"}
	text = strings.Join(want, "\n")
	for name, r := range map[string]io.Reader{"whole": strings.NewReader(text), "bytes": iotest.OneByteReader(strings.NewReader(text)), "ended": strings.NewReader(text + "\n")} {
		in := bufio.NewReaderSize(r, most+12)
		for _, w := range want {
			line, long, err := Next(in, most)
			if err != nil || long != (len(w) >= most) || !long && string(line) != w {
				t.Errorf("%s: %q, %t, %v; want %q", name, line, long, err, w)
			}
		}
		if _, _, err := Next(in, most); err != io.EOF {
			t.Errorf("%s: after the last line: %v", name, err)
		}
	}
	broken := errors.New("broken")
	if _, _, err := Next(bufio.NewReader(io.MultiReader(strings.NewReader("a"), iotest.ErrReader(broken))), most); !errors.Is(err, broken) {
		t.Error(err)
	}
}
