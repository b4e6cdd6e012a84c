package coverage

import (
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
)

const maxMatches = 256 // paths that a pattern is expanded to

// A spot is where a call runs: one directory, or several when a cd before it may have
// failed.
type spot struct {
	dirs []string
	lost bool // there is one that is not known
}

// spotOf is where a call runs that a text in dir starts.
func (p *planner) spotOf(c *shell.Call, dir string) spot {
	var s spot
	add := func(d string) {
		switch {
		case d == "":
			d = dir
		case strings.ContainsRune(d, shell.Hole):
			s.lost = true
			return
		case !filepath.IsAbs(d):
			d = p.where(dir, d)
		}
		if isSpecial(d) {
			s.lost = true
			return
		}
		s.dirs = append(s.dirs, filepath.Clean(d))
	}
	add(c.Dir)
	for _, d := range c.Dirs {
		add(d)
	}
	return s
}

// paths are the files that a word names at a spot. known is false when it has a part
// that is only known when it runs.
func (p *planner) paths(w shell.Word, at spot) (out []string, known bool) {
	text := w.Text
	if text == "" || len(text) > 4096 || strings.IndexByte(text, 0) >= 0 {
		return nil, true
	}
	if !w.Known() {
		return nil, false
	}
	// What a shell knows of ~+ and ~- it replaced; to others it is a name.
	if text[0] == '~' && !w.Quoted && !strings.HasPrefix(text, "~+") && !strings.HasPrefix(text, "~-") {
		rest, ok := strings.CutPrefix(text, "~/")
		if !ok || p.place.Home == "" {
			return nil, false // another user's
		}
		text = filepath.Join(p.place.Home, rest)
	}
	dirs := at.dirs
	if known = !at.lost; isAbs(text) && !isSpecial(text) {
		dirs, known = []string{""}, true
	}
	for _, dir := range dirs {
		full := text
		if !isSpecial(text) {
			full = p.where(dir, text)
		} else if !isAbs(text) {
			full = filepath.Join(dir, text)
		}
		full, ok := lead(full)
		if !ok {
			known = false
			continue
		}
		if isAbs(text) {
			text = full
		}
		if w.Glob && strings.ContainsAny(text, "*?[") {
			list, ok := p.expand(dir, text)
			known = known && ok
			out = append(out, list...)
			continue
		}
		out = append(out, full)
	}
	return out, known
}

func isAbs(s string) bool { return filepath.IsAbs(s) || strings.HasPrefix(s, "/") }

// expand is what a pattern comes to now. It is false when that cannot be told.
func (p *planner) expand(dir, pattern string) ([]string, bool) {
	if strings.ContainsAny(pattern, "()|") {
		return nil, false
	}
	at := []string{dir}
	if isAbs(pattern) {
		at = []string{string(filepath.Separator)}
	}
	parts := strings.Split(strings.Trim(pattern, "/"), "/")
	for i, part := range parts {
		var next []string
		for _, d := range at {
			if !strings.ContainsAny(part, "*?[") {
				full := p.where(d, part)
				if p.look.Kind(full) != Nothing {
					next = append(next, full)
				}
				continue
			}
			names, err := p.look.Names(d)
			if err != nil {
				if p.look.Kind(d) == Directory {
					return nil, false
				}
				continue
			}
			glob := strings.ReplaceAll(part, "[!", "[^")
			for _, name := range names {
				if name[0] == '.' && part[0] != '.' {
					continue
				}
				if ok, err := path.Match(glob, name); err != nil {
					return nil, false
				} else if ok && (i == len(parts)-1 || p.look.Kind(filepath.Join(d, name)) == Directory) {
					next = append(next, filepath.Join(d, name))
				}
			}
		}
		if at = next; len(at) > maxMatches {
			return nil, false
		}
	}
	return at, true
}

// search covers what a bare name leads to by PATH: programs of the repository, and
// those of directories that the hook itself adds to it.
func (p *planner) search(name, list string, dirs []string) {
	if name == "" || strings.ContainsAny(name, "/\x00"+string(shell.Hole)) {
		return
	}
	elems := filepath.SplitList(list)
	if list == "" {
		elems = []string{""} // which is where one is
	}
	last := -1
	for i, elem := range elems {
		if p.searched(elem) {
			last = i
		}
	}
	for _, dir := range dirs {
		for _, elem := range elems[:last+1] {
			own := p.searched(elem)
			switch {
			case strings.ContainsRune(elem, shell.Hole):
				continue
			case elem == "" || !isAbs(elem):
				elem = p.where(dir, elem)
			}
			full := filepath.Join(elem, name)
			if own {
				// Whether it can be executed decides if the search goes on behind it.
				if p.part(full, false) {
					p.executed(full, nil, spot{dirs: []string{dir}})
				}
			} else if p.look.Kind(full) == Regular {
				break
			}
		}
	}
}

// searched reports whether what lies in an element of PATH counts as the hook's.
func (p *planner) searched(elem string) bool {
	switch {
	case strings.ContainsRune(elem, shell.Hole):
		return false
	case elem == "" || !isAbs(elem):
		return true
	}
	elem = filepath.Clean(elem)
	if p.brought(elem) {
		return true
	}
	if isSystem(p.place.Root, elem) {
		return false
	}
	for _, one := range p.ambient() {
		if filepath.Clean(one) == elem {
			return false // the person's own
		}
	}
	return true
}

// ambient is PATH as it is without the hook.
func (p *planner) ambient() []string {
	if p.path == nil {
		p.path = append([]string{}, filepath.SplitList(lookup(p.place.Environ, "PATH"))...)
	}
	return p.path
}

// orProcess returns an environment, or that of the process if list is nil.
func orProcess(list []string) []string {
	if list == nil {
		return os.Environ()
	}
	return list
}
