package judge

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/classify"
	"github.com/checkrein/checkrein/internal/shell/taskfile"
)

// meansSameLater reports whether the call in ev will mean the same in an hour, so that an Allow may be
// reused. That is not so if the call names an existing file, runs a task runner, which depends on its
// files, or contains shell expansions, which may yield anything. A command must be known to only read,
// since other programs may depend on files that it does not name.
func meansSameLater(ev *checkrein.Event) bool {
	t := ev.Tool
	if t == nil {
		return true
	}
	var input any
	if json.Unmarshal(t.Input, &input) != nil || namesFile(ev.Session.Dir, input) {
		return len(t.Input) == 0
	}
	for _, cmd := range t.Commands() {
		if strings.ContainsAny(cmd, "$`*?[~\\") {
			return false
		}
		if report := classify.Command(cmd, shell.Place{Dir: ev.Session.Dir, Root: ev.Session.Root}); !report.OnlyReads() {
			return false
		}
		quotes := func(r rune) bool { return r == '"' || r == '\'' }
		words := strings.FieldsFunc(cmd, quotes) // for names with spaces
		words = append(words, strings.FieldsFunc(cmd, isSeparator)...)
		words = append(words, strings.FieldsFunc(strings.NewReplacer(`"`, "", "'", "").Replace(cmd), isSeparator)...)
		for _, w := range words {
			if dependsOnFiles(filepath.Base(w)) || fileExists(ev.Session.Dir, w) {
				return false
			}
			if len(w) > 2 && w[0] == '-' && fileExists(ev.Session.Dir, w[2:]) { // -fNAME
				return false
			}
		}
	}
	return true
}

// isSeparator reports whether r separates words, or parts of words, of a command.
func isSeparator(r rune) bool {
	return unicode.IsSpace(r) || strings.ContainsRune(`"'=:,@;|&()<>{}!#`, r)
}

// dependsOnFiles reports whether program runs what files in the directory define, or changes the
// directory.
func dependsOnFiles(program string) bool {
	switch program {
	case "git", "cd", "pushd", "popd":
		return true
	}
	return taskfile.IsRunner(program)
}

// namesFile reports whether a string in v, at any depth, names an existing file in dir.
func namesFile(dir string, v any) bool {
	switch v := v.(type) {
	case string:
		return fileExists(dir, v)
	case []any:
		for _, e := range v {
			if namesFile(dir, e) {
				return true
			}
		}
	case map[string]any:
		for _, e := range v {
			if namesFile(dir, e) {
				return true
			}
		}
	}
	return false
}

const maxName = 4096 // bytes of a path

// fileExists reports whether the file name exists in dir, or cannot be checked for lack of permission.
func fileExists(dir, name string) bool {
	if name = strings.TrimSpace(name); name == "" || len(name) > maxName {
		return false
	}
	if !filepath.IsAbs(name) {
		name = filepath.Join(dir, name)
	}
	_, err := os.Lstat(name)
	return err == nil || errors.Is(err, fs.ErrPermission)
}
