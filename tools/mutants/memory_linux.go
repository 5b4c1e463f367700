package main

import "syscall"

// boundMemory sees to it that a mutant which takes memory without end fails, and
// not the machine: its tests may take 32 GiB of addresses each.
func boundMemory() error {
	const most = 32 << 30
	return syscall.Setrlimit(syscall.RLIMIT_AS, &syscall.Rlimit{Cur: most, Max: most})
}
