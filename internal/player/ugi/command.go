package ugi

import (
	"errors"
	"fmt"
	"strings"
)

// splitCommand splits a command line at white space outside single or double quotes.
func splitCommand(text string) ([]string, error) {
	var words []string
	var word strings.Builder
	var quote rune // 0 outside of quotes
	inWord := false
	for _, c := range text {
		switch {
		case quote != 0 && c == quote:
			quote = 0
		case quote == 0 && (c == '"' || c == '\''):
			quote, inWord = c, true
		case quote == 0 && strings.ContainsRune(" \t\r\n", c):
			if inWord {
				words = append(words, word.String())
			}
			word.Reset()
			inWord = false
		default:
			word.WriteRune(c)
			inWord = true
		}
	}
	if quote != 0 {
		return nil, fmt.Errorf("the command of the engine has a quote that is not closed: %.80s", text)
	}
	if inWord {
		words = append(words, word.String())
	}
	if len(words) == 0 || words[0] == "" {
		return nil, errors.New("the command of the engine is empty; give a program that speaks UGI, with its arguments")
	}
	return words, nil
}
