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

// FileNames are what a project's policy is called, the first one found counts.
var FileNames = []string{"checkrein-policy.yaml", "checkrein-policy.yml", "checkrein-policy.json"}

// An Error describes what is wrong with a policy file, problem by problem.
type Error struct {
	File     string
	Problems []error // with the line in front
}

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

// Load reads a policy file, YAML or JSON, that somebody named. What is over at now no
// longer allows anything and is in Notes. A file with a mistake is an *Error and no
// policy.
func Load(file string, now time.Time) (*Policy, error) {
	src, err := content(file)
	if err != nil {
		return nil, err
	}
	return Parse(file, src, now)
}

func content(file string) ([]byte, error) {
	src, err := state.ReadRegular(file, yamldoc.MaxSize)
	if err != nil {
		return nil, fmt.Errorf("reading the policy: %w", err)
	}
	return src, nil
}

// Parse is Load of a file whose bytes are known.
func Parse(file string, src []byte, now time.Time) (*Policy, error) {
	r := reader{file: file, now: now}
	return r.parse(src)
}

func (r *reader) parse(src []byte) (*Policy, error) {
	root, _, err := yamldoc.Parse(src)
	if err != nil {
		return nil, &Error{r.file, []error{err}}
	}
	p := r.policy(root)
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

// Named returns the bundled policy of that name, else the one in such a file,
// relative to dir. A file cannot take the name of a bundled one: it may come with
// what is to be judged.
func Named(dir, name string, now time.Time) (*Policy, error) {
	if p, err := Bundled(name); err == nil {
		return p, nil
	}
	if !filepath.IsAbs(name) {
		name = filepath.Join(dir, name)
	}
	return Load(name, now)
}

// Discover returns the policy for a project that a directory is in. It is the
// person's, which lies in their directory, else the default; the project's own file,
// the nearest between the directory and the top of its repository, can tighten it. A
// project's file that the person's names in trusts counts as it is. The default is the
// bundled policy of that name.
func Discover(dir, person, byDefault string, now time.Time) (*Policy, error) {
	own, err := ofPerson(person, byDefault, now)
	if err != nil {
		return nil, err
	}
	top := environ.RepoTop(dir)
	for d := filepath.Clean(dir); ; d = filepath.Dir(d) {
		for _, name := range FileNames {
			file := filepath.Join(d, name)
			src, err := content(file)
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

// ofPerson returns the policy in a person's directory, else the default.
func ofPerson(dir, byDefault string, now time.Time) (*Policy, error) {
	if dir == "" {
		return Bundled(byDefault)
	}
	for _, name := range FileNames {
		file := filepath.Join(dir, name)
		src, err := content(file)
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
	return Bundled(byDefault)
}

// trustsFile reports whether a project's file is one that counts as it is.
func (p *Policy) trustsFile(file string) bool {
	is, err := os.Stat(file)
	return err == nil && slices.ContainsFunc(p.trusts, func(name string) bool {
		named, err := os.Stat(name)
		return err == nil && os.SameFile(is, named)
	})
}
