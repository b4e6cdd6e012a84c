package files

import (
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// contents takes the patterns that mean everything off the end of a path: what
// ~/* names is the home directory. So does a last part that is not known, which
// may be empty.
func contents(abs string) (dir string, all bool) {
	dir = abs
	for {
		i := strings.LastIndexByte(dir, '/')
		last := dir[i+1:]
		if !everything(last) && last != holeText {
			return dir, all
		}
		all = true
		switch {
		case i < 0:
			return ".", true
		case i == 0:
			return "/", true
		case i == 2 && driveRoot(dir):
			return dir[:3], true
		}
		dir = dir[:i]
	}
}

// everything reports whether a pattern fits about every name: *, .*, *.*, ?*,
// [a-z]*, !(keep).
func everything(part string) bool {
	if len(part) > 1 && (part[0] == '!' || part[0] == '*') && part[1] == '(' {
		return true
	}
	star, set := false, false
	for i := 0; i < len(part); i++ {
		switch c := part[i]; {
		case set:
			set = c != ']'
		case c == '[':
			set = strings.IndexByte(part[i:], ']') > 0
			if !set {
				return false
			}
		case c == '*':
			star = true
		case c != '.' && c != '?':
			return false
		}
	}
	return star
}

// globbed reports whether a path has pattern characters.
func globbed(p string) bool { return strings.ContainsAny(p, "*?[") }

// fits reports whether a name fits a pattern with * and ?; a [set] fits any one
// character. It is careful: an odd pattern fits rather too much. Time is bounded
// by the product of the lengths, and names in tables are short.
func fits(pattern, name string) bool {
	p, n := 0, 0
	star, mark := -1, 0
	for n < len(name) {
		if p < len(pattern) {
			switch c := pattern[p]; {
			case c == '*':
				star, mark = p, n
				p++
				continue
			case c == '?' || c == name[n]:
				p++
				n++
				continue
			case c == '[':
				if end := strings.IndexByte(pattern[p:], ']'); end > 0 {
					p += end + 1
					n++
					continue
				}
			}
		}
		if star < 0 {
			return false
		}
		mark++
		p, n = star+1, mark
	}
	for p < len(pattern) && pattern[p] == '*' {
		p++
	}
	return p == len(pattern)
}

// Fits reports whether a name may fit a pattern; a slash is a letter as others are.
func Fits(pattern, name string) bool { return fits(pattern, name) }

// could reports whether a part of a path is the name, or a pattern that fits it.
func could(part, name string) bool {
	return part == name || globbed(part) && !everything(part) && len(part) < 64 && fits(part, name)
}

// word is the text of a word as a path. Output that stands for a well-known
// directory is put in its place.
func word(w shell.Word, p *shell.Place) string {
	if len(w.From) != 1 || strings.Count(w.Text, holeText) != 1 {
		return w.Text
	}
	from := w.From[0]
	with := ""
	switch program.PrintsOf(from.Name) {
	case program.PrintsTemporary:
		if mktempHere(from) {
			return w.Text
		}
		with = "/tmp/mktemp"
	case program.PrintsWorking:
		with = "."
	case program.PrintsRepository:
		if len(from.Args) == 2 && from.Args[0].Text == "rev-parse" && from.Args[1].Text == "--show-toplevel" {
			with = "."
			if p != nil && p.Root != "" {
				with = p.Root
			}
		}
	case program.PrintsCache:
		with = cacheOf(from)
	}
	if with == "" {
		return w.Text
	}
	return strings.Replace(w.Text, holeText, with, 1)
}

// cacheOf is where the download cache lies that a program is asked for.
func cacheOf(c *shell.Call) string {
	if len(c.Args) == 0 || len(c.Args) > 3 {
		return ""
	}
	switch c.Args[len(c.Args)-1].Text {
	case "GOCACHE", "GOMODCACHE", "cache", "dir", "path", "--cache":
		return "~/.cache/" + c.Name
	}
	return ""
}

// mktempHere reports whether mktemp is told where to make its file.
func mktempHere(c *shell.Call) bool {
	for _, a := range c.Args {
		if strings.Contains(a.Text, "/") && !strings.Contains(a.Text, "/tmp/") || strings.HasPrefix(a.Text, "-p") {
			return true
		}
	}
	return false
}
