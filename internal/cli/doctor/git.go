package doctor

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/checkrein/checkrein/internal/scan/githook"
	"github.com/checkrein/checkrein/internal/sys/process"
	"github.com/checkrein/checkrein/internal/text/message"
)

// gitHooks are those that can keep something back.
var gitHooks = []string{"pre-commit", "pre-push", "commit-msg", "prepare-commit-msg", "pre-merge-commit", "pre-rebase"}

// Git looks at the git hooks of the repository that dir lies in, if it does. They
// are the last gate before something leaves the machine, and git passes over
// what it cannot run.
func (r *Report) Git(ctx context.Context, dir string, environ []string) {
	git := func(args ...string) string {
		res, err := process.Run(ctx, process.Spec{Argv: append([]string{"git", "-C", dir}, args...), Env: environ})
		if err != nil || res.Exit != 0 {
			return ""
		}
		return strings.TrimSpace(string(res.Stdout))
	}
	top := git("rev-parse", "--show-toplevel")
	if top == "" {
		return // no repository, or no git
	}
	set := git("config", "--get", "core.hooksPath")
	hooks := git("rev-parse", "--path-format=absolute", "--git-path", "hooks")
	if set != "" {
		if info, err := os.Stat(hooks); err != nil || !info.IsDir() {
			r.Find("hookspath-missing", Finding{Message: message.New(fmt.Sprintf("core.hooksPath is %s, but %s is not a directory, so git runs no hooks", set, hooks))})
			return
		}
	}
	found := r.gitHooks(hooks)
	if !asksUs(hooks) {
		r.Find("git-not-scanned", Finding{Message: message.New("git's own hooks do not run checkrein here, so commits and pushes are not scanned for secrets")})
	}
	if set != "" {
		return
	}
	if found > 0 {
		r.Find("git-hooks-untracked", Finding{Message: message.New(fmt.Sprintf("%s in %s: other clones do not have them", plural(found, "git hook"), hooks))})
	}
	for _, name := range []string{"hooks", ".githooks", ".husky", "git-hooks"} {
		if n := countHooks(filepath.Join(top, name)); n > 0 && hooks != filepath.Join(top, name) {
			r.Find("git-hooks-inactive", Finding{Message: message.New(fmt.Sprintf("%s in the repository's directory %s, but git does not use that directory here", plural(n, "git hook"), name), message.Do("review them"), message.Run("git config core.hooksPath "+name, message.Then))})
		}
	}
}

// asksUs reports whether a hook in a directory names checkrein, as ours do and those of
// other hands that call it.
func asksUs(dir string) bool {
	for _, name := range githook.Ours {
		if text, err := os.ReadFile(filepath.Join(dir, name)); err == nil && bytes.Contains(text, []byte("checkrein")) {
			return true
		}
	}
	return false
}

// gitHooks looks at the hooks in a directory and returns how many there are.
func (r *Report) gitHooks(dir string) int {
	n := 0
	for _, name := range gitHooks {
		path := filepath.Join(dir, name)
		info, err := os.Stat(path)
		if errors.Is(err, fs.ErrNotExist) {
			if _, err := os.Lstat(path); err == nil {
				r.Find("git-hook-program", Finding{Message: message.New(path+" is a broken link", message.Do("remove it, or create the file it points to"))})
			}
			continue
		}
		if err != nil || info.IsDir() {
			continue
		}
		n++
		if runtime.GOOS != "windows" && info.Mode()&0o111 == 0 {
			r.Find("git-hook-not-executable", Finding{Message: message.New(fmt.Sprintf("%s is not executable, so git skips it", path), message.Run("chmod +x "+path, ""))})
			continue
		}
		if text, err := os.ReadFile(path); err == nil && githook.Led(text) {
			r.Find("git-hook-led", Finding{Message: message.New(path + " was written by an older checkrein and runs the program named in the git setting checkrein.program")})
		}
		if program := interpreter(path); program != "" {
			if _, err := os.Stat(program); err != nil {
				r.Find("git-hook-program", Finding{Message: message.New(fmt.Sprintf("%s needs %s, which is missing", path, program))})
			}
		}
	}
	return n
}

func countHooks(dir string) int {
	n := 0
	for _, name := range gitHooks {
		if isFile(filepath.Join(dir, name)) {
			n++
		}
	}
	return n
}

// interpreter is the program that a script's first line names, "" = none.
func interpreter(path string) string {
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	var head [256]byte
	n, _ := f.Read(head[:])
	line, _, _ := bytes.Cut(head[:n], []byte("\n"))
	rest, ok := bytes.CutPrefix(line, []byte("#!"))
	words := strings.Fields(string(rest))
	if !ok || len(words) == 0 {
		return ""
	}
	return words[0]
}
