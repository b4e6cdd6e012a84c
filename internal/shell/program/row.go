package program

import (
	"sort"
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
)

// A Style is how a program reads its options.
type Style uint8

const (
	GNU    Style = iota // bundles of letters; long options may be cut short (getopt_long, git, argparse)
	Exact               // the same, but long options must be whole (cobra, clap, commander)
	Single              // -option is --option; no bundles (Go's flag package, openssl, find)
	Bare                // no options at all: every word is a word
)

// A Row describes how the words of a program, or of a program's subcommand, are read. A
// program without a row is read the GNU way and has no option with a value.
type Row struct {
	Name    string // "git", "git commit", "docker compose up"
	As      string // it is this program by another name, with these words in front
	Options string // with their values' roles; see the package comment
	Words   string // the roles of its operands, behind the subcommand
	// Is is what it does besides what the roles say, when no rule is about it: a
	// category that is safe. With All, an option that is not listed is not safe.
	Is     shell.Category
	In     string // the role of its standard input; "" = read where operands are
	To     string // who gets what it reads and sends, if no word says so: a host, "drop" = a place of its own where others fetch it, "?" = not known
	Runs   string // how it runs the command in its words; "" = it runs none; see the package comment
	Puts   string // the folder that it writes files into, and how their names follow; see the package comment
	Help   string // options that only show help, besides --help
	Dry    string // options with which it only shows what it would do, besides --dry-run
	Style  Style
	All    bool // every option is listed, so that a long one may be cut to any beginning
	Stop   int8 // after so many words the rest belongs to another program; 0 = never
	Before bool // the options with values are those before the subcommand only
	Subs   bool // it has subcommands, so the word help is help
	Drop   bool // the word may be left out: docker container rm is docker rm
	Old    bool // its first word may be options without a dash: tar czf
	Real   bool // --dry-run is none of its options: what it runs gets to see it
}

// unlisted is the row of programs without one.
var unlisted = Row{}

// Listed reports whether a row is that of a known program.
func (r *Row) Listed() bool { return r != &unlisted }

// lookup returns the row of a program and those of its subcommands, the name it
// goes by, and the words that the name stands for.
func lookup(name string) (row *Row, kids []Row, as, rest string) {
	if row, kids = findRow(name); row == nil {
		// git-push is git push, where git's own directory is in the path.
		if sub, ok := strings.CutPrefix(name, "git-"); ok && sub != "" {
			row, kids = findRow("git")
			return row, kids, "git", sub
		}
		if tool := native(name); tool != name {
			row, kids = findRow(tool)
			return row, kids, tool, ""
		}
		return &unlisted, nil, name, ""
	}
	if row.As == "" {
		return row, kids, name, ""
	}
	as, rest, _ = strings.Cut(row.As, " ")
	if row, kids = findRow(as); row == nil {
		row = &unlisted
	}
	return row, kids, as, rest
}

// native is a program of a toolchain without the machine that it builds for:
// aarch64-linux-gnu-gcc.
func native(name string) string {
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

// maxKids is how many subcommands of one program may have a row.
const maxKids = 64

// findRow returns the row of a program, and the rows behind it when those of its
// subcommands are among them; nil = it has none.
func findRow(name string) (row *Row, kids []Row) {
	table := rows[:]
	i := findIn(table, name, "", "", "")
	if i < 0 {
		return nil, nil
	}
	if i+1 < len(table) && len(table[i+1].Name) > len(name) && table[i+1].Name[len(name)] == ' ' && table[i+1].Name[:len(name)] == name {
		kids = table[i+1 : min(i+1+maxKids, len(table))]
	}
	return &table[i], kids
}

// findKid returns the row of a subcommand; nil = it has none.
func findKid(kids []Row, name, sub, sub2, sub3 string) *Row {
	if len(kids) > 0 {
		if i := findIn(kids, name, sub, sub2, sub3); i >= 0 {
			return &kids[i]
		}
	}
	return nil
}

// findIn returns where in a table the row of a program and its subcommands is;
// -1 = it has none.
func findIn(table []Row, name, sub, sub2, sub3 string) int {
	i, ok := sort.Find(len(table), func(i int) int { return -compare(table[i].Name, name, sub, sub2, sub3) })
	if !ok {
		return -1
	}
	return i
}

// compare orders a row's name and the words joined by spaces, without joining
// them.
func compare(name, a, b, c, d string) int {
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
