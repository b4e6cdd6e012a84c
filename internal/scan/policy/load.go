package policy

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/checkrein/checkrein/internal/sys/environ"
	"github.com/checkrein/checkrein/internal/sys/state"
	"github.com/checkrein/checkrein/internal/sys/userdirs"
	"github.com/checkrein/checkrein/internal/text/yamldoc"
)

// FileNames lists the possible names of a policy file. The first that exists is used.
var FileNames = []string{"checkrein-policy.yaml", "checkrein-policy.yml", "checkrein-policy.json"}

// An Error lists the mistakes in a policy file.
type Error struct {
	File     string
	Problems []error // each with its line
}

// Error returns the problems, one per line, with file and line number.
func (e *Error) Error() string {
	list := make([]error, len(e.Problems))
	for i, p := range e.Problems {
		list[i] = fmt.Errorf("%s: %w", e.File, p)
		var at *yamldoc.Error
		if errors.As(p, &at) {
			list[i] = fmt.Errorf("%s:%d: %s", e.File, at.Line, at.Text())
		}
	}
	return errors.Join(list...).Error()
}

// Load reads the policy in file, YAML or JSON, which the user named. Allow entries that expired before
// now have no effect and are listed in Notes. If the file has mistakes, the error is an *Error.
func Load(file string, now time.Time) (*Policy, error) {
	src, err := readPolicyFile(file)
	if err != nil {
		return nil, err
	}
	return Parse(file, src, now)
}

// readPolicyFile returns the content of file.
func readPolicyFile(file string) ([]byte, error) {
	src, err := state.ReadRegular(file, yamldoc.MaxSize)
	if err != nil {
		return nil, fmt.Errorf("reading the policy: %w", err)
	}
	return src, nil
}

// Parse is Load for a file whose content is src.
func Parse(file string, src []byte, now time.Time) (*Policy, error) {
	r := reader{file: file, now: now}
	return r.parse(src)
}

// parse returns the policy in src. If it has mistakes, the error is an *Error with all of them, sorted
// by line.
func (r *reader) parse(src []byte) (*Policy, error) {
	root, _, err := yamldoc.Parse(src)
	if err != nil {
		return nil, &Error{r.file, []error{err}}
	}
	p := r.readPolicy(root)
	if len(r.problems) > 0 {
		slices.SortStableFunc(r.problems, func(a, b *yamldoc.Error) int { return a.Line - b.Line })
		list := make([]error, len(r.problems))
		for i := range list {
			list[i] = r.problems[i]
		}
		return nil, &Error{r.file, list}
	}
	return p, nil
}

// LoadNamed returns the bundled policy name or, if there is none, the policy in the file name,
// relative to dir. A file cannot override a bundled policy, because it may come with the repository
// that is scanned.
func LoadNamed(dir, name string, now time.Time) (*Policy, error) {
	if p, err := LoadBundled(name); err == nil {
		return p, nil
	}
	if !filepath.IsAbs(name) {
		name = filepath.Join(dir, name)
	}
	return Load(name, now)
}

// Discover returns the policy for the project that contains dir. It is the user's policy in the
// directory person, or the bundled policy byDefault if there is none. The project's own file, the
// nearest between dir and the top of its repository, can only tighten it, unless the user's policy
// trusts that file; then it replaces the user's policy.
func Discover(dir, person, byDefault string, now time.Time) (*Policy, error) {
	own, err := userPolicy(person, byDefault, now)
	if err != nil {
		return nil, err
	}
	top := environ.RepoTop(dir)
	for d := filepath.Clean(dir); ; d = filepath.Dir(d) {
		for _, name := range FileNames {
			file := filepath.Join(d, name)
			src, err := readPolicyFile(file)
			switch {
			case errors.Is(err, os.ErrNotExist):
				continue
			case err != nil:
				return nil, err
			case file == own.File:
				return own, nil
			case own.trustsFile(file):
				return Parse(file, src, now)
			}
			return tighten(own, filepath.Join(person, FileNames[0]), file, src, now)
		}
		if d == top || d == filepath.Dir(d) {
			return own, nil
		}
	}
}

// userPolicy returns the policy in the user's directory dir, or the bundled policy byDefault if there
// is none.
func userPolicy(dir, byDefault string, now time.Time) (*Policy, error) {
	if dir == "" {
		return LoadBundled(byDefault)
	}
	for _, name := range FileNames {
		file := filepath.Join(dir, name)
		src, err := readPolicyFile(file)
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err == nil {
			err = userdirs.CheckFile(file)
		}
		if err != nil {
			return nil, fmt.Errorf("your policy %s: %w", file, err)
		}
		r := reader{file: file, now: now, person: true}
		return r.parse(src)
	}
	return LoadBundled(byDefault)
}

// trustsFile reports whether p lists file, the policy of a project, in trusts.
func (p *Policy) trustsFile(file string) bool {
	is, err := os.Stat(file)
	return err == nil && slices.ContainsFunc(p.trusts, func(name string) bool {
		named, err := os.Stat(name)
		return err == nil && os.SameFile(is, named)
	})
}
