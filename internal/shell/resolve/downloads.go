package resolve

import (
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/argv"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// A fetchedDir is a directory with downloaded files. To run a script from it is to run downloaded
// code; to build its contents is an everyday step.
type fetchedDir struct {
	path  string // a full path; see [fileTable.fullPath]
	call  *shell.Call
	mixed bool // an archive was unpacked among other files
	built bool // a build ran since: programs in it are its result
}

// maxFetched bounds the directories that are recorded.
const maxFetched = 64

// recordFetch records where a call puts downloaded files, and that a build ran there.
func (w *outputs) recordFetch(call *shell.Call, c *command) {
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

// addFetchedDir records one directory that call downloads to.
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

// recordCheckout records the directory that a repository is copied to: the one that is named, or one
// with the repository's name.
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

// isRemoteURL reports whether the address of a repository is on another machine.
func isRemoteURL(url string) bool {
	if strings.HasPrefix(url, "file:") {
		return false
	}
	return strings.Contains(url, "://") || isHostPath(url) || strings.Contains(url, placeholder)
}

// isHostPath reports whether a word is a file of another machine: host:path.
func isHostPath(s string) bool {
	i := strings.IndexByte(s, ':')
	return i > 0 && strings.IndexByte(s[:i], '/') < 0
}

// recordUnpack records the directory that a downloaded archive is unpacked to.
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

// reportFetchedProgram reports a command that runs a downloaded script or program.
func (w *outputs) reportFetchedProgram(c *command, path string) {
	if d := w.fetchedDirOf(path, &c.context); d != nil {
		w.reportRemoteCode(d.call, c.words)
	}
}

// fetchedDirOf returns the download directory that a script or a program is in. It returns nil for
// files that a build uses or makes.
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
		if ok && !isBuildFile(rest, d) {
			return d
		}
	}
	return nil
}

// isBuildFile reports whether a file in a download directory belongs to its build, or is a result of
// it. rest is its path in the directory.
func isBuildFile(rest string, d *fetchedDir) bool {
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
				return true // the project's own
			}
		}
	}
	return false
}

// reportFetchedScript reports a command whose interpreter runs a downloaded script.
func (w *outputs) reportFetchedScript(c *command) {
	for i, a := range c.words[1:] {
		switch a.Text {
		case "-c", "-e", "-m", "-", "-p", "--eval", "--print":
			return
		case "run", "":
			continue
		}
		if a.Text[0] != '-' && !argv.TakesValue(c.words[i].Text) {
			if d := w.fetchedDirOf(a.Text, &c.context); d != nil && (!d.mixed || w.fullPath(a.Text, &c.context) != cleanJoin(d.path, a.Text)) {
				w.reportRemoteCode(d.call, c.words)
			}
			return
		}
	}
}
