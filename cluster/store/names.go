package store

import (
	"fmt"
	"strings"
)

const (
	// mostName and mostPart bound a name and a part of it between slashes, so that
	// every filesystem and every server of S3 can keep it.
	mostName = 512
	mostPart = 120
	// suffix is behind the name of what keeps an object, so that "a" and "a/b" can both
	// be objects in a directory, and nothing else there is taken for one.
	suffix = ".object"
)

// CheckName says why no object can have a name, nil where one can. A name has parts with
// slashes between them. A part is made of the letters A to Z and a to z, digits and
// the signs - _ . + = , and does not begin or end with a dot, nor end with ".object".
// The error wraps ErrName.
func CheckName(name string) error {
	if len(name) > mostName {
		return fmt.Errorf("%w: %.40q… has %d bytes, and %d is the most", ErrName, name, len(name), mostName)
	}
	for part := range strings.SplitSeq(name, "/") {
		if wrong := checkPart(part); wrong != "" {
			return fmt.Errorf("%w: %q %s", ErrName, name, wrong)
		}
	}
	return nil
}

// checkPart says what is wrong with a part of a name, "" where nothing is.
func checkPart(part string) string {
	switch {
	case part == "":
		return "is empty, or has an empty part"
	case len(part) > mostPart:
		return fmt.Sprintf("has a part of %d bytes, and %d is the most", len(part), mostPart)
	case part[0] == '.' || part[len(part)-1] == '.':
		return "has a part that begins or ends with a dot"
	case strings.HasSuffix(part, suffix):
		return "has a part that ends with " + suffix
	}
	for i := range len(part) {
		if c := part[i]; !isPlain(c) {
			return fmt.Sprintf("has the character %q", part[i:i+1])
		}
	}
	return ""
}

func isPlain(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.IndexByte("-_.+=,", c) >= 0
}

// checkPrefix says why no name can begin with a prefix, nil where one can.
func checkPrefix(prefix string) error {
	if prefix == "" || CheckName(prefix) == nil {
		return nil
	}
	return CheckName(prefix + "0")
}
