package cli

import (
	"strings"
	"testing"

	"backsolve/internal/machine"
)

func TestCheckSpace(t *testing.T) {
	for _, c := range []struct {
		limit, taken int64
		says         string
	}{
		{machine.Unknown, 0, ""},
		{900 << 20, 700 << 20, ""},
		{764 << 20, 700 << 20, ""},
		{763 << 20, 700 << 20, "the address space is limited to 763 MiB (ulimit -v), but the program uses 700 MiB at its start and needs 64 MiB more; raise the limit"},
		{600 << 20, 700 << 20, "limited to 600 MiB"},
	} {
		err := checkSpace(c.limit, c.taken)
		if (err == nil) != (c.says == "") || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%d of %d taken: %v, want %q", c.taken, c.limit, err, c.says)
		}
	}
}
