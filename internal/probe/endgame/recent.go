package endgame

import (
	"sync"

	"backsolve/internal/probe"
)

// recentRatings is the number of ratings in each half of the cache.
const recentRatings = 2000

// recent caches the latest ratings: a main line and a player ask for the same states again.
type recent struct {
	lock    sync.Mutex
	ratings [2]map[string]probe.Rating // the newer half, and the older one
}

func newRecent() *recent { return &recent{ratings: [2]map[string]probe.Rating{{}, {}}} }

func (c *recent) get(key string) (r probe.Rating, ok bool) {
	c.lock.Lock()
	defer c.lock.Unlock()
	if r, ok = c.ratings[0][key]; !ok {
		r, ok = c.ratings[1][key]
	}
	return r, ok
}

func (c *recent) put(key string, r probe.Rating) {
	c.lock.Lock()
	defer c.lock.Unlock()
	if len(c.ratings[0]) == recentRatings {
		c.ratings = [2]map[string]probe.Rating{{}, c.ratings[0]}
	}
	c.ratings[0][key] = r
}
