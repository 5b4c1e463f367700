// Package token keeps the tokens of the clients of a server, and what each allows.
package token

import (
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"os"
	"strings"
)

// Set is the tokens of a file.
type Set struct {
	sums   [][sha256.Size]byte
	solves []bool // whether each allows jobs
	open   bool   // clients without a token may ask
}

// Challenge is the WWW-Authenticate header for a client without a valid token.
const Challenge = `Bearer realm="backsolve"`

const solveScope = "solve"

// Read reads the tokens of a file.
func Read(file string) (*Set, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("the tokens cannot be read: %w", err)
	}
	t, err := Parse(string(text))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return t, nil
}

// Parse reads a token from each line, followed by the word solve if it allows jobs. The token *
// admits everyone. The error does not repeat a token.
func Parse(text string) (*Set, error) {
	t := new(Set)
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		switch {
		case len(words) == 0:
		case len(words) > 2 || len(words) == 2 && words[1] != solveScope:
			return nil, fmt.Errorf("a line must have one token, alone or with the word %s after it", solveScope)
		case words[0] != "*":
			t.sums, t.solves = append(t.sums, sha256.Sum256([]byte(words[0]))), append(t.solves, len(words) == 2)
		case len(words) == 2:
			return nil, fmt.Errorf("jobs need a token, so * cannot have the word %s", solveScope)
		default:
			t.open = true
		}
	}
	if len(t.sums) == 0 {
		return nil, errors.New("there is no token; write one on a line")
	}
	return t, nil
}

// IsOpen reports whether everyone is admitted. A nil set is open.
func (t *Set) IsOpen() bool { return t == nil || t.open }

// Admits reports whether a request with these Authorization headers is admitted, by a token or like everyone.
func (t *Set) Admits(authorization []string) bool {
	if t.IsOpen() && (t == nil || authorization == nil) {
		return true
	}
	known, _ := t.Knows(authorization)
	return known
}

// Knows reports, in constant time, whether a header has a token, and whether that allows jobs.
func (t *Set) Knows(authorization []string) (known, solves bool) {
	if len(authorization) != 1 {
		return false, false
	}
	scheme, sent, _ := strings.Cut(authorization[0], " ")
	sum := sha256.Sum256([]byte(sent))
	for i := range t.sums {
		if subtle.ConstantTimeCompare(sum[:], t.sums[i][:]) == 1 {
			known, solves = true, solves || t.solves[i]
		}
	}
	known = known && strings.EqualFold(scheme, "Bearer")
	return known, known && solves
}
