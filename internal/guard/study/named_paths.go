package study

import (
	"cmp"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/catalog/tools"
	"github.com/checkrein/checkrein/internal/hook/seen"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/code"
	"github.com/checkrein/checkrein/internal/shell/program"
	"github.com/checkrein/checkrein/internal/shell/windows"
)

// Limits for the paths of a call. With more than maxNamed, conditions hold in case of doubt.
const (
	maxNamed    = 1024
	maxLookups  = 512 // words that are looked up on disk; further ones are taken to exist
	maxListings = 32  // directories that are listed to expand patterns
)

// namedPaths returns the files and directories that the commands of a call name, whatever they do with
// them: in redirections, as arguments that are files according to the rows of programs, and in other
// words that are files on disk or can only be paths. It leaves out those on other machines.
func namedPaths(ev *checkrein.Event, at CallEnv) []string {
	at.Seen = seen.ForEvent(ev)
	parts := Parts(ev.Tool, tools.Runs|tools.Dir)
	list, _ := Places(ev, at, parts)
	n := pathNames{session: ev.Session.Dir}
	for i := range list {
		n.place = &list[i]
		n.place.Real = ResolveParents
		for k := range parts {
			s := Analyze(&parts[k], ev.Tool, n.place, &at)
			if windows.GuessDialect(parts[k].Text) != shell.Bash || strings.Contains(strings.ToLower(ev.Tool.Name), "powershell") {
				n.addWindowsWords(parts[k].Text)
			}
			for _, t := range slices.Concat(s.Calls, s.ReadCalls) { // the latter lack shells whose script was read
				for _, c := range t.Calls {
					n.addCall(t.Dir, c)
				}
			}
		}
	}
	return n.out
}

// A pathNames collects the paths that calls name.
type pathNames struct {
	place    *shell.Place
	session  string // the session's directory
	dir      string // the directory that relative paths of the current words start in
	out      []string
	lookups  int
	listings int
}

// addWindowsWords adds the paths among the words of text, a command for PowerShell or cmd.exe, of which no calls
// are known.
func (n *pathNames) addWindowsWords(text string) {
	n.dir = n.place.Dir
	for _, w := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" \t\n'\"`;|&(){},", r) }) {
		n.addDoubtful(shell.Word{Text: strings.ReplaceAll(w, "\\", "/")}, n.isSpelledOrExists)
	}
}

// addCall adds the paths that c names, a call of a text that starts in the directory start.
func (n *pathNames) addCall(start string, c *shell.Call) {
	if c.Remote != "" {
		return
	}
	for _, dir := range append([]string{c.Dir}, c.Dirs...) {
		n.dir = cmp.Or(joinDirs(start, dir), n.place.Dir)
		before := len(n.out)
		for i := range c.Redir {
			if r := &c.Redir[i]; !strings.HasPrefix(r.Op, "<<") && strings.Trim(r.Target.Text, "0123456789-") != "" {
				n.add(r.Target)
			}
		}
		for i := range c.Env {
			n.addDoubtful(c.Env[i].Value, n.exists)
		}
		if strings.Contains(c.Path, "/") {
			n.addDoubtful(shell.Word{Text: c.Path}, n.isOwn)
		}
		n.addArgs(c)
		if len(n.out) == before && dir != "" { // where it runs
			n.add(shell.Word{Text: n.dir})
		}
	}
}

// addArgs adds the paths among the arguments of c.
func (n *pathNames) addArgs(c *shell.Call) {
	if program.OutputOf(c.Name) == program.OutputPrints {
		return
	}
	if in, ok := code.ParseInvocation(c); ok {
		n.addInvocation(c, &in)
		return
	}
	r := program.ReadingOf(c)
	parts := program.Parts(c)
	for i := range parts {
		if p := &parts[i]; p.Role == shell.Dir {
			n.add(p.Word)
			n.dir = joinDirs(n.dir, p.Word.Text)
		}
	}
	for i := range parts {
		n.addPart(&parts[i], &r)
	}
	for i := min(r.Extra, len(r.Words)); i < len(r.Words); i++ {
		at := r.At[i]
		hasRole := slices.ContainsFunc(parts, func(p shell.Part) bool { return p.At == at })
		isText := slices.ContainsFunc(r.Flags, func(f program.Flag) bool { return !f.Set && f.At+1 == at && slices.Contains(textOptions[:], f.Raw) })
		if !hasRole && !isText {
			n.addDoubtful(r.Words[i], n.hasSlashOrExists)
		}
	}
}

// addInvocation adds the paths that c names, a call of an interpreter: in its arguments, and in strings of the
// code that it runs.
func (n *pathNames) addInvocation(c *shell.Call, in *code.Invocation) {
	n.addStrings(in.Code)
	if in.File != "" {
		n.add(shell.Word{Text: in.File})
	}
	for i := range c.Files {
		if c.Files[i].Path == in.File {
			n.addStrings(c.Files[i].Text)
		}
	}
	for _, w := range in.Rest {
		n.addDoubtful(w, n.hasSlashOrExists)
	}
	if !in.ReadsStdin {
		return
	}
	if c.In != nil {
		n.addStrings(c.In.Text)
	}
	for i := range c.Redir {
		if strings.HasPrefix(c.Redir[i].Op, "<<") {
			n.addStrings(c.Redir[i].Target.Text)
		}
	}
}

// addStrings adds the paths in the strings of code, in any language.
func (n *pathNames) addStrings(text string) {
	for {
		i := strings.IndexAny(text, "'\"`")
		if i < 0 || len(n.out) >= maxNamed {
			return
		}
		one, rest, closed := strings.Cut(text[i+1:], text[i:i+1])
		if !closed {
			return
		}
		if len(one) < maxShown {
			n.addDoubtful(shell.Word{Text: one}, n.isSpelledOrExists)
		}
		text = rest
	}
}

// addPart adds the paths in p, an argument with a role.
func (n *pathNames) addPart(p *shell.Part, r *program.Reading) {
	switch p.Role {
	case shell.Reads, shell.Writes, shell.Appends, shell.Edits, shell.Deletes, shell.Into, shell.Replaces, shell.Script, shell.Config:
		n.add(p.Word)
	case shell.Loads, shell.Auth, shell.Assign, shell.Sets, shell.Paths:
		n.addDoubtful(p.Word, n.isSpelledOrExists)
	case shell.Host: // scp also copies local files
		if before, _, remote := strings.Cut(p.Word.Text, ":"); !remote || strings.Contains(before, "/") {
			n.addDoubtful(p.Word, n.isSpelledOrExists)
		}
	case shell.URL:
		if strings.HasPrefix(p.Word.Text, "file://") {
			n.addDoubtful(p.Word, n.isSpelledOrExists)
		}
	case shell.Plain:
		first := p.Opt == "" && !strings.Contains(p.Word.Text, "/") && len(r.At) > r.Extra && p.At == r.At[r.Extra]
		if !first && !slices.Contains(textOptions[:], p.Opt) { // the first word of grep is a pattern
			n.addDoubtful(p.Word, n.exists)
		}
	}
}

// textOptions lists options whose values are patterns, names or messages, unless the row of a program assigns a
// role to them.
var textOptions = [...]string{"-e", "--regexp", "--grep", "-m", "--message", "-b", "--body", "--title", "--name", "-g", "--glob", "--iglob",
	"--exclude", "--exclude-dir", "--include", "--ignore", "-name", "-iname", "-path", "-ipath", "-wholename", "-iwholename", "-regex", "-iregex"}

// addDoubtful adds w, and the parts of it after =, :, @ or a comma, as far as they pass the test isPath.
func (n *pathNames) addDoubtful(w shell.Word, isPath func(string) bool) {
	text := strings.TrimPrefix(w.Text, "file://")
	if strings.Contains(text, "://") || strings.ContainsRune(text, '\n') {
		return
	}
	const separators = "=:@,"
	for whole := true; text != ""; whole = false {
		end := strings.IndexAny(text, separators)
		if end < 0 {
			end = len(text)
		} else if whole && n.exists(text) {
			n.add(shell.Word{Text: text, Glob: w.Glob})
			return
		}
		if end > 0 && isPath(text[:end]) {
			n.add(shell.Word{Text: text[:end], Glob: w.Glob})
		}
		text = strings.TrimLeft(text[end:], separators)
	}
}

// exists reports whether text names a file or directory on disk other than /.
func (n *pathNames) exists(text string) bool {
	if text == "" || text == "/" {
		return false
	}
	n.lookups++
	return n.lookups > maxLookups || pathKind(n.abs(text)) != shell.NoPath
}

// isSpelledOrExists reports whether text can only be a path, because it begins like one and its directory
// exists, or names something on disk.
func (n *pathNames) isSpelledOrExists(text string) bool {
	if n.exists(text) {
		return true
	}
	dir, _, slash := strings.Cut(strings.TrimLeft(text, "/"), "/")
	switch {
	case strings.ContainsAny(text, " \t"):
		return false
	case strings.HasPrefix(text, "./"), strings.HasPrefix(text, "../"), strings.HasPrefix(text, "~/"):
		return true
	case strings.HasPrefix(text, "/"):
		return n.isOwn(text) || n.exists(path.Dir(text))
	}
	return slash && (strings.ContainsAny(dir, "*?[") || n.exists(dir))
}

// hasSlashOrExists reports whether text looks like a path or names something on disk. It serves for operands
// without a role.
func (n *pathNames) hasSlashOrExists(text string) bool {
	if strings.HasPrefix(text, "/") || !strings.Contains(text, "/") || strings.ContainsAny(text, " \t") {
		return n.isSpelledOrExists(text)
	}
	return true
}

// isOwn reports whether text is relative, or below the session's directories or the home directory.
func (n *pathNames) isOwn(text string) bool {
	if !strings.HasPrefix(text, "/") {
		return true
	}
	return slices.ContainsFunc([]string{n.place.Dir, n.place.Root, n.place.Home, n.session}, func(dir string) bool {
		return dir != "" && dir != "/" && strings.HasPrefix(text, strings.TrimSuffix(dir, "/")+"/")
	})
}

// abs returns text as an absolute path.
func (n *pathNames) abs(text string) string {
	return joinDirs(n.dir, expandHome(text, n.place))
}

// add adds the path w and, if it is a pattern, what it matches.
func (n *pathNames) add(w shell.Word) {
	if w.Text == "" || w.Text == "-" || strings.HasPrefix(w.Text, "/dev/") {
		return
	}
	n.addText(w.Text)
	if w.Glob {
		n.expand(strings.Split(n.abs(w.Text), "/"))
	}
}

// addText adds the path text, relative to the session's directory if the call runs there.
func (n *pathNames) addText(text string) {
	if n.dir != n.session && !filepath.IsAbs(text) && !strings.HasPrefix(text, "~") && !strings.HasPrefix(text, string(shell.Placeholder)) {
		text = n.dir + "/" + text // not cleaned, because it may contain symlinks
	}
	if len(n.out) < maxNamed && !slices.Contains(n.out, text) {
		n.out = append(n.out, text)
	}
}

// expand adds the files that a pattern matches, an absolute path with the elements parts.
func (n *pathNames) expand(parts []string) {
	i := slices.IndexFunc(parts, func(part string) bool { return strings.ContainsAny(part, "*?[") })
	if i < 0 {
		n.addText(strings.Join(parts, "/"))
		return
	}
	if n.listings++; n.listings > maxListings {
		return
	}
	entries, _ := listDir(strings.Join(parts[:i], "/") + "/")
	for _, e := range entries {
		if ok, _ := path.Match(parts[i], e.Name); ok {
			n.expand(slices.Concat(parts[:i], []string{e.Name}, parts[i+1:]))
		}
	}
}
