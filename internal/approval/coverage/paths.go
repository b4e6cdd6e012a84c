package coverage

import (
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
)

const maxMatches = 256 // paths that one pattern may match

// A spot is where a call runs: one directory, or several if an earlier cd may have failed.
type spot struct {
	dirs []string
	lost bool // one of the directories is unknown
}

// spotOf returns where c runs if the text that contains c runs in dir.
func (p *planner) spotOf(c *shell.Call, dir string) spot {
	var s spot
	add := func(d string) {
		switch {
		case d == "":
			d = dir
		case strings.ContainsRune(d, shell.Placeholder):
			s.lost = true
			return
		case !filepath.IsAbs(d):
			d = p.resolveDots(dir, d)
		}
		if isProcessPath(d) {
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

// resolveWord returns the paths that w names at the spot at. known is false if some of them cannot be
// determined before w is expanded at run time.
func (p *planner) resolveWord(w shell.Word, at spot) (out []string, known bool) {
	text := w.Text
	if text == "" || len(text) > 4096 || strings.IndexByte(text, 0) >= 0 {
		return nil, true
	}
	if !w.IsKnown() {
		return nil, false
	}
	// A shell has already expanded ~+ and ~-; to other programs they are plain names.
	if text[0] == '~' && !w.Quoted && !strings.HasPrefix(text, "~+") && !strings.HasPrefix(text, "~-") {
		rest, ok := strings.CutPrefix(text, "~/")
		if !ok || p.place.Home == "" {
			return nil, false // the home directory of another user
		}
		text = filepath.Join(p.place.Home, rest)
	}
	dirs := at.dirs
	if known = !at.lost; isAbs(text) && !isProcessPath(text) {
		dirs, known = []string{""}, true
	}
	for _, dir := range dirs {
		full := text
		if !isProcessPath(text) {
			full = p.resolveDots(dir, text)
		} else if !isAbs(text) {
			full = filepath.Join(dir, text)
		}
		full, ok := cleanPath(full)
		if !ok {
			known = false
			continue
		}
		if isAbs(text) {
			text = full
		}
		if w.Glob && strings.ContainsAny(text, "*?[") {
			list, ok := p.expandPattern(dir, text)
			known = known && ok
			out = append(out, list...)
			continue
		}
		out = append(out, full)
	}
	return out, known
}

func isAbs(s string) bool { return filepath.IsAbs(s) || strings.HasPrefix(s, "/") }

// expandPattern returns the existing paths that the glob pattern matches in dir. It reports false if
// they cannot be determined.
func (p *planner) expandPattern(dir, pattern string) ([]string, bool) {
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
				full := p.resolveDots(d, part)
				if p.disk.Kind(full) != Nothing {
					next = append(next, full)
				}
				continue
			}
			names, err := p.disk.Names(d)
			if err != nil {
				if p.disk.Kind(d) == Directory {
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
				} else if ok && (i == len(parts)-1 || p.disk.Kind(filepath.Join(d, name)) == Directory) {
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

// addFromPath covers the programs called name in list, a value of PATH whose relative elements are
// resolved in each of dirs. It covers programs of the repository and those in directories that the
// hook itself adds to PATH.
func (p *planner) addFromPath(name, list string, dirs []string) {
	if name == "" || strings.ContainsAny(name, "/\x00"+string(shell.Placeholder)) {
		return
	}
	elems := filepath.SplitList(list)
	if list == "" {
		elems = []string{""} // the working directory
	}
	last := -1
	for i, elem := range elems {
		if p.belongsToHook(elem) {
			last = i
		}
	}
	for _, dir := range dirs {
		for _, elem := range elems[:last+1] {
			own := p.belongsToHook(elem)
			switch {
			case strings.ContainsRune(elem, shell.Placeholder):
				continue
			case elem == "" || !isAbs(elem):
				elem = p.resolveDots(dir, elem)
			}
			full := filepath.Join(elem, name)
			if own {
				// The search goes on, since the file may turn out not to be executable.
				if p.addFile(full, false) {
					p.followExecuted(full, nil, spot{dirs: []string{dir}})
				}
			} else if p.disk.Kind(full) == Regular {
				break
			}
		}
	}
}

// belongsToHook reports whether elem, an element of PATH, lies in the repository or was added to PATH
// by the hook.
func (p *planner) belongsToHook(elem string) bool {
	switch {
	case strings.ContainsRune(elem, shell.Placeholder):
		return false
	case elem == "" || !isAbs(elem):
		return true
	}
	elem = filepath.Clean(elem)
	if p.inRepo(elem) {
		return true
	}
	if isSystem(p.place.Root, elem) {
		return false
	}
	for _, one := range p.ambientPath() {
		if filepath.Clean(one) == elem {
			return false // from the user's own PATH
		}
	}
	return true
}

// ambientPath returns the elements that PATH has without the hook's changes.
func (p *planner) ambientPath() []string {
	if p.path == nil {
		p.path = append([]string{}, filepath.SplitList(lookupEnv(p.place.Environ, "PATH"))...)
	}
	return p.path
}

// environOrDefault returns list, or the environment of this process if list is nil.
func environOrDefault(list []string) []string {
	if list == nil {
		return os.Environ()
	}
	return list
}
