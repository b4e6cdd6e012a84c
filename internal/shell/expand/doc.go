// Package expand evaluates texts as a shell does, without running or reading anything: it expands the
// words of a command by parameters, arithmetic, braces and patterns, and returns what echo, printf and
// seq print.
//
// Unknown parts of a word are placeholders. A word also lists the calls whose output it contains, so
// that a check of a later use can find out where it came from.
package expand
