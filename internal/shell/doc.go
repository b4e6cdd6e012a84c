// Package shell describes what a command does before it runs.
//
// The command is parsed by a real shell parser, and what will run is resolved: variables, quoting,
// wrappers, nested shells, code given to interpreters. The result names the effects: what is deleted,
// overwritten, sent away or only read, the impact, and which words cause it. Text that is only data,
// such as a search pattern, has no effect. What cannot be resolved is unknown, never safe.
//
// Nothing is written or started. The same command in the same place has the same effects, in every
// process.
//
// The pipe:
//
//	text → syntax tree → calls with resolved words → effects of each call → report
//
// This package declares the types of that pipe. Package resolve turns text into calls; packages files,
// rules, exfil and code determine the effects of calls; package windows parses PowerShell and cmd.exe;
// package classify combines them into a report.
package shell
