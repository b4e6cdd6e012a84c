// Command gen writes the static tables of package program from its text files: the rules of
// packs, what is judged by code, the rows and kinds of programs, and the index of rules.
// `go generate ./internal/shell/program` runs it.
//
// In all files # begins a comment that is a line of its own, and columns are separated by " | ".
// A line of packs/*.txt is a rule; docs/shell.md and package program describe the columns.
//
//	id | command | conditions | label kind category radius | reason
//	  + commands for which it holds, separated by ;;
//	  - commands for which it does not
//
// A condition is any:, all:, not:, arg: or sql: with its list, or bare or paths. In coded.txt
// there is neither command nor condition. The radius of a safe rule is low unless given.
//
// A line of programs.txt is the row of one program or of several that share it:
//
//	name, name | -o|--option=role | words: roles | runs: how | flags
//
// A line of kinds.txt lists the programs that a package treats alike; the constants that it
// becomes are what the package's code names, not the programs:
//
//	family.kind: names
//
// Lists that occur more than once have a name: "@name = words", and @name stands for them
// below, in all files if it is in lists.txt; in a list of words, a{b,c} stands for ab and ac.
package main

import (
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	files, err := generate(".") // the folder of package program
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
