// Package sandbox keeps a hook's program to the files and the network that its
// settings name.
//
// Who runs a hook resolves its [Rules] into a [Jail] and starts checkrein as a
// trampoline, by [Argv]: that enters the jail with [Become] and then is the
// hook's program, so no process stands between. What the kernel cannot keep is
// refused, and the program does not run.
package sandbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/text/rawjson"
	"github.com/checkrein/checkrein/internal/text/suggest"
)

// Rules are what a hook's settings say about its sandbox, checked. They are
// only read, so they may be shared.
type Rules struct {
	Read, Write []string // paths as written
	NoNetwork   bool
}

// Keys are the members of a sandbox.
func Keys() []string { return keys[:] }

var keys = [...]string{"read", "write", "network"}

// Parse takes the member sandbox out of a hook's settings, nil when there is
// none. One that says nothing is one: it permits only what every program needs.
func Parse(with json.RawMessage) (*Rules, error) {
	val, ok := rawjson.Get(with, "sandbox")
	if !ok {
		return nil, nil
	}
	if rawjson.Kind(val) != '{' {
		return nil, errors.New("sandbox must be a mapping: write {read: […], write: […], network: false}")
	}
	var r Rules
	var errs []error
	rawjson.Each(val, func(key string, val []byte) bool {
		var err error
		switch key {
		case "read":
			r.Read, err = paths(key, val)
		case "write":
			r.Write, err = paths(key, val)
		case "network":
			if rawjson.Kind(val) != 'b' {
				err = errors.New("sandbox.network must be true or false")
			}
			r.NoNetwork = string(val) != "true"
		default:
			err = fmt.Errorf("unknown key %q in sandbox%s", key, suggest.Hint(key, Keys()))
		}
		errs = append(errs, err)
		return true
	})
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return &r, nil
}

func paths(key string, val []byte) ([]string, error) {
	if rawjson.Kind(val) != '[' {
		return nil, fmt.Errorf("sandbox.%s must be a list of paths", key)
	}
	var out []string
	var errs []error
	rawjson.Elements(val, func(_ int, val []byte) bool {
		path, ok := rawjson.Text(val)
		err := checkPath(path)
		if !ok {
			err = errors.New("a path must be a string")
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("sandbox.%s: %w", key, err))
		}
		out = append(out, path)
		return true
	})
	return out, errors.Join(errs...)
}

// checkPath refuses what would not mean what it looks like: nothing is filled
// in and nothing is a pattern, so that no variable and no file decides what the
// sandbox permits.
func checkPath(path string) error {
	rest, home := strings.CutPrefix(path, "~")
	switch {
	case strings.TrimSpace(path) == "":
		return errors.New("a path is empty")
	case strings.IndexByte(path, 0) >= 0:
		return fmt.Errorf("%q contains a null byte", path)
	case strings.IndexByte(path, '$') >= 0:
		return fmt.Errorf("%q: variables do not work here: write the full path, or ~/ for the account's home directory", path)
	case strings.ContainsAny(path, "*?"):
		return fmt.Errorf("%q: patterns do not work here: name the directory", path)
	case home && rest != "" && rest[0] != '/':
		return fmt.Errorf("%q: ~USER does not work here: write the full path", path)
	case !home && !filepath.IsAbs(path) && !filepath.IsLocal(path):
		return fmt.Errorf("%q leads out of the project: write an absolute path", path)
	}
	return nil
}

// A Jail is what one run may do beside what every program needs: absolute paths
// of files and directories.
type Jail struct {
	Read      []string `json:"read,omitempty"`
	Write     []string `json:"write,omitempty"` // read too; they must exist
	NoNetwork bool     `json:"no_network,omitempty"`
}

// Resolve returns the jail of a run in a project. Home returns the home
// directory on record for the account, which ~ means; no variable does.
func (r *Rules) Resolve(root string, home func() string) (Jail, error) {
	j := Jail{NoNetwork: r.NoNetwork}
	var errs []error
	add := func(to *[]string, list []string, key string) {
		for _, path := range list {
			full, err := resolve(path, root, home)
			if err != nil {
				errs = append(errs, fmt.Errorf("sandbox.%s: %w", key, err))
				continue
			}
			*to = append(*to, full)
		}
	}
	add(&j.Read, r.Read, "read")
	add(&j.Write, r.Write, "write")
	return j, errors.Join(errs...)
}

func resolve(path, root string, home func() string) (string, error) {
	if rest, ok := strings.CutPrefix(path, "~"); ok {
		dir := home()
		if dir == "" {
			return "", fmt.Errorf("%q: the account has no home directory: write the full path", path)
		}
		return filepath.Join(dir, rest), nil
	}
	if filepath.IsAbs(path) {
		return filepath.Clean(path), nil
	}
	if !filepath.IsAbs(root) {
		return "", fmt.Errorf("%q is relative, but its base is unknown: write an absolute path", path)
	}
	return within(root, path)
}

// within resolves a path of the project. One that a link leads out of it is
// refused: links come with a repository, and nobody approved where they lead.
func within(root, path string) (string, error) {
	full := filepath.Join(root, path)
	real, err := filepath.EvalSymlinks(full)
	if err != nil {
		return full, nil // it is not there: who enters the jail sees what that means
	}
	top, err := filepath.EvalSymlinks(root)
	if err != nil {
		return "", err
	}
	if rel, err := filepath.Rel(top, real); err != nil || !filepath.IsLocal(rel) {
		return "", fmt.Errorf("%q is a link that leads out of the project, to %q: write that path if you mean it", path, real)
	}
	return real, nil
}

// Name is the hidden command of the trampoline.
const Name = "_sandbox"

// refused begins what the trampoline says when it cannot enter a jail.
const refused = "the sandbox was refused: "

// Refused reports that the trampoline did not run its program.
func Refused(err error) error { return fmt.Errorf(refused+"%w", err) }

// Argv is what to start instead of argv, with a ticket. The program of argv must be
// found already: the trampoline looks nowhere.
func Argv(checkrein string, j Jail, argv []string) ([]string, error) {
	spec, err := json.Marshal(j)
	if err != nil {
		return nil, err
	}
	return append([]string{checkrein, Name, string(spec), "--"}, argv...), nil
}

// Trampoline runs what [Argv] started: words are what follows the ticket. It returns only when the program cannot run, with what to say.
func Trampoline(words, environ []string) error {
	if len(words) < 3 || words[1] != "--" {
		return errors.New(refused + "this command is for checkrein itself: _sandbox SPEC -- PROGRAM ARGUMENT…")
	}
	var j Jail
	if err := json.Unmarshal([]byte(words[0]), &j); err != nil {
		return fmt.Errorf(refused+"reading what it permits: %w", err)
	}
	if slices.ContainsFunc(slices.Concat(j.Read, j.Write), func(p string) bool { return !filepath.IsAbs(p) }) {
		return errors.New(refused + "a path is not absolute")
	}
	return Refused(Become(j, words[2:], environ))
}

// Refusal returns why the trampoline did not run its program, nil when it did.
// A program that says the same of itself is believed: it only faults.
func Refusal(exit int, stderr []byte) error {
	if exit != RefusedCode {
		return nil
	}
	_, said, ok := strings.Cut(string(stderr), refused)
	if !ok {
		return nil
	}
	return errors.New(refused + strings.TrimSpace(said))
}

// RefusedCode is the trampoline's exit code when the program did not run.
const RefusedCode = 4

// Temp makes the private directory for temporary files of a run, and returns
// what removes it.
func Temp() (dir string, remove func(), err error) {
	if dir, err = os.MkdirTemp("", "checkrein-sandbox-"); err != nil {
		return "", nil, fmt.Errorf("the sandbox's temporary directory: %w", err)
	}
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	return dir, func() { _ = os.RemoveAll(dir) }, nil // what a hook left unremovable, the system's own cleaning gets
}
