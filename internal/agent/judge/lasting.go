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

// meansSameLater reports whether a call will mean the same in an hour, so that an allow may be used
// again. The meaning of a call that names an existing file depends on the file, that of a task runner
// on its files, and a shell's expansions may yield anything. A command must be known to only read:
// other programs may depend on files that it does not name.
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

func isSeparator(r rune) bool {
	return unicode.IsSpace(r) || strings.ContainsRune(`"'=:,@;|&()<>{}!#`, r)
}

// dependsOnFiles reports whether a program runs what files of the directory define, or changes the
// directory.
func dependsOnFiles(program string) bool {
	switch program {
	case "git", "cd", "pushd", "popd":
		return true
	}
	return taskfile.IsRunner(program)
}

// namesFile reports whether a string in a value names an existing file.
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
