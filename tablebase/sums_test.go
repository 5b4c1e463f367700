package tablebase

import (
	"context"
	"errors"
	"os"
	"testing"
)

// openHeld opens a table and holds the footer of a packed one if it is no longer than that.
func openHeld(path string, held int64) (*Table, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	return openHolding(path, plainFile{file}, held)
}

// openApart opens a packed table whose checksums stay in its footer.
func openApart(t testing.TB, path string) *Table {
	t.Helper()
	table, err := openHeld(path, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { table.Close() })
	for _, r := range table.classes {
		for i := range r.sums {
			if r.sums[i].held != nil || r.sums[i].footer == nil {
				t.Fatalf("the checksums of class %d are held", r.Class)
			}
		}
	}
	return table
}

// TestSumsApart has the same of a packed table, its footer held or not. That of the numbers
// has several frames.
func TestSumsApart(t *testing.T) {
	for _, shape := range shapes {
		for name, classes := range map[string][]sealed{"small": smallTable(shape), "large": largeTable(shape), "numbers": numbersTable(shape)} {
			t.Run(shape.String()+" "+name, func(t *testing.T) {
				path := pack(t, write(t, shape, classes))
				held, apart := open(t, path), openApart(t, path)
				for i, r := range held.classes {
					for p := range r.parts {
						for chunk, want := range r.sums[p].held {
							if sum, err := apart.classes[i].sums[p].at(chunk); err != nil || sum != want {
								t.Fatalf("class %d, part %d, chunk %d: %#x, %v; held %#x", r.Class, p, chunk, sum, err, want)
							}
						}
					}
				}
				checkAll(t, apart, shape, classes)
				if err := apart.Verify(context.Background(), nil); err != nil {
					t.Error(err)
				}
			})
		}
	}
}

// TestForeignFooter has a whole frame with another table's checksums for a footer: the
// identity tells where the footer is held, lookups and Verify where it is not.
func TestForeignFooter(t *testing.T) {
	classes := largeTable(quixoShape)
	path := write(t, quixoShape, classes)
	pieces := cutUp(t, path)
	footer := pieces[len(pieces)-1]
	sums := open(t, path).classes[0].sums[outcomes].held
	at := len(footer)
	for ; le.Uint32(footer[at-4:]) != sums[1]; at -= 4 {
	}
	footer[at-1] ^= 1
	path = save(t, frame(t, pieces...))
	if _, err := Open(path); !errors.Is(err, ErrDamaged) {
		t.Errorf("it is opened: %v", err)
	}
	table := openApart(t, path)
	checkDamage(t, table, classes[0], 16, 32)
	if err := table.Planes(0, 16, 1, new(Planes)); !errors.Is(err, ErrDamaged) {
		t.Errorf("Planes: %v", err)
	}
	if err := table.Verify(context.Background(), nil); !errors.Is(err, ErrDamaged) {
		t.Errorf("Verify: %v", err)
	}
}
