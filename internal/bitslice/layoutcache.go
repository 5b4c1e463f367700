package bitslice

import (
	"slices"
	"unsafe"
)

// cachedLayouts is how many laid-out tiles a Folder keeps. Laying a tile out takes longer
// than the rest of folding a short slice, and links of neighbouring blocks share
// plans: in class 14 of Quixo 5×5, four of five folds find their layout. The cache
// takes part of a core's second-level cache.
const cachedLayouts = 1 << 8

const cachedPlans = 1 << 8

// FolderBytes is the memory that a Folder takes at most.
const FolderBytes = int64(unsafe.Sizeof(Folder{})) + cachedLayouts*int64(unsafe.Sizeof(cachedTile{})) + cachedPlans*int64(unsafe.Sizeof(Plan{}))

// Plan returns the plan of an index map, which may be cached. It is valid until the next call.
func (f *Folder) Plan(m *IndexMap) *Plan {
	if f.plans == nil {
		f.plans = slices.Repeat([]Plan{NewPlan(new(IndexMap))}, cachedPlans)
	}
	p := &f.plans[m.Hash()%cachedPlans]
	if !p.Is(m) {
		*p = NewPlan(m)
	}
	return p
}

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
func (k *layoutKey) slot(hash uint64) uint64 {
	if k.segment.Bits+WordBits < int(k.dstBits) {
		return 0
	}
	if k.bySource {
		hash++
	}
	return hash % cachedLayouts
}
