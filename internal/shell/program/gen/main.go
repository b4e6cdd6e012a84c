// Command gen writes the static tables of package program from its text files: the rules of packs, the
// pseudo-rules of effects that code finds, the rows and kinds of programs, and the index of rules. `go
// generate ./internal/shell/program` runs it.
//
// In all files, a line that begins with # is a comment, and columns are separated by " | ". A line of
// packs/*.txt is a rule; docs/shell.md and package rules describe the columns.
//
//	id | command | conditions | label kind category radius | reason
//	  + commands that the rule matches, separated by ;;
//	  - commands that it does not match
//
// A condition is any:, all:, not:, arg: or sql: with its list, or bare or paths. After saves:
// stands what must be saved first, so that the effect can be undone: paths (the operands), work (git's
// index and changed files) or commits (index, stashes, refs and their commits) or all. A line of coded.txt
// has neither a command nor conditions. The radius of a safe rule may be omitted and is then low.
//
// A line of programs.txt is the row of one program, or of several that share it:
//
//	name, name | -o|--option=role | words: roles | runs: how | flags
//
// A line of kinds.txt lists the programs that a package treats alike. It becomes a constant, which the
// package uses instead of the names of programs:
//
//	family.kind: names
//
// A list that occurs more than once can have a name: after "@name = words", @name stands for the
// words. Names in lists.txt are valid in all files. In a list of words, a{b,c} stands for ab and ac.
package main

import (
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	files, err := generate(".") // the directory of package program
	for name, text := range files {
		if err == nil {
			err = os.WriteFile(filepath.FromSlash(name), text, 0o644)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}
