package store

import (
	"fmt"
	"strings"
)

const (
	// maxName and maxSegment bound a name and each segment of it, in bytes. Every file system
	// and S3 server can keep such names.
	maxName    = 512
	maxSegment = 120
	// suffix ends the file name or key of an object. With it "a" and "a/b" can both be objects
	// in a directory, and no other file there is taken for one.
	suffix = ".object"
)

// CheckName returns why no object can have a name, or nil. A name consists of segments with
// slashes between them. A segment has ASCII letters, digits and the characters - _ . + = ,
// neither begins nor ends with a dot, and does not end with ".object". The error wraps ErrName.
func CheckName(name string) error {
	if len(name) > maxName {
		return fmt.Errorf("%w: %.40q… has %d bytes, more than %d", ErrName, name, len(name), maxName)
	}
	for segment := range strings.SplitSeq(name, "/") {
		if problem := checkSegment(segment); problem != "" {
			return fmt.Errorf("%w: %q %s", ErrName, name, problem)
		}
	}
	return nil
}

// checkSegment returns what is wrong with a segment, or "".
func checkSegment(segment string) string {
	switch {
	case segment == "":
		return "has an empty segment"
	case len(segment) > maxSegment:
		return fmt.Sprintf("has a segment of %d bytes, more than %d", len(segment), maxSegment)
	case segment[0] == '.' || segment[len(segment)-1] == '.':
		return "has a segment that begins or ends with a dot"
	case strings.HasSuffix(segment, suffix):
		return "has a segment that ends with " + suffix
	}
	for i := range len(segment) {
		if c := segment[i]; !isPlain(c) {
			return fmt.Sprintf("has the character %q", segment[i:i+1])
		}
	}
	return ""
}

func isPlain(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.IndexByte("-_.+=,", c) >= 0
}

// checkPrefix returns why no name can begin with a prefix, or nil.
func checkPrefix(prefix string) error {
	if prefix == "" || CheckName(prefix) == nil {
		return nil
	}
	return CheckName(prefix + "0")
}
