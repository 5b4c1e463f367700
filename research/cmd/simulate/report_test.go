package main

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"
)

var update = flag.Bool("update", false, "write the page and its plot anew")

// docs/reports/cluster-scale.md and its plot are up to date.
func TestPageIsTheReport(t *testing.T) {
	docs, out := filepath.Join("..", "..", "..", "docs", "reports"), t.TempDir()
	if *update {
		out = docs
	}
	machines := usual()
	machines.from = docs
	if err := machines.report(out); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"cluster-scale.md", filepath.Join("cluster-scale", wholeJob+".svg")} {
		got, err := os.ReadFile(filepath.Join(out, name))
		if err != nil {
			t.Fatal(err)
		}
		want, err := os.ReadFile(filepath.Join(docs, name))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("docs/%s is not what simulate report writes; see whether it should be, and run the test with -update", name)
		}
	}
}

func TestTexts(t *testing.T) {
	for n, want := range map[float64]string{0: "0", 1: "1 B", 999: "999 B", 1000: "1 kB", 1.25e9: "1.25 GB", 64 << 30: "68.7 GB", 3.456e15: "3.46 PB", 5e24: "5000 ZB"} {
		if got := bytesText(n); got != want {
			t.Errorf("%v bytes are written %s, not %s", n, got, want)
		}
	}
	for s, want := range map[float64]string{0.5: "0.5 s", 100: "100 s", 600: "10 min", 36000: "10 h", 864000: "10 days", 1e9: "11,574 days"} {
		if got := timeText(s); got != want {
			t.Errorf("%v seconds are written %s, not %s", s, got, want)
		}
	}
}
