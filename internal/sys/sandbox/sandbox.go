// Package sandbox restricts a hook's program to the files and the network that its settings permit.
//
// The caller resolves the hook's [Rules] into a [Jail] and starts checkrein with [Argv] as a
// trampoline. The trampoline enters the jail with [ExecIn] and executes the hook's program in
// its place, so there is no process in between. If the kernel cannot enforce a restriction,
// the program does not run.
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

// Walls is the profile of the commands that run behind walls, which package walls holds.
const Walls = "walls"

// Rules holds the checked sandbox settings of a hook or a server. They are immutable, so they may be
// shared.
type Rules struct {
	Profile     string   // Walls, or "" for what is listed alone
	Read, Write []string // paths as written
	NoNetwork   bool
}

// MarshalJSON returns the rules as [ParseValue] reads them.
func (r *Rules) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Profile string   `json:"profile,omitempty"`
		Read    []string `json:"read,omitempty"`
		Write   []string `json:"write,omitempty"`
		Network bool     `json:"network"`
	}{r.Profile, r.Read, r.Write, !r.NoNetwork})
}

// SettingKeys returns the keys of the sandbox member.
func SettingKeys() []string { return keys[:] }

var keys = [...]string{"profile", "read", "write", "network"}

// ParseRules returns the rules in the member sandbox of with, the settings of a hook, or nil if there
// is none. An empty sandbox still is one: it permits only what every program needs.
func ParseRules(with json.RawMessage) (*Rules, error) {
	val, ok := rawjson.Get(with, "sandbox")
	if !ok {
		return nil, nil
	}
	return ParseValue(val)
}

// ParseValue returns the rules that val, the value of a member sandbox, describes.
func ParseValue(val json.RawMessage) (*Rules, error) {
	if profile, ok := rawjson.Text(val); ok {
		return &Rules{Profile: profile}, checkProfile(profile)
	}
	if rawjson.Kind(val) != '{' {
		return nil, errors.New("sandbox must be walls or a mapping: write {read: […], write: […], network: false}")
	}
	var r Rules
	var errs []error
	rawjson.Each(val, func(key string, val []byte) bool {
		var err error
		switch key {
		case "profile":
			r.Profile, _ = rawjson.Text(val)
			err = checkProfile(r.Profile)
		case "read":
			r.Read, err = readPaths(key, val)
		case "write":
			r.Write, err = readPaths(key, val)
		case "network":
			if rawjson.Kind(val) != 'b' {
				err = errors.New("sandbox.network must be true or false")
			}
			r.NoNetwork = string(val) != "true"
		default:
			err = fmt.Errorf("unknown key %q in sandbox%s", key, suggest.Hint(key, SettingKeys()))
		}
		errs = append(errs, err)
		return true
	})
	if r.Profile != "" && r.Read != nil {
		errs = append(errs, errors.New("sandbox.read has no effect with a profile, which reads everything but credentials: remove it"))
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return &r, nil
}

// checkProfile returns an error if there is no profile with this name.
func checkProfile(name string) error {
	if name == Walls {
		return nil
	}
	return fmt.Errorf("sandbox.profile: %q is unknown: write walls, or a mapping with read, write and network", name)
}

// readPaths returns the paths in val, the JSON list of the member key.
func readPaths(key string, val []byte) ([]string, error) {
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

// checkPath returns an error if path does not mean what it seems to. Variables and patterns are not
// expanded, so that neither variables nor files decide what the sandbox permits.
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

// A Jail lists the absolute paths of files and directories that one run may access in addition to what
// every program needs.
type Jail struct {
	Read      []string `json:"read,omitempty"`
	Write     []string `json:"write,omitempty"` // readable as well; these paths must exist
	NoNetwork bool     `json:"no_network,omitempty"`
	// With ReadAll everything may be read and executed but the paths in Hide, which must not contain
	// symlinks.
	ReadAll bool     `json:"read_all,omitempty"`
	Hide    []string `json:"hide,omitempty"`
	// Contained prevents a program of the same user from reaching other processes: through unix sockets,
	// unless Sockets is set, by limits and priorities, kernel keys, terminals or open files.
	Contained bool `json:"contained,omitempty"`
	Sockets   bool `json:"sockets,omitempty"`
}

// Resolve returns the jail of what the rules list, without their profile, for a run in the project root. The function home returns the home directory
// in the record of the account, which replaces ~; no variable changes it.
func (r *Rules) Resolve(root string, home func() string) (Jail, error) {
	j := Jail{NoNetwork: r.NoNetwork}
	var errs []error
	add := func(to *[]string, list []string, key string) {
		for _, path := range list {
			full, err := resolvePath(path, root, home)
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

// resolvePath returns path as an absolute path, with ~ replaced by the result of home. A relative path
// is resolved in the project root.
func resolvePath(path, root string, home func() string) (string, error) {
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
	return resolveInProject(root, path)
}

// resolveInProject returns the absolute form of path, which is relative to root. It fails if a symlink
// leads out of the project, because symlinks come with a repository and no person approved their
// targets.
func resolveInProject(root, path string) (string, error) {
	full := filepath.Join(root, path)
	real, err := filepath.EvalSymlinks(full)
	if err != nil {
		return full, nil // entering the jail handles a missing path
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

// CommandName is the name of the hidden command that runs the trampoline.
const CommandName = "_sandbox"

// refusedPrefix starts the error message of a trampoline that cannot enter its jail.
const refusedPrefix = "the sandbox was refused: "

// RefusedError returns err as the error of a trampoline that did not run its program.
func RefusedError(err error) error { return fmt.Errorf(refusedPrefix+"%w", err) }

// TrampolineArgv returns the command to start, with a ticket, in place of argv, so that it runs in the
// jail j. The program of argv must be a path, because the trampoline does not search PATH.
func TrampolineArgv(checkrein string, j Jail, argv []string) ([]string, error) {
	spec, err := json.Marshal(j)
	if err != nil {
		return nil, err
	}
	return append([]string{checkrein, CommandName, string(spec), "--"}, argv...), nil
}

// RunTrampoline executes the command of [TrampolineArgv]; words are its arguments after the ticket. It
// returns only if the program cannot run, with the error to print.
func RunTrampoline(words, environ []string) error {
	if len(words) < 3 || words[1] != "--" {
		return errors.New(refusedPrefix + "only checkrein itself may run this command: _sandbox SPEC -- PROGRAM ARGUMENT…")
	}
	var j Jail
	if err := json.Unmarshal([]byte(words[0]), &j); err != nil {
		return fmt.Errorf(refusedPrefix+"parsing the list of permitted paths: %w", err)
	}
	if slices.ContainsFunc(slices.Concat(j.Read, j.Write, j.Hide), func(p string) bool { return !filepath.IsAbs(p) }) {
		return errors.New(refusedPrefix + "a path is not absolute")
	}
	return RefusedError(ExecIn(j, words[2:], environ))
}

// ParseRefusal returns the reason why a trampoline with this exit code and stderr did not run its
// program, or nil if it did. A program can imitate a refusal, but that only makes its hook fault.
func ParseRefusal(exit int, stderr []byte) error {
	if exit != RefusedExitCode {
		return nil
	}
	_, said, ok := strings.Cut(string(stderr), refusedPrefix)
	if !ok {
		return nil
	}
	return errors.New(refusedPrefix + strings.TrimSpace(said))
}

// RefusedExitCode is the exit code of a trampoline that did not run its program.
const RefusedExitCode = 4

// MakeTempDir creates a private temporary directory for a run, and returns its path and a function
// that removes it.
func MakeTempDir() (dir string, remove func(), err error) {
	if dir, err = os.MkdirTemp("", "checkrein-sandbox-"); err != nil {
		return "", nil, fmt.Errorf("the sandbox's temporary directory: %w", err)
	}
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	return dir, func() { _ = os.RemoveAll(dir) }, nil // if that fails, the system cleans up temporary files later
}
