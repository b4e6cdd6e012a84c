package files

import (
	"path"
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// maxLook bounds the directory entries that are read for one call.
const maxLook = shell.MaxEntries

// A match is a file on disk that a pattern names.
type match struct {
	path        string
	dir         bool
	link        bool // it is a symlink itself
	throughLink bool // a symlink is on the way to it
}

// A diskWalk reads directories on disk up to a limit.
type diskWalk struct {
	list       func(dir string) ([]shell.Entry, bool)
	left       int
	incomplete bool // there is more than was read
	out        []match
}

// globDisk returns the files on disk that an absolute pattern names. all reports whether these are
// all; if the disk cannot be read, it is false.
func (j *job) globDisk(pattern string) (list []match, all bool) {
	if j.p == nil || j.p.List == nil || j.base.remote || !strings.HasPrefix(pattern, "/") {
		return nil, false
	}
	l := diskWalk{list: j.p.List, left: maxLook}
	l.walk("", strings.TrimLeft(pattern, "/"), false)
	return l.out, !l.incomplete
}

// walk adds what matches the rest of a pattern below a directory.
func (l *diskWalk) walk(dir, rest string, past bool) {
	for rest != "" && !isGlob(firstPart(rest)) {
		part := firstPart(rest)
		dir += "/" + part
		rest = strings.TrimPrefix(rest[len(part):], "/")
	}
	if rest == "" {
		// What lies behind the last pattern may be there or not.
		l.out = append(l.out, match{path: dir, throughLink: past})
		return
	}
	part := firstPart(rest)
	behind := strings.TrimPrefix(rest[len(part):], "/")
	if part == "**" && behind != "" {
		l.walk(dir, behind, past)
	}
	for _, e := range l.readDir(dir) {
		switch at := dir + "/" + e.Name; {
		case part == "**" && behind != "":
			if e.Dir {
				l.walk(at, rest, past)
			}
		case !matchesName(part, e.Name):
		case behind == "":
			l.out = append(l.out, match{at, e.Dir, e.Link, past})
		case e.Dir || e.Link:
			l.walk(at, behind, past || e.Link)
		}
	}
}

// readDir returns the entries of a directory within the limit.
func (l *diskWalk) readDir(dir string) []shell.Entry {
	if l.left <= 0 {
		l.incomplete = true
		return nil
	}
	list, all := l.list(dir)
	l.incomplete = l.incomplete || !all
	if len(list) > l.left {
		list, l.incomplete = list[:l.left], true
	}
	l.left -= max(len(list), 1)
	return list
}

// matchesName reports whether a shell's pattern may match a file name.
func matchesName(part, name string) bool {
	switch {
	case name[0] == '.' && part[0] != '.':
		return false
	case strings.Contains(part, "("):
		return true
	}
	return matchGlob(part, name)
}

// diskPath returns the path of a location on disk.
func (j *job) diskPath(s *location) string {
	if strings.HasPrefix(s.path, "~") {
		return j.base.home + s.path[1:]
	}
	return s.path
}

// matchesFile reports whether a pattern names an existing file, as far as that is known. If the disk
// cannot be read, it does, since that is what patterns are for.
func (j *job) matchesFile(pattern string, deep bool) bool {
	if j.p == nil || j.p.List == nil {
		return true
	}
	if deep {
		dir, _ := trimEverything(pattern)
		for isGlob(path.Base(dir)) {
			dir = path.Dir(dir)
		}
		list, all := j.p.List(dir)
		return len(list) > 0 || !all
	}
	list, all := j.globDisk(pattern)
	for i := range list {
		if !list[i].dir && (!list[i].throughLink || j.p.Kind == nil || j.p.Kind(list[i].path) == shell.PathFile) {
			return true
		}
	}
	return !all
}

// setGlobLink sets the target of a symlink that a pattern names, if that is elsewhere.
func (j *job) setGlobLink(s *location) {
	if s.linkTarget != nil || !isGlob(s.path) || !s.isDisposable() || j.base.real == nil {
		return
	}
	list, _ := j.globDisk(j.diskPath(s))
	for i := range list {
		if !list[i].link && !list[i].throughLink {
			continue
		}
		if to, out := j.diskTarget(list[i].path + "/."); out && (s.linkTarget == nil || to.kind != "") {
			s.linkTarget = &to
		}
	}
}

// diskTarget returns where a path on disk ends, and whether that is outside of disposable locations.
func (j *job) diskTarget(p string) (to location, out bool) {
	end := path.Clean(j.base.real(p))
	b := j.base.withRealDirs()
	to = b.locatePath(end, end)
	return to, !to.isDisposable()
}

// addThroughLinks adds the effect of a deletion by a pattern that goes through symlinks: those whose
// contents the pattern names and, with a slash at the end, those that it names itself.
func (j *job) addThroughLinks(s *location, text string, tree bool) {
	if !isGlob(s.path) || !s.isDisposable() || j.base.real == nil || j.p == nil || j.p.List == nil || strings.Count(text, "/") == 0 {
		return
	}
	slash := strings.HasSuffix(text, "/")
	list, all := j.globDisk(j.diskPath(s))
	for i := range list {
		m := &list[i]
		at := m.path
		switch {
		case slash && (m.link || m.throughLink):
			at += "/."
		case !m.throughLink:
			continue
		}
		if to, out := j.diskTarget(at); out {
			j.addEffect(&deletes, to, deleteVerdict(to, tree))
		}
	}
	if !all && slash && tree {
		j.addEffect(&deletes, *s, medium) // not all of it was looked at
	}
}

// followTree walks a tree on disk with its symlinks, as programs do that follow them. to is the target
// of one that leaves disposable locations; known reports whether all of the tree was read.
func (j *job) followTree(dir string) (to location, out, known bool) {
	dir, _ = trimEverything(dir)
	if j.p == nil || j.p.List == nil || j.base.real == nil || !strings.HasPrefix(dir, "/") {
		return to, false, false
	}
	l := diskWalk{list: j.p.List, left: maxLook}
	todo := []string{dir}
	for len(todo) > 0 {
		at := todo[0]
		todo = todo[1:]
		for _, e := range l.readDir(at) {
			switch p := at + "/" + e.Name; {
			case e.Dir:
				todo = append(todo, p)
			case e.Link:
				if to, out = j.diskTarget(p + "/."); out {
					return to, true, true
				}
			}
		}
	}
	return to, false, !l.incomplete
}

// followedTarget returns where a program that follows symlinks gets to from a disposable location.
func (j *job) followedTarget(s *location, follows bool) (to location, out bool) {
	if !follows || !s.isDisposable() {
		return to, false
	}
	to, out, _ = j.followTree(j.diskPath(s))
	return to, out
}

// dashFileEffects returns the effect of a pattern that matches a file on disk whose name begins with a
// dash, so that a program takes it for an option: tar cf x * with a file --checkpoint-action=exec=….
// Only patterns that the shell itself expands count.
func dashFileEffects(c *shell.Call, p *shell.Place) []shell.Effect {
	if p == nil || p.List == nil || c.Remote != "" {
		return nil
	}
	patterns := 0
	for i := range c.Args {
		w := &c.Args[i]
		if w.Text == "--" || patterns == maxPatterns {
			return nil
		}
		if !w.Glob || w.Text == "" || strings.IndexByte("*?[-", w.Text[0]) < 0 || strings.Contains(w.Text, "/") {
			continue
		}
		patterns++
		j := newJob(c, p)
		list, _ := j.globDisk(j.base.absolutePath(w.Text))
		for k := range list {
			name := path.Base(list[k].path)
			if len(name) > 1 && name[0] == '-' && !isPlainReader(c.Name) {
				j.addPathless(medium, "run", shell.Run, "option-name", "may read a file name as an option: write ./* instead")
				return j.out
			}
		}
	}
	return nil
}

// maxPatterns bounds the patterns of a call for which the disk is read.
const maxPatterns = 8

// isPlainReader reports whether a program is harmless with any options.
func isPlainReader(name string) bool { return program.Is(name, program.IsPlainReader) }
