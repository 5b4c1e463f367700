package chart

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestShrink(t *testing.T) {
	const before = `<svg width="510.24pt">
<g transform="scale(1, -1) translate(0, -311.81)">
<path d="M427.06,272.47L449.74,272.47" style="fill:none;stroke:#444444;stroke-width:0.25" />
<path d="M10,20.04L10,30.06" style="fill:none;stroke:#444444;stroke-width:0.25" />
<path d="M13.5,7.25A2,2 0 1 1 9.5,7.25A2,2 0 1 1 13.5,7.25Z" style="fill:#0072B2" />
<path d="M13.5,7.25A2,2 0 1 1 9.5,7.25A2,2 0 1 1 13.5,7.25Z" style="fill:none;stroke:#0072B2;stroke-width:0.5" />
<path d="M0,0L4,0L4,4L0,4Z" style="fill:#0072B2" />
<path d="M0,0L4,0L4,4L0,4L0,0" style="fill:none;stroke:#444444;stroke-width:0.3" />
<path d="M2,1L6.04,1L6,5L2,5Z" style="fill:#0072B2" />
<path d="M2,1L6.04,1L6,5L2,5L2,1" style="fill:none;stroke:#444444;stroke-width:0.3" />
<path d="M9,1L9,5L5,5L5,1Z"  />
<path d="M9,1L5,1L5,5L9,5Z"  />
<text x="100.04" y="-26.66" transform="scale(1, -1)"
	style="font-family:A;font-variant:normal;font-weight:normal;font-style:normal;font-size:10px">0.0012</text>
</g>
</svg>
`
	// The last two fills run in opposite ways: one path would have a hole where they overlap.
	const want = `<svg width="510.24pt">
<style>
text{transform:scale(1,-1)}
.a{fill:none;stroke:#444444;stroke-width:0.25}
.b{fill:none;stroke:#0072B2;stroke-width:4;stroke-linecap:round}
.c{fill:none;stroke:#0072B2;stroke-width:0.5}
.d{fill:#0072B2;stroke:#444444;stroke-width:0.3}
.e{fill:#000000}
.f{font-family:A;font-size:10px}
</style>
<g transform="scale(1, -1) translate(0, -311.81)">
<path d="M427.1,272.5h22.6M10,20v10.1" class="a"/>
<path d="M11.5,7.3h0" class="b"/>
<path d="M13.5,7.3a2,2 0 1 1-4,0a2,2 0 1 1 4,0z" class="c"/>
<path d="M0,0h4v4h-4zM2,1h4v4h-4z" class="d"/>
<path d="M9,1v4h-4v-4z" class="e"/>
<path d="M9,1h-4v4h4z" class="e"/>
<text x="100" y="-26.7" class="f">0.0012</text>
</g>
</svg>
`
	if diff := cmp.Diff(want, string(Shrink([]byte(before)))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
