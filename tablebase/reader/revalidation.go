package reader

// WithRevalidation calls a function that looks things up, and makes sure that nobody has written to the
// file of a mapped table before or meanwhile. The chunks of a mapped table are checked when they
// are first touched; later lookups answer from them as they are now. If somebody has written to
// the file, even if its size and modification time are as before, then every lookup from now on
// is checked, as after CheckAlways, and WithRevalidation calls the function again, unless it has failed.
// What else the system counts as a change does the same: a new name, other permissions. Opening
// the table anew makes lookups fast again. WithRevalidation costs one call of the system and belongs
// around all lookups of an answer. The error is the function's.
func (t *Table) WithRevalidation(lookUp func() error) error {
	if t.always.Load() || t.mapped.Load() == nil {
		return lookUp()
	}
	err := lookUp()
	if err != nil || t.isClosed() || t.watched.Stamp() == t.opened {
		return err
	}
	t.always.Store(true)
	return lookUp()
}
