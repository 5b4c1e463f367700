package custom

import (
	"encoding/binary"
	"hash/fnv"
	"math/rand/v2"
	"slices"
)

// Fingerprinted is implemented by games that know a number that changes with their rules, such as
// a hash of the file that has them.
type Fingerprinted interface {
	// Fingerprint returns the number, which is not 0.
	Fingerprint() uint64
}

const fingerprinted = 100_000

// Fingerprint returns a number that changes with the rules: the game's own, or a hash of the
// keys, tiers, moves and ends of 100,000 positions of all tiers, or of all positions if there are
// fewer. The order of moves does not matter. It ends at a position where the rules panic. Rules
// of NewRules compute it once.
func Fingerprint(rules Rules) uint64 {
	if f, ok := rules.(Fingerprinted); ok {
		return f.Fingerprint()
	}
	return sampleHash(rules, fingerprinted)
}

// Unchanged reports whether rules have the fingerprints of a table or a solve: the one over all
// tiers, which earlier versions lack, and the short one. Files that lack both match any rules.
func Unchanged(rules Rules, all, short uint64) bool {
	return (short == 0 || short == ShortFingerprint(rules)) && (all == 0 || all == Fingerprint(rules))
}

// sampleHash returns a fingerprint of up to a number of positions. Each tier in turn has an equal
// share of what is left for it and later ones. If a tier has more positions, those with the least
// mixed numbers are taken. If moves stay in a tier, a small part of its share goes to the
// positions after the last ones taken, and so on, so that some lie deep; then follows what was
// left out.
func sampleHash(rules Rules, positions int) uint64 { return newWalk(rules, positions).print }

// newWalk returns a walk over at most that many positions, chosen as sampleHash describes.
func newWalk(rules Rules, positions int) walk {
	w := walk{e: rules.NewExpander(), next: make([][]uint64, rules.Tiers()), rest: make([][]uint64, rules.Tiers()), seen: map[Child]bool{}, left: positions}
	if start := rules.Start(); start.Tier >= 0 && start.Tier < len(w.next) {
		w.next[start.Tier] = []uint64{mix(start.Key)}
	}
	for before := 0; w.left > 0 && w.left != before && w.err == nil; {
		before = w.left
		for t := range w.next {
			w.turn(t, max(w.left/(len(w.next)-t), 16), rules.Loops(t))
		}
	}
	return w
}

// MostMoves returns the most moves of any of 10,000 positions, chosen as for a fingerprint.
func MostMoves(rules Rules) int { return newWalk(rules, 10_000).most }

// walk finds positions for a fingerprint. For each tier it has the mixed numbers of the positions
// after the last ones, and of those left out.
type walk struct {
	e          Expander
	next, rest [][]uint64
	seen       map[Child]bool // with mixed numbers
	left       int            // positions
	found      []Child
	print      uint64
	most       int   // moves of a position
	err        error // of the rules, which ends it
}

// turn looks at a share of positions of a tier.
func (w *walk) turn(t, share int, loops bool) {
	share = min(share, w.left)
	most := share
	if loops {
		most = share/64 + 1
	}
	for share > 0 && w.err == nil && len(w.next[t])+len(w.rest[t]) > 0 {
		now := w.next[t]
		if w.next[t] = nil; len(now) == 0 {
			now, w.rest[t] = w.rest[t], nil
		}
		slices.Sort(now)
		now = slices.DeleteFunc(slices.Compact(now), func(number uint64) bool { return w.seen[Child{number, t}] })
		n := min(len(now), most, share)
		w.rest[t] = append(w.rest[t], now[n:]...)
		for _, number := range now[:n] {
			w.position(t, number)
		}
		share, w.left = share-n, w.left-n
	}
}

// position adds a position to the fingerprint, and the positions after it to those to be visited.
func (w *walk) position(t int, number uint64) {
	children, outcome, over, err := w.e.Expand(w.found[:0], Child{unmix(number), t})
	if err != nil {
		w.err = err
		return
	}
	w.seen[Child{number, t}] = true
	sum := number ^ uint64(t)<<32 + uint64(outcome)
	if over {
		sum++
	}
	for _, c := range children {
		number := mix(c.Key)
		sum += 3 * (number ^ uint64(c.Tier)<<32)
		if c.Tier >= t && c.Tier < len(w.next) {
			w.next[c.Tier] = append(w.next[c.Tier], number)
		}
	}
	w.print, w.found, w.most = mix(w.print^sum), children, max(w.most, len(children))
}

// mix returns a number each of whose bits depends on all bits of n.
func mix(n uint64) uint64 {
	n += 0x9e3779b97f4a7c15
	n = (n ^ n>>32) * 0x9e3779b97f4a7c15
	n = (n ^ n>>32) * 0xd6e8feb86659fd93
	return n ^ n>>32
}

// unmix inverts mixed. It multiplies by the inverses.
func unmix(n uint64) uint64 {
	n = (n ^ n>>32) * 0xcfee444d8b59a89b
	n = (n ^ n>>32) * 0xf1de83e19937733d
	return (n ^ n>>32) - 0x9e3779b97f4a7c15
}

// ShortFingerprint is the only one in tables of earlier versions: a hash of the keys, tiers,
// moves and ends of a few hundred positions of random games.
func ShortFingerprint(rules Rules) uint64 {
	const positions, plies = 300, 60
	hash, r, e := fnv.New64a(), rand.NewPCG(1, 1), rules.NewExpander()
	write := func(n uint64) { hash.Write(binary.LittleEndian.AppendUint64(nil, n)) }
	at := rules.Start()
	var children []Child
	for i := range positions {
		after, outcome, over, err := e.Expand(children[:0], at)
		if err != nil {
			break
		}
		write(at.Key)
		if over {
			write(uint64(outcome))
		}
		slices.SortFunc(after, Child.Compare)
		after = slices.Compact(after)
		for _, c := range after {
			write(uint64(c.Tier))
			write(c.Key)
		}
		if at = rules.Start(); len(after) > 0 && i%plies < plies-1 {
			at = after[r.Uint64()%uint64(len(after))]
		}
		children = after
	}
	return hash.Sum64()
}
