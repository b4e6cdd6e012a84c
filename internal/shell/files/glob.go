package files

import (
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// trimEverything removes trailing patterns that match everything from a path: ~/* means the home
// directory. It also removes an unknown last part, which may be empty. all reports whether it removed
// any.
func trimEverything(abs string) (dir string, all bool) {
	dir = abs
	for {
		i := strings.LastIndexByte(dir, '/')
		last := dir[i+1:]
		if !matchesEverything(last) && last != placeholder {
			return dir, all
		}
		all = true
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

// matchesEverything reports whether a pattern matches nearly every name: *, .*, *.*, ?*, [a-z]*,
// !(keep).
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

// isGlob reports whether a path has pattern characters.
func isGlob(p string) bool { return strings.ContainsAny(p, "*?[") }

// matchGlob reports whether a name matches a pattern with * and ?; a [set] matches any one character.
// It is careful: an odd pattern rather matches too much. Time is bounded by the product of the
// lengths, and names in tables are short.
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

// MatchGlob reports whether a name may match a pattern; a slash is treated like any other character.
func MatchGlob(pattern, name string) bool { return matchGlob(pattern, name) }

// mayMatch reports whether a part of a path is the name, or a pattern that matches it.
func mayMatch(part, name string) bool {
	return part == name || isGlob(part) && !matchesEverything(part) && len(part) < 64 && matchGlob(part, name)
}

// pathText returns the text of a word as a path. Output that stands for a well-known directory is
// replaced by it.
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

// cacheDir returns the download cache that a call asks a program for, or "".
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

// hasMktempDir reports whether the arguments of mktemp name the directory of its file.
func hasMktempDir(c *shell.Call) bool {
	for _, a := range c.Args {
		if strings.Contains(a.Text, "/") && !strings.Contains(a.Text, "/tmp/") || strings.HasPrefix(a.Text, "-p") {
			return true
		}
	}
	return false
}
