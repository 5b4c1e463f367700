package zero

// spare is the memory of the last tree, which Advance reuses.
type spare struct {
	nodes []node
	edges []edge
}

// Advance begins a search from a state with what is known of it, where a move of the root or
// two lead there, and reports whether it has. Else the tree stays as it is.
func (t *Tree) Advance(s State) bool {
	at := t.behind(s)
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

// behind returns the node of a state behind one move of the root or two, 0 where there is none.
func (t *Tree) behind(s State) int32 {
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
