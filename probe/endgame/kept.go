package endgame

import "sync"

// kept are ratings that were asked for lately: a main line and a player ask for the
// same positions again.
type kept struct {
	lock    sync.Mutex
	ratings [2]map[string]rating // the latest ones, and those before
}

// keptRatings is how many of each age there are at most.
const keptRatings = 2000

func newKept() *kept { return &kept{ratings: [2]map[string]rating{{}, {}}} }

func (k *kept) get(key string) (rating, bool) {
	k.lock.Lock()
	defer k.lock.Unlock()
	for _, age := range k.ratings {
		if r, ok := age[key]; ok {
			return r, true
		}
	}
	return rating{}, false
}

func (k *kept) put(key string, r rating) {
	k.lock.Lock()
	defer k.lock.Unlock()
	if len(k.ratings[0]) == keptRatings {
		k.ratings = [2]map[string]rating{{}, k.ratings[0]}
	}
	k.ratings[0][key] = r
}
