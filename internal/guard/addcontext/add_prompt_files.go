package addcontext

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/guard/builtin"
	"github.com/checkrein/checkrein/internal/sys/environ"
)

// maxPromptFile is how many bytes of a file the model is given.
const maxPromptFile = 256 << 10

// promptFiles are the names to look for.
type promptFiles []string

func NewAddPromptFiles(args []string) (builtin.Func, error) {
	var errs []error
	for _, name := range args {
		errs = append(errs, checkPromptFile(name))
	}
	return promptFiles(slices.Clone(args)).tell, errors.Join(errs...)
}

// checkPromptFile refuses names that lead out of the directories that are
// searched: with those a repository's configuration could pull in any file.
func checkPromptFile(name string) error {
	slashed := strings.ReplaceAll(name, `\`, "/")
	switch {
	case name == "":
		return errors.New("a file name is empty: remove it or fill it in")
	case filepath.IsAbs(name) || strings.HasPrefix(slashed, "/") || filepath.VolumeName(name) != "":
		return fmt.Errorf("file %q: must be a relative name, such as AGENTS.md", name)
	case slices.Contains(strings.Split(slashed, "/"), ".."):
		return fmt.Errorf(`file %q: remove "..": parent directories are searched anyway`, name)
	case !filepath.IsLocal(name):
		return fmt.Errorf("file %q: the operating system reserves this name: use another one", name)
	}
	return nil
}

func (names promptFiles) tell(_ context.Context, call builtin.Call) (checkrein.Verdict, error) {
	if call.Dir == "" {
		return checkrein.Verdict{}, nil
	}
	home := cmp.Or(call.Machine.Home, environ.Home(call.Environ))
	if home != "" {
		home = filepath.Clean(home)
	}
	var found promptText
	for _, name := range names {
		if dir := closest(filepath.Clean(call.Dir), name); dir != "" {
			found.add(dir, name, home)
		}
		if home != "" {
			found.add(home, name, home)
		}
	}
	return builtin.AddContext(strings.Join(found.parts, "\n\n")), nil
}

// closest returns the directory at or above dir that holds the file, "" if
// none does.
func closest(dir, name string) string {
	for {
		if info, err := os.Stat(filepath.Join(dir, name)); err == nil && info.Mode().IsRegular() {
			return dir
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return ""
		}
		dir = parent
	}
}

// A promptText collects bodies under their headings.
type promptText struct {
	parts []string
	seen  []fs.FileInfo
}

// add adds a file unless it cannot be read, is blank or is there already,
// under this name or, as AGENTS.md and CLAUDE.md often are, as a link.
func (t *promptText) add(dir, name, home string) {
	f, err := openPromptFile(dir, name, home)
	if err != nil {
		return
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || slices.ContainsFunc(t.seen, func(other fs.FileInfo) bool { return os.SameFile(info, other) }) {
		return
	}
	t.seen = append(t.seen, info)
	// Reading on a little shows that there is more than is kept.
	body, err := io.ReadAll(io.LimitReader(f, maxPromptFile+64))
	if err != nil {
		return
	}
	text := strings.TrimPrefix(builtin.ValidUTF8(body), "\uFEFF")
	if len(body) <= maxPromptFile {
		text = strings.TrimRight(text, " \t\r\n")
	}
	if text != "" {
		t.parts = append(t.parts, "Instructions from "+builtin.QuoteIfOdd(filepath.Join(dir, name))+":\n"+builtin.Truncate(text, maxPromptFile))
	}
}

// openPromptFile opens a regular file; dir and home are clean paths. A link of
// the home directory may lead anywhere, for the person put it there. A link
// elsewhere must stay inside its repository, or inside its directory when there
// is none: or else whoever wrote the repository could have AGENTS.md be the
// person's keys.
func openPromptFile(dir, name, home string) (*os.File, error) {
	path := filepath.Join(dir, name)
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return nil, cmp.Or(err, fs.ErrInvalid) // opening a pipe would wait for its writer
	}
	if dir == home {
		return os.Open(path)
	}
	top := builtin.Repository(dir)
	if top == "" || top == home {
		top = dir // a home directory under version control is not one project
	}
	root, err := os.OpenRoot(top)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	rel, err := filepath.Rel(top, path)
	if err != nil {
		return nil, err
	}
	return root.Open(rel)
}
