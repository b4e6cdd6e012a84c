package resolve

import (
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/argv"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// A fetchedDir is a directory with downloaded files. Running a script from it is running downloaded
// code, but building its contents is ordinary.
type fetchedDir struct {
	path  string // as returned by [fileTable.fullPath]
	call  *shell.Call
	mixed bool // an archive was unpacked among other files
	built bool // a build ran since, so programs in the directory are its results
}

// maxFetched bounds the download directories that are recorded.
const maxFetched = 64

// recordDownloadDir records the directory that call puts downloaded files into. If call is a build, it
// marks all such directories as built.
func (w *outputs) recordDownloadDir(call *shell.Call, c *command) {
	switch {
	case program.Is(call.Name, program.IsUnpacker):
		w.recordUnpack(call, c)
	case program.Is(call.Name, program.IsCheckout):
		for i, a := range call.Args {
			switch a.Text {
			case "clone", "checkout", "co", "export":
				w.recordCheckout(call, c, call.Args[i+1:])
				return
			}
		}
	default:
		for i := range w.fetchedDirs {
			w.fetchedDirs[i].built = w.fetchedDirs[i].built || argv.MayRunToolchain(call)
		}
	}
}

// addFetchedDir records that call downloads files to dir. loose means that dir also has other files.
func (w *outputs) addFetchedDir(call *shell.Call, c *command, dir string, loose bool) {
	if len(dir) > maxPath || strings.Contains(dir, placeholder) {
		return
	}
	if len(w.fetchedDirs) >= maxFetched {
		w.reportLimit()
		return
	}
	w.fetchedDirs = append(w.fetchedDirs, fetchedDir{path: w.fullPath(dir, &c.context), call: call, mixed: loose})
}

// recordCheckout records the directory that a checkout of a repository creates: the one that args
// name, or one named after the repository.
func (w *outputs) recordCheckout(call *shell.Call, c *command, args []shell.Word) {
	f := argv.FlagReader{Args: args, Options: &argv.Options{Short: "bcjourR", Long: "--branch --depth --origin --config --jobs --reference --revision --upstream-remote-name"}}
	rest := f.Operands()
	if len(rest) == 0 {
		return
	}
	path := cloneDirName(rest[0].Text)
	if len(rest) > 1 && rest[1].Text != "" && rest[1].Text[0] != '-' {
		path = rest[1].Text
	}
	if path != "" {
		w.addFetchedDir(call, c, path, false)
	}
}

// isRemoteURL reports whether url, the address of a repository, is or may be on another machine.
func isRemoteURL(url string) bool {
	if strings.HasPrefix(url, "file:") {
		return false
	}
	return strings.Contains(url, "://") || isHostPath(url) || strings.Contains(url, placeholder)
}

// isHostPath reports whether s has the form host:path of a file on another machine.
func isHostPath(s string) bool {
	i := strings.IndexByte(s, ':')
	return i > 0 && strings.IndexByte(s[:i], '/') < 0
}

// recordUnpack records the directory that call unpacks a downloaded archive to.
func (w *outputs) recordUnpack(call *shell.Call, c *command) {
	d := argv.FindDownload(w.contentSources(call))
	if d == nil || len(call.Args) == 0 || program.FilesOf(call.Name) == program.FilesTar && !tarExtracts(call.Args) {
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
	w.addFetchedDir(d, c, dir, dir == "" || dir == ".")
}

// tarExtracts reports whether the arguments of tar make it extract files.
func tarExtracts(args []shell.Word) bool {
	for i, a := range args {
		if a.Text == "--extract" || a.Text == "--get" || (i == 0 || strings.HasPrefix(a.Text, "-") && !strings.HasPrefix(a.Text, "--")) && strings.Contains(a.Text, "x") {
			return true
		}
	}
	return false
}

// reportFetchedProgram reports c if path, the script or program that it runs, was downloaded.
func (w *outputs) reportFetchedProgram(c *command, path string) {
	if d := w.fetchedDirOf(path, &c.context); d != nil {
		w.reportRemoteCode(d.call, c.words)
	}
}

// fetchedDirOf returns the download directory that contains the script or program at path. It returns
// nil if there is none, and for files that a build uses or creates.
func (w *outputs) fetchedDirOf(path string, at *context) *fetchedDir {
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
		if ok && !isBuiltOrOwnFile(rest, d) {
			return d
		}
	}
	return nil
}

// isBuiltOrOwnFile reports whether rest, a path relative to the download directory d, belongs to
// the build of d or is a result of it.
func isBuiltOrOwnFile(rest string, d *fetchedDir) bool {
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
			if d.mixed && i == 0 {
				return true // it belongs to the project into which the archive was unpacked
			}
		}
	}
	return false
}

// reportFetchedScript reports c if its program, an interpreter, runs a downloaded script.
func (w *outputs) reportFetchedScript(c *command) {
	for i, a := range c.words[1:] {
		switch a.Text {
		case "-c", "-e", "-m", "-", "-p", "--eval", "--print":
			return
		case "run", "":
			continue
		}
		if a.Text[0] != '-' && !argv.InterpreterFlagTakesValue(c.words[i].Text) {
			if d := w.fetchedDirOf(a.Text, &c.context); d != nil && (!d.mixed || w.fullPath(a.Text, &c.context) != cleanJoin(d.path, a.Text)) {
				w.reportRemoteCode(d.call, c.words)
			}
			return
		}
	}
}
