package machine

import (
	"runtime"
	"testing"
)

func TestThis(t *testing.T) {
	m := This()
	if m.Cores < 1 || m.Platform != runtime.GOOS+"/"+runtime.GOARCH || m.Go != runtime.Version() {
		t.Errorf("%+v", m)
	}
}
