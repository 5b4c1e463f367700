// Package strict reads JSON without guessing what was meant.
package strict

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// Unmarshal is json.Unmarshal, except that fields unknown to v are errors, and so are two fields with
// the same name in any case; encoding/json would take the last.
func Unmarshal(data []byte, v any) error {
	in := json.NewDecoder(bytes.NewReader(data))
	in.DisallowUnknownFields()
	if err := in.Decode(v); err != nil {
		return err
	}
	if _, err := in.Token(); err != io.EOF {
		return fmt.Errorf("something follows the value")
	}
	return distinct(json.NewDecoder(bytes.NewReader(data)))
}

// distinct reads a value and returns an error if an object in it has two fields with the same name.
func distinct(in *json.Decoder) error {
	first, err := in.Token()
	if err != nil {
		return err
	}
	seen := map[string]bool{}
	for in.More() && (first == json.Delim('{') || first == json.Delim('[')) {
		if first == json.Delim('{') {
			key, err := in.Token()
			if err != nil {
				return err
			}
			name := strings.ToLower(key.(string))
			if seen[name] {
				return fmt.Errorf("%q is given twice; give it once", key)
			}
			seen[name] = true
		}
		if err := distinct(in); err != nil {
			return err
		}
	}
	if _, composite := first.(json.Delim); composite {
		_, err = in.Token() // its end
	}
	return err
}
