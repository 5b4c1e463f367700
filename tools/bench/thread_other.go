//go:build !linux

package main

import "time"

var began = time.Now()

// threadTime is the time by the clock, in place of that of this thread. Only an idle machine
// makes them about equal.
func threadTime() time.Duration { return time.Since(began) }
