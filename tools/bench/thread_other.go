//go:build !linux

package main

import "time"

var began = time.Now()

// threadTime is the time by the clock, which is about that of this thread if the machine is idle.
func threadTime() time.Duration { return time.Since(began) }
