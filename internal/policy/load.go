package policy

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/checkrein/checkrein/internal/state"
	"github.com/checkrein/checkrein/internal/workplace"
	"github.com/checkrein/checkrein/internal/yamldoc"
)

// FileNames are what a project's policy is called, the first one found counts.
var FileNames = []string{"checkrein-policy.yaml", "checkrein-policy.yml", "checkrein-policy.json"}

// An Error says what is wrong with a policy file, problem by problem.
type Error struct {
	File     string
	Problems []error // with the line in front
}

func (e *Error) Error() string {
	list := make([]error, len(e.Problems))
	for i, p := range e.Problems {
		list[i] = fmt.Errorf("%s: %w", e.File, p)
	}
	return errors.Join(list...).Error()
}

// Load reads a policy file, YAML or JSON. What is over at now no longer allows
// anything and is in Notes. A file with a mistake is an *Error and no policy.
func Load(file string, now time.Time) (*Policy, error) {
	src, err := state.ReadRegular(file, yamldoc.MaxSize)
	if err != nil {
		return nil, fmt.Errorf("reading policy: %w", err)
	}
	return Parse(file, src, now)
}

// Parse is Load of a file whose bytes are known.
func Parse(file string, src []byte, now time.Time) (*Policy, error) {
	root, _, err := yamldoc.Parse(src)
	if err != nil {
		return nil, &Error{file, []error{err}}
	}
	r := reader{file: file, now: now}
	p := r.policy(root)
	if len(r.problems) > 0 {
		slices.SortStableFunc(r.problems, func(a, b *yamldoc.Error) int { return a.Line - b.Line })
		list := make([]error, len(r.problems))
		for i := range list {
			list[i] = r.problems[i]
		}
		return nil, &Error{file, list}
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

// Discover returns the policy of the project that a directory is in, else the
// default. The nearest file between the directory and the top of its repository
// counts.
func Discover(dir string, now time.Time) (*Policy, error) {
	top := workplace.Top(dir)
	for d := filepath.Clean(dir); ; d = filepath.Dir(d) {
		for _, name := range FileNames {
			p, err := Load(filepath.Join(d, name), now)
			if !errors.Is(err, os.ErrNotExist) {
				return p, err
			}
		}
		if d == top || d == filepath.Dir(d) {
			return Bundled(Default)
		}
	}
}
