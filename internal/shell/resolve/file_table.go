package resolve

import (
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/argv"
	"github.com/checkrein/checkrein/internal/shell/expand"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// A fileTable is what the text did to files and directories, and what is in those that were there
// before, as far as they are read.
type fileTable struct {
	shellModel
	files    []file // that the text wrote, or that were read
	links    int    // how many of them are links
	writes   int
	lookups  int       // of files that were there before
	temps    int       // files and directories of mktemp
	dashed   []string  // files that the text made whose names begin with a dash
	fetched  []fetched // directories with what came from elsewhere
	compiled string    // a source of the text that was made into a program and cannot be read
	choice   int       // which of its values a variable with several has now
}

// A file is what the text itself did to a file or a directory.
type file struct {
	path string // normalised, with the machine before it when it is elsewhere
	base string // the last part of path
	content
	link  string // the path that it is a link to
	made  making
	seq   int  // of the write that made it
	depth int  // of the text that made it; -1 = within something else that may hide a failure
	dir   bool // it is a directory
	ok    bool // the text goes on only if it was made
	disk  bool // it was there before, and its text was read
}

// A content is what is in a file.
type content struct {
	text  string // as far as it is known
	sure  bool   // text is all of it
	old   bool   // there is also something that was there before
	vague bool   // it was changed in a way that is not followed
	prog  string // the program that it is a copy of
	from  []*shell.Call
	parts []*shell.Call // whose output are the unknown parts of text
}

// A making records whether a file can have been there before the text.
type making uint8

const (
	stood   making = iota // it can
	emptied               // whatever was there is gone, unless it is a directory
	tried                 // it was made, unless that failed
	fresh                 // it was not there
)

// nowhere reports whether a path is no file that keeps what is written to it.
func nowhere(path string) bool {
	return path == "" || path == "-" || strings.HasPrefix(path, "/dev/") && !strings.HasPrefix(path, "/dev/shm/") || strings.HasPrefix(path, "/proc/")
}

// spot is a path in the one form in which files are remembered.
func (w *fileTable) spot(path string, at *context) string {
	path = w.rawSpot(path, at)
	if w.links > 0 {
		path = w.follow(path)
	}
	return path
}

// rawSpot does not go along links.
func (w *shellModel) rawSpot(path string, at *context) string {
	if path == "" {
		path = "."
	}
	switch {
	case !argv.IsRooted(path):
		base := at.dir
		if base == "" && at.remote == "" {
			base = w.place.Dir
		}
		if base != "" {
			path = cleanJoin(base, path)
		}
		if !argv.IsRooted(path) {
			path = cleanJoin(".", path)
		}
	case !isClean(path):
		rooted := path[0] == '/'
		path = cleanJoin("", path)
		if !rooted {
			path = strings.TrimPrefix(path, "/") // ~/../x
		}
	}
	if at.remote != "" {
		path = at.remote + ":" + path
	}
	return path
}

// isClean reports whether a path is in its shortest form.
func isClean(path string) bool {
	return !strings.Contains(path, "//") && !strings.Contains(path, "/.") && (len(path) < 2 || path[len(path)-1] != '/')
}

// follow goes along the links to directories that the text made.
func (w *fileTable) follow(path string) string {
	for range maxLinks {
		found := false
		for i := range w.files {
			f := &w.files[i]
			if f.link != "" && len(path) > len(f.path) && path[len(f.path)] == '/' && strings.HasPrefix(path, f.path) {
				path, found = cleanJoin(f.link, path[len(f.path)+1:]), true
				break
			}
		}
		if !found {
			return path
		}
	}
	w.tooMuch() // a system gives up as well, but not so soon
	return path
}

// maxLinks bounds the links that one path goes along.
const maxLinks = 8

// file is what the text did to a file, or nil.
func (w *fileTable) file(path string) *file { return w.fileAt(path, &w.st.context) }

func (w *fileTable) fileAt(path string, at *context) *file {
	if !w.mayKnow() || nowhere(path) || len(path) > maxPath {
		return nil
	}
	f := w.target(w.spot(path, at))
	for i := 0; f == nil && i < len(at.altDirs); i++ {
		other := *at
		other.dir = at.altDirs[i]
		f = w.target(w.spot(path, &other))
	}
	return f
}

// target is the file at a path, or the one that it is a link to.
func (w *fileTable) target(full string) *file {
	for range maxLinks {
		f := w.known(full)
		if f == nil || f.link == "" {
			return f
		}
		if w.known(f.link) == nil {
			return f
		}
		full = f.link
	}
	w.tooMuch()
	return nil
}

// maxPath is longer than any path that a system takes.
const maxPath = 4096

func (w *fileTable) known(full string) *file {
	w.steps -= len(w.files) / 16
	for i := len(w.files) - 1; i >= 0; i-- {
		if w.files[i].path == full {
			return &w.files[i]
		}
	}
	return w.onDisk(full)
}

// entry is the file at a path, which is added when it is not there. It is nil
// when there is no room.
func (w *fileTable) entry(full string) *file {
	if f := w.known(full); f != nil {
		return f
	}
	if len(w.files) >= maxVars {
		w.tooMuch()
		return nil
	}
	w.files = append(w.files, file{path: full, base: full[strings.LastIndexByte(full, '/')+1:]})
	return &w.files[len(w.files)-1]
}

// write remembers what is written into a file: in its place, or behind what is
// there.
func (w *fileTable) write(path string, at *context, c content, more bool) *file {
	if nowhere(path) || len(path) > maxPath {
		return nil
	}
	full := w.spot(path, at)
	if f := w.known(full); f != nil && f.link != "" {
		full = f.link
	}
	have := len(w.files)
	f := w.entry(full)
	if f == nil || !w.pay(len(f.text)+len(c.text)) {
		return nil
	}
	w.writes++
	f.disk = false
	c.old = c.old || strings.Contains(path, placeholder) // another file may be meant
	c.sure = c.sure && !c.old
	isNew := len(w.files) > have
	switch {
	case more && isNew:
		c.old, c.sure = true, false
		f.content = c
	case more:
		f.text += c.text
		f.sure = f.sure && c.sure
		f.old, f.vague = f.old || c.old, f.vague || c.vague
		f.from, f.parts = expand.AddFrom(c.from, f.from), expand.AddFrom(f.parts, c.parts)
		f.prog = ""
	case !isNew && (w.conds > 0 || w.choice > 0) && f.text != c.text && f.text != "":
		// Either may be in it: what runs it runs both, one after the other.
		c.text = f.text + "\n" + c.text
		c.sure, c.old, c.vague = false, c.old || f.old, c.vague || f.vague
		c.from, c.parts = expand.AddFrom(c.from, f.from), expand.AddFrom(c.parts, f.parts)
		f.content = c
	default:
		f.content = c
	}
	if !more {
		w.came(f, emptied, w.depth)
		f.dir = false
	}
	return f
}

// came notes how a file came to be.
func (w *fileTable) came(f *file, how making, depth int) {
	if f.made == fresh && how == emptied {
		return
	}
	f.made, f.seq, f.depth, f.ok = how, w.writes, depth, false
	if w.capture > 0 {
		f.depth = -1
	}
}

// confirm notes that the text goes on only if what was written since some point
// was done.
func (w *fileTable) confirm(since int) {
	for i := range w.files {
		if f := &w.files[i]; f.seq > since && f.depth == w.depth {
			f.ok = true
		}
	}
}

// doubt takes back what was confirmed since some point.
func (w *fileTable) doubt(since int) {
	for i := range w.files {
		if f := &w.files[i]; f.seq > since {
			f.ok = false
		}
	}
}

// isMade reports whether all that a call can do to a file, it does to what the
// text made.
func (f *file) isMade(c *shell.Call) bool {
	switch {
	case f.made == fresh || f.ok && f.made != stood:
		return true
	case f.made != emptied:
		return false
	}
	for i := range c.Args {
		if t := c.Args[i].Text; len(t) > 1 && t[0] == '-' && (strings.ContainsAny(t, "rR") || strings.Contains(t, placeholder)) {
			return false // it may be a directory after all
		}
	}
	return true
}

// named are the files of the text that a call names.
func (w *fileTable) named(call *shell.Call, at *context) []shell.File {
	if w.place.Read != nil {
		w.lookUp(call, at)
	}
	w.steps -= len(w.files) * len(call.Args) / 16
	if w.links > 0 {
		w.throughLinks(call, at)
	}
	var out []shell.File
	if strings.ContainsAny(call.Path, "/.") { // uv run a.py
		out = w.nameFile(out, call, call.Path, at)
	}
	for i := range call.Args {
		if len(out) >= maxVars {
			w.tooMuch()
			break
		}
		out = w.nameFile(out, call, call.Args[i].Text, at)
	}
	for i := range call.Redir {
		if r := &call.Redir[i]; r.Op == "<" || r.Op == "<>" {
			out = w.nameFile(out, call, r.Target.Text, at)
		}
	}
	return w.implied(w.byCustom(out, call, at), call, at)
}

// nameFile adds the file that a word names: as it is, behind a = or behind an @.
func (w *fileTable) nameFile(out []shell.File, call *shell.Call, text string, at *context) []shell.File {
	bare := strings.TrimRight(text, "/")
	if bare == "" || len(bare) > maxPath {
		return out
	}
	whole := "" // where the text as it stands leads: most files are asked with it
	for i := range w.files {
		f := &w.files[i]
		if f.dir && f.made != fresh && !f.ok || !f.dir && !strings.HasSuffix(bare, f.base) {
			continue
		}
		if whole == "" {
			whole = w.spot(text, at)
		}
		path, full := text, whole
		for {
			if g := w.nameOne(f, path, full, at); g != nil {
				made := g.isMade(call)
				if kind := program.FilesOf(call.Name); kind == program.FilesRm || kind == program.FilesUnlink {
					made = f.isMade(call) // of a link only the link goes
				}
				return append(out, w.fileOf(g, path, made))
			}
			j := strings.IndexAny(path, "=@")
			if j < 0 {
				break
			}
			path = path[j+1:]
			full = w.spot(path, at)
		}
	}
	return out
}

// fileOf is a file as a call names it.
func (w *fileTable) fileOf(f *file, path string, made bool) shell.File {
	out := shell.File{Path: path, Text: f.text, Sure: f.sure, Made: made, From: f.from}
	if f.disk {
		out.Source = w.sourceOf(f)
	}
	return out
}

// nameOne is the file when a path names it, or something in it. A directory only
// counts when the text surely made it.
func (w *fileTable) nameOne(f *file, path, full string, at *context) *file {
	if nowhere(path) {
		return nil
	}
	if f.dir {
		if strings.HasPrefix(full, f.path) && (len(full) == len(f.path) || full[len(f.path)] == '/') {
			return f
		}
		return nil
	}
	if full != f.path {
		return nil
	}
	if f.link != "" {
		return w.fileAt(path, at)
	}
	return f
}

// throughLinks puts the place that a link leads to into words that go through it.
func (w *fileTable) throughLinks(call *shell.Call, at *context) {
	own := false
	for i := range call.Args {
		t := call.Args[i].Text
		if at.remote != "" || !strings.Contains(t, "/") || t[0] == '-' || len(t) > maxPath {
			continue
		}
		head, tail, _ := cutLast(t)
		if head == "" {
			continue
		}
		full := w.rawSpot(head, at) + "/"
		to := w.follow(full)
		if to == full {
			continue
		}
		if !own {
			call.Args, own = slices.Clone(call.Args), true
		}
		call.Args[i].Text = strings.TrimSuffix(to, "/") + "/" + tail
	}
}

func cutLast(path string) (dir, base string, ok bool) {
	i := strings.LastIndexByte(path, '/')
	if i < 0 {
		return "", path, false
	}
	return path[:i], path[i+1:], true
}

// byCustom adds the files that a call reads without naming them.
func (w *fileTable) byCustom(out []shell.File, call *shell.Call, at *context) []shell.File {
	if f, name := w.customFile(call, at); f != nil && fileNamed(call, name) == nil {
		out = append(out, w.fileOf(f, name, f.isMade(call)))
	}
	return out
}

// customFile is the file of the text that a call reads by custom, with its name.
func (w *fileTable) customFile(call *shell.Call, at *context) (*file, string) {
	list := argv.Customary(call.Name)
	if list == "" {
		return nil, ""
	}
	where := *at
	for i, a := range call.Args {
		switch a.Text {
		case "-C", "--directory", "--prefix", "--cwd", "--dir":
			if i+1 < len(call.Args) && call.Args[i+1].Text != "" {
				where.dir = w.spot(call.Args[i+1].Text, at)
				where.remote = ""
			}
		}
	}
	for list != "" {
		var name string
		name, list, _ = strings.Cut(list, " ")
		if f := w.fileAt(name, &where); f != nil && !f.dir {
			return f, name
		}
	}
	return nil, ""
}

// wroteFile reports whether the text itself wrote a file.
func (w *fileTable) wroteFile(path string) bool {
	return slices.ContainsFunc(w.files, func(f file) bool { return f.path == path && f.seq > 0 && !f.dir })
}

// outside reports whether a word names a file that is not the project's.
func (w *fileTable) outside(word shell.Word, at *context) bool {
	if !word.Known() || at.remote != "" {
		return true
	}
	root := w.place.Root
	if root == "" {
		root = w.place.Dir
	}
	full := w.spot(word.Text, at)
	if root == "" {
		return argv.IsRooted(full) || strings.HasPrefix(full, "./..")
	}
	return full != root && !strings.HasPrefix(full, strings.TrimRight(root, "/")+"/")
}

// programIn is the program that a word names as a file: /bin/rm, $(which rm) or
// what the text made a copy of. "" = it is no program.
func (w *fileTable) programIn(word shell.Word, call *shell.Call) string {
	if word.Text == "" || !word.Known() {
		return ""
	}
	path := word.Text
	if call.Dir != "" && !argv.IsRooted(path) {
		path = cleanJoin(call.Dir, path)
	}
	if dir, base, ok := cutLast(path); ok && base != "" && argv.HasPrograms(dir) {
		return path
	}
	if argv.IsLocated(word) {
		return word.Text
	}
	for i := range call.Files {
		if call.Files[i].Path == word.Text {
			if f := w.fileAt(word.Text, &context{dir: call.Dir, remote: call.Remote}); f != nil {
				return f.prog
			}
		}
	}
	return ""
}

// onPath is the file of the text that is run under a name without a directory.
func (w *fileTable) onPath(name string) *file {
	for i := len(w.files) - 1; i >= 0; i-- {
		f := &w.files[i]
		if f.base != name || f.dir || len(f.path) == len(name) {
			continue
		}
		dir := f.path[:len(f.path)-len(name)-1]
		if w.searched(dir) || argv.OrdinaryDir(dir) && (f.prog != "" || argv.Download(f.from) == nil) {
			return f
		}
	}
	return nil
}

// searched reports whether the text made the shell look for programs in a
// directory.
func (w *fileTable) searched(dir string) bool {
	v := w.st.lookupVariable("PATH")
	if v == nil {
		return false
	}
	n := 0
	for one := range strings.SplitSeq(v.Word.Text, ":") {
		if one == "" {
			one = "."
		}
		if n++; n > maxVars {
			w.tooMuch()
			return false
		}
		if len(one) > maxPath {
			continue
		}
		if w.spot(one, &w.st.context) == dir {
			return true
		}
	}
	return false
}

func fileNamed(c *shell.Call, path string) *shell.File {
	for i := range c.Files {
		if c.Files[i].Path == path {
			return &c.Files[i]
		}
	}
	return nil
}
