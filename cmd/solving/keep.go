package solving

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/dustin/go-humanize"

	"backsolve/cmd/cli"
	"backsolve/internal/solve"
)

// keepValue is what a solve keeps, and the most bytes of an opening table.
type keepValue struct {
	what  solve.Keep // "" where it is not given
	bytes int64
}

// outOfCore reports whether no table is kept, or only an opening table.
func (v *keepValue) outOfCore() bool {
	return v.what == solve.KeepResult || v.what == solve.KeepOpening
}

func (v *keepValue) String() string { return string(v.what) }
func (v *keepValue) Type() string   { return "WORD" }

func (v *keepValue) Set(text string) error {
	word, size, sized := strings.Cut(text, "=")
	what := solve.Keep(word)
	if !slices.Contains([]solve.Keep{solve.KeepTable, solve.KeepResult, solve.KeepOpening}, what) || sized && what != solve.KeepOpening {
		return fmt.Errorf("give table, result, opening, or opening with a size, as in opening=2GiB")
	}
	v.what, v.bytes = what, cli.StandardOpening
	if sized {
		n, err := humanize.ParseBytes(size)
		if err != nil || n > math.MaxInt64 {
			return fmt.Errorf("give the size as in opening=2GiB, opening=500MB or opening=800000000")
		}
		v.bytes = int64(n)
	}
	return nil
}
