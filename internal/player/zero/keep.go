package zero

// spare is the memory of the last tree, which Advance reuses.
type spare struct {
	nodes []node
	edges []edge
}

// Advance begins a search from a state with the results so far, if one or two moves from the
// root lead there, and reports whether they do. Otherwise the tree is unchanged.
func (t *Tree) Advance(s State) bool {
	at := t.find(s)
	if at == 0 {
		return false
	}
	nodes, edges := append(t.spare.nodes[:0], t.nodes[at]), t.spare.edges[:0]
	for i := 0; i < len(nodes); i++ {
		n := &nodes[i]
		from := t.edgesOf(n)
		n.first = int32(len(edges))
		edges = append(edges, from...)
		for j := range edges[n.first:] {
			if e := &edges[int(n.first)+j]; e.child != 0 {
				nodes = append(nodes, t.nodes[e.child])
				e.child = int32(len(nodes) - 1)
			}
		}
	}
	t.spare = spare{t.nodes, t.edges}
	t.nodes, t.edges, t.calm = nodes, edges, t.calm[:0]
	return true
}

// find returns the node of a state after one or two moves from the root, 0 if there is none.
func (t *Tree) find(s State) int32 {
	if len(t.nodes) == 0 {
		return 0
	}
	for _, e := range t.edgesOf(&t.nodes[0]) {
		if e.child != 0 && t.nodes[e.child].state == s {
			return e.child
		}
	}
	for _, e := range t.edgesOf(&t.nodes[0]) {
		if e.child == 0 {
			continue
		}
		for _, f := range t.edgesOf(&t.nodes[e.child]) {
			if f.child != 0 && t.nodes[f.child].state == s {
				return f.child
			}
		}
	}
	return 0
}

// Open reports whether the root is evaluated and its value is not known.
func (t *Tree) Open() bool { return t.nodes[0].kind == open }
