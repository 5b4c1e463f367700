package recent

import "testing"

// The cache forgets the values that were asked for last but one, once those asked for since then
// are as large as it may be.
func TestCache(t *testing.T) {
	const limit, half = 100, 50
	c := Cache[int, int]{Limit: limit}
	first, second := c.Get(1, half), c.Get(2, half)
	if first == second || c.Get(1, half) != first || c.Get(2, half) != second {
		t.Fatal("values that fit are not kept")
	}
	c.Get(3, 1) // the first two become old
	if c.Get(1, 1) != first {
		t.Error("an old value is forgotten at once")
	}
	c.Get(4, limit) // one and three become old, and two is forgotten
	if c.Get(1, 1) != first {
		t.Error("an old value that was asked for again is forgotten")
	}
	if c.Get(2, 1) == second {
		t.Error("a value that nobody asked for is kept")
	}
	if len(c.young)+len(c.old) > 6 {
		t.Errorf("%d and %d values are kept", len(c.young), len(c.old))
	}
	if c.Forget(4); c.young[4] != nil || c.old[4] != nil {
		t.Error("a value is not forgotten")
	}
}
