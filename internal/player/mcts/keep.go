package mcts

// mostKept bounds iterations, so that no count of visits overflows within another MaxIterations.
const mostKept = 1 << 30

// keep makes the node of a state the root. It returns false and leaves the tree invalid if there is none, or if
// more than most nodes are reachable.
func (t *tree[S]) keep(root S, most int) bool {
	if len(t.nodes) == 0 || t.iteration > mostKept {
		return false
	}
	v, _ := t.index.find(t.details, root)
	if v < 0 {
		return false
	}
	order := t.reachable(v, most)
	if order != nil {
		t.renumber(order)
	}
	return order != nil
}

// reachable returns the nodes reachable from one, which comes first, or nil if there are more
// than most. Each seen is its place in the order, and −1 in all other nodes.
func (t *tree[S]) reachable(root int32, most int) []int32 {
	for v := range t.details {
		t.details[v].seen = -1
	}
	order := append(t.path[:0], root)
	t.details[root].seen = 0
	for i := 0; i < len(order); i++ {
		for _, e := range t.tried(order[i]) {
			if a := &t.details[e.child]; a.seen < 0 {
				a.seen = int32(len(order))
				order = append(order, e.child)
			}
		}
		if len(order) > most {
			return nil
		}
	}
	t.path = order
	return order
}

// renumber reduces the tree to the nodes of an order that reachable has returned.
func (t *tree[S]) renumber(order []int32) {
	nodes, details, edges := t.spare.nodes[:0], t.spare.details[:0], t.spare.edges[:0]
	for _, v := range order {
		a := t.details[v]
		nodes = append(nodes, t.nodes[v])
		if _, over := a.ended(); !over {
			from := t.edges[a.first:][:a.edges]
			a.first = len(edges)
			edges = append(edges, from...)
			for i, e := range from[:a.tried] {
				edges[a.first+i].child = t.details[e.child].seen
			}
		}
		details = append(details, a)
	}
	t.spare.nodes, t.spare.details, t.spare.edges = t.nodes, t.details, t.edges
	t.nodes, t.details, t.edges = nodes, details, edges
	t.index.reset(len(details))
	for v := range details {
		details[v].seen = 0
		t.index.enter(t.details, int32(v))
	}
}
