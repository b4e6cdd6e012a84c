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

// maxPromptFile is how many bytes of a file the model gets at most.
const maxPromptFile = 256 << 10

// promptFiles lists the names of files to search for.
type promptFiles []string

// NewAddPromptFiles returns the builtin that gives the model the nearest files with the names args.
func NewAddPromptFiles(args []string) (builtin.Func, error) {
	var errs []error
	for _, name := range args {
		errs = append(errs, checkPromptFile(name))
	}
	return promptFiles(slices.Clone(args)).addFiles, errors.Join(errs...)
}

// checkPromptFile returns an error if name leads out of the searched directories, because a
// repository's configuration could otherwise include any file.
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

// addFiles returns a verdict that adds the texts of the files to the context.
func (names promptFiles) addFiles(_ context.Context, call builtin.Call) (checkrein.Verdict, error) {
	if call.Dir == "" {
		return checkrein.Verdict{}, nil
	}
	home := cmp.Or(call.Machine.Home, environ.Home(call.Environ))
	if home != "" {
		home = filepath.Clean(home)
	}
	var found promptText
	for _, name := range names {
		if dir := closestDir(filepath.Clean(call.Dir), name); dir != "" {
			found.addFile(dir, name, home)
		}
		if home != "" {
			found.addFile(home, name, home)
		}
	}
	return builtin.AddContext(strings.Join(found.parts, "\n\n")), nil
}

// closestDir returns dir or its nearest parent directory that contains the regular file name, or "" if
// there is none.
func closestDir(dir, name string) string {
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

// A promptText collects the texts of files, each below a heading.
type promptText struct {
	parts []string
	seen  []fs.FileInfo
}

// addFile adds the file name in dir, unless it cannot be read, is blank, or was already added,
// possibly under another name: AGENTS.md and CLAUDE.md are often symlinks to each other.
func (t *promptText) addFile(dir, name, home string) {
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
	// Read a little more than the limit, to notice that a file is longer.
	body, err := io.ReadAll(io.LimitReader(f, maxPromptFile+64))
	if err != nil {
		return
	}
	text := strings.TrimPrefix(builtin.ValidUTF8(body), "\uFEFF")
	if len(body) <= maxPromptFile {
		text = strings.TrimRight(text, " \t\r\n")
	}
	if text != "" {
		t.parts = append(t.parts, "Instructions from "+builtin.QuoteUnprintable(filepath.Join(dir, name))+":\n"+builtin.Truncate(text, maxPromptFile))
	}
}

// openPromptFile opens a regular file; dir and home are clean paths. A symlink in the home directory
// may lead anywhere, because the user created it. A symlink elsewhere must stay inside its repository
// or, without one, inside its directory: otherwise a repository could make AGENTS.md a symlink to the
// user's keys.
func openPromptFile(dir, name, home string) (*os.File, error) {
	path := filepath.Join(dir, name)
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return nil, cmp.Or(err, fs.ErrInvalid) // opening a pipe would block until it has a writer
	}
	if dir == home {
		return os.Open(path)
	}
	top := builtin.Repository(dir)
	if top == "" || top == home {
		top = dir // the whole home directory is not a project, even if it is under version control
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
