// Package shell describes what a command does before it runs.
//
// A real shell parser parses the command, and everything that it will run is resolved: variables,
// quoting, wrappers, nested shells, code for interpreters. The result lists the effects: what is
// deleted, overwritten, sent off the machine or only read, with which impact, and which words cause
// it. Text that is only data, such as a search pattern, has no effect. What cannot be resolved is
// unknown, never safe.
//
// Nothing is written or started. The same command in the same place has the same effects in every
// process.
//
// The stages are:
//
//	text → syntax tree → calls with resolved words → effects of each call → report
//
// This package declares the types that the stages exchange. Package resolve turns text into calls;
// packages files, rules, exfil and code determine the effects of calls; package windows parses
// PowerShell and cmd.exe; package classify combines them into a report.
package shell
