package probe

import (
	"backsolve/game"
	"backsolve/tablebase"
	"backsolve/tablebase/reader"
)

// together is the number of positions that Values looks up together.
const together = 256

// Values sets values[i] to the value of positions[i], and is faster than as many calls of Value.
// done is the number of values that it has set; an ErrPosition or OutOfTableError is that of the
// next position.
func (s *States) Values(positions []game.Position, values []Value) (done int, err error) {
	var keys [together]reader.Key
	var places [together]reader.Place
	var entries [together]tablebase.Entry
	err = s.stored.WithRevalidation(func() error {
		for done = 0; done < len(positions); {
			n, invalid := 0, error(nil)
			for _, p := range positions[done:min(done+together, len(positions))] {
				if keys[n], invalid = s.key(p); invalid != nil {
					break
				}
				n++
			}
			found, err := s.stored.FindAll(keys[:n], places[:n])
			if err == nil && found < n {
				err = s.noBlock(keys[found])
			}
			if err == nil {
				err = s.stored.LookupAll(places[:n], entries[:n])
			}
			if err != nil {
				return err
			}
			for i, e := range entries[:n] {
				values[done+i] = Value{e.Outcome, e.Steps}
			}
			if done += n; invalid != nil {
				return invalid
			}
		}
		return nil
	})
	return done, err
}
