package main

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
)

// dollarText formats a price with two digits or whole dollars.
func dollarText(x float64) string {
	if x < 100 {
		return fmt.Sprintf("$%.2f", x)
	}
	return "$" + humanize.Comma(int64(math.Round(x)))
}

func countText(n int) string { return humanize.Comma(int64(n)) }

// bytesText formats bytes with three digits: 1.25 TB.
func bytesText(n float64) string {
	if n == 0 {
		return "0"
	}
	units := []string{"B", "kB", "MB", "GB", "TB", "PB", "EB", "ZB"}
	at := 0
	for n >= 999.5 && at < len(units)-1 {
		n /= 1000
		at++
	}
	return digits(n) + " " + units[at]
}

// digits formats a number below a thousand with at most three digits.
func digits(x float64) string {
	switch {
	case x >= 99.95 || x == math.Trunc(x):
		return fmt.Sprintf("%.0f", x)
	case x >= 9.995:
		return strings.TrimSuffix(fmt.Sprintf("%.1f", x), ".0")
	}
	return strings.TrimRight(strings.TrimRight(fmt.Sprintf("%.2f", x), "0"), ".")
}

// timeText formats a time: 12.5 s, 3.4 min, 5.6 h, 7.8 days.
func timeText(seconds float64) string {
	switch {
	case seconds < 120:
		return digits(seconds) + " s"
	case seconds < 2*time.Hour.Seconds():
		return digits(seconds/60) + " min"
	case seconds < 48*time.Hour.Seconds():
		return digits(seconds/3600) + " h"
	case seconds < 1000*24*3600:
		return digits(seconds/(24*3600)) + " days"
	}
	return humanize.Comma(int64(seconds/(24*3600))) + " days"
}

func shareText(x float64) string {
	if x > 0 && x < 0.001 {
		return "under 0.1 %"
	}
	return fmt.Sprintf("%.1f %%", 100*x)
}
