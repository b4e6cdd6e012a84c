package files

import (
	"path"
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// maxLook bounds how much of the disk is looked at for one call.
const maxLook = shell.MaxEntries

// A match is something on disk that a pattern names.
type match struct {
	path string
	dir  bool
	link bool // it is a link itself
	past bool // a link is on the way to it
}

// A look goes through directories on disk, so far as the bound allows.
type look struct {
	list func(dir string) ([]shell.Entry, bool)
	left int
	over bool // there is more than was looked at
	out  []match
}

// matches are what an absolute pattern names on disk. All says that these are all;
// without a look at the disk it is false.
func (j *job) matches(pattern string) (list []match, all bool) {
	if j.p == nil || j.p.List == nil || j.base.remote || !strings.HasPrefix(pattern, "/") {
		return nil, false
	}
	l := look{list: j.p.List, left: maxLook}
	l.walk("", strings.TrimLeft(pattern, "/"), false)
	return l.out, !l.over
}

// walk adds what fits the rest of a pattern below a directory.
func (l *look) walk(dir, rest string, past bool) {
	for rest != "" && !globbed(first(rest)) {
		part := first(rest)
		dir += "/" + part
		rest = strings.TrimPrefix(rest[len(part):], "/")
	}
	if rest == "" {
		// What lies behind the last pattern may be there or not.
		l.out = append(l.out, match{path: dir, past: past})
		return
	}
	part := first(rest)
	behind := strings.TrimPrefix(rest[len(part):], "/")
	if part == "**" && behind != "" {
		l.walk(dir, behind, past)
	}
	for _, e := range l.entries(dir) {
		switch at := dir + "/" + e.Name; {
		case part == "**" && behind != "":
			if e.Dir {
				l.walk(at, rest, past)
			}
		case !names(part, e.Name):
		case behind == "":
			l.out = append(l.out, match{at, e.Dir, e.Link, past})
		case e.Dir || e.Link:
			l.walk(at, behind, past || e.Link)
		}
	}
}

// entries lists a directory within the bound.
func (l *look) entries(dir string) []shell.Entry {
	if l.left <= 0 {
		l.over = true
		return nil
	}
	list, all := l.list(dir)
	l.over = l.over || !all
	if len(list) > l.left {
		list, l.over = list[:l.left], true
	}
	l.left -= max(len(list), 1)
	return list
}

// names reports whether a shell's pattern may name a file.
func names(part, name string) bool {
	switch {
	case name[0] == '.' && part[0] != '.':
		return false
	case strings.Contains(part, "("):
		return true
	}
	return fits(part, name)
}

// onDisk is the path of a spot as the disk has it.
func (j *job) onDisk(s *spot) string {
	if strings.HasPrefix(s.path, "~") {
		return j.base.home + s.path[1:]
	}
	return s.path
}

// named reports whether a pattern names a file that is there, as far as that is
// known: without a look at the disk it does, for that is what patterns are for.
func (j *job) named(pattern string, deep bool) bool {
	if j.p == nil || j.p.List == nil {
		return true
	}
	if deep {
		dir, _ := contents(pattern)
		for globbed(path.Base(dir)) {
			dir = path.Dir(dir)
		}
		list, all := j.p.List(dir)
		return len(list) > 0 || !all
	}
	list, all := j.matches(pattern)
	for i := range list {
		if !list[i].dir && (!list[i].past || j.p.Kind == nil || j.p.Kind(list[i].path) == shell.PathFile) {
			return true
		}
	}
	return !all
}

// beyond finds where a link leads that a pattern names, if that is elsewhere.
func (j *job) beyond(s *spot) {
	if s.behind != nil || !globbed(s.path) || !s.local() || j.base.real == nil {
		return
	}
	list, _ := j.matches(j.onDisk(s))
	for i := range list {
		if !list[i].link && !list[i].past {
			continue
		}
		if to, out := j.leads(list[i].path + "/."); out && (s.behind == nil || to.kind != "") {
			s.behind = &to
		}
	}
}

// leads returns where a path on disk ends, and whether little is lost there.
func (j *job) leads(p string) (to spot, out bool) {
	end := path.Clean(j.base.real(p))
	b := j.base.settled()
	to = b.at(end, end)
	return to, !to.local()
}

// passed is the outcome of a deletion by a pattern that goes through links: those of
// which the pattern names what is in them, and with a slash at the end those that it
// names.
func (j *job) passed(s *spot, text string, tree bool) {
	if !globbed(s.path) || !s.local() || j.base.real == nil || j.p == nil || j.p.List == nil || strings.Count(text, "/") == 0 {
		return
	}
	slash := strings.HasSuffix(text, "/")
	list, all := j.matches(j.onDisk(s))
	for i := range list {
		m := &list[i]
		at := m.path
		switch {
		case slash && (m.link || m.past):
			at += "/."
		case !m.past:
			continue
		}
		if to, out := j.leads(at); out {
			j.mark(&deletes, to, deleted(to, tree))
		}
	}
	if !all && slash && tree {
		j.mark(&deletes, *s, medium) // not all of it was looked at
	}
}

// followed goes through a tree on disk with its links, as programs do that follow
// them. To is where one leads that leaves the places where little is lost; known says
// that all of the tree was looked at.
func (j *job) followed(dir string) (to spot, out, known bool) {
	dir, _ = contents(dir)
	if j.p == nil || j.p.List == nil || j.base.real == nil || !strings.HasPrefix(dir, "/") {
		return to, false, false
	}
	l := look{list: j.p.List, left: maxLook}
	todo := []string{dir}
	for len(todo) > 0 {
		at := todo[0]
		todo = todo[1:]
		for _, e := range l.entries(at) {
			switch p := at + "/" + e.Name; {
			case e.Dir:
				todo = append(todo, p)
			case e.Link:
				if to, out = j.leads(p + "/."); out {
					return to, true, true
				}
			}
		}
	}
	return to, false, !l.over
}

// reached is where a program that follows links gets to from a spot of little worth.
func (j *job) reached(s *spot, follows bool) (to spot, out bool) {
	if !follows || !s.local() {
		return to, false
	}
	to, out, _ = j.followed(j.onDisk(s))
	return to, out
}

// optionNamed finds a file on disk that a pattern names and that a program takes for an
// option, for its name begins with a dash: tar cf x * where a --checkpoint-action=exec=…
// lies. Only what the shell itself puts in counts.
func optionNamed(c *shell.Call, p *shell.Place) []shell.Effect {
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
		list, _ := j.matches(j.base.absolute(w.Text))
		for k := range list {
			name := path.Base(list[k].path)
			if len(name) > 1 && name[0] == '-' && !plainNames(c.Name) {
				j.note(medium, "run", shell.Run, "option-name", "may read a file name as an option: write ./* instead")
				return j.out
			}
		}
	}
	return nil
}

// maxPatterns bounds for how many patterns of a call the disk is looked at.
const maxPatterns = 8

// plainNames reports whether a program does no harm whatever its options are.
func plainNames(name string) bool { return program.Is(name, program.IsPlainReader) }
