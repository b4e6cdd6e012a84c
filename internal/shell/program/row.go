package program

import (
	"sort"
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
)

// A Style is the way in which a program parses its options.
type Style uint8

const (
	GNU    Style = iota // bundles of letters, and long options that may be abbreviated (getopt_long, git, argparse)
	Exact               // like GNU, but without abbreviations (cobra, clap, commander)
	Single              // -option is --option, and there are no bundles (Go's flag package, openssl, find)
	Bare                // no options; every word is an operand
)

// A Row describes how the words of a program or of a subcommand are read. A program without a row has
// the style GNU and no options with values.
type Row struct {
	Name    string // "git", "git commit", "docker compose up"
	As      string // the program that this is an alias of, and the words that the alias stands for after it
	Options string // options and the roles of their values; see the package comment
	Words   string // the roles of the operands after the subcommand
	// Is is a safe category: the effect of the program besides those of the roles, if no rule matches.
	// If All is set, an option that is not listed makes the effect unknown.
	Is     shell.Category
	In     string // the role of standard input; "" means read if operands are read
	To     string // the receiver of sent data if no word names it: a host, "drop" (a service for file drops) or "?" (unknown)
	Runs   string // how it runs the command in its words, or "" if it runs none; see the package comment
	On     string // what names its target; see the package comment
	At     string // what names the machine of its target
	Unless string // words with which it affects more than its target
	Puts   string // the directory that it writes files into, and their names; see the package comment
	Help   string // options that only print help, besides --help
	Dry    string // options for a dry run, besides --dry-run
	Style  Style
	All    bool // every option is listed, so a long one may be abbreviated to any prefix
	Stop   int8 // the number of words after which the rest belongs to another program; 0 means never
	Before bool // only options before the subcommand have values
	Subs   bool // it has subcommands, so the word help prints help
	Drop   bool // the subcommand may be omitted: docker container rm is docker rm
	Old    bool // its first word may be options without a dash: tar czf
	Real   bool // it passes --dry-run on to the command that it runs, so its own run is real
}

// unlistedRow is the row of programs that have none.
var unlistedRow = Row{}

// IsListed reports whether r is a row of the table, as opposed to the row of programs that have none.
func (r *Row) IsListed() bool { return r != &unlistedRow }

// lookupProgram returns the row of the program name, the rows of its subcommands, the name of the
// program that it is an alias of or name itself, and the words that the alias stands for. The row is
// never nil.
func lookupProgram(name string) (row *Row, kids []Row, as, rest string) {
	if row, kids = findRow(name); row == nil {
		// git-push is git push if git's own directory is in PATH.
		if sub, ok := strings.CutPrefix(name, "git-"); ok && sub != "" {
			row, kids = findRow("git")
			return row, kids, "git", sub
		}
		if tool := trimTargetPrefix(name); tool != name {
			row, kids = findRow(tool)
			return row, kids, tool, ""
		}
		return &unlistedRow, nil, name, ""
	}
	if row.As == "" {
		return row, kids, name, ""
	}
	as, rest, _ = strings.Cut(row.As, " ")
	if row, kids = findRow(as); row == nil {
		row = &unlistedRow
	}
	return row, kids, as, rest
}

// trimTargetPrefix returns the name of a toolchain program without its target: gcc for
// aarch64-linux-gnu-gcc. It returns other names unchanged.
func trimTargetPrefix(name string) string {
	dash := strings.LastIndexByte(name, '-')
	if dash < 0 {
		return name
	}
	switch last := name[dash+1:]; last {
	case "gcc", "g++", "cc", "c++", "clang", "clang++", "ld", "as", "ar", "objcopy", "strip", "gfortran":
		return last
	}
	return name
}

// maxSubcommandRows is the largest number of subcommand rows of one program that are searched.
const maxSubcommandRows = 64

// findRow returns the row of the program name, or nil. If subcommands of the program have rows, it
// also returns the rows after it, which may include those of other programs.
func findRow(name string) (row *Row, kids []Row) {
	table := rows[:]
	i := rowIndex(table, name, "", "", "")
	if i < 0 {
		return nil, nil
	}
	if i+1 < len(table) && len(table[i+1].Name) > len(name) && table[i+1].Name[len(name)] == ' ' && table[i+1].Name[:len(name)] == name {
		kids = table[i+1 : min(i+1+maxSubcommandRows, len(table))]
	}
	return &table[i], kids
}

// findSubcommandRow returns the row of a subcommand of the program name, or nil. Words that are not
// part of the subcommand are "".
func findSubcommandRow(kids []Row, name, sub, sub2, sub3 string) *Row {
	if len(kids) > 0 {
		if i := rowIndex(kids, name, sub, sub2, sub3); i >= 0 {
			return &kids[i]
		}
	}
	return nil
}

// rowIndex returns the index in table of the row of the program name and a subcommand, or -1.
func rowIndex(table []Row, name, sub, sub2, sub3 string) int {
	i, ok := sort.Find(len(table), func(i int) int { return -compareRowName(table[i].Name, name, sub, sub2, sub3) })
	if !ok {
		return -1
	}
	return i
}

// compareRowName compares name, the name of a row, with a, b, c and d joined by spaces, without
// joining them. Empty words at the end are left out. The result is negative, zero or positive.
func compareRowName(name, a, b, c, d string) int {
	for i, part := range [...]string{a, b, c, d} {
		if i > 0 {
			if part == "" {
				break
			}
			if name == "" {
				return -1
			}
			if name[0] != ' ' {
				return int(name[0]) - ' '
			}
			name = name[1:]
		}
		n := min(len(name), len(part))
		if d := strings.Compare(name[:n], part[:n]); d != 0 {
			return d
		}
		if n < len(part) {
			return -1
		}
		name = name[n:]
	}
	return len(name)
}
