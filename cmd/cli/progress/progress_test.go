package progress

import (
	"bytes"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// Where there is no terminal, a line comes every five seconds, and none before
// there is something to tell.
func TestProgressLines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		p := New("table", "quixo 4×4")
		stop := p.showLog(&out)
		time.Sleep(7 * time.Second)
		if out.Len() > 0 {
			t.Errorf("before the work began: %s", out.String())
		}
		p.Begin("states", 2000, 10_000)
		time.Sleep(2 * time.Second)
		p.Tell("class 12", 4000)
		time.Sleep(2 * time.Second)
		stop()
		const want = `time=2000-01-01T00:00:10.000Z level=INFO msg=working table="quixo 4×4" at="class 12" ` +
			`done=4000 total=10000 rate="666.7 states/s" eta=9s` + "\n"
		if got := strings.ReplaceAll(out.String(), "+00:00", "Z"); got != want {
			t.Errorf("printed %q, not %q", got, want)
		}
		time.Sleep(time.Minute)
		if strings.Count(out.String(), "\n") != 1 {
			t.Errorf("after the end: %s", out.String())
		}
	})
}
