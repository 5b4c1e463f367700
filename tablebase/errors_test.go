package tablebase

import (
	"errors"
	"io/fs"
	"strings"
	"testing"
)

func TestErrorSentences(t *testing.T) {
	damaged := Range{Class: 9, Part: "steps", Offset: 4096, Length: 65536}
	many := make([]Range, 10)
	for _, test := range []struct {
		err  error
		want string
	}{
		{&Error{Path: "a.tb", Err: ErrDamaged, Damaged: []Range{damaged, damaged}, Remedy: "get it again"},
			"a.tb: the table is damaged: wrong checksum of bytes 4096 to 69631 (class 9, steps), " +
				"bytes 4096 to 69631 (class 9, steps); get it again"},
		{Failed("a.tb", "open the table", &fs.PathError{Op: "open", Path: "a.tb", Err: fs.ErrNotExist}, ""),
			"a.tb: cannot open the table: file does not exist"},
		{Inputf("a.tb", "there is no class %d", 7), "a.tb: not possible in this table: there is no class 7"},
	} {
		if got := test.err.Error(); got != test.want {
			t.Errorf("got  %s\nwant %s", got, test.want)
		}
	}
	if got := (&Error{Path: "a.tb", Err: ErrDamaged, Damaged: many}).Error(); !strings.HasSuffix(got, " and 2 more ranges") ||
		strings.Count(got, "class 0") != listed {
		t.Errorf("ten ranges: %s", got)
	}
	for more, says := range map[int]bool{0: false, 1: true} {
		if got := (&Error{Path: "a.tb", Err: ErrDamaged, Damaged: many[:listed+more]}).Error(); strings.Contains(got, " and 1 more range") != says {
			t.Errorf("%d ranges: %s", listed+more, got)
		}
	}
	if err := Failed("a.tb", "read the table", fs.ErrPermission, ""); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("the cause is lost: %v", err)
	}
}
