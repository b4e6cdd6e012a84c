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

// addEvaluated covers the files that the text of e, which a shell evaluates, comes from.
func (p *planner) addEvaluated(e *resolve.Evaluation, dir string) {
	what := "what " + messageText(e.By) + " runs"
	if len(e.Text.From) == 0 {
		if strings.Trim(e.Text.Text, string(shell.Placeholder)+" \t\n") == "" || strings.HasPrefix(e.By, "eval") {
			p.noteUnknownWord(e.Text, what)
		}
		return
	}
	p.addPrintedFiles(e.Text.From, what, spot{dirs: []string{dir}}, func(path string, at spot) { p.followSourced(path, nil, at) })
}

// addPrintedFiles covers the files whose contents the calls in from print, because that output is run.
// what describes the output in messages. reads is called for each file that is printed unchanged.
func (p *planner) addPrintedFiles(from []*shell.Call, what string, at spot, reads func(path string, at spot)) {
	if len(from) == 0 {
		p.noteUnsure(what + " is only known when it runs")
	}
	for _, c := range from {
		p.addFilesPrintedBy(c, what, at, reads)
	}
}

// addSourcesOf covers the files that determine w, a word that decides what runs. The caller has
// already recorded that w itself is unknown.
func (p *planner) addSourcesOf(w shell.Word, at spot, reads func(path string, at spot)) {
	if len(w.From) == 0 {
		return
	}
	p.inside++
	p.addPrintedFiles(w.From, "", at, reads)
	p.inside--
}

// addFilesPrintedBy covers the files whose contents c prints. See addPrintedFiles for what and reads.
func (p *planner) addFilesPrintedBy(c *shell.Call, what string, at spot, reads func(path string, at spot)) {
	if len(at.dirs) > 0 {
		at = p.spotOf(c, at.dirs[0])
	}
	switch {
	case c.Remote != "":
		p.noteUnsure(what + " comes from " + messageText(c.Remote))
	case argv.PrintsShellSetup(c):
	case printsInput(c.Name):
		p.addFilesCopiedBy(c, what, at, reads)
	case c.Name == "echo" || c.Name == "printf":
		for i := range c.Args {
			if w := c.Args[i]; !w.IsKnown() && len(w.From) == 0 {
				p.noteUnknownWord(w, what)
			} else if len(w.From) > 0 && !slices.Contains(w.From, c) {
				p.addPrintedFiles(w.From, what, at, reads)
			}
		}
	case strings.Contains(c.Path, "/") || runsScript(c):
		// The program itself is covered, and with it what it prints.
	default:
		name := c.Name
		if name == "" || name == ":" {
			name = "an unknown command"
		}
		p.noteUnsure(what + " is the output of " + name)
	}
}

// addFilesCopiedBy covers the files that c, a program such as cat, reads and prints.
func (p *planner) addFilesCopiedBy(c *shell.Call, what string, at spot, reads func(path string, at spot)) {
	files := 0
	name := func(w shell.Word) {
		list, known := p.resolveWord(w, at)
		if !known && len(w.From) == 0 {
			files++
			p.noteUnknownWord(w, what)
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
		p.noteUnsure(what + " comes from standard input: the event, or a missing file")
	}
}

// stdinOf returns the standard input of s, so that a script's use of it can be analysed, or nil if its
// source is unknown. Its paths are absolute, since the script may change its directory.
func (p *planner) stdinOf(s *resolve.Start, at spot) *shell.Flow {
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

// printsInput reports whether the program name prints what it reads, changed or unchanged.
func printsInput(name string) bool {
	switch name {
	case "cat", "tac", "head", "tail", "sed", "gsed", "awk", "gawk", "mawk", "grep", "egrep", "rg", "cut", "tr", "sort", "uniq", "base64", "base32", "xxd", "rev", "tee", "envsubst", "jq", "yq",
		"gunzip", "zcat", "bzcat", "xzcat", "gzip", "xz", "bzip2", "zstd", "zstdcat", "openssl", "gpg", "dd", "cp", "mv", "install", "ln", "nl", "fold", "fmt", "expand", "paste", "column", "strings", "m4", "iconv", "dos2unix":
		return true
	}
	return false
}

// runsScript reports whether c calls a shell, or an interpreter with a script or module, which is
// covered on its own.
func runsScript(c *shell.Call) bool {
	if facts.IsShell(c.Name) {
		return true
	}
	use, ok := code.ParseInvocation(c)
	return ok && (use.File != "" || use.Module != "")
}
