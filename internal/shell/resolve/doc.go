// Package resolve finds out what a command line will run.
//
// It parses the text as a shell would and walks the tree once, in order, with
// what is known so far: variables, functions, aliases, the directory, what flows
// through pipes. Words are expanded as bash expands them; wrappers such as sudo
// and env are taken off; text that another shell will read (bash -c, eval, a
// here-document fed to sh) is parsed again. It runs nothing and reads no file, but
// it knows the files that the text itself writes: what is in them, whether the
// text made them, and which program they are a copy of.
//
// What cannot be known is a hole in a word, or a problem in the result. It never
// ends the walk: what comes after is still seen, and a branch that may be taken
// counts as taken.
//
// All work is paid for from a budget, so that hostile text costs no more than a
// long honest one.
//
// What is read of the words of programs is in package argv, that of a shell in package expand.
package resolve
