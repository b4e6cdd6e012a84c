// Package argv parses the arguments of calls: which options, variables and files of a program hold
// commands or load code, what it downloads and where it saves that, what it copies, and which
// directories it clears. Differences between programs are rows in the text files of the folder tables.
//
// It has no state and walks nothing: package resolve walks what it finds.
package argv

//go:generate go run ./gen
