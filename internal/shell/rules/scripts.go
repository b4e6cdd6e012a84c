package rules

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// scriptEffects returns the effects of an interpreter that runs a file, and of a file that is run by
// its path. Running a script of the project is routine. It reports false for other calls.
func scriptEffects(c *shell.Call) ([]shell.Effect, bool) {
	var file string
	var ok bool
	if onlyChecksScript(c) {
		return singleEffect(c, shell.Effect{Label: shell.Safe, Kind: "read", Category: shell.Lint, Rule: "syntax", Reason: "checks a script without running it, or runs the project's tests"})
	}
	switch base, lang := trimVersion(c.Name), facts.LanguageOf(c.Name); {
	case lang == facts.Python, base == "py", base == "python-dbg":
		if module, rest, is := pythonModule(c.Args); is {
			return moduleEffects(c, module, rest)
		}
		file, ok = scriptFile(c.Args, "WX", "c")
	case lang == facts.Node, lang == facts.Bun, base == "nodemon":
		file, ok = scriptFile(c.Args, "rCo", "epi")
		ok = ok && (lang != facts.Bun || strings.ContainsAny(file, "./"))
	case lang.IsShell():
		file, ok = scriptFile(c.Args, "oO", "cs")
	case lang.IsInterpreted() && lang != facts.PowerShell && lang != facts.Cmd, base == "escript", base == "hhvm":
		file, ok = scriptFile(c.Args, "IrdCoL", "eEcMRBF")
		ok = ok && strings.ContainsAny(file, "./") && !strings.ContainsAny(file, " ()") // code contains spaces or parentheses
	default:
		bare := strings.HasSuffix(c.Path, ".py") && !strings.Contains(c.Path, "/") // as in uv run x.py
		if strings.HasPrefix(c.Path, "/") || !bare && !strings.Contains(c.Path, "/") || hasRules(c.Name) || !allWordsKnown(c.Args) {
			return nil, false
		}
		file, ok = c.Path, true
	}
	if !ok {
		return nil, false
	}
	return scriptFileEffects(c, file)
}

// runsLocalScript reports whether c runs a file in its working directory, such as ./deploy, except for
// scripts that projects usually have, such as ./gradlew.
func runsLocalScript(c *shell.Call) bool {
	name, ok := strings.CutPrefix(c.Path, "./")
	if !ok || strings.Contains(name, "/") {
		return false
	}
	return !program.Is(name, program.IsProjectScript)
}

// allWordsKnown reports whether the text of every word in args is known.
func allWordsKnown(args []shell.Word) bool {
	for i := range args {
		if !args[i].IsKnown() {
			return false
		}
	}
	return true
}

// onlyChecksScript reports whether an interpreter only checks a file, as with bash -n, ruby -c and
// node --check, or runs tests, as with node --test.
func onlyChecksScript(c *shell.Call) bool {
	if len(c.Args) == 0 {
		return false
	}
	switch t, lang := c.Args[0].Text, facts.LanguageOf(c.Name); lang {
	case facts.Ruby, facts.Perl:
		return t == "-c" || t == "-wc" || t == "-cw"
	case facts.Node:
		return t == "-c" || t == "--check" || t == "--test"
	case facts.PHP:
		return t == "-l"
	default:
		return t == "-n" && facts.IsShell(c.Name)
	}
}

// djangoCall returns the call of manage.py that the interpreter c makes by running file, or nil.
func djangoCall(c *shell.Call, file string) *shell.Call {
	if !strings.HasSuffix(file, "manage.py") || strings.Contains(file, "://") {
		return nil
	}
	words := wordsAfter(c.Args, file)
	if words == nil {
		return nil
	}
	inner := *c
	inner.Name, inner.Path, inner.Args = "manage.py", file, words
	return &inner
}

// scriptFileEffects returns the effects of running the script file, by its location and name. It
// reports false if the name is unknown.
func scriptFileEffects(c *shell.Call, file string) ([]shell.Effect, bool) {
	if inner := djangoCall(c, file); inner != nil {
		return Effects(inner, nil)
	}
	e := shell.Effect{Label: shell.Safe, Kind: "run", Category: shell.RunScript, Rule: "script", Reason: "runs a project script"}
	if _, sure, ok := writtenText(c, file); ok && sure && c.Remote == "" && isScriptTextRead(c.Name) {
		e.Category, e.Reason = shell.Run, "runs a newly written script, whose contents are checked separately"
		return singleEffect(c, e)
	}
	switch {
	case strings.ContainsRune(file, shell.Placeholder):
		return nil, false
	case c.Remote != "":
		e.Label, e.Impact, e.Reason = shell.Unknown, shell.ImpactUnknown, "runs a script on another machine"
	case !isLocalPath(file) || facts.IsOpenToAll(c.Dir):
		e.Label, e.Impact, e.Reason = shell.Unknown, shell.ImpactUnknown, "runs a script from outside the project"
	case suggestsChange(file) && !parseTaskName(scriptName(file)).harmless:
		e.Label, e.Impact, e.Reason = shell.Unknown, shell.ImpactMedium, "runs a script whose name suggests that it changes or deletes something"
	}
	return singleEffect(c, e)
}

// isScriptTextRead reports whether package code or resolve reads the scripts that the interpreter name
// runs, if the same command line wrote them.
func isScriptTextRead(name string) bool {
	switch lang := facts.LanguageOf(name); lang {
	case facts.Python, facts.Node, facts.Ruby, facts.Perl, facts.PHP:
		return true
	default:
		return lang.IsPosix()
	}
}

// scriptName returns the name of file without directories and extension.
func scriptName(file string) string {
	file = file[strings.LastIndexByte(file, '/')+1:]
	if dot := strings.LastIndexByte(file, '.'); dot > 0 {
		file = file[:dot]
	}
	return file
}

// isLocalPath reports whether path is relative and stays below the directory that it is relative to.
func isLocalPath(path string) bool {
	if path == "" || path == "-" || path[0] == '/' || path[0] == '~' || strings.Contains(path, "://") || strings.Contains(path, ":\\") {
		return false
	}
	depth := 0
	for part := range strings.SplitSeq(path, "/") {
		switch part {
		case "", ".":
		case "..":
			if depth--; depth < 0 {
				return false
			}
		default:
			depth++
		}
	}
	return true
}

// wordsAfter returns the words of args after the first one with this text, or nil if there is none.
func wordsAfter(args []shell.Word, text string) []shell.Word {
	for i := range args {
		if args[i].Text == text {
			return args[i+1:]
		}
	}
	return nil
}

// scriptFile returns the file that an interpreter with args runs. The letters in values are short
// flags that take a value; after one of those in code, there is no file. It reports false if there is
// none.
func scriptFile(args []shell.Word, values, code string) (string, bool) {
	for i := 0; i < len(args); i++ {
		t := args[i].Text
		switch {
		case t == "-" || t == "--":
			if t == "--" && i+1 < len(args) {
				return args[i+1].Text, true
			}
			return "", false
		case strings.HasPrefix(t, "--"):
			if t == "--eval" || t == "--print" || t == "--command" || t == "--version" || t == "--interactive" {
				return "", false
			}
			if inListFold("--require --import --loader --experimental-loader --env-file --rcfile --init-file", t) {
				i++
			}
		case len(t) > 1 && t[0] == '-':
			if len(t) == 2 && strings.IndexByte(values, t[1]) >= 0 {
				i++
				continue
			}
			if strings.IndexByte(code, t[1]) >= 0 || strings.IndexByte(code, t[len(t)-1]) >= 0 {
				return "", false
			}
		case t == "":
			return "", false
		default:
			return t, true
		}
	}
	return "", false
}

// pythonModule returns the module that python -m runs, and the arguments after it. It reports false if
// args have no -m.
func pythonModule(args []shell.Word) (string, []shell.Word, bool) {
	for i := 0; i < len(args); i++ {
		t := args[i].Text
		switch {
		case len(t) < 2 || t[0] != '-' || t == "-c":
			return "", nil, false
		case t == "-W" || t == "-X":
			i++
		case t[1] != '-' && strings.HasSuffix(t, "m") && i+1 < len(args):
			return args[i+1].Text, args[i+2:], true
		case strings.HasPrefix(t, "-m") && len(t) > 2:
			return t[2:], args[i+1:], true
		}
	}
	return "", nil, false
}

// moduleEffects returns the effects of running the Python module with the arguments rest. It reports
// false if they are unknown.
func moduleEffects(c *shell.Call, module string, rest []shell.Word) ([]shell.Effect, bool) {
	e := shell.Effect{Label: shell.Safe, Kind: "run", Category: shell.Run, Rule: "module", Reason: "runs a Python module"}
	switch module {
	case "venv", "json.tool", "http.server", "unittest", "compileall", "pydoc", "site", "ensurepip", "this", "doctest", "build", "platform", "sysconfig",
		"py_compile", "tabnanny", "ast", "dis", "tokenize", "calendar", "antigravity", "turtle", "inspect", "pickletools", "idlelib", "webbrowser", "lib2to3", "base64", "gzip", "mimetypes", "encodings.rot_13":
		return singleEffect(c, e)
	case "timeit", "code", "pty", "pdb", "cProfile", "profile", "trace", "runpy", "zipfile", "tarfile", "zipapp", "smtplib", "ftplib", "telnetlib", "smtpd":
		if (module == "zipfile" || module == "tarfile") && len(rest) > 0 && (rest[0].Text == "-l" || rest[0].Text == "--list" || rest[0].Text == "-t") {
			return singleEffect(c, e)
		}
		if file, ok := scriptFile(rest, "os", "cm"); ok && (module == "pdb" || module == "cProfile" || module == "trace") {
			return scriptFileEffects(c, file)
		}
		return nil, false
	case "django":
		module = "django-admin"
	}
	if strings.ContainsRune(module, shell.Placeholder) {
		return nil, false
	}
	inner := *c
	inner.Name, inner.Path, inner.Args = strings.ToLower(strings.ReplaceAll(module, "_", "-")), module, rest
	if hasRules(inner.Name) {
		return Effects(&inner, nil)
	}
	if inner.Name = strings.ToLower(module); hasRules(inner.Name) {
		return Effects(&inner, nil)
	}
	if suggestsChange(module) {
		e.Label, e.Impact = shell.Unknown, shell.ImpactMedium
	}
	return singleEffect(c, e)
}

// trimVersion returns name without the version at its end: python for python3.11.
func trimVersion(name string) string {
	return strings.TrimSuffix(strings.TrimRight(name, "0123456789."), "-")
}
