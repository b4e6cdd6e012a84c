package doctor

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/approval"
	"github.com/checkrein/checkrein/internal/approval/coverage"
	"github.com/checkrein/checkrein/internal/hook/dialect/hookmd"
	"github.com/checkrein/checkrein/internal/sys/environ"
	"github.com/checkrein/checkrein/internal/sys/state"
	"github.com/checkrein/checkrein/internal/text/message"
	"github.com/checkrein/checkrein/internal/text/rawjson"
	"mvdan.cc/sh/v3/shell"
)

// checkPaths adds findings about the programs and scripts that a command hook names, and reports
// whether it can be started.
func (d *doctor) checkPaths(h *checkrein.Hook) bool {
	if h.Run != "command" {
		return true
	}
	folder := rawjson.GetText(h.With, "hook_folder")
	if folder == "" && !d.checkRelative(h) {
		return false
	}
	argv := commandArgv(h, environ.Home(d.Environ))
	if folder != "" {
		argv = hookFolderArgv(folder)
	}
	var look coverage.DiskView
	for _, path := range coverage.StartedPaths(h, d.coveragePlace(d.Kit.Root()), &look) {
		if !d.checkExecutable(h, path) {
			return false
		}
	}
	if len(argv) == 0 {
		return true // only the shell that runs the command can resolve its words
	}
	if name := argv[0]; strings.ContainsRune(name, '/') {
		if folder != "" && !d.checkExecutable(h, name) {
			return false
		}
	} else if _, err := exec.LookPath(name); err != nil && !isShellCommand(h) {
		d.addFinding("missing", h, Finding{Message: message.New(fmt.Sprintf("the program %s is not in PATH%s", name, faultConsequence(h)))})
		return false
	}
	if script := interpretedScript(argv); script != "" {
		path := d.resolveWord(h, script)
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			d.addFinding("missing", h, Finding{Message: message.New(fmt.Sprintf("the script %s is missing%s", path, faultConsequence(h)))})
			return false
		}
	}
	return true
}

// checkExecutable reports whether the program at path can be executed, and adds a finding if not.
func (d *doctor) checkExecutable(h *checkrein.Hook, path string) bool {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		d.addFinding("missing", h, Finding{Message: message.New(fmt.Sprintf("the program %s is missing%s", path, faultConsequence(h)))})
	case err != nil:
		d.addFinding("missing", h, Finding{Message: message.New(fmt.Sprintf("the program %s cannot be checked: %v%s", path, err, faultConsequence(h)))})
	case info.IsDir():
		d.addFinding("not-executable", h, Finding{Message: message.New(fmt.Sprintf("%s is a directory%s", path, faultConsequence(h)), message.Do("name the program in that directory"))})
	case runtime.GOOS != "windows" && info.Mode()&0o111 == 0:
		d.addFinding("not-executable", h, Finding{Message: message.New(fmt.Sprintf("%s is not executable%s", path, faultConsequence(h)), message.Run("chmod +x "+path, ""))})
	default:
		return d.checkInterpreter(h, path)
	}
	return false
}

// checkInterpreter reports whether the program that the first line of the script at path names exists,
// and adds a finding if not. Without this finding, the system's error would be that the script itself
// is missing.
func (d *doctor) checkInterpreter(h *checkrein.Hook, path string) bool {
	head, err := state.ReadHead(path, 4096)
	line, ok := strings.CutPrefix(string(head), "#!")
	if err != nil || !ok || runtime.GOOS == "windows" {
		return true
	}
	line, _, _ = strings.Cut(line, "\n")
	if strings.HasSuffix(line, "\r") {
		d.addFinding("not-executable", h, Finding{Message: message.New(fmt.Sprintf("%s exists, but its first line has a Windows line ending and names %q%s", path, strings.TrimSpace(line)+"\r", faultConsequence(h)), message.Run("sed -i 's/\\r$//' "+path, ""))})
		return false
	}
	words := strings.Fields(line)
	if len(words) > 1 && filepath.Base(words[0]) == "env" && !strings.HasPrefix(words[1], "-") {
		words = words[1:]
	}
	if len(words) == 0 {
		return true
	}
	name := words[0]
	if _, err := os.Stat(name); filepath.IsAbs(name) && err == nil {
		return true
	}
	if _, err := exec.LookPath(name); err == nil {
		return true
	}
	d.addFinding("missing", h, Finding{Message: message.New(fmt.Sprintf("%s exists, but its first line names %s, which is missing%s", path, name, faultConsequence(h)), message.Do("correct its first line, or install "+filepath.Base(name)))})
	return false
}

// hookFolderArgv returns the command that starts the script in a HOOK.md folder, without a leading
// env. It returns nil if the script cannot be started on any machine, which another check reports.
func hookFolderArgv(folder string) []string {
	argv, err := hookmd.Script(folder)
	if err != nil {
		return nil
	}
	if len(argv) > 2 && filepath.Base(argv[0]) == "env" && !strings.HasPrefix(argv[1], "-") {
		argv = argv[1:]
	}
	return argv
}

// isShellCommand reports whether a shell runs the command of h.
func isShellCommand(h *checkrein.Hook) bool { return rawjson.GetText(h.With, "command") != "" }

// commandArgv returns the program of a command hook and its arguments, or nil if these are unknown
// because the command is more than one simple command or has variables.
func commandArgv(h *checkrein.Hook, home string) []string {
	if text := rawjson.GetText(h.With, "command"); text != "" {
		return splitSimpleCommand(text, home)
	}
	var argv []string
	list, _ := rawjson.Get(h.With, "argv")
	rawjson.Elements(list, func(_ int, v []byte) bool {
		s, _ := rawjson.Text(v)
		argv = append(argv, s)
		return true
	})
	if slices.ContainsFunc(argv, func(s string) bool { return strings.Contains(s, "${") }) {
		return nil
	}
	return argv
}

// splitSimpleCommand splits a command line in which only the home directory must be expanded, as in
// ~/x, $HOME/x or "${HOME}/x y". It returns nil for any other command line.
func splitSimpleCommand(text, home string) []string {
	known := true
	words, err := shell.Fields(text, func(name string) string {
		if name == "HOME" {
			return home
		}
		known = known && !strings.Contains(text, name) // the library also asks for IFS and PWD
		return ""
	})
	if err != nil || !known || home == "" && strings.ContainsAny(text, "~$") || slices.ContainsFunc(words, func(w string) bool { return strings.ContainsAny(w, "=*?[#%") }) {
		return nil
	}
	return words
}

// interpretedScript returns the script in argv if its program is an interpreter, or "" if the command
// line does not name one.
func interpretedScript(argv []string) string {
	base := strings.TrimRight(filepath.Base(argv[0]), "0123456789.")
	if !slices.Contains([]string{"python", "sh", "bash", "dash", "zsh", "node", "ruby", "perl", "php"}, base) || len(argv) < 2 || strings.HasPrefix(argv[1], "-") {
		return ""
	}
	return argv[1]
}

// resolveWord returns the absolute path that a word of the command of h refers to.
func (d *doctor) resolveWord(h *checkrein.Hook, word string) string {
	if filepath.IsAbs(word) {
		return word
	}
	place, err := environ.ReadPlace(h.With)
	if err != nil {
		return filepath.Join(d.Kit.Root(), word)
	}
	dir, _, _ := place.Resolve(d.Kit.Root(), d.Environ)
	return filepath.Join(dir, word)
}

// checkRelative adds findings about relative paths that exist beside the hook's file, but are resolved
// in the project's root, where the user's own hooks run. It reports whether the hook can run.
func (d *doctor) checkRelative(h *checkrein.Hook) bool {
	beside := filepath.Dir(h.From.File)
	if h.From.File == "" || approval.RealPath(beside) == approval.RealPath(d.Kit.Root()) {
		return true
	}
	here, there := coverage.ExistingFiles(h, d.coveragePlace(d.Kit.Root())), coverage.ExistingFiles(h, d.coveragePlace(approval.RealPath(beside)))
	for _, path := range there {
		rel, err := filepath.Rel(approval.RealPath(beside), approval.RealPath(path))
		if err != nil || slices.Contains(here, path) || !filepath.IsLocal(rel) || !isFile(path) {
			continue // the path is absolute or not beside the hook's file
		}
		leads := filepath.Join(d.Kit.Root(), rel)
		if !isFile(leads) {
			d.addFinding("relative-path", h, Finding{Message: message.New(fmt.Sprintf("%s points to %s, because hooks run in the project's root, but the file is next to the configuration, at %s%s", rel, leads, path, faultConsequence(h)), message.Do("write the absolute path: "+path))})
			return false
		}
		d.addFinding("relative-path", h, Finding{Level: Warn, Message: message.New(fmt.Sprintf("%s points to a different file in each project: here it is %s, not %s", rel, leads, path), message.Do("write the absolute path: "+path))})
	}
	return true
}

// coveragePlace returns the coverage.Place of hooks that run in root.
func (d *doctor) coveragePlace(root string) coverage.Place {
	at := coverage.PlaceAt(root)
	at.Environ = d.Environ
	return at
}

// isFile reports whether path is a regular file.
func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// CheckStartable returns why the program of the command hook h cannot be started, without starting it,
// or nil if it found no reason.
func CheckStartable(o Options, h *checkrein.Hook) *Finding {
	d := doctor{Options: o, report: NewReport()}
	if d.checkPaths(h) {
		return nil
	}
	return &d.report.Findings[0]
}
