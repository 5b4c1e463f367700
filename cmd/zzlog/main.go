package main

import (
	"encoding/binary"
	"fmt"
	"time"

	"github.com/klauspost/compress/s2"
	"github.com/klauspost/compress/zstd"

	"backsolve/bitslice"
	"backsolve/tablebase"
)

func suppress(dst []byte, plane []uint64) []byte {
	for g := 0; g < len(plane); g += 64 {
		grp := plane[g:min(g+64, len(plane))]
		var m uint64
		for i, x := range grp {
			if x != 0 {
				m |= 1 << uint(i)
			}
		}
		if m == 0 {
			continue
		}
		dst = binary.LittleEndian.AppendUint64(dst, m)
		for _, x := range grp {
			if x == 0 {
				continue
			}
			at := len(dst)
			dst = append(dst, 0)
			var k byte
			for b := 0; b < 8; b++ {
				if v := byte(x >> (8 * b)); v != 0 {
					k |= 1 << b
					dst = append(dst, v)
				}
			}
			dst[at] = k
		}
	}
	return dst
}

func main() {
	w, err := tablebase.Create("/dev/shm/q/q5.tb", tablebase.Shape{Game: "quixo", Size: 5, Planes: 2, Steps: true}, false)
	if err != nil {
		panic(err)
	}
	defer w.Close()
	p, err := w.Load(3)
	if err != nil {
		panic(err)
	}
	from := len(p.Win)/2 - 1<<18
	n := 1 << 19
	states := float64(n * 64)
	steps := bitslice.Numbers{}
	for _, d := range p.Steps {
		steps = append(steps, d[from:from+n])
	}
	plane := make([]uint64, n)
	enc, _ := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(1<<17))
	var size [8]int
	var took [8]time.Duration
	raw := make([]byte, 65536)
	lz := make([]byte, s2.MaxEncodedLen(1<<20))
	for t := 0; t < 160; t++ {
		for o, of := range [][]uint64{p.Win[from : from+n], p.Lose[from : from+n]} {
			c := 0
			for i := range plane {
				plane[i] = 0
				if of[i] != 0 {
					plane[i] = steps.Equal(i, t) & of[i]
				}
				if plane[i] != 0 {
					c++
				}
			}
			before := size
			var sup, out []byte
			for u := 0; u < n; u += 8192 {
				part := plane[u : u+8192]
				b := time.Now()
				sup = suppress(sup[:0], part)
				took[0] += time.Since(b)
				size[0] += len(sup)
				if len(sup) == 0 {
					continue
				}
				b = time.Now()
				size[1] += len(s2.Encode(lz, sup))
				took[1] += time.Since(b)
				b = time.Now()
				out = enc.EncodeAll(sup, out[:0])
				size[2] += len(out)
				took[2] += time.Since(b)
				b = time.Now()
				for i, x := range part {
					binary.LittleEndian.PutUint64(raw[i*8:], x)
				}
				out = enc.EncodeAll(raw, out[:0])
				size[3] += len(out)
				took[3] += time.Since(b)
				b = time.Now()
				size[4] += len(s2.Encode(lz, raw))
				took[4] += time.Since(b)
				size[5] += 8 * 8192
			}
			if t < 26 {
				fmt.Print(t, " ", o, " words ", float64(c)/float64(n))
				for i := range 6 {
					fmt.Printf(" %.4f", float64(size[i]-before[i])*8/states)
				}
				fmt.Println()
			}
		}
	}
	for i, name := range []string{"suppress", "suppress+s2", "suppress+zstd", "zstd raw", "s2 raw", "raw touched"} {
		fmt.Printf("%-16s %.3f bits/state, %v, %.0f Mstates/s\n", name, float64(size[i])*8/states, took[i], states/1e6/took[i].Seconds())
	}
}
