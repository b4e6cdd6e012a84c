package coverage

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/taskfile"
)

// lookingUp are programs whose commands may be programs on PATH: git lint is git-lint.
const lookingUp = "git cargo kubectl oc docker brew conda mamba stack cabal dotnet chezmoi"

// subcommands covers the programs on PATH that a program may take its commands from.
func (p *planner) subcommands(c *shell.Call, path string, dirs []string) {
	if !hasWord(lookingUp, c.Name) {
		return
	}
	name := c.Name
	for i := commandAt(c); i >= 0 && i < len(c.Args); i++ {
		w := c.Args[i]
		if w.Text == "" || w.Text[0] == '-' || strings.ContainsAny(w.Text, "/\x00") {
			return
		}
		if !w.Known() {
			p.unknown(w, "which command of "+c.Name+" runs")
			return
		}
		name += "-" + w.Text
		p.search(name, path, dirs)
		if c.Name != "kubectl" && c.Name != "oc" { // which take several words for one
			return
		}
	}
}

// commandAt is which argument of a program is its command; -1 = none.
func commandAt(c *shell.Call) int {
	for i := 0; i < len(c.Args); i++ {
		switch t := c.Args[i].Text; {
		case c.Name == "git" && hasWord("-C -c --git-dir --work-tree --namespace --config-env", t):
			i++
		case t != "" && t[0] != '-' && t[0] != '+':
			return i
		}
	}
	return -1
}

// runParts covers all files of the directory that run-parts runs, whatever they are
// called: which of them it takes is a matter of its options.
func (p *planner) runParts(c *shell.Call, at spot) {
	if slices.ContainsFunc(c.Args, func(w shell.Word) bool { return w.Text == "--list" || w.Text == "--test" }) {
		return
	}
	for i := len(c.Args) - 1; i >= 0; i-- {
		w := c.Args[i]
		if strings.HasPrefix(w.Text, "-") {
			continue
		}
		list, known := p.paths(w, at)
		if !known {
			p.unknown(w, "which directory "+c.Name+" runs")
		}
		for _, dir := range list {
			if isSystem(p.place.Root, dir) {
				continue
			}
			names, err := p.look.Names(dir)
			if err != nil && p.look.Kind(dir) == Directory {
				p.anywhere("the folder " + visible(w.Text) + " holds more than can be looked at")
			}
			for _, name := range names {
				if path := filepath.Join(dir, name); p.part(path, false) {
					p.executed(path, nil, at)
				}
			}
		}
		return
	}
}

// builders make files that may run later in the same text.
const builders = "cc gcc g++ c++ clang clang++ ld go rustc tsc esbuild swiftc javac ghc zig nim crystal shc"

func isBuilder(name string) bool { return taskfile.Knows(name) || hasWord(builders, name) }

// unbuilt reports whether a file that is not there may be made by what runs before.
func (p *planner) unbuilt(name string, list []string) bool {
	if p.builder == "" || slices.ContainsFunc(list, func(path string) bool { return p.look.Kind(path) != Nothing }) {
		return false
	}
	p.unsure(p.builder + " may make " + visible(name) + " before it runs")
	return true
}

// isSpecial reports whether a path of the system may lead to a file of anybody's.
func isSpecial(path string) bool {
	clean := filepath.Clean(path)
	return isBelow("/proc", clean) || isBelow("/dev/fd", clean) || strings.Contains(path, "..") && (strings.Contains(path, "/proc/") || strings.Contains(path, "/dev/fd/"))
}

// lead is where a special path leads for a process in a directory. It reports false when
// that is only known when it runs.
func lead(dir, path string) (string, bool) {
	clean := filepath.Clean(path)
	if !isSpecial(path) {
		return clean, true
	}
	if strings.Contains(path, "..") {
		return clean, false // it climbs from where a link leads
	}
	rest, ok := strings.CutPrefix(clean, "/proc/")
	if !ok {
		fd, open := strings.CutPrefix(clean, "/dev/fd/")
		return clean, !open || !strings.Contains(fd, "/")
	}
	who, rest, _ := strings.Cut(rest, "/")
	what, rest, _ := strings.Cut(rest, "/")
	if who != "self" && who != "thread-self" {
		return clean, strings.Trim(who, "0123456789") != "" // another process's
	}
	switch what {
	case "cwd":
		return filepath.Join(dir, rest), true
	case "root":
		return lead(dir, "/"+rest)
	case "fd":
		return clean, !strings.Contains(rest, "/")
	case "exe", "task", "map_files":
		return clean, false
	}
	return clean, true
}
