package tablebase

// stamp says when a file was last written, and how long it is. The system changes it
// before the first byte is written.
type stamp struct{ size, seconds, nanos int64 }

// Steady calls a function that looks things up, and makes sure that nobody has written to the
// file of a mapped table meanwhile, or before: what is mapped was checked when it was first
// touched, and would be answered from as it is now. If somebody has, the table is checked at
// every lookup from now on, as after CheckAlways, and the function is called again, unless it has
// failed. It costs as much as to ask the system for the state of a file, and belongs around all
// lookups of an answer. The error is the function's.
func (t *Table) Steady(lookUp func() error) error {
	if t.always.Load() || t.mapped.Load() == nil {
		return lookUp()
	}
	err := lookUp()
	if err != nil || t.isClosed() || t.watched.stamp() == t.opened {
		return err
	}
	t.always.Store(true)
	return lookUp()
}
