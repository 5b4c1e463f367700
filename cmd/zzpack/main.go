package main

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"time"

	"github.com/klauspost/compress/zstd"

	"backsolve/tablebase"
)

func main() {
	w, err := tablebase.Create("/dev/shm/q/q5.tb", tablebase.Shape{Game: "quixo", Size: 5, Planes: 2, Steps: true}, false)
	if err != nil {
		panic(err)
	}
	defer w.Close()
	fmt.Println(w.Dropped())
	for i, s := range w.Sealed() {
		fmt.Println(i, s.Class, s.IndexBits, s.Blocks, s.Digits)
	}
	for i := 1; i < len(w.Sealed()) && i < 3; i++ {
		p, err := w.Load(i)
		if err != nil {
			panic(err)
		}
		n := len(p.Win)
		fmt.Println("class", w.Sealed()[i].Class, "words", n)
		from := n/2 - (1 << 18)
		to := from + 1<<19
		measure(p, from, to)
	}
}

func measure(p tablebase.Planes, from, to int) {
	states := float64(to-from) * 64
	counts := map[uint32]int{}
	sym := make([]uint16, (to-from)*64)
	for w := from; w < to; w++ {
		for b := 0; b < 64; b++ {
			var s uint32
			for d, pl := range p.Steps {
				s |= uint32(pl[w]>>b&1) << d
			}
			s = s*4 + uint32(p.Win[w]>>b&1)*2 + uint32(p.Lose[w]>>b&1)
			counts[s]++
			sym[(w-from)*64+b] = uint16(s)
		}
	}
	h := 0.0
	for _, c := range counts {
		h -= float64(c) * math.Log2(float64(c)/states)
	}
	fmt.Printf("order-0 entropy %.4f bits/state\n", h/states)
	for _, level := range []zstd.EncoderLevel{zstd.SpeedFastest, zstd.SpeedDefault, zstd.SpeedBetterCompression} {
		enc, _ := zstd.NewWriter(nil, zstd.WithEncoderLevel(level), zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(1<<17))
		try := func(name string, lanes [][]uint64, frame int, planar bool) {
			t := time.Now()
			buf := make([]byte, frame)
			total := 0
			per := frame / 8 / len(lanes)
			var out []byte
			for w := from; w+per <= to; w += per {
				b := buf[:per*8*len(lanes)]
				for l, lane := range lanes {
					for i := 0; i < per; i++ {
						at := (i*len(lanes) + l) * 8
						if planar {
							at = (l*per + i) * 8
						}
						binary.LittleEndian.PutUint64(b[at:], lane[w+i])
					}
				}
				out = enc.EncodeAll(b, out[:0])
				total += len(out)
			}
			fmt.Printf("%-14v %-34s %.4f bits/state  %.0f MB/s (%.0f Mstates/s)\n", level, name, float64(total)*8/states,
				states/8*float64(len(lanes))/1e6/time.Since(t).Seconds(), states/1e6/time.Since(t).Seconds())
		}
		x := append([][]uint64{}, p.Steps...)
		low := make([]uint64, len(p.Win))
		for i := from; i < to; i++ {
			low[i] = p.Steps[0][i] ^ p.Win[i]
		}
		x[0] = low
		try("outcomes 32K", [][]uint64{p.Win, p.Lose}, 32768, false)
		try("outcomes 64K planar", [][]uint64{p.Win, p.Lose}, 65536, true)
		try("steps 32K", p.Steps, 32768, false)
		try("steps xor 32K", x, 32768, false)
		try("steps xor planar 32K", x, 32768, true)
		try("steps xor planar 128K", x, 131072, true)
		for _, per := range []int{1 << 14, 1 << 15, 1 << 16} {
			// a byte a state: steps, with outcome where the parity does not tell
			t := time.Now()
			total := 0
			b := make([]byte, per)
			var out []byte
			for s := 0; s+per <= len(sym); s += per {
				for i := 0; i < per; i++ {
					v := sym[s+i]
					b[i] = byte(v >> 2)
					if v&3 == 0 {
						b[i] = 255
					}
				}
				out = enc.EncodeAll(b, out[:0])
				total += len(out)
			}
			fmt.Printf("%-14v %-34s %.4f bits/state  (%.0f Mstates/s)\n", level, fmt.Sprint("byte a state ", per), float64(total)*8/states, states/1e6/time.Since(t).Seconds())
		}
		// steps of decided states only, one byte each
		t := time.Now()
		total := 0
		var b, out []byte
		for s := 0; s < len(sym); s++ {
			if v := sym[s]; v&3 != 0 {
				b = append(b, byte(v>>2))
			}
			if s%(1<<16) == 1<<16-1 {
				out = enc.EncodeAll(b, out[:0])
				total += len(out)
				b = b[:0]
			}
		}
		fmt.Printf("%-14v %-34s %.4f bits/state  (%.0f Mstates/s)\n", level, "decided bytes 64K", float64(total)*8/states, states/1e6/time.Since(t).Seconds())
	}
	_ = bits.Len
}
