package packs

import (
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
)

// A style is how a program reads its flags.
type style uint8

const (
	gnu    style = iota // bundles of letters; long flags may be cut short (getopt_long, git, argparse)
	exact               // the same, but long flags must be whole (cobra, clap, commander)
	single              // -flag is --flag; no bundles (Go's flag package, openssl, find)
	bare                // no flags at all: every word is a word
)

// A program says how the words of a program, or of a program's subcommand, are
// read. A program without a row is read the GNU way and has no flag with a value.
type program struct {
	name   string // "git", "git commit", "docker compose up"
	as     string // it is this program by another name, with these words in front
	values string // flags whose value is the next word
	help   string // flags that only show help, besides --help
	dry    string // flags with which it only shows what it would do, besides --dry-run
	style  style
	stop   int8 // after so many words the rest belongs to another program; 0 = never
	before bool // the values are for flags before the subcommand only
	subs   bool // it has subcommands, so the word help is help
	drop   bool // the word may be left out: docker container rm is docker rm
	real   bool // --dry-run is no flag of it: what it runs gets to see it
}

var unlisted = program{}

// lookup returns the row of a program and those of its subcommands, the name it
// goes by, and the words that the name stands for.
func lookup(name string) (row *program, kids []program, as, rest string) {
	if row, kids = findRow(name); row == nil {
		// git-push is git push, where git's own directory is in the path.
		if sub, ok := strings.CutPrefix(name, "git-"); ok && sub != "" {
			row, kids = findRow("git")
			return row, kids, "git", sub
		}
		return &unlisted, nil, name, ""
	}
	if row.as == "" {
		return row, kids, name, ""
	}
	as, rest, _ = strings.Cut(row.as, " ")
	if row, kids = findRow(as); row == nil {
		row = &unlisted
	}
	return row, kids, as, rest
}

// maxKids is how many subcommands of one program may have a row.
const maxKids = 64

// findRow returns the row of a program, and the rows behind it when those of its
// subcommands are among them; nil = it has none.
func findRow(name string) (row *program, kids []program) {
	table := programs[:]
	i := findIn(table, name, "", "")
	if i < 0 {
		table = morePrograms[:]
		if i = findIn(table, name, "", ""); i < 0 {
			return nil, nil
		}
	}
	if i+1 < len(table) && len(table[i+1].name) > len(name) && table[i+1].name[len(name)] == ' ' && table[i+1].name[:len(name)] == name {
		kids = table[i+1 : min(i+1+maxKids, len(table))]
	}
	return &table[i], kids
}

// findKid returns the row of a subcommand; nil = it has none.
func findKid(kids []program, name, sub, sub2 string) *program {
	if len(kids) > 0 {
		if i := findIn(kids, name, sub, sub2); i >= 0 {
			return &kids[i]
		}
	}
	return nil
}

// findIn returns where in a table the row of a program and up to two subcommands
// is; -1 = it has none.
func findIn(table []program, name, sub, sub2 string) int {
	lo, hi := 0, len(table)
	for lo < hi {
		m := int(uint(lo+hi) >> 1)
		switch d := compare(table[m].name, name, sub, sub2); {
		case d == 0:
			return m
		case d < 0:
			lo = m + 1
		default:
			hi = m
		}
	}
	return -1
}

// compare orders a row's name and the words joined by spaces, without joining
// them.
func compare(name, a, b, c string) int {
	for i, part := range [...]string{a, b, c} {
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

// harmless says why a call changes nothing: "help" or "dry-run"; "" = it may.
func (r *reading) harmless() shell.Category {
	if len(r.flags) == 0 && len(r.words) == r.extra {
		return shell.NoCategory
	}
	if r.onlyVersion() || r.isHelp() {
		return shell.Help
	}
	if r.row.real || r.sub != nil && r.sub.real {
		return shell.NoCategory
	}
	if !knows(r.name) && !knows(r.call.Name) {
		return shell.NoCategory
	}
	if r.has("--dry-run") == yes || r.has("--dryrun") == yes || r.own(r.row.dry) ||
		r.sub != nil && r.own(r.sub.dry) || r.sub2 != nil && r.own(r.sub2.dry) {
		return shell.DryRun
	}
	return shell.NoCategory
}

// own reports whether one of a program's own flags is given.
func (r *reading) own(list string) bool { return list != "" && r.any(list, ' ') == yes }

// onlyVersion reports whether the version is all that is asked for. A program
// that is named by its path may take --version for anything.
func (r *reading) onlyVersion() bool {
	if strings.ContainsRune(r.call.Path, '/') && r.row == &unlisted && !knows(r.name) {
		return false
	}
	if len(r.call.Args) != 1 {
		return false
	}
	switch r.call.Args[0].Text {
	case "--version", "-V", "-version":
		return true
	case "--help":
		return knows(r.name)
	case "-v", "version":
		return r.row != &unlisted
	}
	return false
}

// isHelp reports whether a call only prints help. --help ends a program that has a
// row, behind nothing but its subcommands: an option or operand before it may act,
// and what runs others hands it on.
func (r *reading) isHelp() bool {
	if r.row == &unlisted && !knows(r.name) {
		return false
	}
	if r.endsInHelp() {
		return true
	}
	if !r.row.subs || len(r.words) <= r.extra {
		return false
	}
	// The AWS CLI takes the word at the end: aws s3 rm help.
	return r.words[r.extra].Text == "help" || r.name == "aws" && len(r.words) > 1 && len(r.words) <= 3 && r.words[len(r.words)-1].Text == "help"
}

// endsInHelp reports whether a call is the program, its subcommands, flags without
// a value and one for help.
func (r *reading) endsInHelp() bool {
	args := r.call.Args
	if len(args) == 0 || len(args) > 6 || len(r.call.Env) > 0 {
		return false
	}
	words := args[1:]
	if first := args[0].Text; first != "--help" && !r.helps(first) {
		words = args[:len(args)-1]
		if last := args[len(args)-1].Text; last != "--help" && !r.helps(last) {
			return false
		}
	}
	if len(words) > 0 && !r.row.subs {
		return false
	}
	for i, w := range words {
		if len(w.From) > 0 || w.Glob || !r.passive(w.Text) {
			return false
		}
		switch w.Text {
		case "run", "exec", "x", "dlx", "tool", "script", "eval", "foreach", "start", "test":
			if i+1 < len(words) {
				return false
			}
		}
	}
	return true
}

// passive reports whether a word beside --help does nothing: a subcommand, or a flag
// that takes no value.
func (r *reading) passive(word string) bool {
	if word == "" || strings.Trim(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_:") != "" {
		return false
	}
	if word[0] != '-' {
		return true
	}
	for _, row := range [...]*program{r.row, r.sub, r.sub2} {
		if row != nil && strings.Contains(" "+row.values+" ", " "+word+" ") {
			return false
		}
	}
	for _, part := range [...]string{"exec", "config", "command", "cmd", "eval", "script", "shell", "hook", "pager", "editor"} {
		if strings.Contains(word, part) {
			return false
		}
	}
	return strings.HasPrefix(word, "--") && word != "--"
}

// helps reports whether a flag is one of the row's for help.
func (r *reading) helps(flag string) bool {
	for _, row := range [...]*program{r.row, r.sub, r.sub2} {
		if row == nil {
			continue
		}
		for f := range strings.FieldsSeq(row.help) {
			if f == flag {
				return true
			}
		}
	}
	return false
}
