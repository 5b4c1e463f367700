package store

import (
	"fmt"
	"regexp"
	"strings"
)

const (
	// maxName and maxSegment bound a name and its segments to bytes that every file system and server takes.
	maxName    = 512
	maxSegment = 120
	// suffix ends the file name or key of an object. With it "a" and "a/b" can both be objects
	// in a directory, and no other file there is taken for one.
	suffix = ".object"
)

var plain = regexp.MustCompile(`^[\w+=,-]([\w.+=,-]*[\w+=,-])?$`)

// CheckName returns why no object can have a name, or nil. A name consists of segments with
// slashes between them. A segment has ASCII letters, digits and the characters - _ . + = ,
// neither begins nor ends with a dot, and does not end with ".object". The error wraps ErrName.
func CheckName(name string) error {
	if len(name) > maxName {
		return fmt.Errorf("%w: %.40q… has %d bytes, more than %d", ErrName, name, len(name), maxName)
	}
	for segment := range strings.SplitSeq(name, "/") {
		if len(segment) > maxSegment || strings.HasSuffix(segment, suffix) || !plain.MatchString(segment) {
			return fmt.Errorf("%w: %q has the segment %.40q", ErrName, name, segment)
		}
	}
	return nil
}

// checkPrefix returns why no name can begin with a prefix, or nil.
func checkPrefix(prefix string) error {
	if prefix == "" || CheckName(prefix) == nil {
		return nil
	}
	return CheckName(prefix + "0")
}
