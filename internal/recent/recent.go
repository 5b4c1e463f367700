// Package recent keeps what was asked for last.
package recent

import "sync"

// Cache has values by their keys. Old ones are forgotten once young ones take their place. It is safe
// for concurrent use, and so must the values be.
type Cache[K comparable, V any] struct {
	// Limit bounds the sizes of the young values together. As many are old.
	Limit int64

	lock       sync.Mutex
	young, old map[K]*V
	size       int64 // of the young ones
}

// Get returns the value of a key, whose zero value has a size.
func (c *Cache[K, V]) Get(k K, size int64) *V {
	c.lock.Lock()
	defer c.lock.Unlock()
	if v := c.young[k]; v != nil {
		return v
	}
	v := c.old[k]
	if v == nil {
		v = new(V)
	}
	if c.size += size; c.young == nil || c.size > c.Limit {
		c.young, c.old, c.size = map[K]*V{}, c.young, size
	}
	c.young[k] = v
	return v
}

// Forget forgets the value of a key.
func (c *Cache[K, V]) Forget(k K) {
	c.lock.Lock()
	defer c.lock.Unlock()
	delete(c.young, k)
	delete(c.old, k)
}
