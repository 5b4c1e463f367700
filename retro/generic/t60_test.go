package generic

import (
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"backsolve/game/custom"
	"backsolve/game/examples/endings"
	"backsolve/game/examples/hounds"
	"backsolve/game/examples/morris"
)

func cpu() float64 {
	var u syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()).Seconds()
}

func TestT60(t *testing.T) {
	threads, _ := strconv.Atoi(os.Getenv("T60T"))
	for _, name := range strings.Fields(os.Getenv("T60")) {
		var r custom.Rules
		base, flag, _ := strings.Cut(name, "/")
		switch {
		case base == "krk":
			r = custom.NewRules(endings.Game{Piece: 'R'})
		case base == "hounds":
			r = custom.NewRules(hounds.Game{All: true})
		case base[0] == 'b':
			n, _ := strconv.Atoi(base[1:])
			r = custom.NewRules(morris.Game{Men: n, Corners: true, Placed: strings.Contains(flag, "p")})
		case base[0] == 'm':
			n, _ := strconv.Atoi(base[1:])
			r = custom.NewRules(morris.Game{Men: n, All: true, Placed: strings.Contains(flag, "p")})
		}
		path := filepath.Join(t.TempDir(), "t")
		n := uint64(0)
		for tier := range r.Tiers() {
			n += r.(custom.Ranked).Size(tier)
		}
		before := cpu()
		custom.Fingerprint(r)
		tables := cpu()
		reps, _ := strconv.Atoi(os.Getenv("T60N"))
		took, all := 1e9, ""
		for range max(reps, 1) {
			os.Remove(path)
			begin := cpu()
			if err := Make(t.Context(), path, "test", r, Options{Threads: max(threads, 1), Outcomes: strings.Contains(flag, "o")}); err != nil {
				t.Fatal(err)
			}
			now := cpu() - begin
			took = min(took, now)
			all += fmt.Sprintf(" %.2f", now)
		}
		f, _ := os.Open(path)
		h := sha256.New()
		io.Copy(h, f)
		f.Close()
		fmt.Printf("%s: ranks %d, cpu %.2f s (print %.2f), %.3f M/s, %x %s\n", name, n, took, tables-before, float64(n)/took/1e6, h.Sum(nil)[:6], all)
	}
}
