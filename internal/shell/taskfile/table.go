package taskfile

import (
	"slices"
	"strings"
)

//go:generate go run ../argv/gen

// A row is a program that runs what files of a repository say.
type row struct {
	program string
	files   string              // that it reads
	read    func(*reading) bool // nil = [readConfig]
	subs    string              // the subcommands that run something; "" = any
	what    string              // what cannot be told, behind the program's name
}

// IsRunner reports whether a program is a task runner.
func IsRunner(program string) bool { return findRow(program) != nil }

func findRow(program string) *row {
	at, found := slices.BinarySearchFunc(rows[:], program, func(r row, name string) int { return strings.Compare(r.program, name) })
	if !found {
		return nil
	}
	return &rows[at]
}
