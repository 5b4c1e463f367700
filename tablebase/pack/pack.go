// Package pack packs tables into zstd frames that can be read at random, and unpacks
// them frame by frame. docs/reference/format.md describes packed files.
package pack

import "encoding/binary"

var le = binary.LittleEndian
