package resolve

import (
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/argv"
	"github.com/checkrein/checkrein/internal/shell/expand"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// A fileTable tracks what the text did to files and directories, and the contents of existing files
// that were read.
type fileTable struct {
	shellModel
	files     []file // files that the text wrote, or that were read
	absent    absence
	linkCount int // how many of files are links, symbolic or hard
	// writeCount is the number of writes so far. Writes are numbered by it; see [file.seq].
	writeCount     int
	moves          []*shell.Call   // calls that moved files
	lookups        int             // reads of existing files so far
	tempCount      int             // files and directories that mktemp created so far
	rewrites       []unknownChange // changes of existing files whose results are unknown
	staleTexts     []string        // text files that a rewrite may have changed
	dashed         []string        // files that the text created whose names begin with a dash
	fetchedDirs    []fetchedDir    // directories with downloaded files
	compiledSource string          // a source file, written by the text and not analysed, that was compiled; "" = none
	choice         int             // index of the value that each variable with several values has now
}

// A file is a file or directory, and what the text did to it.
type file struct {
	path string // normalised; "host:path" on another machine
	base string // the last element of path
	content
	link      string // the path that it links to; "" = it is not a link
	creation  creation
	seq       int  // number of the write that created it; 0 = the text did not create it
	depth     int  // depth of the code that created it; -1 = a construct around that code may hide a failure
	isDir     bool // it is a directory
	confirmed bool // the text continues only if it was created
	onDisk    bool // it existed before, and its text was read
	edited    bool // with onDisk: its text is that after an edit by the text
}

// A content is the content of a file.
type content struct {
	text        string // the contents as far as they are known
	sure        bool   // text is the whole contents
	keepsOld    bool   // earlier contents may remain
	untracked   bool   // the contents were changed in a way that is not followed
	copyOf      string // the program that the file is a copy of; "" = none
	from        []*shell.Call
	unknownFrom []*shell.Call // calls that print the unknown parts of text
}

// A creation records whether a file can have existed before the text ran.
type creation uint8

const (
	mayPredate  creation = iota // the file may have existed before
	overwritten                 // earlier contents are gone, unless it is a directory
	createdIfOK                 // the text created it, unless that failed
	createdNew                  // it did not exist before
)

// isStream reports whether path is a stream or a device, not a file that keeps what is written to it.
// It returns true for the empty path.
func isStream(path string) bool {
	return path == "" || path == "-" || strings.HasPrefix(path, "/dev/") && !strings.HasPrefix(path, "/dev/shm/") || strings.HasPrefix(path, "/proc/")
}

// fullPath returns the normalised form of path under which files are recorded. It resolves the links
// that the text created.
func (w *fileTable) fullPath(path string, at *context) string {
	path = w.lexicalPath(path, at)
	if w.linkCount > 0 {
		path = w.resolveDirLinks(path)
	}
	return path
}

// lexicalPath returns the normalised form of path as seen from at, without resolving links.
func (w *shellModel) lexicalPath(path string, at *context) string {
	if path == "" {
		path = "."
	}
	switch {
	case !argv.IsRootedPath(path):
		base := at.dir
		if base == "" && at.remote == "" {
			base = w.place.Dir
		}
		if base != "" {
			path = cleanJoin(base, path)
		}
		if !argv.IsRootedPath(path) {
			path = cleanJoin(".", path)
		}
	case !isCleanPath(path):
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

// isCleanPath reports whether path has no "//", no "/." and no trailing slash, so that it needs no
// cleaning.
func isCleanPath(path string) bool {
	return !strings.Contains(path, "//") && !strings.Contains(path, "/.") && (len(path) < 2 || path[len(path)-1] != '/')
}

// resolveDirLinks returns path with the targets of links that the text created in place of the
// directories that are such links.
func (w *fileTable) resolveDirLinks(path string) string {
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
	w.reportLimit() // operating systems give up too, but later
	return path
}

// maxLinks bounds the links that are followed for one path.
const maxLinks = 8

// fileHere returns the file at path in the current context, or nil; see fileAt.
func (w *fileTable) fileHere(path string) *file { return w.fileAt(path, &w.st.context) }

// fileAt returns the file at path as seen from at, following links. It returns nil if the file is
// neither recorded nor readable.
func (w *fileTable) fileAt(path string, at *context) *file {
	if !w.tracksFiles() || isStream(path) || len(path) > maxPath {
		return nil
	}
	f := w.followLink(w.fullPath(path, at))
	for i := 0; f == nil && i < len(at.altDirs); i++ {
		other := *at
		other.dir = at.altDirs[i]
		f = w.followLink(w.fullPath(path, &other))
	}
	return f
}

// followLink returns the file at a full path, or, if that is a link to a known file, its target. It
// returns nil if there is none, or if there are too many links.
func (w *fileTable) followLink(full string) *file {
	for range maxLinks {
		f := w.lookupFile(full)
		if f == nil || f.link == "" {
			return f
		}
		if w.lookupFile(f.link) == nil {
			return f
		}
		full = f.link
	}
	w.reportLimit()
	return nil
}

// maxPath is the length of the longest path that systems accept.
const maxPath = 4096

// lookupFile returns the file recorded under a full path. If there is none, it tries to read the file
// from disk, and returns nil if that fails.
func (w *fileTable) lookupFile(full string) *file {
	w.steps -= len(w.files) / 16
	for i := len(w.files) - 1; i >= 0; i-- {
		if w.files[i].path == full {
			return &w.files[i]
		}
	}
	return w.loadFile(full)
}

// findOrAddFile returns the file recorded under a full path, and adds an empty one if needed. It
// returns nil if there are too many files.
func (w *fileTable) findOrAddFile(full string) *file {
	if f := w.lookupFile(full); f != nil {
		return f
	}
	if len(w.files) >= maxVars {
		w.reportLimit()
		return nil
	}
	w.files = append(w.files, file{path: full, base: full[strings.LastIndexByte(full, '/')+1:]})
	return &w.files[len(w.files)-1]
}

// recordWrite records that c is written to the file at path. It is appended if more is true, and
// replaces the contents otherwise. The result is the file, or nil if it is not tracked.
func (w *fileTable) recordWrite(path string, at *context, c content, more bool) *file {
	if isStream(path) || len(path) > maxPath {
		return nil
	}
	full := w.fullPath(path, at)
	if f := w.lookupFile(full); f != nil && f.link != "" {
		full = f.link
	}
	have := len(w.files)
	f := w.findOrAddFile(full)
	if f == nil || !w.spendBytes(len(f.text)+len(c.text)) {
		return nil
	}
	w.writeCount++
	f.onDisk = false
	c.keepsOld = c.keepsOld || strings.Contains(path, placeholder) // the path may be that of another file
	c.sure = c.sure && !c.keepsOld
	isNew := len(w.files) > have
	switch {
	case more && isNew:
		c.keepsOld = c.keepsOld || w.place.Kind == nil || full[0] != '/' || w.place.Kind(full) != shell.NoPath
		c.sure = c.sure && !c.keepsOld
		f.content = c
	case more:
		f.text += c.text
		f.sure = f.sure && c.sure
		f.keepsOld, f.untracked = f.keepsOld || c.keepsOld, f.untracked || c.untracked
		f.from, f.unknownFrom = expand.AddSources(c.from, f.from), expand.AddSources(f.unknownFrom, c.unknownFrom)
		f.copyOf = ""
	case !isNew && (w.conds > 0 || w.choice > 0) && f.text != c.text && f.text != "":
		// The file may have either contents, so a shell that runs it is assumed to run both.
		c.text = f.text + "\n" + c.text
		c.sure, c.keepsOld, c.untracked = false, c.keepsOld || f.keepsOld, c.untracked || f.untracked
		c.from, c.unknownFrom = expand.AddSources(c.from, f.from), expand.AddSources(c.unknownFrom, f.unknownFrom)
		f.content = c
	default:
		f.content = c
	}
	if !more {
		w.recordCreation(f, overwritten, w.depth)
		f.isDir = false
	}
	return f
}

// recordCreation records how f was created, and the nesting depth of the code that created it.
func (w *fileTable) recordCreation(f *file, how creation, depth int) {
	if f.creation == createdNew && how == overwritten {
		return
	}
	f.creation, f.seq, f.depth, f.confirmed = how, w.writeCount, depth, false
	if w.capture > 0 {
		f.depth = -1
	}
}

// confirmWrites records that the text continues only if the writes after the one numbered since
// succeeded.
func (w *fileTable) confirmWrites(since int) {
	for i := range w.files {
		if f := &w.files[i]; f.seq > since && f.depth == w.depth {
			f.confirmed = true
		}
	}
}

// unconfirmWrites undoes confirmWrites for the writes after the one numbered since.
func (w *fileTable) unconfirmWrites(since int) {
	for i := range w.files {
		if f := &w.files[i]; f.seq > since {
			f.confirmed = false
		}
	}
}

// isCreatedFor reports whether c, whatever it does to the file, affects only what the text created.
func (f *file) isCreatedFor(c *shell.Call) bool {
	switch {
	case f.creation == createdNew || f.confirmed && f.creation != mayPredate:
		return true
	case f.creation != overwritten:
		return false
	}
	for i := range c.Args {
		if t := c.Args[i].Text; len(t) > 1 && t[0] == '-' && (strings.ContainsAny(t, "rR") || strings.Contains(t, placeholder)) {
			return false // the file may be a directory
		}
	}
	return true
}

// namedFiles returns the recorded files that call names or implies. It also replaces arguments of call
// that lead through links.
func (w *fileTable) namedFiles(call *shell.Call, at *context) []shell.File {
	if w.place.Read != nil {
		w.loadNamedFiles(call, at)
	}
	w.steps -= len(w.files) * len(call.Args) / 16
	if w.linkCount > 0 {
		w.resolveLinkArgs(call, at)
	}
	var out []shell.File
	if strings.ContainsAny(call.Path, "/.") { // uv run a.py
		out = w.addNamedFile(out, call, call.Path, at)
	}
	for i := range call.Args {
		if len(out) >= maxVars {
			w.reportLimit()
			break
		}
		out = w.addNamedFile(out, call, call.Args[i].Text, at)
	}
	for i := range call.Redir {
		if r := &call.Redir[i]; r.Op == "<" || r.Op == "<>" {
			out = w.addNamedFile(out, call, r.Target.Text, at)
		}
	}
	return w.addImpliedFiles(w.addDefaultFile(out, call, at), call, at)
}

// addNamedFile appends to out the recorded file that text, a word of call, names: as a whole, or with
// the part after a = or an @.
func (w *fileTable) addNamedFile(out []shell.File, call *shell.Call, text string, at *context) []shell.File {
	bare := strings.TrimRight(text, "/")
	if bare == "" || len(bare) > maxPath {
		return out
	}
	whole := "" // full path of the unsplit text, computed once because most files are compared with it
	for i := range w.files {
		f := &w.files[i]
		if f.isDir && f.creation != createdNew && !f.confirmed || !f.isDir && !strings.HasSuffix(bare, f.base) {
			continue
		}
		if whole == "" {
			whole = w.fullPath(text, at)
		}
		path, full := text, whole
		for {
			if g := w.matchFile(f, path, full, at); g != nil {
				made := g.isCreatedFor(call)
				if kind := program.FilesOf(call.Name); kind == program.FilesRm || kind == program.FilesUnlink {
					made = f.isCreatedFor(call) // removing a link leaves its target
				}
				return append(out, w.newShellFile(g, path, made))
			}
			j := strings.IndexAny(path, "=@")
			if j < 0 {
				break
			}
			path = path[j+1:]
			full = w.fullPath(path, at)
		}
	}
	return out
}

// newShellFile returns f as a [shell.File] that a call names by path. made becomes its Created field.
func (w *fileTable) newShellFile(f *file, path string, made bool) shell.File {
	out := shell.File{Path: path, Text: f.text, Complete: f.sure, Created: made, From: f.from}
	if f.onDisk {
		out.Source = w.newSource(f)
	}
	return out
}

// matchFile returns f if path names it, and nil otherwise. full is the full path of path. For a link
// it returns the target. A directory matches paths inside it too; the caller must have checked that
// the text surely created it.
func (w *fileTable) matchFile(f *file, path, full string, at *context) *file {
	if isStream(path) {
		return nil
	}
	if f.isDir {
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

// resolveLinkArgs replaces, in the arguments and redirections of call, directories that are links which
// the text created.
func (w *fileTable) resolveLinkArgs(call *shell.Call, at *context) {
	if at.remote != "" {
		return
	}
	own := false
	for i := range call.Args {
		if to, ok := w.resolvePathLinks(call.Args[i].Text, at); ok {
			if !own {
				call.Args, own = slices.Clone(call.Args), true
			}
			call.Args[i].Text = to
		}
	}
	own = false
	for i := range call.Redir {
		if strings.HasPrefix(call.Redir[i].Op, "<<") {
			continue
		}
		if to, ok := w.resolvePathLinks(call.Redir[i].Target.Text, at); ok {
			if !own {
				call.Redir, own = slices.Clone(call.Redir), true
			}
			call.Redir[i].Target.Text = to
		}
	}
}

// resolvePathLinks returns the path text with the targets of links that the text created in place of the
// directories that are such links. It returns false if there are none.
func (w *fileTable) resolvePathLinks(text string, at *context) (string, bool) {
	if !strings.Contains(text, "/") || text[0] == '-' || len(text) > maxPath {
		return text, false
	}
	head, tail, _ := splitPath(text)
	if head == "" {
		return text, false
	}
	full := w.lexicalPath(head, at) + "/"
	to := w.resolveDirLinks(full)
	return strings.TrimSuffix(to, "/") + "/" + tail, to != full
}

// splitPath splits a path at its last slash; ok is false if there is none.
func splitPath(path string) (dir, base string, ok bool) {
	i := strings.LastIndexByte(path, '/')
	if i < 0 {
		return "", path, false
	}
	return path[:i], path[i+1:], true
}

// addDefaultFile appends to out the recorded file that call reads by default, such as a Makefile.
func (w *fileTable) addDefaultFile(out []shell.File, call *shell.Call, at *context) []shell.File {
	if f, name := w.defaultFile(call, at); f != nil && callFile(call, name) == nil {
		out = append(out, w.newShellFile(f, name, f.isCreatedFor(call)))
	}
	return out
}

// defaultFile returns the file that call reads by default and its name, or nil and "" if there is none
// or its contents are unknown.
func (w *fileTable) defaultFile(call *shell.Call, at *context) (*file, string) {
	list := argv.DefaultFiles(call.Name)
	if list == "" {
		return nil, ""
	}
	where := *at
	for i, a := range call.Args {
		switch a.Text {
		case "-C", "--directory", "--prefix", "--cwd", "--dir":
			if i+1 < len(call.Args) && call.Args[i+1].Text != "" {
				where.dir = w.fullPath(call.Args[i+1].Text, at)
				where.remote = ""
			}
		}
	}
	for list != "" {
		var name string
		name, list, _ = strings.Cut(list, " ")
		if f := w.fileAt(name, &where); f != nil && !f.isDir {
			return f, name
		}
	}
	return nil, ""
}

// wroteFile reports whether the text wrote the file with the full path path.
func (w *fileTable) wroteFile(path string) bool {
	return slices.ContainsFunc(w.files, func(f file) bool { return f.path == path && f.seq > 0 && !f.isDir })
}

// isOutsideProject reports whether word, a path as seen from at, is outside the project or unknown.
func (w *fileTable) isOutsideProject(word shell.Word, at *context) bool {
	if !word.IsKnown() || at.remote != "" {
		return true
	}
	root := w.place.Root
	if root == "" {
		root = w.place.Dir
	}
	full := w.fullPath(word.Text, at)
	if root == "" {
		return argv.IsRootedPath(full) || strings.HasPrefix(full, "./..")
	}
	return full != root && !strings.HasPrefix(full, strings.TrimRight(root, "/")+"/")
}

// programFile returns the program that word names by its file: /bin/rm, the output of which rm, or a
// copy that the text made. It returns "" if the file is not a known program.
func (w *fileTable) programFile(word shell.Word, call *shell.Call) string {
	if word.Text == "" || !word.IsKnown() {
		return ""
	}
	path := word.Text
	if call.Dir != "" && !argv.IsRootedPath(path) {
		path = cleanJoin(call.Dir, path)
	}
	if dir, base, ok := splitPath(path); ok && base != "" && argv.MatchesProgramDir(dir) {
		return path
	}
	if argv.IsLocatedProgram(word) {
		return word.Text
	}
	for i := range call.Files {
		if call.Files[i].Path == word.Text {
			if f := w.fileAt(word.Text, &context{dir: call.Dir, remote: call.Remote}); f != nil {
				return f.copyOf
			}
		}
	}
	return ""
}

// fileInPATH returns the recorded file that the command name runs through PATH, or nil if there is
// none.
func (w *fileTable) fileInPATH(name string) *file {
	for i := len(w.files) - 1; i >= 0; i-- {
		f := &w.files[i]
		if f.base != name || f.isDir || len(f.path) == len(name) {
			continue
		}
		dir := f.path[:len(f.path)-len(name)-1]
		if w.isInPATH(dir) || argv.IsUsualPathDir(dir) && (f.copyOf != "" || argv.FindDownload(f.from) == nil) {
			return f
		}
	}
	return nil
}

// isInPATH reports whether the text set PATH to a list that contains dir.
func (w *fileTable) isInPATH(dir string) bool {
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
			w.reportLimit()
			return false
		}
		if len(one) > maxPath {
			continue
		}
		if w.fullPath(one, &w.st.context) == dir {
			return true
		}
	}
	return false
}

// callFile returns the file of c with this path, or nil if there is none.
func callFile(c *shell.Call, path string) *shell.File {
	for i := range c.Files {
		if c.Files[i].Path == path {
			return &c.Files[i]
		}
	}
	return nil
}
