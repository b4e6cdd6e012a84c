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

// scriptNames lists the names of a hook's script, in order of precedence.
var scriptNames = [...]string{"run", "run.sh", "run.py"}

// interpreters lists, by file extension, the programs for scripts that the system cannot start itself.
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

// shells lists the interpreters that treat a carriage return as part of a word.
var shells = [...]string{"sh", "bash", "dash", "ksh", "zsh"}

// backupSuffixes lists the suffixes of files that editors and patch leave next to a script.
var backupSuffixes = [...]string{"~", "#", ".swp", ".swo", ".bak", ".orig", ".rej", ".old", ".tmp"}

// Script returns the command to run for the hook in folder: scripts/run, scripts/run.sh or
// scripts/run.py, whichever exists first, or else the only script in scripts. If the system cannot
// start the script, because it is not executable or names no interpreter, it is run by the interpreter
// that its first line names, or by the one for its extension, or by sh. The folder should be absolute,
// because hooks run in other directories.
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

// startCommand returns the command that starts the script at path.
func startCommand(path string, info fs.FileInfo) ([]string, error) {
	byExt := interpreterByExt(path)
	if runtime.GOOS == "windows" { // Windows starts files by their extension
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

// startsShell reports whether argv runs a shell, directly or through env.
func startsShell(argv []string) bool {
	name := filepath.Base(argv[0])
	if name == "env" && len(argv) > 2 {
		name = argv[1]
	}
	return slices.Contains(shells[:], name)
}

// interpreterByExt returns the interpreter for the extension of path, or "" if there is none.
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

// scriptsIn returns the names of the scripts in dir: files that are executable, name their
// interpreter, or have the extension of a script. It returns none if dir does not exist.
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

// isBackup reports whether name is that of a file that an editor or patch left next to another one.
func isBackup(name string) bool {
	return slices.ContainsFunc(backupSuffixes[:], func(end string) bool { return strings.HasSuffix(name, end) })
}

// A fileHead is the beginning of a file.
type fileHead struct {
	text       string
	unreadable bool // the error is reported when the script is started
}

func readHead(path string) fileHead {
	f, err := os.Open(path)
	if err != nil {
		return fileHead{unreadable: true}
	}
	defer f.Close()
	var b [256]byte
	n, _ := f.Read(b[:])
	return fileHead{text: string(b[:n])}
}

// interpreter returns the interpreter in the #! line as the system reads it: a program and at most one
// argument. It returns nil if there is no such line, and an empty slice if the line names no program
// or the file cannot be read.
func (h fileHead) interpreter() []string {
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
func (h fileHead) isCRLF() bool {
	line, _, ok := strings.Cut(h.text, "\n")
	return ok && strings.HasSuffix(line, "\r")
}

// isBinary reports whether the file is not a text file or cannot be read, so that only the system can
// start it.
func (h fileHead) isBinary() bool {
	return h.unreadable || strings.HasPrefix(h.text, "\x7fELF") || strings.Contains(h.text, "\x00")
}
