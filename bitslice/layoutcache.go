package bitslice

import "unsafe"

// cachedLayouts is how many laid-out tiles a Folder keeps. Laying a tile out takes longer
// than the rest of folding a short slice, and links of neighbouring blocks share
// plans: in class 14 of Quixo 5×5, four of five folds find their layout. The cache
// takes part of a core's second-level cache.
const cachedLayouts = 1 << 8

// FolderBytes is the memory that a Folder takes at most.
const FolderBytes = int64(unsafe.Sizeof(Folder{})) + cachedLayouts*int64(unsafe.Sizeof(cachedTile{}))

// cachedTile is a tile with the key of its layout.
type cachedTile struct {
	key  layoutKey
	tile tile
}

// layoutKey is all that a layout depends on: an index map, the segment of the destination,
// and the side in whose order the tiles go.
type layoutKey struct {
	up               [32]uint8
	needs            uint32
	segment          Segment
	srcBits, dstBits uint8
	top              uint8
	bySource         bool
}

// layOut sets the tile to that of a plan in the order of one side, from the cache if it is there.
func (f *Folder) layOut(p *Plan, segment Segment, bySource bool) {
	key := layoutKey{p.up, p.downNeeds, segment, p.srcBits, p.dstBits, p.top, bySource}
	if f.layouts == nil {
		f.layouts = make([]cachedTile, cachedLayouts)
	}
	l := &f.layouts[key.slot(p.hash)]
	if f.tile = &l.tile; l.key == key && l.tile.size > 0 {
		return
	}
	l.key = key
	l.tile.layOut(p, segment, bySource)
}

// slot returns the slot of a tile whose plan has this hash. Layouts of segments do not
// recur soon: they share slot 0.
func (k *layoutKey) slot(hash uint32) uint32 {
	if k.segment.Bits+WordBits < int(k.dstBits) {
		return 0
	}
	if k.bySource {
		hash++
	}
	return hash % cachedLayouts
}

// hashOf returns a hash of an index map. Equal maps have equal hashes.
func hashOf(p *Plan) uint32 {
	h := uint64(p.downNeeds)<<24 | uint64(p.top)<<16 | uint64(p.dstBits)<<8 | uint64(p.srcBits)
	for _, b := range p.up {
		h = (h ^ uint64(b)) * 0x9e3779b97f4a7c15
		h ^= h >> 29
	}
	return uint32(h >> 32)
}
