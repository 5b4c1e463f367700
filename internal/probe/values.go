package probe

import (
	"context"
	"runtime"

	"backsolve/game"
	"backsolve/tablebase"
	"backsolve/tablebase/reader"
)

// Values sets values[i] to the value of texts[i], or errs[i] to Ask's error. A table does not look at moves.
func Values(a Answerer, texts []string, values []Value, errs []error) {
	if t, ok := a.(*Table); ok {
		defer t.stored.ShareDeadline()()
		t.textValues(texts, values, errs)
		return
	}
	for i, text := range texts {
		var answer *Answer
		if answer, errs[i] = a.Ask(text, NoMoves); errs[i] == nil {
			values[i] = answer.Value
		}
	}
}

func (t *Table) textValues(texts []string, values []Value, errs []error) {
	var positions [together]game.Position
	var found [together]Value
	var numbers [together]int // of the texts of the positions
	for from := 0; from < len(texts); from += together {
		n := 0
		for i := from; i < min(from+together, len(texts)); i++ {
			if positions[n], errs[i] = t.Parse(texts[i]); errs[i] == nil {
				numbers[n] = i
				n++
			}
		}
		t.eachValue(positions[:n], found[:n], func(i int, v Value, err error) { values[numbers[i]], errs[numbers[i]] = v, err })
	}
}

// eachValue yields the values of positions, or their errors; found has room for as many.
func (t *Table) eachValue(positions []game.Position, found []Value, yield func(i int, v Value, err error)) {
	done, _ := t.Values(positions, found)
	for i, p := range positions {
		var err error
		if i >= done { // one of them has an error
			found[i], err = t.Value(p)
		}
		yield(i, found[i], err)
	}
}

// AskAlone sets answers[i], or errs[i], as AskState does without moves. A table looks up many at once.
func AskAlone(a Answerer, rules game.Rules, states []game.State, answers []Answer, errs []error) {
	t, ok := a.(*Table)
	if !ok {
		for i, s := range states {
			var answer *Answer
			if answer, errs[i] = a.AskState(rules, s, NoMoves); errs[i] == nil {
				answers[i] = *answer
			}
		}
		return
	}
	defer t.stored.ShareDeadline()()
	positions, opaque := make([]game.Position, len(states)), game.Opaque(t.rules)
	for i, s := range states {
		var ok bool
		if positions[i], ok = s.(game.Position); !ok {
			positions[i].Mark = game.O + 1 // an ErrPosition
		}
	}
	t.eachValue(positions, make([]Value, len(states)), func(i int, v Value, err error) {
		var r Rating
		if err == nil {
			r, err = t.rateAlone(positions[i], v)
		}
		if errs[i] = err; err == nil {
			answers[i] = newAnswer(opaque, states[i], r, FromTable)
		}
	})
}

// AppendJSON appends the value as a JSON object.
func (v Value) AppendJSON(dst []byte) []byte { return append(v.appendJSON(append(dst, '{')), '}') }

// together is the number of positions that Values looks up together.
const together = 256

// Values is faster than as many calls of Value. It sets done values; an ErrPosition or OutOfTableError is that
// of the next position.
func (t *Table) Values(positions []game.Position, values []Value) (done int, err error) {
	if len(positions) > together && t.stored.Unpacks() {
		return t.valuesByPlace(positions, values)
	}
	s := t.States
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
			err := s.findAll(keys[:n], places[:n])
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

// valuesByPlace goes in the order of the file, and unpacks each frame about once.
func (t *Table) valuesByPlace(positions []game.Position, values []Value) (done int, err error) {
	pool := reader.WorkerPool{Workers: runtime.GOMAXPROCS(0)}
	b, err := t.PrefetchAll(context.Background(), pool, len(positions), func(i int) (game.Position, error) { return positions[i], nil }, true)
	for err == nil && done < len(positions) {
		if e, ok := b.Entry(done, 0); ok {
			values[done] = Value{e.Outcome, e.Steps}
		} else if values[done], err = t.Value(positions[done]); err != nil {
			break
		}
		done++
	}
	return done, err
}
