package trust

import (
	"errors"
	"fmt"
	"io/fs"
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

var errTooMany = errors.New("its command names too many files")

// NamedFiles returns the script files that a command hook names, as absolute
// paths, at most 64. Other hooks name none. Root is where hooks run, "" for the
// directory of the hook's file; relative words start there, or in its
// working_dir.
//
// Among the words of the command, a regular file counts when
//
//   - it is the program that runs, by a name with a slash; then it counts even
//     if it does not exist,
//   - a program that runs other programs or scripts gets it as an argument or
//     as its input,
//   - its name ends like a script's,
//   - it begins with #!, or
//   - it is executable and lies below root.
//
// The values of the hook's env are words too.
// Text for sh -c and the like is read in the same way. Of variables only the
// project's directory, the current and the home directory are known; after a cd
// words are looked up in both directories. Files that exist only by another
// variable's value or by a pattern are not found, nor those that a program
// opens by itself. System directories do not count.
func NamedFiles(root string, h *checkrein.Hook) []string {
	paths, _ := namedFiles(root, h)
	return paths
}

// namedFiles is NamedFiles with an error when it cannot tell all of them.
func namedFiles(root string, h *checkrein.Hook) ([]string, error) {
	if h.Run != "command" {
		return nil, nil
	}
	root = rootOf(root, h)
	home, err := os.UserHomeDir()
	if err != nil {
		home = "" // words that need it are not found
	}
	w := walker{root: root, home: home}
	w.bases = []string{w.workingDir(settingOf(h, "working_dir"))}
	if command := settingOf(h, "command"); command != "" {
		w.text(command, false)
	} else {
		w.argv(argvOf(h))
	}
	// BASH_ENV and its like name scripts too.
	env, _ := rawjson.Get(h.With, "env")
	rawjson.Strings(env, func(s string) bool {
		w.mention(word{text: s}, false)
		return true
	})
	if w.problem != nil {
		return nil, w.problem
	}
	return existing(root, w.mentions)
}

// rootOf is the directory that a hook runs in, before its working_dir.
func rootOf(root string, h *checkrein.Hook) string {
	if root == "" {
		root = filepath.Dir(h.From.File)
	}
	return filepath.Clean(root)
}

func settingOf(h *checkrein.Hook, key string) string {
	val, _ := rawjson.Get(h.With, key)
	s, _ := rawjson.Text(val)
	return s
}

// existing looks the mentions up and returns the files that count.
func existing(root string, mentions []mention) ([]string, error) {
	var files []string
	seen := make(map[mentioned]bool)
	for _, m := range mentions {
		found := false
		for _, path := range m.paths {
			key := mentioned{path, m.runs}
			there, known := seen[key]
			if !known {
				if len(seen) == maxMentions {
					return files, errTooMany
				}
				there = lookUp(root, path, m.runs, &files)
				seen[key] = there
			}
			found = found || there
		}
		if last := m.paths[len(m.paths)-1]; !found && m.must && !slices.Contains(files, last) {
			files = append(files, last)
		}
		if len(files) > maxFiles {
			return files[:maxFiles], fmt.Errorf("%w: more than %d", errTooMany, maxFiles)
		}
	}
	return files, nil
}

type mentioned struct {
	path string
	runs bool
}

// lookUp appends path to files if it counts. It reports whether there is
// nothing to miss: the file exists, or is the system's own.
func lookUp(root, path string, runs bool, files *[]string) bool {
	if isSystem(root, path) {
		return true
	}
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	if (runs || isScript(root, path, info)) && !slices.Contains(*files, path) {
		*files = append(*files, path)
	}
	return true
}

// isScript reports whether a file looks like one that is run.
func isScript(root, path string, info fs.FileInfo) bool {
	return hasScriptName(path) ||
		info.Mode()&0o111 != 0 && within(root, path) ||
		hasInterpreterLine(path)
}

func hasScriptName(path string) bool {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".sh", ".bash", ".zsh", ".fish", ".py", ".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx",
		".rb", ".pl", ".php", ".ps1", ".psm1", ".bat", ".cmd", ".lua", ".r", ".jar", ".awk", ".sed", ".jq", ".tcl":
		return true
	}
	return false
}

func hasInterpreterLine(path string) bool {
	f, _, err := openRegular(path)
	if err != nil {
		return false
	}
	defer f.Close()
	var first [2]byte
	n, _ := f.Read(first[:])
	return string(first[:n]) == "#!"
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

// isBelow is within for a directory of a fixed name.
func isBelow(dir, path string) bool {
	if runtime.GOOS == "windows" {
		path = strings.ToLower(filepath.ToSlash(path))
	}
	rest, ok := strings.CutPrefix(path, dir)
	return ok && (rest == "" || rest[0] == '/')
}
