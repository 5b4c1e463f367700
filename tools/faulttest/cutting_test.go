package faulttest

import (
	"maps"
	"math/rand/v2"
	"slices"
)

// Style is how much unsynced data a cut leaves.
type Style string

// The styles. Of each, the order in which the program wrote says nothing of what
// is left, but for the names of Journal.
const (
	NothingUnsynced Style = "nothing unsynced"
	NamesOnly       Style = "names without data"
	DataOnly        Style = "data without names"
	Mixed           Style = "some of all"
	AllButOne       Style = "all but one"
	Journal         Style = "some data, names up to a moment"
)

// Styles are all of them.
var Styles = []Style{NothingUnsynced, NamesOnly, DataOnly, Mixed, AllButOne, Journal}

// sector is what a disk writes as a whole.
const sector = 512

// Cut returns what is left of the files after a power cut.
func (d *Disk) Cut(style Style, random *rand.Rand) Files {
	c := &cutting{style: style, random: random, share: random.Float64(), spare: -1}
	unsynced := 0
	for _, n := range d.inodes {
		unsynced += len(n.writes)
	}
	dirs := slices.Sorted(maps.Keys(d.names))
	for _, dir := range dirs {
		unsynced += len(d.names[dir])
	}
	if unsynced > 0 {
		c.spare = random.IntN(unsynced)
	}
	left := map[*inode][]byte{}
	for _, n := range d.inodes {
		content := resize(n.synced, int64(len(n.synced)))
		for _, w := range n.writes {
			content = c.write(content, w)
		}
		left[n] = content
	}
	names := maps.Clone(d.synced)
	for _, dir := range dirs {
		moment := random.IntN(len(d.names[dir]) + 1)
		for i, n := range d.names[dir] {
			if c.keepsName(i < moment) {
				n.change(names)
			}
		}
	}
	return list(names, func(n *inode) []byte { return left[n] })
}

// cutting decides what is left.
type cutting struct {
	style  Style
	random *rand.Rand
	share  float64 // of what is left of a mixture
	spare  int     // the one that AllButOne spares, counted down
}

// spared reports whether this is the one that AllButOne loses.
func (c *cutting) spared() bool {
	c.spare--
	return c.spare == -1
}

func (c *cutting) keepsName(early bool) bool {
	spared := c.spared()
	switch c.style {
	case NamesOnly:
		return true
	case AllButOne:
		return !spared
	case Journal:
		return early
	case Mixed:
		return c.random.Float64() < c.share
	}
	return false
}

// write returns a file's contents if a write has, or has not, reached the disk.
func (c *cutting) write(content []byte, w write) []byte {
	spared := c.spared()
	whole, torn := false, true
	switch c.style {
	case NothingUnsynced:
		torn = false
	case DataOnly:
		whole = true
	case AllButOne:
		whole = !spared
	case NamesOnly:
		torn = false
		if w.data != nil && c.random.IntN(2) == 0 {
			return c.lengthOnly(content, w)
		}
	case Mixed, Journal:
		whole = c.random.Float64() < c.share
	}
	switch {
	case whole:
		return w.change(content)
	case !torn || w.data == nil:
		return content
	}
	return c.tear(content, w)
}

// tear leaves part of a write.
func (c *cutting) tear(content []byte, w write) []byte {
	switch c.random.IntN(4) {
	case 0:
		return content
	case 1:
		return c.lengthOnly(content, w)
	case 2:
		w.data = w.data[:c.random.IntN(len(w.data)+1)]
		return w.change(content)
	}
	whole := w.change(content)
	left := c.lengthOnly(content, w)
	for at := w.offset / sector * sector; at < w.offset+int64(len(w.data)); at += sector {
		if c.random.IntN(2) == 0 {
			copy(left[at:min(at+sector, int64(len(left)))], whole[at:])
		}
	}
	return left
}

// lengthOnly leaves the length that a write gave the file.
func (c *cutting) lengthOnly(content []byte, w write) []byte {
	return resize(content, max(int64(len(content)), w.offset+int64(len(w.data))))
}
