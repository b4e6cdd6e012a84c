package doctor

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/scan/githook"
	"github.com/checkrein/checkrein/internal/text/message"
	"github.com/checkrein/checkrein/internal/text/term"
)

// Git looks at the git hooks of the repository that dir lies in, if it does. They
// are the last gate before something leaves the machine, and git passes over
// what it cannot run.
func (r *Report) Git(ctx context.Context, dir string, environ []string) {
	l, err := githook.ReadLayer(ctx, dir, environ)
	if err != nil {
		return // no repository, or no git
	}
	if l.Setting != "" && len(l.Warnings) > 0 {
		r.Find("hookspath-missing", Finding{Message: message.New(l.Warnings[0])})
		return
	}
	for i := range l.Hooks {
		r.gitHook(&l.Hooks[i])
	}
	if !slices.ContainsFunc(l.Hooks, func(h githook.Hook) bool { return h.Ours }) {
		r.Find("git-not-scanned", Finding{Message: message.New("git's own hooks do not run checkrein here, so commits and pushes are not scanned for secrets")})
	}
	if l.Setting != "" {
		return
	}
	if n := len(l.Hooks); n > 0 {
		r.Find("git-hooks-untracked", Finding{Message: message.New(fmt.Sprintf("%s in %s: other clones do not have them", term.Count(n, "git hook"), l.Path))})
	}
	for _, name := range []string{"hooks", ".githooks", ".husky", "git-hooks"} {
		if n := countHooks(filepath.Join(l.Top, name)); n > 0 && l.Path != filepath.Join(l.Top, name) {
			r.Find("git-hooks-inactive", Finding{Message: message.New(fmt.Sprintf("%s in the repository's directory %s, but git does not use that directory here", term.Count(n, "git hook"), name), message.Do("review them"), message.Run("git config core.hooksPath "+name, message.Then))})
		}
	}
}

// gitHook looks at one hook.
func (r *Report) gitHook(h *githook.Hook) {
	text, err := os.ReadFile(h.Path)
	switch {
	case err != nil:
		r.Find("git-hook-program", Finding{Message: message.New(h.Path+" "+h.Health, message.Do("remove it, or create the file it points to"))})
	case !h.Executable:
		r.Find("git-hook-not-executable", Finding{Message: message.New(h.Path+" is not executable, so git skips it", message.Run("chmod +x "+h.Path, ""))})
	case githook.Led(text):
		r.Find("git-hook-led", Finding{Message: message.New(h.Path + " was written by an older checkrein and runs the program named in the git setting checkrein.program")})
	default:
		if program := interpreter(text); program != "" && !isFile(program) {
			r.Find("git-hook-program", Finding{Message: message.New(fmt.Sprintf("%s needs %s, which is missing", h.Path, program))})
		}
	}
}

// countHooks counts the hooks in a directory that can keep something back.
func countHooks(dir string) int {
	n := 0
	for _, name := range []string{"pre-commit", "pre-push", "commit-msg", "prepare-commit-msg", "pre-merge-commit", "pre-rebase"} {
		if isFile(filepath.Join(dir, name)) {
			n++
		}
	}
	return n
}

// interpreter is the program that a script's first line names, "" = none.
func interpreter(script []byte) string {
	line, _, _ := strings.Cut(string(script), "\n")
	rest, ok := strings.CutPrefix(line, "#!")
	words := strings.Fields(rest)
	if !ok || len(words) == 0 {
		return ""
	}
	return words[0]
}
