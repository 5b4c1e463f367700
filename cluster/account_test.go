package cluster

import (
	"regexp"
	"testing"
)

// Workers who solve classes together say in the end how many, how long they waited for each other,
// and what they have told and heard.
func TestAccountTogether(t *testing.T) {
	t.Parallel()
	c := newCell(t)
	var heard sayings
	var quit []func() error
	for range 2 {
		quit = append(quit, c.employ(t, func(o *WorkOptions) { o.Say = heard.say }))
	}
	c.wantQuixo(t, 3, true, c.together(2, 1))
	for _, quit := range quit {
		quit()
	}
	account := regexp.MustCompile(`^no longer working on quixo 3×3 with steps: 10 tasks, [0-9.]+ s settling, 0.0 s reading, [0-9.]+ s waiting, [1-9][0-9.]* [KM]iB read, [1-9][0-9.]* [KM]iB written$`)
	said := 0
	for _, text := range heard.all {
		if account.MatchString(text) {
			said++
		}
	}
	if said != 2 {
		t.Errorf("they say %q", heard.all)
	}
}
