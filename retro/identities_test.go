package retro

import (
	"encoding/hex"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// identityRow is a row of the table of identities in docs/reports/results.md.
var identityRow = regexp.MustCompile("(?m)^\\| ([a-z]+)-(\\d+)x\\d+ \\| ([\\d,]+) \\| `([0-9a-f]+)` \\|$")

// Each table has the length and the identity given in docs/reports/results.md.
func TestIdentities(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "docs", "reports", "results.md"))
	if err != nil {
		t.Fatal(err)
	}
	rows := identityRow.FindAllStringSubmatch(string(page), -1)
	if len(rows) < 9 {
		t.Fatalf("docs/reports/results.md has %d identities", len(rows))
	}
	for _, row := range rows {
		t.Run(row[1]+row[2], func(t *testing.T) {
			n, err := strconv.Atoi(row[2])
			if err != nil {
				t.Fatal(err)
			}
			bytes, err := strconv.ParseInt(strings.ReplaceAll(row[3], ",", ""), 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			if bytes > 10<<20 && os.Getenv("BACKSOLVE_LONG") == "" || bytes > 3<<20 && raceEnabled {
				t.Skip("takes long; set BACKSOLVE_LONG=1, without the race detector, to run it")
			}
			_, space := newSpace(t, row[1], n)
			_, r := solve(t, space, Options{Steps: true})
			if got := hex.EncodeToString(r.Identity[:]); !strings.HasPrefix(got, row[4]) || r.Bytes != bytes {
				t.Errorf("%d bytes with the identity %s, docs/reports/results.md says %d and %s", r.Bytes, got, bytes, row[4])
			}
		})
	}
}
