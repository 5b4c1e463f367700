package machine

import (
	"path/filepath"
	"runtime"
	"testing"
)

func TestPeakMemoryGrows(t *testing.T) {
	before := PeakMemory()
	block := make([]byte, 64<<20)
	for i := 0; i < len(block); i += 4096 {
		block[i] = 1
	}
	after := PeakMemory()
	runtime.KeepAlive(block)
	if before < 1<<20 || after-before < 32<<20 {
		t.Errorf("%d bytes before, %d after touching %d", before, after, len(block))
	}
}

func TestAvailableMemory(t *testing.T) {
	available := AvailableMemory()
	if runtime.GOOS == "linux" && available < 1<<20 {
		t.Errorf("%d bytes available", available)
	}
	if available != Unknown && available <= 0 {
		t.Errorf("%d bytes available", available)
	}
}

func TestFreeDisk(t *testing.T) {
	dir := t.TempDir()
	for _, place := range []string{dir, filepath.Join(dir, "not", "yet", "there")} {
		free := FreeDisk(place)
		if (runtime.GOOS == "linux" || free != Unknown) && free < 1 {
			t.Errorf("%s: %d bytes free", place, free)
		}
	}
}
