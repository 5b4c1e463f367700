package solving

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/dustin/go-humanize"

	"backsolve/cmd/cli"
)

// keepValue is what stays of a solve: the table, only the result, or beside that the
// table of the emptiest classes, of at most so many bytes.
type keepValue struct {
	word  string // "" where it is not given
	bytes int64
}

// The words of --keep.
const (
	keepTable   = "table"
	keepResult  = "result"
	keepOpening = "opening"
)

func (v *keepValue) String() string { return v.word }
func (v *keepValue) Type() string   { return "WORD" }

func (v *keepValue) Set(text string) error {
	word, size, sized := strings.Cut(text, "=")
	if !slices.Contains([]string{keepTable, keepResult, keepOpening}, word) || sized && word != keepOpening {
		return fmt.Errorf("give table, result, opening, or opening with a size, as in opening=2GiB")
	}
	v.word, v.bytes = word, cli.StandardOpening
	if sized {
		n, err := humanize.ParseBytes(size)
		if err != nil || n > math.MaxInt64 {
			return fmt.Errorf("give the size as in opening=2GiB, opening=500MB or opening=800000000")
		}
		v.bytes = int64(n)
	}
	return nil
}
