// Package walls holds the profile of contained commands: what they may write, what they may not read and
// which environment variables they get. It turns the profile into a [sandbox.Jail] for a command.
package walls

import (
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/catalog/hosts"
	"github.com/checkrein/checkrein/internal/sys/sandbox"
)

//go:embed profile.txt
var profileText string

// A Rule is one line of the profile.
type Rule struct {
	Verb string `json:"verb"` // write, keep, device, temp, hide, restore, tell or drop
	What string `json:"what"` // a path, ~ for the home directory, or a variable
	Why  string `json:"why"`
}

// Rules returns the rules of the profile, in the order of the file, and those about agents.
func Rules() []Rule {
	out := make([]Rule, 0, 128)
	for line := range strings.Lines(profileText) {
		verb, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		if verb == "" || verb == "#" {
			continue
		}
		what, why, _ := strings.Cut(strings.TrimSpace(rest), " ")
		out = append(out, Rule{verb, what, strings.TrimSpace(why)})
	}
	for i := range hosts.Secrets {
		if s := &hosts.Secrets[i]; s.At == hosts.InHome {
			out = append(out, Rule{"hide", "~/" + strings.TrimSuffix(s.Path, "/"), "an account of an agent"})
		}
	}
	for i := range hosts.Files {
		if f := &hosts.Files[i]; f.Where&hosts.Project != 0 {
			out = append(out, Rule{"restore", f.Path, "settings and hooks of an agent"})
		}
	}
	return out
}

// A Place is where a command runs.
type Place struct {
	Homes []string // home directories: that of the environment and that of the account
	Dirs  []string // that the command works on, as [ProjectDirs] returns them
	Own   []string // directories of checkrein, which are neither read nor written
	// Write, Hide and Network change the profile, by a person's settings: further paths that it may
	// write, paths that it may not read, and whether it may use the network.
	Write, Hide []string
	Network     bool
	Sockets     bool // it may use unix sockets
	// Closed is set if the command writes nothing but Dirs and Write: no caches and no temporary files of
	// other programs.
	Closed bool
}

// ErrHome is the error for a project that contains the home directory, and so everything that walls
// protect.
var ErrHome = errors.New("the project contains your home directory")

// Check returns an error if there is no jail for a command at the place p.
func (p *Place) Check() error {
	_, _, err := p.check()
	return err
}

// check returns the home directories and those that the command works on, without symlinks.
func (p *Place) check() (homes, dirs []string, err error) {
	for _, dir := range p.Homes {
		homes = appendReal(homes, dir)
	}
	if slices.Sort(homes); len(homes) == 0 {
		return nil, nil, errors.New("there is no home directory")
	}
	homes = slices.Compact(homes)
	for _, dir := range p.Dirs {
		real, err := filepath.EvalSymlinks(dir)
		if err != nil {
			return nil, nil, err
		}
		if containsAny(real, slices.Concat(homes, p.Own)) {
			return nil, nil, fmt.Errorf("%w: %s", ErrHome, dir)
		}
		dirs = append(dirs, real)
	}
	return homes, dirs, nil
}

// Jail returns the jail for a command at the place p. Rules for paths that do not exist have no effect.
// The result contains no symlinks.
func (p *Place) Jail() (sandbox.Jail, error) {
	j := sandbox.Jail{ReadAll: true, Contained: true, NoNetwork: !p.Network, Sockets: p.Sockets}
	homes, dirs, err := p.check()
	if err != nil {
		return j, err
	}
	rules := Rules()
	for _, path := range p.Write {
		rules = append(rules, Rule{Verb: "write", What: path})
	}
	for _, path := range p.Hide {
		rules = append(rules, Rule{Verb: "hide", What: path})
	}
	keep := slices.Clone(p.Own) // no directory above these may be written as a whole
	for _, r := range rules {
		for _, path := range expand(r.What, homes) {
			if r.Verb == "hide" {
				j.Hide = appendMatches(j.Hide, path)
			}
			if r.Verb == "hide" || r.Verb == "keep" { // what may be written could also be read
				keep = appendMatches(keep, path)
			}
		}
	}
	for _, dir := range p.Own {
		j.Hide = appendMatches(j.Hide, dir)
	}
	for _, dir := range dirs {
		j.Write = appendBeside(j.Write, dir, keep)
	}
	for _, r := range rules {
		if !slices.Contains([]string{"write", "temp", "device"}, r.Verb) || p.Closed && r.Verb != "device" && !slices.Contains(p.Write, r.What) {
			continue
		}
		beside := slices.Concat(keep, homes)
		for _, path := range expand(r.What, homes) {
			for _, dir := range appendReal(nil, path) {
				named := func(path string) bool { return path == dir && !slices.Contains(p.Own, path) } // a person opens it
				j.Write = appendBeside(j.Write, dir, slices.DeleteFunc(slices.Clone(beside), named))
			}
		}
	}
	j.Write = slices.DeleteFunc(j.Write, func(path string) bool {
		return slices.ContainsFunc(p.Own, func(own string) bool { return path == own || strings.HasPrefix(path, own+"/") })
	})
	return j, nil
}

// expand returns path with ~ replaced by each of homes.
func expand(path string, homes []string) []string {
	rest, ok := strings.CutPrefix(path, "~/")
	if !ok {
		return []string{path}
	}
	out := make([]string, len(homes))
	for i, home := range homes {
		out[i] = home + "/" + rest
	}
	return out
}

// appendReal appends path, without symlinks, if it exists.
func appendReal(list []string, path string) []string {
	if _, err := os.Lstat(path); err != nil {
		return list
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return list
	}
	return append(list, real)
}

// appendMatches appends the existing paths that pattern matches, and what they lead to if they are
// symlinks. Public keys are no secrets, and devices none for users who cannot read them.
func appendMatches(list []string, pattern string) []string {
	paths := []string{pattern}
	if strings.Contains(pattern, "*") {
		paths, _ = filepath.Glob(pattern)
	}
	for _, path := range paths {
		info, err := os.Lstat(path)
		if err != nil || strings.HasSuffix(path, ".pub") || info.Mode()&fs.ModeDevice != 0 && os.Geteuid() != 0 {
			continue
		}
		dir, err := filepath.EvalSymlinks(filepath.Dir(path))
		if err != nil {
			continue
		}
		list = append(list, filepath.Join(dir, filepath.Base(path)))
		if info.Mode()&fs.ModeSymlink != 0 {
			list = appendReal(list, path)
		}
	}
	return list
}

// containsAny reports whether dir is one of paths or contains one.
func containsAny(dir string, paths []string) bool {
	return slices.ContainsFunc(paths, func(path string) bool {
		return dir == "/" || path == dir || strings.HasPrefix(path, dir+"/")
	})
}

// appendBeside appends dir, or what is in it if it contains a path of keep, which then stays out.
func appendBeside(list []string, dir string, keep []string) []string {
	if !containsAny(dir, keep) {
		return append(list, dir)
	}
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if path := filepath.Join(dir, e.Name()); e.Type()&fs.ModeSymlink == 0 && !slices.Contains(keep, path) {
			list = appendBeside(list, path, keep)
		}
	}
	return list
}

// CleanEnviron returns environ without the variables that a contained command does not get.
func CleanEnviron(environ []string) []string {
	return cleanEnviron(environ, func(string) bool { return false })
}

// cleanEnviron is CleanEnviron with the variables for which keep returns true.
func cleanEnviron(environ []string, keep func(name string) bool) []string {
	var drop []string
	for _, r := range Rules() {
		if r.Verb == "drop" {
			drop = append(drop, r.What)
		}
	}
	return slices.DeleteFunc(slices.Clone(environ), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return (slices.Contains(drop, name) || facts.IsSecretName(name)) && !keep(name)
	})
}
