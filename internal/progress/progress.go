// Package progress has the one form in which long work tells how far it is.
package progress

// Event is the progress of long work: of a solve, a search, or what reads or copies a table.
type Event struct {
	Stage string // what is done: packing, or the question of a search
	At    int    // the class or tier in work, while a table is solved
	Unit  string // bytes, states or parts
	// Done of Total are done, in the unit. Total is 0 where that is not known.
	Done, Total uint64
}
