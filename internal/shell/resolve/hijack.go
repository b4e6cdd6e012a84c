package resolve

import (
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/argv"
	"github.com/checkrein/checkrein/internal/shell/expand"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// reportHijacks reports a variable, an option or the program of a value that makes the program name
// run code from a directory that everybody can write to. It ignores files in the project, which the
// project is responsible for.
func (w options) reportHijacks(c *command, name string) {
	if c.remote != "" {
		return
	}
	if w.valueDepth > 0 && w.runsUntrustedFile(c.words) {
		w.reportOpaque(displayWords(c.words), "runs "+c.words[0].Text+", which checkrein did not read")
	}
	if (w.hijackVars || w.toolVars) && !w.inLoadedFile {
		for i := range w.st.vars {
			v := &w.st.vars[i]
			if v.Unset || v.Word.Text == "" {
				continue
			}
			if h := facts.FindHijack(v.Name); h != nil && h.AppliesTo(name) {
				w.reportHijackVar(c, name, h, v)
			} else if argv.IsProgramVar(v.Name) && w.runsUntrustedFile(argv.SplitWords(v.Word)) {
				w.reportUnreadCode(c, v.Name, v.Word.Text)
			}
		}
	}
	if rows := argv.LoadRulesOf(name); len(rows) > 0 {
		w.reportLoads(c, rows, name, c.words[1:])
	}
}

// reportHijackVar reports the code that v, a hijack variable described by h, makes the program name
// run.
func (w options) reportHijackVar(c *command, name string, h *facts.Hijack, v *expand.Variable) {
	switch h.Means {
	case facts.ByOptions:
		if rows := argv.LoadRulesOf(h.Of); len(rows) > 0 {
			w.reportLoads(c, rows, v.Name, argv.SplitWords(v.Word))
		}
		return
	case facts.BySettings:
		if isFromMktemp(v.Word.From) || facts.IsShell(name) && name != "zsh" && !readsProfile(c.words[1:]) || w.isNewDir(c, v.Word.Text) {
			return // the directory has only what the text put there, or the shell does not read it
		}
	}
	if path := w.untrustedPathIn(c, v.Word, h.Means == facts.BySearch, h.As); path != "" {
		w.reportUnreadCode(c, v.Name, path)
	}
}

// reportLoads reports options in args that load code, according to the rules rows. by is the program
// or variable that has the options.
func (w options) reportLoads(c *command, rows []argv.LoadRule, by string, args []shell.Word) {
	for i := range rows {
		row := &rows[i]
		argv.EachOptionValue(args, row.Keys, func(key string, val shell.Word) {
			rest, ok := argv.CutPrefixFold(val.Text, row.Pre)
			if !ok {
				return
			}
			if val.Text = strings.TrimLeft(rest, "= \t"); val.Text == "" {
				return
			}
			path := ""
			switch row.How {
			case argv.LoadsProgram:
				switch words := argv.SplitWords(val); {
				case len(words) == 0:
				case w.runsUntrustedFile(words):
					path = val.Text
				case w.valueDepth == 0 && strings.Contains(words[0].Text, "/") && w.fileAt(words[0].Text, &c.context) != nil:
					w.walkValue(c, val)
				}
			case argv.LoadsBy:
				path = w.untrustedSourcedFile(c, val, row.As)
			default:
				path = w.untrustedPathIn(c, val, row.How == argv.LoadsFrom, row.As)
			}
			if path != "" {
				w.reportUnreadCode(c, strings.TrimSpace(by+" "+key), path)
			}
		})
	}
}

// reportUnreadCode reports that by, a program or variable, loads code from path.
func (w options) reportUnreadCode(c *command, by, path string) {
	w.reportOpaque(displayWords(c.words), by+" loads code from "+displayText(path)+", which checkrein did not read")
}

// untrustedPathIn returns the part of val that names a file or directory which everybody can write to,
// or "" if there is none. If search is true, programs only search for code there. Files of known text
// are not returned but walked; as is the command that runs them.
func (w options) untrustedPathIn(c *command, val shell.Word, search bool, as string) string {
	if !strings.Contains(val.Text, "/") && val.Text != ".." && !isWorldWritableDir(c.dir) {
		return ""
	}
	for part := range strings.FieldsFuncSeq(val.Text, func(r rune) bool { return strings.ContainsRune(":;, \t\"'@[]()", r) }) {
		if at := strings.LastIndexByte(part, '='); at >= 0 {
			part = part[at+1:] // KEY=FILE
		}
		switch {
		case part == "":
		case strings.HasPrefix(part, "//") && (strings.Contains(val.Text, "http:"+part) || strings.Contains(val.Text, "https:"+part)):
			return val.Text
		case w.isUntrustedPath(c, part, search) && !(search && w.isBuiltHere(part)):
			if search || as == "" || !w.isTextKnown(c, part) {
				return part
			}
			w.walkLoadedScript(c, as, part)
		case !search && w.place.Read != nil && !strings.Contains(part, placeholder):
			w.walkLoadedFile(c, as, part)
		}
	}
	return ""
}

// walkLoadedFile walks the file at path, which a variable or an option loads, as the last word of the
// command prefix. It reports the file if the session wrote it and it cannot be read.
func (w options) walkLoadedFile(c *command, prefix, path string) {
	switch f := w.fileAt(path, &c.context); {
	case f == nil:
		w.reportUnreadable(c, path)
	case f.onDisk && prefix != "":
		w.walkLoadedScript(c, prefix, path)
	}
}

// isUntrustedPath reports whether path is outside the project where everybody can write. Unless search
// is true, a path that leaves the directory of c with .. counts too.
func (w options) isUntrustedPath(c *command, path string, search bool) bool {
	switch {
	case strings.HasPrefix(path, placeholder), path == "/dev/null", path[0] == '~':
		return false
	case path[0] != '/' && search && !leavesDir(path):
		return false // it is relative to the program that runs
	case path[0] != '/' && !strings.Contains(path, "/") && !strings.Contains(path, "."):
		return false // it is the name of a module of the program
	}
	full := w.lexicalPath(path, &c.context)
	if isAtOrBelow(full, w.place.Root) || isAtOrBelow(full, w.place.Dir) {
		return false
	}
	return facts.IsOpenToAll(full) || !search && leavesDir(path)
}

// leavesDir reports whether the relative path path goes up with "..".
func leavesDir(path string) bool {
	return path == ".." || strings.HasPrefix(path, "../") || strings.Contains(path, "/../")
}

// isAtOrBelow reports whether path is dir or below it. It returns false if dir is "" or "/".
func isAtOrBelow(path, dir string) bool {
	return dir != "" && dir != "/" && (path == dir || len(path) > len(dir) && path[len(dir)] == '/' && strings.HasPrefix(path, dir))
}

// isWorldWritableDir reports whether everybody can write to dir. It returns false for "".
func isWorldWritableDir(dir string) bool { return dir != "" && facts.IsOpenToAll(dir) }

// isTextKnown reports whether the complete contents of the file at path are known.
func (w options) isTextKnown(c *command, path string) bool {
	if strings.HasPrefix(path, "/dev/fd/") {
		flow := w.pathFlow(path)
		return flow != nil && flow.Complete
	}
	f := w.fileAt(path, &c.context)
	return f != nil && !f.isDir && f.sure && !f.untracked && !f.keepsOld && !strings.Contains(f.text, placeholder)
}

// walkLoadedScript walks the command that consists of the words of prefix and path, a file of known
// text. It does nothing if prefix is "=" or if another loaded file is being walked.
func (w options) walkLoadedScript(c *command, prefix, path string) {
	if prefix == "=" || w.inLoadedFile {
		return
	}
	w.inLoadedFile = true
	if prefix == "gdb -ex" {
		for line := range strings.Lines(flowText(w.pathFlow(path))) {
			w.walkWords(c, argv.NewWords([]string{"gdb", "-ex", strings.TrimSpace(line)}, nil))
		}
	} else {
		w.walkWords(c, argv.NewWords(append(strings.Fields(prefix), path), nil))
	}
	w.inLoadedFile = false
}

// runsUntrustedFile reports whether words run a program or script of unknown text from a directory
// that everybody can write to.
func (w options) runsUntrustedFile(words []shell.Word) bool {
	c := command{context: w.st.context}
	skip := 0
	for i, word := range words {
		if skip > 0 {
			skip--
			continue
		}
		text := word.Text
		operands, wraps := facts.WrapperOperands(argv.ProgramName(text))
		switch name := argv.ProgramName(text); {
		case text == "" || strings.Contains(text, "=") && !strings.HasPrefix(text, "/"):
			continue // A=1 before a program
		case strings.Contains(text, "/") && w.isUntrustedPath(&c, text, false):
			return !w.isTextKnown(&c, text)
		case wraps:
			skip = operands
			continue
		case facts.IsShell(name) || facts.IsInterpreter(name) || name == "source" || name == ".":
			for _, arg := range words[i+1:] {
				if arg.Text == "-c" || arg.Text == "-e" {
					return false // the argument is code, not a file
				}
				if strings.Contains(arg.Text, "/") && arg.Text[0] != '-' {
					return w.isUntrustedPath(&c, arg.Text, false) && !w.isTextKnown(&c, arg.Text)
				}
			}
		}
		return false
	}
	return false
}

// untrustedSourcedFile returns the file, in a directory that everybody can write to, that val loads
// with a command of a program's own language: source FILE of vim and gdb, .load FILE of sqlite3. It
// returns "" if there is none.
func (w options) untrustedSourcedFile(c *command, val shell.Word, as string) string {
	text := val.Text
	if at := strings.Index(text, "load_extension("); at >= 0 {
		return w.untrustedPathIn(c, shell.Word{Text: strings.Trim(text[at+len("load_extension("):], " '\"")}, false, "")
	}
	for line := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == '\n' || r == '|' }) {
		words := strings.Fields(strings.ReplaceAll(line, `\ `, " "))
		for len(words) > 1 && (words[0] == "silent" || words[0] == "silent!" || words[0] == "command") {
			words = words[1:]
		}
		if len(words) < 2 {
			continue
		}
		switch verb := strings.TrimRight(strings.TrimLeft(words[0], ":+"), "!"); {
		case facts.InList("source so sou luafile pyfile py3file pyxfile rubyfile perldo tclfile .load command-source packadd runtime", verb),
			verb == "script" || verb == "import" || verb == "plugin" && words[1] == "load",
			(verb == "set" || verb == "let") && (strings.Contains(line, "rtp") || strings.Contains(line, "runtimepath") || strings.Contains(line, "packpath")):
			if path := w.untrustedPathIn(c, shell.Word{Text: strings.Join(words[1:], " "), From: val.From}, false, as); path != "" {
				return path
			}
		}
	}
	return ""
}

// isBuiltHere reports whether an earlier call of the text built or installed what is at path.
func (w options) isBuiltHere(path string) bool {
	path = strings.TrimRight(path, "/")
	return slices.ContainsFunc(w.calls, func(c *shell.Call) bool {
		if !program.Is(c.Name, program.IsBuildTool) && argv.BuilderOf(c.Name) == nil && facts.LanguageOf(c.Name) != facts.Python {
			return false
		}
		return slices.ContainsFunc(c.Args, func(a shell.Word) bool {
			at := strings.Index(a.Text, "/")
			return at >= 0 && isAtOrBelow(path, strings.TrimRight(a.Text[at:], "/"))
		})
	})
}

// isNewDir reports whether the text created the directory dir.
func (w options) isNewDir(c *command, dir string) bool {
	f := w.fileAt(dir, &c.context)
	return f != nil && f.isDir && f.creation == createdNew
}

// isFromMktemp reports whether one of the calls in from is a call of mktemp.
func isFromMktemp(from []*shell.Call) bool {
	return slices.ContainsFunc(from, func(c *shell.Call) bool { return program.FilesOf(c.Name) == program.FilesTemporary })
}

// readsProfile reports whether a shell with args reads the start-up files of the home directory.
func readsProfile(args []shell.Word) bool {
	return len(args) == 0 || slices.ContainsFunc(args, func(a shell.Word) bool {
		return a.Text == "--login" || len(a.Text) > 1 && a.Text[0] == '-' && a.Text[1] != '-' && strings.ContainsAny(a.Text, "il")
	})
}
