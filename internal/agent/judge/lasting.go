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

// lasting reports whether a call will mean the same in an hour, so that an allow may
// be used again. One that names a file that is there means what is in it, a runner
// what its files say, and what a shell fills in may be anything. A command must only read,
// as far as all of it is known: other programs do what is in files that nobody named.
func lasting(ev *checkrein.Event) bool {
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
		words := strings.FieldsFunc(cmd, quotes) // names with spaces
		words = append(words, strings.FieldsFunc(cmd, splits)...)
		words = append(words, strings.FieldsFunc(strings.NewReplacer(`"`, "", "'", "").Replace(cmd), splits)...)
		for _, w := range words {
			if runs(filepath.Base(w)) || isThere(ev.Session.Dir, w) {
				return false
			}
			if len(w) > 2 && w[0] == '-' && isThere(ev.Session.Dir, w[2:]) { // -fNAME
				return false
			}
		}
	}
	return true
}

func splits(r rune) bool {
	return unicode.IsSpace(r) || strings.ContainsRune(`"'=:,@;|&()<>{}!#`, r)
}

// runs reports whether a program runs what files of the directory say, or makes
// another directory the one that names are found in.
func runs(program string) bool {
	switch program {
	case "git", "cd", "pushd", "popd":
		return true
	}
	return taskfile.Knows(program)
}

// namesFile reports whether a text of a value is the name of a file that is there.
func namesFile(dir string, v any) bool {
	switch v := v.(type) {
	case string:
		return isThere(dir, v)
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

func isThere(dir, name string) bool {
	if name = strings.TrimSpace(name); name == "" || len(name) > maxName {
		return false
	}
	if !filepath.IsAbs(name) {
		name = filepath.Join(dir, name)
	}
	_, err := os.Lstat(name)
	return err == nil || errors.Is(err, fs.ErrPermission)
}
