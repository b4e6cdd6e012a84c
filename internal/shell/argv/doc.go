// Package argv parses the arguments of calls. It finds which options, variables and files of a program
// hold commands or load code, what the program downloads and where it saves it, what it copies, and
// which directories it clears. The differences between programs are rows of the text files in the
// directory tables.
//
// The package has no state, and does not follow the commands that it finds; package resolve does.
package argv

//go:generate go run ./gen
