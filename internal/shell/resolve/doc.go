// Package resolve finds the programs that a command line will run.
//
// It parses the text as a shell would and walks the syntax tree once, in order. Meanwhile it tracks
// variables, functions, aliases, the working directory, and what flows through pipes. Words are
// expanded as bash expands them, wrappers such as sudo and env are removed, and text that another
// shell will read (bash -c, eval, a here-document fed to sh) is parsed in turn. The walk runs nothing
// and reads no file by itself, but it tracks the files that the text writes: their contents, whether
// the text created them, and which program they are a copy of.
//
// Unknown values become placeholders in words, or problems in the result. They never end the walk:
// later commands are still resolved, and a branch that may be taken counts as taken.
//
// Every step is charged to a budget, so that hostile text costs no more than long honest text.
//
// Package argv parses the arguments of programs; package expand expands shell words.
package resolve
