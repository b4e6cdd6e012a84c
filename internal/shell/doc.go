// Package shell knows what a command does before it runs.
//
// It reads the command with a real parser, resolves what will run (variables,
// quoting, wrappers, nested shells, code given to interpreters) and names the
// effects: what is deleted, overwritten, sent away or only read, how far that
// reaches, and which words cause it. Text that is only data, such as a search
// pattern, causes nothing. What cannot be resolved is unknown, never safe.
//
// It touches no file and starts nothing. The same command in the same place has
// the same effects, in every process.
//
// The pipe:
//
//	text → syntax tree → calls with resolved words → effects of each call → report
//
// This package holds the words of that pipe. Package resolve turns text into
// calls; packages files, packs, leak and code know what calls do; package foreign
// reads PowerShell and cmd.exe; package classify puts it together.
package shell
