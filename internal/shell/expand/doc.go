// Package expand expands the words of a command as a shell does, by parameters, arithmetic, braces and
// patterns, and computes the output of echo, printf, seq, basename and dirname. It runs nothing and
// reads no files.
//
// Unknown parts of a word are placeholders. A word also lists the calls whose output it contains, so
// that later checks can find its origin.
package expand
