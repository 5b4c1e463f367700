//go:build race

package retro

const raceEnabled = true
