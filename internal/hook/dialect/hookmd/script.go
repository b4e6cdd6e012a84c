package hookmd

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/hook/grammar"
	"github.com/checkrein/checkrein/internal/text/message"
)

// scriptNames are the names of a folder's program; the first that exists counts.
var scriptNames = [...]string{"run", "run.sh", "run.py"}

// interpreters run scripts that the system cannot start, by file extension.
var interpreters = [...]struct{ ext, unix, windows string }{
	{".sh", "/bin/sh", "sh"},
	{".bash", "bash", "bash"},
	{".py", "python3", "python"},
	{".js", "node", "node"},
	{".mjs", "node", "node"},
	{".cjs", "node", "node"},
	{".rb", "ruby", "ruby"},
	{".pl", "perl", "perl"},
}

// shells are the interpreters that read a carriage return as part of a word.
var shells = [...]string{"sh", "bash", "dash", "ksh", "zsh"}

// backups are the suffixes of files that editors and patches leave beside a script.
var backups = [...]string{"~", "#", ".swp", ".swo", ".bak", ".orig", ".rej", ".old", ".tmp"}

// Script returns the command that runs when the event of the hook in a folder fires: scripts/run, else
// scripts/run.sh, else scripts/run.py, else the only script in scripts, whatever its name is. A script
// that the system cannot start, because it is not executable or does not name its interpreter, is run
// by the interpreter that its first line names, else by the one for its extension, else by sh. The
// folder should be absolute, because hooks run in other directories.
func Script(folder string) (argv []string, err error) {
	dir := filepath.Join(folder, "scripts")
	for _, name := range scriptNames {
		path := filepath.Join(dir, name)
		info, err := os.Stat(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err != nil:
			return nil, fmt.Errorf("cannot look for the script: %w", err)
		case !info.Mode().IsRegular():
			return nil, fmt.Errorf("%s is not a file: put the hook's program there", path)
		}
		return startCommand(path, info)
	}
	found, err := scriptsIn(dir)
	switch {
	case err != nil:
		return nil, fmt.Errorf("cannot look for the script: %w", err)
	case len(found) == 0:
		return nil, message.Wrap(fmt.Errorf("%s %w", folder, grammar.ErrNoScript), message.Do("add scripts/run, scripts/run.sh or scripts/run.py"))
	case len(found) > 1:
		return nil, fmt.Errorf("%s has several scripts (%s), and none is called run, run.sh or run.py: rename the one that the hook runs", folder, strings.Join(found, ", "))
	}
	path := filepath.Join(dir, found[0])
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("cannot look for the script: %w", err)
	}
	return startCommand(path, info)
}

// startCommand returns the command that starts a script.
func startCommand(path string, info fs.FileInfo) ([]string, error) {
	byExt := interpreterByExt(path)
	if runtime.GOOS == "windows" { // it starts files by their extension
		if byExt != "" {
			return []string{byExt, path}, nil
		}
		return []string{path}, nil
	}
	executable, head := info.Mode()&0o111 != 0, readHead(path)
	argv, named := []string{path}, head.interpreter()
	switch {
	case len(named) > 0 && (!executable || head.isCRLF()):
		argv = append(named, path)
	case byExt != "" && (!executable || named == nil):
		argv = []string{byExt, path}
	case !executable:
		return nil, message.Wrap(fmt.Errorf("%s %w", path, grammar.ErrNotExecutable), message.Run("chmod +x "+path, ""))
	case named == nil && !head.isBinary():
		if filepath.Ext(path) != "" {
			return nil, fmt.Errorf("%s names no interpreter: begin it with a line such as #!/usr/bin/env node", path)
		}
		argv = []string{"/bin/sh", path}
	}
	if head.isCRLF() && startsShell(argv) {
		return nil, fmt.Errorf("%s has Windows line endings: run sed -i 's/\\r$//' %s", path, path)
	}
	return argv, nil
}

// startsShell reports whether argv starts a shell, by its path or through env.
func startsShell(argv []string) bool {
	name := filepath.Base(argv[0])
	if name == "env" && len(argv) > 2 {
		name = argv[1]
	}
	return slices.Contains(shells[:], name)
}

// interpreterByExt returns the interpreter for a script's extension; "" if there is none.
func interpreterByExt(path string) string {
	for _, i := range interpreters {
		if filepath.Ext(path) != i.ext {
			continue
		}
		if runtime.GOOS == "windows" {
			return i.windows
		}
		return i.unix
	}
	return ""
}

// scriptsIn returns the files of a directory that can run: those that are executable, name their
// interpreter or have the extension of a script. A missing directory has none.
func scriptsIn(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var out []string
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		info, err := os.Stat(path)
		if err != nil || !info.Mode().IsRegular() || e.Name()[0] == '.' || isBackup(e.Name()) {
			continue
		}
		if info.Mode()&0o111 != 0 && runtime.GOOS != "windows" || interpreterByExt(path) != "" || readHead(path).interpreter() != nil {
			out = append(out, e.Name())
		}
	}
	return out, err
}

// isBackup reports whether an editor or a patch left a file beside another.
func isBackup(name string) bool {
	return slices.ContainsFunc(backups[:], func(end string) bool { return strings.HasSuffix(name, end) })
}

// A head is the beginning of a file.
type head struct {
	text       string
	unreadable bool // starting the file reports the reason
}

func readHead(path string) head {
	f, err := os.Open(path)
	if err != nil {
		return head{unreadable: true}
	}
	defer f.Close()
	var b [256]byte
	n, _ := f.Read(b[:])
	return head{text: string(b[:n])}
}

// interpreter returns what the first line names after #!, as the system reads it: a program and at
// most one argument. It is nil if there is no such line, and empty if the line names none or the file
// cannot be read.
func (h head) interpreter() []string {
	line, ok := strings.CutPrefix(h.text, "#!")
	if !ok && !h.unreadable {
		return nil
	}
	line, _, _ = strings.Cut(line, "\n")
	program, arg, _ := strings.Cut(strings.TrimSpace(line), " ")
	if arg = strings.TrimSpace(arg); arg != "" {
		return []string{program, arg}
	}
	if program == "" {
		return []string{}
	}
	return []string{program}
}

// isCRLF reports whether the first line has a Windows line ending.
func (h head) isCRLF() bool {
	line, _, ok := strings.Cut(h.text, "\n")
	return ok && strings.HasSuffix(line, "\r")
}

// isBinary reports whether the file is no text, so that only the system can start it.
func (h head) isBinary() bool {
	return h.unreadable || strings.HasPrefix(h.text, "\x7fELF") || strings.Contains(h.text, "\x00")
}
