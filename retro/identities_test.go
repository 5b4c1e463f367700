package retro

import (
	"encoding/csv"
	"encoding/hex"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// published reads the rows of a CSV file in docs/reports/results.
func published(t *testing.T, name string) [][]string {
	t.Helper()
	file, err := os.Open(filepath.Join("..", "docs", "reports", "results", name))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	rows, err := csv.NewReader(file).ReadAll()
	if err != nil || len(rows) < 2 {
		t.Fatalf("%s: %d rows, %v", name, len(rows), err)
	}
	return rows[1:]
}

// identity is a row of identities.csv: a table with its length and the begin of its identity.
type identity struct {
	game, kind string
	n          int
	bytes      int64
	begin      string
}

func identities(t *testing.T) (all []identity) {
	t.Helper()
	for _, row := range published(t, "identities.csv") {
		words := append(strings.Split(row[0], "-"), "")
		size, _, _ := strings.Cut(words[1], "x")
		n, err := strconv.Atoi(size)
		if err != nil {
			t.Fatal(err)
		}
		bytes, err := strconv.ParseInt(row[1], 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, identity{words[0], words[2], n, bytes, row[2]})
	}
	return all
}

// Each table with steps has its published length and identity.
func TestIdentities(t *testing.T) {
	tables := 0
	for _, want := range identities(t) {
		if want.kind != "" {
			continue // TestNimbersOfResults has it
		}
		tables++
		t.Run(want.game+strconv.Itoa(want.n), func(t *testing.T) {
			if want.bytes > 10<<20 && os.Getenv("BACKSOLVE_LONG") == "" || want.bytes > 3<<20 && raceEnabled {
				t.Skip("takes long; set BACKSOLVE_LONG=1, without the race detector, to run it")
			}
			_, space := newSpace(t, want.game, want.n)
			_, r := solve(t, space, Options{Steps: true})
			if got := hex.EncodeToString(r.Identity[:]); !strings.HasPrefix(got, want.begin) || r.Bytes != want.bytes {
				t.Errorf("%d bytes with the identity %s, published are %d and %s", r.Bytes, got, want.bytes, want.begin)
			}
		})
	}
	if tables < 9 {
		t.Errorf("only %d identities are published", tables)
	}
}
