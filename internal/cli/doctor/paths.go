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

// paths looks for what a command hook names, and reports whether it can be
// started.
func (d *doctor) paths(h *checkrein.Hook) bool {
	if h.Run != "command" {
		return true
	}
	folder := rawjson.GetText(h.With, "hook_folder")
	if folder == "" && !d.elsewhere(h) {
		return false
	}
	argv := words(h, environ.Home(d.Environ))
	if folder != "" {
		argv = scriptWords(folder)
	}
	var look coverage.DiskView
	for _, path := range coverage.StartedPaths(h, d.place(d.Kit.Root()), &look) {
		if !d.executable(h, path) {
			return false
		}
	}
	if len(argv) == 0 {
		return true // only a shell can tell, when it runs
	}
	if name := argv[0]; strings.ContainsRune(name, '/') {
		if folder != "" && !d.executable(h, name) {
			return false
		}
	} else if _, err := exec.LookPath(name); err != nil && !isShell(h) {
		d.find("missing", h, Finding{Message: message.New(fmt.Sprintf("the program %s is not in PATH%s", name, consequence(h)))})
		return false
	}
	if script := scriptOf(argv); script != "" {
		path := d.resolved(h, script)
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			d.find("missing", h, Finding{Message: message.New(fmt.Sprintf("the script %s is missing%s", path, consequence(h)))})
			return false
		}
	}
	return true
}

// executable looks at a program by its path.
func (d *doctor) executable(h *checkrein.Hook, path string) bool {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		d.find("missing", h, Finding{Message: message.New(fmt.Sprintf("the program %s is missing%s", path, consequence(h)))})
	case err != nil:
		d.find("missing", h, Finding{Message: message.New(fmt.Sprintf("the program %s cannot be checked: %v%s", path, err, consequence(h)))})
	case info.IsDir():
		d.find("not-executable", h, Finding{Message: message.New(fmt.Sprintf("%s is a directory%s", path, consequence(h)), message.Do("name the program in that directory"))})
	case runtime.GOOS != "windows" && info.Mode()&0o111 == 0:
		d.find("not-executable", h, Finding{Message: message.New(fmt.Sprintf("%s is not executable%s", path, consequence(h)), message.Run("chmod +x "+path, ""))})
	default:
		return d.interpreted(h, path)
	}
	return false
}

// interpreted looks at the program that the first line of a script names: where it is
// missing, the system says that the script itself is not there.
func (d *doctor) interpreted(h *checkrein.Hook, path string) bool {
	head, err := state.ReadHead(path, 4096)
	line, ok := strings.CutPrefix(string(head), "#!")
	if err != nil || !ok || runtime.GOOS == "windows" {
		return true
	}
	line, _, _ = strings.Cut(line, "\n")
	if strings.HasSuffix(line, "\r") {
		d.find("not-executable", h, Finding{Message: message.New(fmt.Sprintf("%s exists, but its first line has a Windows line ending and names %q%s", path, strings.TrimSpace(line)+"\r", consequence(h)), message.Run("sed -i 's/\\r$//' "+path, ""))})
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
	d.find("missing", h, Finding{Message: message.New(fmt.Sprintf("%s exists, but its first line names %s, which is missing%s", path, name, consequence(h)), message.Do("correct its first line, or install "+filepath.Base(name)))})
	return false
}

// scriptWords returns how the script of a HOOK.md folder is started, as env starts it.
// It returns nil if it cannot be started on any machine, which the hook's check reports.
func scriptWords(folder string) []string {
	argv, err := hookmd.Script(folder)
	if err != nil {
		return nil
	}
	if len(argv) > 2 && filepath.Base(argv[0]) == "env" && !strings.HasPrefix(argv[1], "-") {
		argv = argv[1:]
	}
	return argv
}

func isShell(h *checkrein.Hook) bool { return rawjson.GetText(h.With, "command") != "" }

// words are the program and its arguments; none when the command is more than
// one simple one.
func words(h *checkrein.Hook, home string) []string {
	if text := rawjson.GetText(h.With, "command"); text != "" {
		return simple(text, home)
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

// simple splits a command line in which only the home must be known: ~/x, $HOME/x,
// "${HOME}/x y". It is nil of any other.
func simple(text, home string) []string {
	known := true
	words, err := shell.Fields(text, func(name string) string {
		if name == "HOME" {
			return home
		}
		known = known && !strings.Contains(text, name) // the library itself looks up IFS and PWD
		return ""
	})
	if err != nil || !known || home == "" && strings.ContainsAny(text, "~$") || slices.ContainsFunc(words, func(w string) bool { return strings.ContainsAny(w, "=*?[#%") }) {
		return nil
	}
	return words
}

// scriptOf is the script that an interpreter is given, "" when there is none that
// can be told from the command line.
func scriptOf(argv []string) string {
	base := strings.TrimRight(filepath.Base(argv[0]), "0123456789.")
	if !slices.Contains([]string{"python", "sh", "bash", "dash", "zsh", "node", "ruby", "perl", "php"}, base) || len(argv) < 2 || strings.HasPrefix(argv[1], "-") {
		return ""
	}
	return argv[1]
}

// resolved is where a word of a hook's command leads.
func (d *doctor) resolved(h *checkrein.Hook, word string) string {
	if filepath.IsAbs(word) {
		return word
	}
	place, err := environ.Read(h.With)
	if err != nil {
		return filepath.Join(d.Kit.Root(), word)
	}
	dir, _, _ := place.Resolve(d.Kit.Root(), d.Environ)
	return filepath.Join(dir, word)
}

// elsewhere finds relative paths that are meant from the hook's file and lead
// from the project's root: a person's own hooks run in every project.
func (d *doctor) elsewhere(h *checkrein.Hook) bool {
	beside := filepath.Dir(h.From.File)
	if h.From.File == "" || approval.Real(beside) == approval.Real(d.Kit.Root()) {
		return true
	}
	here, there := coverage.ExistingFiles(h, d.place(d.Kit.Root())), coverage.ExistingFiles(h, d.place(approval.Real(beside)))
	for _, path := range there {
		rel, err := filepath.Rel(approval.Real(beside), approval.Real(path))
		if err != nil || slices.Contains(here, path) || !filepath.IsLocal(rel) || !isFile(path) {
			continue // it is absolute, or lies elsewhere
		}
		leads := filepath.Join(d.Kit.Root(), rel)
		if !isFile(leads) {
			d.find("relative-path", h, Finding{Message: message.New(fmt.Sprintf("%s points to %s, because hooks run in the project's root, but the file is next to the configuration, at %s%s", rel, leads, path, consequence(h)), message.Do("write the absolute path: "+path))})
			return false
		}
		d.find("relative-path", h, Finding{Level: Warn, Message: message.New(fmt.Sprintf("%s points to a different file in each project: here it is %s, not %s", rel, leads, path), message.Do("write the absolute path: "+path))})
	}
	return true
}

// place is where hooks run that run in a directory.
func (d *doctor) place(root string) coverage.Place {
	at := coverage.PlaceAt(root)
	at.Environ = d.Environ
	return at
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// Startable returns what keeps the program of a command hook from being started, without
// starting it; nil = nothing does, as far as can be seen.
func Startable(o Options, h *checkrein.Hook) *Finding {
	d := doctor{Options: o, report: NewReport()}
	if d.paths(h) {
		return nil
	}
	return &d.report.Findings[0]
}
