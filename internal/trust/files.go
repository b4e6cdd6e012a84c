package trust

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/rawjson"
)

const (
	maxFiles    = 64     // that one hook may name
	maxMentions = 10_000 // words of one command that are looked up
)

var (
	errTooMany  = errors.New("its command names too many files")
	errVariable = errors.New("its working_dir holds a variable, so nobody can tell which files it runs: write it out")
)

// NamedFiles returns the files that a command hook names, as absolute paths, at
// most 64. Other hooks name none. Root is where hooks run, "" for the directory
// of the hook's file; relative words start there, or in its working_dir.
//
// Every regular file counts that a word of the command leads to, whatever the
// program that gets it does with it: cat may print it into a shell. The value in
// --option=value, -ovalue, NAME=value and @value is a word too, and so are the
// words of quoted text, in which other programs may find commands, and the
// values of the hook's env. The program that runs, by a name with a slash,
// counts even if it does not exist. What output is redirected to, with > or >>,
// does not count, nor do system directories.
//
// Text for sh -c and the like is read in the same way. Of variables only the
// project's directory, the current and the home directory are known; after a cd
// words are looked up in both directories. Files that exist only by another
// variable's value or by a pattern are not found, nor those that a program
// opens by itself. A directory that an interpreter gets to run stands for what is
// in it, and so does a HOOK.md folder for its scripts. What echo and printf say
// is looked into when something in their pipeline may run it.
func NamedFiles(root string, h *checkrein.Hook) []string {
	paths, _ := Names(root, h)
	return paths
}

// Names is NamedFiles with an error when it cannot tell all of them.
func Names(root string, h *checkrein.Hook) ([]string, error) { return namedFiles(root, h) }

// namedFiles is NamedFiles with an error when it cannot tell all of them.
func namedFiles(root string, h *checkrein.Hook) ([]string, error) {
	if h.Run != "command" {
		return nil, nil
	}
	if folder := folderOf(h); folder != "" {
		return scriptsOf(Real(folder))
	}
	root = rootOf(root, h)
	w, err := walked(root, h)
	if err != nil {
		return nil, err
	}
	// BASH_ENV, NODE_OPTIONS and their like name scripts too.
	env, _ := rawjson.Get(h.With, "env")
	rawjson.Strings(env, func(s string) bool {
		w.mention(word{text: s}, script{})
		if fields := strings.Fields(s); len(fields) > 1 {
			for _, field := range fields {
				w.mention(word{text: field}, script{})
			}
		}
		return true
	})
	return existing(root, w.mentions)
}

// walked follows the command of a hook that runs in root.
func walked(root string, h *checkrein.Hook) (*walker, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		home = "" // words that need it are not found
	}
	w := &walker{root: root, home: home}
	dir := settingOf(h, "working_dir")
	if strings.IndexByte(dir, '$') >= 0 {
		return nil, errVariable
	}
	w.bases = []string{w.workingDir(dir)}
	if command := settingOf(h, "command"); command != "" {
		w.text(command, false)
	} else {
		w.argv(argvOf(h))
	}
	return w, w.problem
}

// rootOf is the directory that a hook runs in, before its working_dir.
func rootOf(root string, h *checkrein.Hook) string {
	if root == "" {
		return Real(filepath.Dir(h.From.File))
	}
	return filepath.Clean(root)
}

func settingOf(h *checkrein.Hook, key string) string {
	return rawjson.GetText(h.With, key)
}

// existing looks the mentions up and returns the files that count.
func existing(root string, mentions []mention) ([]string, error) {
	var files []string
	seen := make(map[string]kind)
	found := make(map[int]bool) // interpreters whose script was found
	for _, m := range mentions {
		there := false
		for _, path := range m.paths {
			is, known := seen[path]
			if !known {
				if len(seen) == maxMentions {
					return files, errTooMany
				}
				is = kindOf(root, path)
				seen[path] = is
			}
			switch {
			case is == regular && !slices.Contains(files, path):
				files = append(files, path)
			case is == directory && m.script.of > 0 && !found[m.script.of]:
				return append(files, path), fmt.Errorf("its command gives an interpreter the directory %s, "+
					"so nobody can tell which files it runs: name the file in it that runs", VisibleLine(path))
			}
			there = there || is == regular || is == system
		}
		if m.script.last || there && !m.script.preload {
			found[m.script.of] = true
		}
		if last := m.paths[len(m.paths)-1]; !there && m.must && !slices.Contains(files, last) {
			files = append(files, last)
		}
		if len(files) > maxFiles {
			return files[:maxFiles], fmt.Errorf("%w: more than %d", errTooMany, maxFiles)
		}
	}
	return files, nil
}

// A kind is what a path leads to.
type kind uint8

const (
	other kind = iota // nothing, or nothing that can be read to its end
	regular
	directory
	system // the machine's own
)

func kindOf(root, path string) kind {
	if isSystem(root, path) {
		return system
	}
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return other
	case info.Mode().IsRegular():
		return regular
	case info.IsDir():
		return directory
	}
	return other
}

// isSystem reports whether a path lies in a directory of the machine's own,
// which no repository can change. A project that lies there itself is no part
// of the system.
func isSystem(root, path string) bool {
	for _, dir := range [...]string{
		"/bin", "/sbin", "/usr/bin", "/usr/sbin", "/usr/local/bin", "/opt/homebrew", "/nix/store",
		"/dev", "/proc", "/sys",
	} {
		if isBelow(dir, path) {
			return !isBelow(dir, root)
		}
	}
	return runtime.GOOS == "windows" && isBelow("c:/windows", path)
}

// isBelow is Within for a directory of a fixed name.
func isBelow(dir, path string) bool {
	if runtime.GOOS == "windows" {
		path = strings.ToLower(filepath.ToSlash(path))
	}
	rest, ok := strings.CutPrefix(path, dir)
	return ok && (rest == "" || rest[0] == '/')
}
