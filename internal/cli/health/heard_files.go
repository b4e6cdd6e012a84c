package health

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/hosts"
	"github.com/checkrein/checkrein/internal/catalog/transcripts"
	"github.com/checkrein/checkrein/internal/sys/environ"
	"github.com/checkrein/checkrein/internal/sys/state"
)

// What is read of such files.
const (
	maxInstructions = 1 << 20 // of one
	maxGiven        = 1000    // files
	maxEntries      = 20_000  // of directories
	maxImports      = 5       // from one file to the next
	maxAbove        = 32
)

// givenFiles looks for a secret in what hosts give their models.
type givenFiles struct {
	ctx     context.Context
	has     func(text string) bool
	seen    map[string]bool
	home    string
	entries int
	found   string // the file that has it, as people know it
}

// look returns the file that has the secret, for a session in a directory; "" = none.
func (g *givenFiles) look(dir, root string, vars []string) string {
	g.home = environ.Home(vars)
	dirs := []string{dir, root, g.home}
	for up := dir; up != "" && len(dirs) < maxAbove; {
		above := filepath.Dir(up)
		if above == up {
			break
		}
		up = above
		dirs = append(dirs, up)
	}
	for _, d := range dirs {
		if d != "" {
			g.under(d, "")
		}
	}
	getenv := func(name string) string { v, _ := environ.Lookup(vars, name); return v }
	for p := range transcripts.All {
		for _, m := range p.Vars {
			if d := getenv(m.Variable); filepath.IsAbs(d) {
				g.under(filepath.Join(d, m.Below), p.Home+"/")
			}
		}
	}
	g.free(getenv, dir, root)
	for _, d := range []string{dir, root} {
		if d != "" && d != g.home && filepath.Dir(d) != d {
			g.below(d)
		}
	}
	return g.found
}

// free reads the folders that hosts leave to the model, of some directories.
func (g *givenFiles) free(getenv func(string) string, dirs ...string) {
	for p := range transcripts.All {
		for _, folder := range p.Free {
			for _, d := range dirs {
				if d != "" {
					at := strings.Replace(folder, "*", transcripts.FolderOf(d), 1)
					g.folder(filepath.Join(p.Dir(g.home, getenv), filepath.FromSlash(at)), filepath.Base(folder))
				}
			}
		}
	}
}

// under reads the files in a directory, or in the one that stands for a prefix of their names.
func (g *givenFiles) under(dir, prefix string) {
	for _, name := range hosts.Given {
		if rest, ok := strings.CutPrefix(name, prefix); ok {
			g.file(filepath.Join(dir, filepath.FromSlash(rest)), name, 0)
		}
	}
	for _, name := range hosts.GivenFolders {
		if rest, ok := strings.CutPrefix(name, prefix); ok {
			g.folder(filepath.Join(dir, filepath.FromSlash(rest)), name)
		}
	}
}

// folder reads the texts in a folder of such files.
func (g *givenFiles) folder(dir, name string) {
	g.walk(dir, func(path string) {
		switch strings.ToLower(filepath.Ext(path)) {
		case ".md", ".mdc", ".txt", ".toml":
			rel, _ := filepath.Rel(dir, path)
			g.file(path, name+"/"+filepath.ToSlash(rel), 0)
		}
	})
}

// below reads the instructions in the directories of a project: hosts give them once a file next
// to them is read.
func (g *givenFiles) below(dir string) {
	g.walk(dir, func(path string) {
		if slices.Contains(hosts.Given[:], filepath.Base(path)) {
			rel, _ := filepath.Rel(dir, path)
			g.file(path, filepath.ToSlash(rel), 0)
		}
	})
}

func (g *givenFiles) walk(dir string, fn func(path string)) {
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if g.entries++; g.found != "" || g.entries > maxEntries || g.ctx.Err() != nil {
			return filepath.SkipAll
		}
		switch {
		case err != nil: // what cannot be read the host cannot read either
			return nil
		case !d.IsDir():
			fn(path)
		case path != dir && (d.Name() == ".git" || d.Name() == "node_modules"):
			return filepath.SkipDir
		}
		return nil
	})
}

// file reads a file and those that it imports.
func (g *givenFiles) file(path, name string, depth int) {
	if g.found != "" || g.seen[path] || len(g.seen) >= maxGiven || g.ctx.Err() != nil {
		return
	}
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return
	}
	g.seen[path] = true
	raw, err := state.ReadRegular(path, maxInstructions)
	if err != nil {
		return
	}
	text := string(raw)
	if g.has(text) {
		g.found = name
		return
	}
	if depth == maxImports {
		return
	}
	for _, word := range strings.Fields(text) {
		at, ok := strings.CutPrefix(strings.TrimLeft(word, "(\"'`<"), "@")
		if at = strings.TrimRight(at, ".,;:)\"'`>"); !ok || at == "" {
			continue
		}
		target := filepath.FromSlash(at)
		if rest, ok := strings.CutPrefix(at, "~/"); ok {
			target = filepath.Join(g.home, filepath.FromSlash(rest))
		} else if !filepath.IsAbs(target) {
			target = filepath.Join(filepath.Dir(path), target)
		}
		g.file(target, at, depth+1)
	}
}
