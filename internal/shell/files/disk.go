package files

import (
	"path"
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// maxLook bounds the directory entries that are read for one pattern or tree.
const maxLook = shell.MaxEntries

// A match is a file on disk that matches a pattern.
type match struct {
	path        string
	dir         bool
	link        bool // it is a symlink itself
	throughLink bool // its path goes through a symlink
}

// A diskWalk collects files on disk, and reads at most a given number of directory entries.
type diskWalk struct {
	list func(dir string) ([]shell.Entry, bool)
	// left is the number of entries that may still be read.
	left       int
	incomplete bool // not all entries were read
	out        []match
}

// globDisk returns the files on disk that match pattern, an absolute path. complete reports whether
// the list is complete; it is false if the disk cannot be read.
func (j *job) globDisk(pattern string) (list []match, complete bool) {
	if j.p == nil || j.p.List == nil || j.base.remote || !strings.HasPrefix(pattern, "/") {
		return nil, false
	}
	l := diskWalk{list: j.p.List, left: maxLook}
	l.addMatches("", strings.TrimLeft(pattern, "/"), false)
	return l.out, !l.incomplete
}

// addMatches adds the files below dir that match rest, the remaining elements of a pattern. past
// reports whether a symlink is in dir.
func (l *diskWalk) addMatches(dir, rest string, past bool) {
	for rest != "" && !isGlob(firstElement(rest)) {
		part := firstElement(rest)
		dir += "/" + part
		rest = strings.TrimPrefix(rest[len(part):], "/")
	}
	if rest == "" {
		// The literal elements after the last pattern may not exist.
		l.out = append(l.out, match{path: dir, throughLink: past})
		return
	}
	part := firstElement(rest)
	behind := strings.TrimPrefix(rest[len(part):], "/")
	if part == "**" && behind != "" {
		l.addMatches(dir, behind, past)
	}
	for _, e := range l.readDir(dir) {
		switch at := dir + "/" + e.Name; {
		case part == "**" && behind != "":
			if e.Dir {
				l.addMatches(at, rest, past)
			}
		case !matchesName(part, e.Name):
		case behind == "":
			l.out = append(l.out, match{at, e.Dir, e.Link, past})
		case e.Dir || e.Link:
			l.addMatches(at, behind, past || e.Link)
		}
	}
}

// readDir returns the entries of dir, at most as many as may still be read.
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

// matchesName reports whether part, a pattern of a shell, may match the file name name.
func matchesName(part, name string) bool {
	switch {
	case name[0] == '.' && part[0] != '.':
		return false
	case strings.Contains(part, "("):
		return true
	}
	return matchGlob(part, name)
}

// diskPath returns the path of s with the home directory in place of ~.
func (j *job) diskPath(s *location) string {
	if strings.HasPrefix(s.path, "~") {
		return j.base.home + s.path[1:]
	}
	return s.path
}

// matchesFile reports whether pattern matches an existing file. If that is unknown, it returns true,
// since patterns are meant to match. If anyInDir is true, any file in the directory counts.
func (j *job) matchesFile(pattern string, anyInDir bool) bool {
	if j.p == nil || j.p.List == nil {
		return true
	}
	if anyInDir {
		dir, _ := trimMatchAll(pattern)
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

// setGlobLink sets s.linkTarget to the target of a symlink that matches the pattern s, if the target
// is not disposable.
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

// diskTarget returns the location of the path p on disk with symlinks resolved. valuable reports
// whether that location is not disposable.
func (j *job) diskTarget(p string) (to location, valuable bool) {
	end := path.Clean(j.base.real(p))
	b := j.base.withRealDirs()
	to = b.locatePath(end, end)
	return to, !to.isDisposable()
}

// addLinkedDeletes adds the effects of deleting the pattern s on files that are reached through
// symlinks. If text, the pattern as written, ends in a slash, the symlinks that match it are followed
// too.
func (j *job) addLinkedDeletes(s *location, text string, tree bool) {
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
		j.addEffect(&deletes, *s, medium) // some entries were not checked
	}
}

// followTree walks the tree dir on disk and follows its symlinks. If one leads out of disposable
// locations, to is its target and out is true. known reports whether the result is certain.
func (j *job) followTree(dir string) (to location, out, known bool) {
	dir, _ = trimMatchAll(dir)
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

// followedTarget returns the location outside of disposable ones that a program reaches from s through
// symlinks. It reports false if there is none, or if the program does not follow symlinks.
func (j *job) followedTarget(s *location, follows bool) (to location, found bool) {
	if !follows || !s.isDisposable() {
		return to, false
	}
	to, found, _ = j.followTree(j.diskPath(s))
	return to, found
}

// dashFileEffects returns the effect of a pattern in c that matches a file on disk whose name begins
// with a dash, so that the program takes it for an option: tar cf x * with a file
// --checkpoint-action=exec=…. Only patterns that the shell itself expands count.
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

// maxPatterns bounds the patterns of a call that are compared with files on disk.
const maxPatterns = 8

// isPlainReader reports whether the program name is harmless with any options.
func isPlainReader(name string) bool { return program.Is(name, program.IsPlainReader) }
