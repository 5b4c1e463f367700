package cluster

import (
	"bytes"
	"errors"
	"io"
	"reflect"
	"testing"

	"pgregory.net/rapid"
)

// A decoded part equals the encoded one. A part that is cut anywhere or longer is refused.
func TestSlicesRoundTrip(t *testing.T) {
	place := openStore(t, t.TempDir())
	s := &Solve{ID: newID(), Game: "notakto", Size: 5, Stream: true}
	rapid.Check(t, func(r *rapid.T) {
		lengths := rapid.SliceOfN(rapid.IntRange(1, 300), 1, 20).Draw(r, "lengths")
		g := group{subclass: subclass{class: rapid.IntRange(0, 9).Draw(r, "class"), set: rapid.Bool().Draw(r, "set")}, first: 17, blocks: len(lengths), check: false}
		var stored [][]byte
		for _, n := range lengths {
			stored = append(stored, rapid.SliceOfN(rapid.Byte(), n, n).Draw(r, "slice"))
		}
		if _, err := putSlices(t.Context(), place, s, g, stored); err != nil {
			r.Fatal(err)
		}
		got, err := getSlices(t.Context(), place, s, g)
		if err != nil || !reflect.DeepEqual(got, stored) {
			r.Fatalf("%v, %v", got, err)
		}
		object, err := place.Get(t.Context(), s.object(g))
		if err != nil {
			r.Fatal(err)
		}
		defer object.Close()
		var whole bytes.Buffer
		if _, err := whole.ReadFrom(object); err != nil {
			r.Fatal(err)
		}
		at := rapid.IntRange(0, whole.Len()-1).Draw(r, "at")
		for what, b := range map[string][]byte{"cut": whole.Bytes()[:at], "longer": append(bytes.Clone(whole.Bytes()), 1)} {
			if err := decodeBytes(b, func(r io.Reader) error { _, err := decodeSlices(r, s, g); return err }); !errors.Is(err, errObject) {
				r.Fatalf("%s at %d: %v", what, at, err)
			}
		}
		other := g
		other.set = !g.set
		if err := decodeBytes(whole.Bytes(), func(r io.Reader) error { _, err := decodeSlices(r, s, other); return err }); !errors.Is(err, errObject) {
			r.Fatalf("of the other half: %v", err)
		}
	})
}
