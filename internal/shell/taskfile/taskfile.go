// Package taskfile reads the files of task runners, such as a Makefile or a package.json. For a call
// of a runner, it returns the files that determine what runs, and the shell commands in them.
//
// Most files count as a whole. Of files that package managers write, such as package.json, only the
// scripts and settings count. The readers are simple: a variable has the literal values that the file
// gives it, and everything else is [shell.Placeholder]. What they cannot determine is listed in
// [Result.Unsure].
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
	// File returns the contents of the regular file at path. The error is fs.ErrNotExist if
	// there is no file; any other error means that it could not be read.
	File(path string) ([]byte, error)
}

// A Part is a file that determines what runs, or the part of a file that does.
type Part struct {
	Path string // the absolute path of the file; symlinks are not resolved
	Name string // the name of the part, such as "scripts and settings"; "" for the whole file
	Text []byte // the contents of the part; nil for the whole file
}

// A Text is shell code that a runner runs.
type Text struct {
	Text string           // may contain placeholders
	Dir  string           // the absolute path of the working directory
	Env  []shell.Variable // variables that the runner sets
	Bin  []string         // directories that are searched for programs before those in PATH
}

// A Result describes what a call of a runner would run.
type Result struct {
	Parts             []Part
	Texts             []Text
	Unsure            []string // what cannot be determined, in words for the user
	HasUnreadCommands bool     // the files hold commands that were not read
}

// Read returns what call would run in the absolute directory dir. It reads files with disk, except for
// those that the command line has written before the call. It reports false if the program is not a
// runner, or the call runs no task.
func Read(call *shell.Call, dir string, disk FileReader) (Result, bool) {
	row := findRow(call.Name)
	if row == nil {
		return Result{}, false
	}
	r := callReader{call: call, row: row, dir: dir, disk: disk}
	if len(call.Files) > 0 {
		r.disk = writtenView{FileReader: disk, r: &r, dir: dir}
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

// A writtenView is a FileReader that returns the contents which the command line has written to a file
// before the call, and otherwise those on disk.
type writtenView struct {
	FileReader
	r   *callReader
	dir string
}

// File returns the contents of the file at path, which the command line may have written.
func (w writtenView) File(path string) ([]byte, error) {
	for i := range w.r.call.Files {
		f := &w.r.call.Files[i]
		if joinPath(w.dir, f.Path) != path {
			continue
		}
		if !f.Complete {
			w.r.addUnsure("the contents of " + displayText(f.Path) + " are only known when it runs")
			break
		}
		return []byte(f.Text), nil
	}
	return w.FileReader.File(path)
}

// A callReader reads what a call of a runner would run.
type callReader struct {
	call *shell.Call
	row  *row
	dir  string // the directory in which the runner runs
	disk FileReader
	out  Result
}

// addWholeFile adds the file at path, all of which determines what runs.
func (r *callReader) addWholeFile(path string) { r.addPart(path, "", nil) }

// addPart adds the part name of the file at path, with the contents text, unless that part or the
// whole file is present. An empty name means the whole file.
func (r *callReader) addPart(path, name string, text []byte) {
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

// addFileIfExists adds the file at path as a whole if it exists, and reports whether it does.
func (r *callReader) addFileIfExists(path string) bool {
	there := r.exists(path)
	if there {
		r.addWholeFile(path)
	}
	return there
}

// addShellText adds t, unless it is blank or an equal text is present.
func (r *callReader) addShellText(t Text) {
	if strings.TrimSpace(t.Text) == "" {
		return
	}
	for _, dir := range t.Bin { // the runner searches them for the shell, too
		r.addFileIfExists(filepath.Join(dir, "sh"))
	}
	for i := range r.out.Texts {
		if o := &r.out.Texts[i]; o.Text == t.Text && o.Dir == t.Dir && slices.Equal(o.Bin, t.Bin) {
			return
		}
	}
	r.out.Texts = append(r.out.Texts, t)
}

// addUnsure adds why, which describes something that cannot be determined, unless it is present.
func (r *callReader) addUnsure(why string) {
	if !slices.Contains(r.out.Unsure, why) {
		r.out.Unsure = append(r.out.Unsure, why)
	}
}

// stdinText returns the text on the runner's standard input, and whether all of it is known.
func (r *callReader) stdinText() (string, bool) {
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

// exists reports whether there is a file at path. It also does if the file cannot be read.
func (r *callReader) exists(path string) bool { return fileExists(r.disk, path) }

// fileExists reports whether disk has a file at path. It also does if the file cannot be read.
func fileExists(disk FileReader, path string) bool {
	_, err := disk.File(path)
	return !isNotExist(err)
}

// resolvePath returns path, which is relative to the runner's directory unless it is absolute.
func (r *callReader) resolvePath(path string) string { return joinPath(r.dir, path) }

// joinPath returns path, which is relative to dir unless it is absolute.
func joinPath(dir, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(dir, path)
}

// eachDirUpward calls fn with dir and its parent directories until fn returns true. It reports whether
// fn did.
func eachDirUpward(dir string, fn func(string) bool) bool {
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

// isNotExist reports whether err means that a file does not exist.
func isNotExist(err error) bool { return errors.Is(err, fs.ErrNotExist) }

// isKnown reports whether text contains no placeholder.
func isKnown(text string) bool { return !strings.ContainsRune(text, shell.Placeholder) }

// shellQuote returns text as a single shell word.
func shellQuote(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

// quoteWords returns args as quoted shell words, separated by spaces.
func quoteWords(args []shell.Word) string {
	var b strings.Builder
	for i := range args {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(shellQuote(args[i].Text))
	}
	return b.String()
}

// inWords reports whether list, whose words are separated by spaces, contains word, which is not empty.
func inWords(list, word string) bool { return word != "" && facts.InList(list, word) }

// afterSlash returns path without everything up to its last slash.
func afterSlash(path string) string { return path[strings.LastIndexByte(path, '/')+1:] }

// displayText returns text for display, with an ellipsis for each placeholder.
func displayText(text string) string { return strings.ReplaceAll(text, placeholder, "…") }
