package work

import "testing"

// Freed planes stay reserved until DropSpare.
func TestDropSpare(t *testing.T) {
	const words = 1000
	l := NewLedger(3*8*words, words)
	defer l.Close()
	var planes [3][]uint64
	for i := range planes {
		var err error
		if planes[i], err = l.Plane(words); err != nil {
			t.Fatal(err)
		}
	}
	planes[0][7] = 1
	l.Free(planes[1])
	l.Free(planes[2])
	if l.Room(8) {
		t.Error("planes that are kept are not booked")
	}
	l.DropSpare()
	if !l.Room(2*8*words) || l.Room(2*8*words+8) {
		t.Error("what was dropped is booked, or what was not is not")
	}
	again, err := l.Plane(words)
	if err != nil || planes[0][7] != 1 || again[7] != 0 {
		t.Errorf("a plane after that: %v", err)
	}
}

// A short plane leaves a long spare one to the next class.
func TestSparePlaneIsNotCut(t *testing.T) {
	const long = 1 << 20
	l := NewLedger(0, long)
	defer l.Close()
	plane, err := l.Plane(long)
	if err != nil {
		t.Fatal(err)
	}
	l.Free(plane)
	for _, words := range []int{long / 100, long} {
		if _, err := l.Plane(words); err != nil {
			t.Fatal(err)
		}
	}
	if want := int64(long+long/100) * 8; l.Top() != want {
		t.Errorf("%d bytes are booked, not %d", l.Top(), want)
	}
}

// The shortest spare plane that is long enough is taken, else the longest.
func TestSparePlaneThatFits(t *testing.T) {
	l := NewLedger(0, 1000)
	defer l.Close()
	var planes [][]uint64
	for _, words := range []int{100, 500, 300} {
		plane, err := l.Plane(words)
		if err != nil {
			t.Fatal(err)
		}
		planes = append(planes, plane)
	}
	for _, plane := range planes {
		l.Free(plane)
	}
	for i, words := range []int{200, 400, 150, 150} {
		plane, err := l.Plane(words)
		if err != nil {
			t.Fatal(err)
		}
		if want := [...]int{2, 1, 0, -1}[i]; want >= 0 && &plane[0] != &planes[want][0] || l.Top() != [...]int64{900, 900, 950, 1100}[i]*8 {
			t.Errorf("%d words do not take plane %d; %d bytes are reserved", words, want, l.Top())
		}
	}
}
