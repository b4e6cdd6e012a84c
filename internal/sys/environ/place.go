// Package environ determines the directory and the environment of hooks from the
// working_dir and env of their settings, and reads environments, accounts and project
// directories.
//
// Environments have the form of os.Environ. If a name occurs twice, the later entry counts,
// as in os/exec; on Windows names are case-insensitive. A nil environment is that of the
// process.
package environ

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// A Place is the directory and the environment of a hook, as written in its settings. The zero Place
// sets neither. It is immutable, so it may be shared.
type Place struct {
	Dir string
	Env []Var // as written; of two variables with the same name the later one counts
}

// A Var is an environment variable.
type Var struct{ Name, Value string }

// ReadPlace returns the Place in with, the settings of a hook: the members working_dir, a string, and
// env, an object of strings. An absent or null member is empty; other members are ignored. Empty
// settings yield the zero Place.
func ReadPlace(with json.RawMessage) (Place, error) {
	if len(with) == 0 {
		return Place{}, nil
	}
	if err := rawjson.CheckObject(with); err != nil {
		return Place{}, fmt.Errorf("hook settings: %w", err)
	}
	dir, err := readWorkingDir(with)
	if err != nil {
		return Place{}, err
	}
	vars, err := readEnv(with)
	if err != nil {
		return Place{}, err
	}
	return Place{Dir: dir, Env: vars}, nil
}

// readWorkingDir returns the member working_dir of with, or "" if it is absent or null.
func readWorkingDir(with []byte) (string, error) {
	val, ok := rawjson.Get(with, "working_dir")
	if !ok || rawjson.Kind(val) == 'n' {
		return "", nil
	}
	dir, ok := rawjson.Text(val)
	if !ok {
		return "", errors.New("working_dir must be a string")
	}
	if strings.IndexByte(dir, 0) >= 0 {
		return "", errors.New("working_dir must not contain a zero byte")
	}
	return dir, nil
}

// readEnv returns the variables of the member env of with. If several are invalid, the error lists all
// of them.
func readEnv(with []byte) ([]Var, error) {
	val, ok := rawjson.Get(with, "env")
	if !ok || rawjson.Kind(val) == 'n' {
		return nil, nil
	}
	if rawjson.Kind(val) != '{' {
		return nil, errors.New("env must be an object of names and strings")
	}
	var vars []Var
	var errs []error
	rawjson.Each(val, func(name string, val []byte) bool {
		v, err := readVar(name, val)
		if err != nil {
			errs = append(errs, err)
		}
		vars = append(vars, v)
		return true
	})
	if errs != nil {
		return nil, errors.Join(errs...)
	}
	return vars, nil
}

// readVar returns the variable name with the JSON string val as its value.
func readVar(name string, val []byte) (Var, error) {
	if name == "" || strings.ContainsAny(name, "=\x00") {
		return Var{}, fmt.Errorf("env %q: a name must not be empty or contain = or a zero byte", name)
	}
	value, ok := rawjson.Text(val)
	if !ok {
		return Var{}, fmt.Errorf("env %q: the value must be a string; put it in quotes", name)
	}
	if strings.IndexByte(value, 0) >= 0 {
		return Var{}, fmt.Errorf("env %q: the value must not contain a zero byte", name)
	}
	return Var{Name: name, Value: value}, nil
}

// Resolve returns the directory and the environment in which a hook with the settings p runs.
//
// An absolute Dir is used as it is, and a relative one is joined to base; ~, $V, ${V} and ${env.V} in
// it are replaced from environ. Without a Dir the directory is base. If Dir expands to nothing, the
// directory is base too, and the warning is not empty. A relative Dir with base "" stays relative.
//
// The environment is environ overlaid with the variables of p, in whose values only ${env.X} is
// replaced, from environ. Without variables it is environ itself, so nil stays nil.
func (p Place) Resolve(base string, environ []string) (dir string, env []string, warning string) {
	dir, env = base, environ
	if p.Dir != "" {
		if own := p.expandDir(environ); own == "" {
			warning = fmt.Sprintf("working_dir %q expands to nothing; running in %q instead", p.Dir, base)
		} else if filepath.IsAbs(own) {
			dir = filepath.Clean(own)
		} else {
			dir = filepath.Join(base, own)
		}
	}
	if len(p.Env) > 0 {
		vars := make([]Var, len(p.Env))
		for i, v := range p.Env {
			vars[i] = Var{Name: v.Name, Value: expand(v.Value, environ, envOnly)}
		}
		env = Overlay(environ, vars)
	}
	return dir, env, warning
}

// expandDir returns p.Dir with its variables replaced, or "" if it expands to nothing.
func (p Place) expandDir(environ []string) string {
	if rest, ok := strings.CutPrefix(p.Dir, "~"); ok && startsAtSeparator(rest) {
		home := Home(environ)
		if home == "" {
			return ""
		}
		return home + expand(rest, environ, anyForm)
	}
	// $UNSET/src must not become /src.
	if name, n := parseReference(p.Dir, anyForm); n > 0 && startsAtSeparator(p.Dir[n:]) {
		if v, _ := Lookup(environ, name); v == "" {
			return ""
		}
	}
	dir := expand(p.Dir, environ, anyForm)
	if strings.TrimSpace(dir) == "" {
		return ""
	}
	return dir
}

// startsAtSeparator reports whether s is empty or begins with a path separator.
func startsAtSeparator(s string) bool {
	return s == "" || s[0] == '/' || s[0] == filepath.Separator
}

// Home returns the home directory that environ names, or "" if it names none.
func Home(environ []string) string {
	home, _ := Lookup(environ, "HOME")
	if home == "" && runtime.GOOS == "windows" {
		home, _ = Lookup(environ, "USERPROFILE")
	}
	return home
}
