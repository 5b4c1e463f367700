package cluster

import "encoding/json"

// task is what a message of the work queue says, and with other subjects what is told of a
// group: that it is done, or that it cannot be read.
type task struct {
	ID     string `json:"id"` // of the solve
	Class  int    `json:"class"`
	Set    bool   `json:"set,omitempty"` // the half of the class that is solved first
	First  int    `json:"first"`
	Blocks int    `json:"blocks"`
	// Check says that so large a share of the group is to be settled again, by another worker
	// than its maker, and compared.
	Check bool    `json:"check,omitempty"`
	Maker string  `json:"maker,omitempty"`
	Share float64 `json:"share,omitempty"`
}

func (s *Solve) task(g group) task {
	return task{ID: s.ID, Class: g.class, Set: g.set, First: g.first, Blocks: g.blocks, Check: g.check}
}

func (t task) group() group { return group{layer{t.Class, t.Set}, t.First, t.Blocks, t.Check} }

// encoded returns a value as JSON.
func encoded(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // numbers and words alone
	}
	return b
}

// doneNote is the value of the key of a group that is done.
type doneNote struct {
	Worker  string  `json:"worker"`
	Bytes   int64   `json:"bytes"` // of what came of it
	Read    int64   `json:"bytes_read"`
	Seconds float64 `json:"seconds"`
	// By is the identifier of the worker.
	By string `json:"by"`
	// Verdict is what came of a check, of what the maker made, nil of other groups.
	Verdict *verdict `json:"verdict,omitempty"`
}
