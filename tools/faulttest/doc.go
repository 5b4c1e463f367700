// Package faulttest holds the tests of what becomes of a solve, a pack or an unpack
// that is killed, meets a failing disk, or loses its power. They drive the real
// tbsolve; afterwards the same command must end with the bytes of an undisturbed
// run, and nothing else may be left beside them.
//
// A kill comes at any moment or at a chosen system call; an error at each of the
// calls that change files. A power cut is a copy of the directory in which some
// of what was not synced has been dropped or torn (Disk).
//
// make check runs a sample of all, make test-long, with BACKSOLVE_LONG=1, all.
// What a case does follows from its name and number alone; one that fails names
// the command that repeats it.
package faulttest
