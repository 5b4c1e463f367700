package archive

import "testing"

// The cache forgets the slices that were asked for last but one, once those asked for since then
// are as long as it may be.
func TestSliceCache(t *testing.T) {
	var c sliceCache
	key := func(block int) sliceKey { return sliceKey{class: 3, block: block} }
	const half = youngBytes / 2
	first, second := c.of(key(1), half), c.of(key(2), half)
	if first == second || c.of(key(1), half) != first || c.of(key(2), half) != second || c.of(sliceKey{class: 4, block: 1}, 0) == first {
		t.Fatal("slices that fit are not kept")
	}
	c.of(key(3), 1) // the first two become old
	if c.of(key(1), 1) != first {
		t.Error("an old slice is forgotten at once")
	}
	c.of(key(4), youngBytes) // one and three become old, and two is forgotten
	if c.of(key(1), 1) != first {
		t.Error("an old slice that was asked for again is forgotten")
	}
	if c.of(key(2), 1) == second {
		t.Error("a slice that nobody asked for is kept")
	}
	if len(c.young)+len(c.old) > 6 {
		t.Errorf("%d and %d slices are kept", len(c.young), len(c.old))
	}
}
