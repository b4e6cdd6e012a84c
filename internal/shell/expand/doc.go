// Package expand works out texts as a shell does, without running or reading anything: the
// words of a command by parameters, arithmetic, braces and patterns, and what echo,
// printf and seq print of them.
//
// What cannot be known is a hole in a word. A word also has the calls whose output is in
// it, so that whoever runs or sends it can ask where it came from.
package expand
