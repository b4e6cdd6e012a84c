// Package argv reads the words of calls: which options, variables and files of a program
// hold commands or load code, what it fetches and where it saves that, what it copies,
// which directory it clears. What differs between programs stands in the text files of
// folder tables.
//
// It has no state and follows nothing: package resolve walks what is found here.
package argv

//go:generate go run ./gen
