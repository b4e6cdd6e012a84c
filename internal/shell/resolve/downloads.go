package resolve

import (
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/argv"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// A fetched directory holds what the text got from elsewhere. To run a script out
// of it is to run what is downloaded; to build what is in it is an everyday step.
type fetched struct {
	path  string // as files have it
	call  *shell.Call
	loose bool // an archive was unpacked where other files are
	built bool // a build was run since: programs in it are its result
}

// maxFetched bounds the directories that are remembered.
const maxFetched = 64

// fetches notes where a call puts what it gets from elsewhere.
func (w *outputs) fetches(call *shell.Call, c *command) {
	switch {
	case program.Is(call.Name, program.IsUnpacker):
		w.unpacked(call, c)
	case program.Is(call.Name, program.IsCheckout):
		for i, a := range call.Args {
			switch a.Text {
			case "clone", "checkout", "co", "export":
				w.checkout(call, c, call.Args[i+1:])
				return
			}
		}
	default:
		for i := range w.fetchedDirs {
			w.fetchedDirs[i].built = w.fetchedDirs[i].built || argv.Builds(call)
		}
	}
}

// arrived notes one directory.
func (w *outputs) arrived(call *shell.Call, c *command, dir string, loose bool) {
	if len(dir) > maxPath || strings.Contains(dir, placeholder) {
		return
	}
	if len(w.fetchedDirs) >= maxFetched {
		w.reportLimit()
		return
	}
	w.fetchedDirs = append(w.fetchedDirs, fetched{path: w.fullPath(dir, &c.context), call: call, loose: loose})
}

// checkout notes the directory that a repository is copied to: the one that is
// named, or one with the repository's name.
func (w *outputs) checkout(call *shell.Call, c *command, args []shell.Word) {
	f := argv.Reader{Args: args, Options: &argv.Options{Short: "bcjourR", Long: "--branch --depth --origin --config --jobs --reference --revision --upstream-remote-name"}}
	rest := f.Read()
	if len(rest) == 0 {
		return
	}
	path := repositoryName(rest[0].Text)
	if len(rest) > 1 && rest[1].Text != "" && rest[1].Text[0] != '-' {
		path = rest[1].Text
	}
	if path != "" {
		w.arrived(call, c, path, false)
	}
}

// isElsewhere reports whether an address of a repository is not on this machine.
func isElsewhere(url string) bool {
	if strings.HasPrefix(url, "file:") {
		return false
	}
	return strings.Contains(url, "://") || hostPath(url) || strings.Contains(url, placeholder)
}

// hostPath reports whether a word is a file of another machine: host:path.
func hostPath(s string) bool {
	i := strings.IndexByte(s, ':')
	return i > 0 && strings.IndexByte(s[:i], '/') < 0
}

// unpacked notes the directory that an archive from elsewhere is unpacked in.
func (w *outputs) unpacked(call *shell.Call, c *command) {
	d := argv.Download(w.contentSources(call))
	if d == nil || len(call.Args) == 0 || program.FilesOf(call.Name) == program.FilesTar && !extracts(call.Args) {
		return
	}
	dir := ""
	for i, a := range call.Args {
		switch t := a.Text; {
		case (t == "-C" || t == "--directory" || t == "-d") && i+1 < len(call.Args):
			dir = call.Args[i+1].Text
		case strings.HasPrefix(t, "--directory="):
			dir = t[len("--directory="):]
		case len(t) > 2 && (strings.HasPrefix(t, "-C") || strings.HasPrefix(t, "-o")):
			dir = t[2:]
		}
	}
	w.arrived(d, c, dir, dir == "" || dir == ".")
}

// extracts reports whether tar takes files out.
func extracts(args []shell.Word) bool {
	for i, a := range args {
		if a.Text == "--extract" || a.Text == "--get" || (i == 0 || strings.HasPrefix(a.Text, "-") && !strings.HasPrefix(a.Text, "--")) && strings.Contains(a.Text, "x") {
			return true
		}
	}
	return false
}

// runsFetched notes when a script or a program is run that came from elsewhere.
func (w *outputs) runsFetched(c *command, path string) {
	if d := w.fetchedAt(path, &c.context); d != nil {
		w.reportRemoteCode(d.call, c.words)
	}
}

// fetchedAt is the directory from elsewhere that a script or a program lies in. It
// is nil for what a build uses or makes.
func (w *outputs) fetchedAt(path string, at *context) *fetched {
	if isStream(path) || len(path) > maxPath || path[0] == '-' {
		return nil
	}
	full := w.fullPath(path, at)
	if f := w.lookupFile(full); f != nil && !f.isDir {
		return nil // the text wrote it
	}
	for i := range w.fetchedDirs {
		d := &w.fetchedDirs[i]
		rest, ok := strings.CutPrefix(full, strings.TrimSuffix(d.path, "/")+"/")
		if ok && !forBuild(rest, d) {
			return d
		}
	}
	return nil
}

// forBuild reports whether a file in a fetched directory is how it is built, or
// what came of that. rest is its path in there.
func forBuild(rest string, d *fetched) bool {
	base := rest[strings.LastIndexByte(rest, '/')+1:]
	switch base {
	case "configure", "Configure", "autogen.sh", "buildconf", "gradlew", "mvnw", "setup.py", "waf", "manage.py":
		return true
	}
	if d.built && !strings.Contains(base, ".") {
		return true
	}
	for i := 0; rest != ""; i++ {
		part, tail, more := strings.Cut(rest, "/")
		if rest = tail; !more {
			break
		}
		switch part {
		case "node_modules", ".venv", "venv", "env", "target", "build", "dist", "out", "_build", "zig-out", ".tox":
			return true
		case "src", "scripts", "bin", "tools", "test", "tests", "app", "cmd", "ci", "script", "hack", "examples":
			if d.loose && i == 0 {
				return true // the project's own
			}
		}
	}
	return false
}

// interpretsFetched notes when the script of an interpreter came from elsewhere.
func (w *outputs) interpretsFetched(c *command) {
	for i, a := range c.words[1:] {
		switch a.Text {
		case "-c", "-e", "-m", "-", "-p", "--eval", "--print":
			return
		case "run", "":
			continue
		}
		if a.Text[0] != '-' && !argv.TakesWord(c.words[i].Text) {
			if d := w.fetchedAt(a.Text, &c.context); d != nil && (!d.loose || w.fullPath(a.Text, &c.context) != cleanJoin(d.path, a.Text)) {
				w.reportRemoteCode(d.call, c.words)
			}
			return
		}
	}
}
