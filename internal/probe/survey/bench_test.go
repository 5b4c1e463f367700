package survey

import (
	"context"
	"testing"
)

func BenchmarkVerify(b *testing.B) {
	table := open(b, "quixo", 4, true)
	for b.Loop() {
		if _, err := Verify(context.Background(), table, VerifyOptions{}, nil, nil); err != nil {
			b.Fatal(err)
		}
	}
}
