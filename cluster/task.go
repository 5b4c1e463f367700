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
}

func (s *Solve) task(g group) task { return task{s.ID, g.class, g.set, g.first, g.blocks} }

func (t task) group() group { return group{layer{t.Class, t.Set}, t.First, t.Blocks} }

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
}
