// Package taskfile reads the files of task runners: a Makefile, a package.json, a
// justfile …
//
//	call → the runner's files, and the texts in them that a shell would run
//
// Files are named as a whole; of those that package managers write, such as a
// package.json, the scripts and settings. The readers are simple: a variable has the
// literal values that the file gives it, and everything else is [shell.Hole]. What they
// cannot tell is listed.
package taskfile

import (
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
)

// A FileReader reads files from the disk.
type FileReader interface {
	// File returns the content of a regular file. The error is fs.ErrNotExist if
	// nothing is there; any other means that the file was not read.
	File(path string) ([]byte, error)
}

// A Part is a file that determines what runs, or the part of one that does.
type Part struct {
	Path string // absolute, as the call leads there
	Name string // which part: "scripts and settings"; "" = the whole file
	Text []byte // of a part, its content; nil = the whole file
}

// A Text is a text for a shell that a part runs.
type Text struct {
	Text string // may contain placeholders
	Dir  string // where it runs, absolute
	Env  []shell.Variable
	Bin  []string // directories that are searched for programs before those of PATH
}

// A Result is what a call of a runner would run.
type Result struct {
	Parts             []Part
	Texts             []Text
	Unsure            []string // what cannot be determined, for people
	HasUnreadCommands bool     // its files hold commands, which were not read
}

// Read returns what a call of a runner in an absolute directory would run. It reports false if the
// program is not a runner.
func Read(call *shell.Call, dir string, look FileReader) (Result, bool) {
	row := findRow(call.Name)
	if row == nil {
		return Result{}, false
	}
	r := reading{call: call, row: row, dir: dir, look: look}
	if len(call.Files) > 0 {
		r.look = writtenView{FileReader: look, r: &r, dir: dir}
	}
	read := row.read
	if read == nil {
		read = readConfig
	}
	if !read(&r) {
		return Result{}, false
	}
	return r.out, true
}

// writtenView is the disk after the text has written the files before the call.
type writtenView struct {
	FileReader
	r   *reading
	dir string
}

func (w writtenView) File(path string) ([]byte, error) {
	for i := range w.r.call.Files {
		f := &w.r.call.Files[i]
		if join(w.dir, f.Path) != path {
			continue
		}
		if !f.Complete {
			w.r.addUnsure("what is in " + displayText(f.Path) + " is only known when it runs")
			break
		}
		return []byte(f.Text), nil
	}
	return w.FileReader.File(path)
}

// A reading is a call of a runner that is being read.
type reading struct {
	call *shell.Call
	row  *row
	dir  string // where the runner runs
	look FileReader
	out  Result
}

// addWhole adds a file that runs as a whole.
func (r *reading) addWhole(path string) { r.addPart(path, "", nil) }

// addPart adds a part of a file.
func (r *reading) addPart(path, name string, text []byte) {
	for i := range r.out.Parts {
		if p := &r.out.Parts[i]; p.Path == path && (p.Name == "" || p.Name == name && string(p.Text) == string(text)) {
			return
		}
	}
	if name != "" && text == nil {
		text = []byte{}
	}
	r.out.Parts = append(r.out.Parts, Part{path, name, text})
}

// addIfExists adds a file if it exists.
func (r *reading) addIfExists(path string) bool {
	there := r.exists(path)
	if there {
		r.addWhole(path)
	}
	return there
}

// addText adds a text that a shell runs.
func (r *reading) addText(t Text) {
	if strings.TrimSpace(t.Text) == "" {
		return
	}
	for _, dir := range t.Bin { // the shell itself is looked for there too
		r.addIfExists(filepath.Join(dir, "sh"))
	}
	for i := range r.out.Texts {
		if o := &r.out.Texts[i]; o.Text == t.Text && o.Dir == t.Dir && slices.Equal(o.Bin, t.Bin) {
			return
		}
	}
	r.out.Texts = append(r.out.Texts, t)
}

// addUnsure adds something that cannot be determined.
func (r *reading) addUnsure(why string) {
	if !slices.Contains(r.out.Unsure, why) {
		r.out.Unsure = append(r.out.Unsure, why)
	}
}

// input returns the runner's standard input, and whether all of it is known.
func (r *reading) input() (string, bool) {
	for i := range r.call.Redir {
		if d := &r.call.Redir[i]; (d.Op == "<<" || d.Op == "<<-" || d.Op == "<<<") && (d.Fd == "" || d.Fd == "0") {
			return d.Target.Text, d.Target.IsKnown()
		}
	}
	if in := r.call.In; in != nil {
		return in.Text, in.Complete
	}
	return "", false
}

// exists reports whether a file exists, small or large.
func (r *reading) exists(path string) bool { return fileExists(r.look, path) }

func fileExists(look FileReader, path string) bool {
	_, err := look.File(path)
	return !isMissing(err)
}

// pathOf returns a path of the call, relative to the runner's directory.
func (r *reading) pathOf(path string) string { return join(r.dir, path) }

func join(dir, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(dir, path)
}

// eachParent calls fn with a directory and its parents until fn returns true.
func eachParent(dir string, fn func(string) bool) bool {
	for {
		if fn(dir) {
			return true
		}
		above := filepath.Dir(dir)
		if above == dir {
			return false
		}
		dir = above
	}
}

func isMissing(err error) bool { return errors.Is(err, fs.ErrNotExist) }

func isKnown(text string) bool { return !strings.ContainsRune(text, shell.Placeholder) }

// quote returns a text as one word of a shell.
func quote(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

// quoteWords returns the words of a call as text for a shell.
func quoteWords(args []shell.Word) string {
	var b strings.Builder
	for i := range args {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(quote(args[i].Text))
	}
	return b.String()
}

func inWords(list, word string) bool { return word != "" && facts.InList(list, word) }

func lastName(path string) string { return path[strings.LastIndexByte(path, '/')+1:] }

// displayText returns a word for display.
func displayText(text string) string { return strings.ReplaceAll(text, placeholder, "…") }
