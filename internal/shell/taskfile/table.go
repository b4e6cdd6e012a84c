package taskfile

import (
	"slices"
	"strings"
)

//go:generate go run ../argv/gen

// A row describes a task runner, which runs commands or code in the files of a repository.
type row struct {
	program string
	files   string                 // the files that it reads by default
	read    func(*callReader) bool // reads a call; nil for readConfig
	subs    string                 // the subcommands that run something; "" for any
	what    string                 // what cannot be determined, to follow the program's name
}

// IsRunner reports whether program is a task runner.
func IsRunner(program string) bool { return findRow(program) != nil }

// findRow returns the row of program, or nil if it is not a task runner.
func findRow(program string) *row {
	at, found := slices.BinarySearchFunc(rows[:], program, func(r row, name string) int { return strings.Compare(r.program, name) })
	if !found {
		return nil
	}
	return &rows[at]
}
