package zero

import "math/rand/v2"

// Visit is a move of the root with what the search has found about it.
type Visit struct {
	Action int
	// Count is the number of its visits, Prior its probability by the network and the noise.
	Count int
	Prior float32
	// Share is how much of the search's policy it has.
	Share float32
}

// Visits appends the root's moves. If the root is proved, those that keep its value share alike;
// otherwise shares are of visits or, without these, of probabilities, none for moves proved to lose.
// If a draw is proved, visits of moves that do not seem to be better count for those that draw.
func (t *Tree) Visits(buf []Visit) []Visit {
	root := &t.nodes[0]
	keeps := func(e *edge) bool {
		return root.kind == decided && t.proved(e, -root.value) && (t.options.Discount == 0 || t.nodes[e.child].plies == root.plies-1)
	}
	loses := func(e *edge) bool { return t.options.Proved && root.kind != decided && t.proved(e, 1) }
	draws := func(e *edge) bool { return root.draws && t.proved(e, 0) }
	worse := func(e *edge) bool { return root.draws && e.total <= 0 }
	each := t.forDraws(draws, worse)
	weights := [4]func(e *edge) float32{
		func(e *edge) float32 {
			if keeps(e) {
				return 1
			}
			return 0
		},
		func(e *edge) float32 {
			switch {
			case draws(e):
				return each
			case loses(e), worse(e):
				return 0
			}
			return float32(e.visits)
		},
		func(e *edge) float32 { return e.prior },
		func(*edge) float32 { return 1 }, // nothing was evaluated
	}
	edges := t.edgesOf(root)
	for _, weight := range weights {
		sum := float32(0)
		for i := range edges {
			sum += weight(&edges[i])
		}
		if sum == 0 {
			continue
		}
		for i := range edges {
			e := &edges[i]
			buf = append(buf, Visit{Action: int(e.action), Count: int(e.visits), Prior: e.prior, Share: weight(e) / sum})
		}
		return buf
	}
	return buf
}

// forDraws shares the visits of the moves that draw, and of the worse ones, among those that draw.
func (t *Tree) forDraws(draws, worse func(e *edge) bool) float32 {
	visits, moves := int32(0), 0
	edges := t.edgesOf(&t.nodes[0])
	for i := range edges {
		switch e := &edges[i]; {
		case draws(e):
			visits += e.visits
			moves++
		case worse(e):
			visits += e.visits
		}
	}
	return float32(visits) / float32(max(moves, 1))
}

// Best returns the action with the greatest share, then the more visited, the more probable, the
// first; if none is searched, the first legal one.
func (t *Tree) Best() int {
	visits := t.Visits(nil)
	if len(visits) == 0 {
		return int(t.view.Legal(nil, t.nodes[0].state)[0])
	}
	best := visits[0]
	for _, v := range visits[1:] {
		if v.Share > best.Share || v.Share == best.Share && (v.Count > best.Count || v.Count == best.Count && v.Prior > best.Prior) {
			best = v
		}
	}
	return best.Action
}

// Draw returns an action of the root in proportion to the shares.
func (t *Tree) Draw(r *rand.Rand) int {
	x := r.Float32()
	for _, v := range t.Visits(nil) {
		if x -= v.Share; x < 0 {
			return v.Action
		}
	}
	return t.Best() // the shares' rounding has left something, or no move is searched
}
