package files

import (
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// trimMatchAll returns abs without trailing patterns that match everything, so that ~/* becomes the
// home directory. It also removes an unknown last element, which may be empty. trimmed reports
// whether it removed anything.
func trimMatchAll(abs string) (dir string, trimmed bool) {
	dir = abs
	for {
		i := strings.LastIndexByte(dir, '/')
		last := dir[i+1:]
		if !matchesEverything(last) && last != placeholder {
			return dir, trimmed
		}
		trimmed = true
		switch {
		case i < 0:
			return ".", true
		case i == 0:
			return "/", true
		case i == 2 && hasDrive(dir):
			return dir[:3], true
		}
		dir = dir[:i]
	}
}

// matchesEverything reports whether part, an element of a path, is a pattern that matches nearly all
// names, such as *, .*, *.*, ?*, [a-z]* and !(keep).
func matchesEverything(part string) bool {
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

// isGlob reports whether p has pattern characters.
func isGlob(p string) bool { return strings.ContainsAny(p, "*?[") }

// matchGlob reports whether name matches pattern, in which * and ? are special and a [set] matches any
// one character. An unusual pattern matches too much rather than too little. Time is bounded by the
// product of the lengths, and names in tables are short.
func matchGlob(pattern, name string) bool {
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

// MatchGlob reports whether name may match pattern. A slash is an ordinary character.
func MatchGlob(pattern, name string) bool { return matchGlob(pattern, name) }

// mayMatch reports whether part, an element of a path, is name or a pattern that matches name.
// Patterns that match everything do not count.
func mayMatch(part, name string) bool {
	return part == name || isGlob(part) && !matchesEverything(part) && len(part) < 64 && matchGlob(part, name)
}

// pathText returns the text of w as a path. If part of w is the output of a program that prints a
// well-known directory, that part is replaced by the directory. p may be nil.
func pathText(w shell.Word, p *shell.Place) string {
	if len(w.From) != 1 || strings.Count(w.Text, placeholder) != 1 {
		return w.Text
	}
	from := w.From[0]
	with := ""
	switch program.PrintsOf(from.Name) {
	case program.PrintsTemporary:
		if hasMktempDir(from) {
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
		with = cacheDir(from)
	}
	if with == "" {
		return w.Text
	}
	return strings.Replace(w.Text, placeholder, with, 1)
}

// cacheDir returns a path for the download cache that c prints, or "" if it prints something else.
func cacheDir(c *shell.Call) string {
	if len(c.Args) == 0 || len(c.Args) > 3 {
		return ""
	}
	switch c.Args[len(c.Args)-1].Text {
	case "GOCACHE", "GOMODCACHE", "cache", "dir", "path", "--cache":
		return "~/.cache/" + c.Name
	}
	return ""
}

// hasMktempDir reports whether c, a call of mktemp, names a directory other than /tmp for its file.
func hasMktempDir(c *shell.Call) bool {
	for _, a := range c.Args {
		if strings.Contains(a.Text, "/") && !strings.Contains(a.Text, "/tmp/") || strings.HasPrefix(a.Text, "-p") {
			return true
		}
	}
	return false
}
