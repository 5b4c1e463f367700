// Package nearest finds the name that was probably meant.
package nearest

import "strings"

// maxName bounds the length of a text, in bytes, that Name compares.
const maxName = 32

// Name returns the name that a text most likely means: one that begins with the text, or the one
// with the fewest edits, if these are at most half of the name. It returns "" if there is none,
// or if the text is much longer than any name.
func Name(text string, names []string) string {
	if len(text) > maxName {
		return ""
	}
	text = strings.ToLower(text)
	meant, least := "", maxName
	for _, name := range names {
		edits := distance(text, name)
		if text != "" && strings.HasPrefix(name, text) {
			edits = 0
		}
		if edits <= len(name)/2 && edits < least {
			meant, least = name, edits
		}
	}
	return meant
}

// distance is the number of bytes to insert, delete or replace to turn a into
// b (Levenshtein).
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replace := diagonal
			if a[i] != b[j] {
				replace++
			}
			diagonal = row[j+1]
			row[j+1] = min(replace, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
