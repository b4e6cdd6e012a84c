package hookmd

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/sys/environ"
	"github.com/checkrein/checkrein/internal/sys/state"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// maxScript bounds a script that is copied.
const maxScript = 1 << 20

// script returns the file of scripts/ that does what the hook does, without a
// name when there is none to write. False means that the hook runs nothing.
func (w *writer) script(h *checkrein.Hook) (checkrein.Document, bool) {
	if folder := folderOf(h); folder != "" {
		return w.copied(h, folder), true
	}
	command := commandOf(h)
	if command == "" {
		w.lose(h, "hook", "the hook has no command", "")
		return checkrein.Document{}, false
	}
	place, err := environ.Read(h.With)
	if err != nil {
		w.lose(h, "hook", err.Error(), "")
		return checkrein.Document{}, false
	}
	text := "#!/bin/sh\n"
	if place.Dir != "" {
		text += enter(place.Dir) // before its variables: those of outside count
	}
	return checkrein.Document{Name: "run.sh", Data: []byte(text + w.exports(h, place.Env) + command)}, true
}

// copied returns the script of a folder.
func (w *writer) copied(h *checkrein.Hook, folder string) checkrein.Document {
	argv, err := Script(folder)
	if err != nil {
		w.lose(h, "script", err.Error(), "")
		return checkrein.Document{}
	}
	path := argv[len(argv)-1]
	data, err := state.ReadRegular(path, maxScript)
	if err != nil {
		w.lose(h, "script", err.Error(), "copy the script yourself")
		return checkrein.Document{}
	}
	if entries, err := os.ReadDir(filepath.Dir(path)); err != nil || len(entries) > 1 {
		w.lose(h, "script", "only "+filepath.Base(path)+" was copied from "+filepath.Dir(path), "copy the other files it needs")
	}
	return checkrein.Document{Name: filepath.Base(path), Data: data}
}

// commandOf returns what a hook runs, as lines of a shell script, "" when it
// runs nothing.
func commandOf(h *checkrein.Hook) string {
	val, _ := rawjson.Get(h.With, "command")
	if s, ok := rawjson.Text(val); ok && strings.TrimSpace(s) != "" {
		return strings.TrimRight(s, "\n") + "\n"
	}
	var words []string
	argv, _ := rawjson.Get(h.With, "argv")
	rawjson.Elements(argv, func(_ int, e []byte) bool {
		s, _ := rawjson.Text(e)
		words = append(words, single(s))
		return true
	})
	if len(words) == 0 || words[0] == "''" {
		return ""
	}
	return "exec " + strings.Join(words, " ") + "\n"
}

// exports sets the hook's variables. They stand in one command, so that each
// value sees the environment that came from outside.
func (w *writer) exports(h *checkrein.Hook, vars []environ.Var) string {
	line := ""
	for _, v := range vars {
		if !isVariable(v.Name) {
			w.lose(h, "env", "a shell variable cannot be named "+v.Name, "set it in the command")
			continue
		}
		line += " " + v.Name + "=" + expansion(v.Value, false)
	}
	if line == "" {
		return ""
	}
	return "export" + line + "\n"
}

// enter goes to a working_dir. Where ~ or the variable that it begins with is
// not set, the rest must not come to mean another directory. That, and a
// directory that is not there, are faults; so the shell's own way to end, with
// 2, will not do.
func enter(dir string) string {
	name, n := variable(dir, true)
	if strings.HasPrefix(dir, "~") {
		name, n = "HOME", 1
	}
	set, word := "", ""
	switch rest := dir[n:]; {
	case n > 0 && (rest == "" || rest[0] == '/'):
		value := `"${` + name + `}"`
		set, word = "[ -n "+value+" ] && ", value
		if rest != "" {
			word += expansion(rest, true)
		}
	case dir[0] == '/' || dir[0] == '$':
		word = expansion(dir, true)
	default:
		word = expansion("./"+dir, true) // because - means something else to cd
	}
	return set + "CDPATH= cd -- " + word + " || exit 1\n"
}

// expansion writes a text with variables as one shell word: ${env.NAME}, and
// where bare is set also $NAME and ${NAME}.
func expansion(s string, bare bool) string {
	if s == "" {
		return "''"
	}
	var b strings.Builder
	literal := 0
	for i := 0; i < len(s); {
		name, n := variable(s[i:], bare)
		if n == 0 {
			i++
			continue
		}
		if i > literal {
			b.WriteString(single(s[literal:i]))
		}
		b.WriteString(`"${` + name + `}"`)
		i += n
		literal = i
	}
	if literal < len(s) {
		b.WriteString(single(s[literal:]))
	}
	return b.String()
}

// variable reads the reference that s begins with; n is 0 when there is none.
func variable(s string, bare bool) (name string, n int) {
	if rest, ok := strings.CutPrefix(s, "${"); ok {
		inner, _, closed := strings.Cut(rest, "}")
		name, env := strings.CutPrefix(inner, "env.")
		if closed && (env || bare) && isVariable(name) {
			return name, len(inner) + len("${}")
		}
		return "", 0
	}
	if rest, ok := strings.CutPrefix(s, "$"); ok && bare {
		if n := nameLength(rest); n > 0 {
			return rest[:n], n + 1
		}
	}
	return "", 0
}

func isVariable(name string) bool { return name != "" && nameLength(name) == len(name) }

// nameLength returns how many bytes at the start of s can name a variable of a
// shell.
func nameLength(s string) int {
	for i := range len(s) {
		c := s[i]
		letter := c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return i
		}
	}
	return len(s)
}

// single writes a text as a shell word that means itself.
func single(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
