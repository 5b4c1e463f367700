package retro

import (
	"fmt"
	"testing"
	"time"
)

func TestZZ(t *testing.T) {
	_, space := newSpace(t, "quixo", 5)
	began := time.Now()
	class, pass := 0, 0
	solve(t, space, Options{Steps: true, DownTo: 22, Progress: func(e Event) {
		if !e.Sealed && (e.Class != class || e.Pass != pass) {
			fmt.Printf("class %d pass %d: %.3f\n", class, pass, time.Since(began).Seconds())
			began = time.Now()
			class, pass = e.Class, e.Pass
		}
	}})
}
