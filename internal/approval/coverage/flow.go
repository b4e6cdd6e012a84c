package coverage

import (
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/argv"
	"github.com/checkrein/checkrein/internal/shell/code"
	"github.com/checkrein/checkrein/internal/shell/resolve"
)

// addEvaluated covers the sources of a text that a shell evaluates.
func (p *planner) addEvaluated(e *resolve.Evaluation, dir string) {
	what := "what " + visible(e.By) + " runs"
	if len(e.Text.From) == 0 {
		if strings.Trim(e.Text.Text, string(shell.Placeholder)+" \t\n") == "" || strings.HasPrefix(e.By, "eval") {
			p.unsureAbout(e.Text, what)
		}
		return
	}
	p.addPrinted(e.Text.From, what, spot{dirs: []string{dir}}, func(path string, at spot) { p.followSourced(path, nil, at) })
}

// addPrinted covers the files whose contents the calls in from print, when that output is run. It
// calls reads for files that are printed unchanged.
func (p *planner) addPrinted(from []*shell.Call, what string, at spot, reads func(path string, at spot)) {
	if len(from) == 0 {
		p.unsure(what + " is only known when it runs")
	}
	for _, c := range from {
		p.addOutputOf(c, what, at, reads)
	}
}

// addSourcesOf covers the files that determine w, a word that decides what runs. That w itself is
// unknown was recorded before.
func (p *planner) addSourcesOf(w shell.Word, at spot, reads func(path string, at spot)) {
	if len(w.From) == 0 {
		return
	}
	p.inside++
	p.addPrinted(w.From, "", at, reads)
	p.inside--
}

// addOutputOf covers the files whose contents c prints. See addPrinted.
func (p *planner) addOutputOf(c *shell.Call, what string, at spot, reads func(path string, at spot)) {
	if len(at.dirs) > 0 {
		at = p.spotOf(c, at.dirs[0])
	}
	switch {
	case c.Remote != "":
		p.unsure(what + " comes from " + visible(c.Remote))
	case argv.PrintsSetup(c):
	case printsInput(c.Name):
		p.addCopied(c, what, at, reads)
	case c.Name == "echo" || c.Name == "printf":
		for i := range c.Args {
			if w := c.Args[i]; !w.IsKnown() && len(w.From) == 0 {
				p.unsureAbout(w, what)
			} else if len(w.From) > 0 && !slices.Contains(w.From, c) {
				p.addPrinted(w.From, what, at, reads)
			}
		}
	case strings.Contains(c.Path, "/") || runsScript(c):
		// The program itself is covered, and with it what it prints.
	default:
		name := c.Name
		if name == "" || name == ":" {
			name = "the text itself"
		}
		p.unsure(what + " is what " + name + " prints")
	}
}

// addCopied covers the files that c, a program such as cat, passes on.
func (p *planner) addCopied(c *shell.Call, what string, at spot, reads func(path string, at spot)) {
	files := 0
	name := func(w shell.Word) {
		list, known := p.resolveWord(w, at)
		if !known && len(w.From) == 0 {
			files++
			p.unsureAbout(w, what)
		}
		for _, path := range list {
			switch {
			case p.addFile(path, false):
				files++
				if c.Name == "cat" {
					reads(path, at)
				}
			case isSystem(p.place.Root, path):
				files++
			}
		}
		p.noteChangedFiles(w.Text, list)
	}
	for i := range c.Args {
		w := c.Args[i]
		if c.Name == "dd" {
			w.Text = strings.TrimPrefix(w.Text, "if=")
		}
		if !strings.HasPrefix(w.Text, "-") {
			name(w)
		}
	}
	for i := range c.Redir {
		if r := &c.Redir[i]; r.Op == "<" || r.Op == "<>" {
			name(r.Target)
		}
	}
	if files == 0 && c.In == nil && len(c.Files) == 0 {
		p.unsure(what + " is what " + c.Name + " is sent: the event, or a file that is not there")
	}
}

// inputOf returns the standard input of a program, so that a script's use of it can be determined.
// Paths are absolute, since the script may change its directory.
func (p *planner) inputOf(s *resolve.Start, at spot) *shell.Flow {
	c := s.Call
	for _, opens := range [...][]shell.Redirect{c.Redir, s.Open} {
		for i := len(opens) - 1; i >= 0; i-- {
			r := &opens[i]
			if r.Op != "<" && r.Op != "<>" || r.Fd != "" && r.Fd != "0" || r.Target.Text == "/dev/null" {
				continue
			}
			if _, stream := fdOf(r.Target.Text); stream {
				break
			}
			cat := &shell.Call{Name: "cat", Path: "cat"}
			list, _ := p.resolveWord(r.Target, at)
			for _, path := range list {
				cat.Args = append(cat.Args, shell.Word{Text: path, Quoted: true})
			}
			if len(list) == 0 {
				cat.Args = []shell.Word{r.Target}
			}
			return &shell.Flow{From: []*shell.Call{cat}}
		}
	}
	if c.In == nil || len(at.dirs) == 0 {
		return c.In
	}
	in := *c.In
	in.From = slices.Clone(in.From)
	for i, from := range in.From {
		if from.Dir == "" {
			here := *from
			here.Dir = at.dirs[0]
			in.From[i] = &here
		}
	}
	return &in
}

// printsInput reports whether the named program prints what it reads, changed or unchanged.
func printsInput(name string) bool {
	switch name {
	case "cat", "tac", "head", "tail", "sed", "gsed", "awk", "gawk", "mawk", "grep", "egrep", "rg", "cut", "tr", "sort", "uniq", "base64", "base32", "xxd", "rev", "tee", "envsubst", "jq", "yq",
		"gunzip", "zcat", "bzcat", "xzcat", "gzip", "xz", "bzip2", "zstd", "zstdcat", "openssl", "gpg", "dd", "cp", "mv", "install", "ln", "nl", "fold", "fmt", "expand", "paste", "column", "strings", "m4", "iconv", "dos2unix":
		return true
	}
	return false
}

// runsScript reports whether c calls an interpreter or a shell with a script, which is covered.
func runsScript(c *shell.Call) bool {
	if facts.IsShell(c.Name) {
		return true
	}
	use, ok := code.ParseInvocation(c)
	return ok && (use.File != "" || use.Module != "")
}
