package bitslice

import "unsafe"

// laidTiles is how many tiles are kept that have been laid out. Laying one out takes longer
// than all that a short slice needs besides, and the links of neighbouring blocks share
// their plans: of Quixo 5×5, class 14, four of five are found among so many. They take a
// part of a core's second cache.
const laidTiles = 1 << 8

// FolderBytes is the memory that a Folder takes at most.
const FolderBytes = int64(unsafe.Sizeof(Folder{})) + laidTiles*int64(unsafe.Sizeof(laid{}))

// laid is a tile, and what it is laid out for.
type laid struct {
	key  layKey
	tile tile
}

// layKey is all that tells laid out tiles apart: an index map, the part of the destination,
// and the side in whose order the tiles are taken.
type layKey struct {
	up               [32]uint8
	needs            uint32
	part             Part
	srcBits, dstBits uint8
	top              uint8
	bySource         bool
}

// lay lays the tiles of a plan out in the order of one side, if they are not.
func (f *Folder) lay(p *Plan, part Part, bySource bool) {
	key := layKey{p.up, p.downNeeds, part, p.srcBits, p.dstBits, p.top, bySource}
	if f.laid == nil {
		f.laid = make([]laid, laidTiles)
	}
	l := &f.laid[key.slot(p.hash)]
	if f.tile = &l.tile; l.key == key && l.tile.size > 0 {
		return
	}
	l.key = key
	l.tile.lay(p, part, bySource)
}

// slot returns where a tile is kept whose plan has this hash. Those of a part of a slice do not
// come again soon: they share a place.
func (k *layKey) slot(hash uint32) uint32 {
	if k.part.Bits+WordBits < int(k.dstBits) {
		return 0
	}
	if k.bySource {
		hash++
	}
	return hash % laidTiles
}

// hashOf returns a hash of what makes a plan, so that equal ones have the same.
func hashOf(p *Plan) uint32 {
	h := uint64(p.downNeeds)<<24 | uint64(p.top)<<16 | uint64(p.dstBits)<<8 | uint64(p.srcBits)
	for _, b := range p.up {
		h = (h ^ uint64(b)) * 0x9e3779b97f4a7c15
		h ^= h >> 29
	}
	return uint32(h >> 32)
}
