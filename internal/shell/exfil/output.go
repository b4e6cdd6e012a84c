package exfil

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// outputTaint returns the worst taint in the output of c.
func (t *tracer) outputTaint(c *shell.Call) taint {
	if c.Name == typedName {
		return t.typedTaint(c)
	}
	t.stepsLeft -= len(c.Args) / 8 // the checks below visit all words
	if l := t.echoedTaint(c); l.level == secret {
		return l
	}
	if l, ok := secretOutputTaint(c); ok {
		return worseTaint(l, t.printedVarsTaint(c))
	}
	switch outputKind(c.Name) {
	case program.OutputPrints, program.OutputEndless:
		return t.echoTaint(c)
	case program.OutputReads:
		return t.printedFilesTaint(c, 0)
	case program.OutputSelects:
		if printsNoLines(c) {
			return taint{}
		}
		l := t.printedFilesTaint(c, 1)
		l.partial = true
		return l
	case program.OutputPicks:
		l := t.printedFilesTaint(c, 0)
		l.partial = true
		return l
	case program.OutputEncodes:
		l := t.printedFilesTaint(c, 0)
		l.encoded = l.level >= about
		return l
	case program.OutputReduces:
		return taint{}
	case program.OutputDumps:
		return taint{level: file, from: fromOutput, what: "the output of " + c.Name, valuable: true}
	case program.OutputTells:
		return taint{level: about, from: fromOutput, what: "the output of " + c.Name, identifying: program.Is(c.Name, program.IsIdentifying)}
	case program.OutputGit:
		return t.gitOutputTaint(c)
	case program.OutputLists:
		return taint{level: about, from: fromOutput, what: "the output of " + c.Name}
	case program.OutputFetches:
		return t.downloadTaint(c)
	case program.OutputUname:
		if hasShortOption(c, 'a') || hasShortOption(c, 'n') || hasArg(c, "--all") || hasArg(c, "--nodename") {
			return taint{level: about, from: fromOutput, what: "the output of uname", identifying: true}
		}
		return taint{}
	case program.OutputQueries:
		return worseTaint(taint{level: file, from: fromOutput, what: "the output of " + c.Name, valuable: !hasWords(c, "save|build|images|ps|version|info|logs|get|describe")}, t.printedFilesTaint(c, 0))
	}
	if facts.IsInterpreter(c.Name) {
		return t.codeOutputTaint(c)
	}
	l := t.printedFilesTaint(c, 0)
	if l.level < secret {
		l = worseTaint(t.inputTaint(c), taint{level: unclear, what: "the output of " + programName(c)})
	}
	return l
}

// echoedTaint returns the taint of a file of secrets that an option of c names. Programs that read
// settings or a list from such a file, as `date -f FILE`, quote the lines that they cannot read.
func (t *tracer) echoedTaint(c *shell.Call) taint {
	switch outputKind(c.Name) {
	case program.OutputReduces, program.OutputTells, program.OutputLists, program.OutputFetches:
	default:
		return taint{}
	}
	parts := program.Parts(c)
	for i := range parts {
		if p := &parts[i]; p.Opt != "" && (p.Role == shell.Reads || p.Role == shell.Config) {
			if l := t.fileWordTaint(c, &p.Word); l.level == secret {
				return l
			}
		}
	}
	return taint{}
}

// printedVarsTaint returns the worst taint in variables that the command itself sets and that printenv
// or env prints.
func (t *tracer) printedVarsTaint(c *shell.Call) taint {
	var l taint
	if kind := program.HandsOf(c.Name); kind != program.HandsPrintenv && kind != program.HandsEnv {
		return l
	}
	for i := range c.Env {
		if v := &c.Env[i]; len(v.Value.From) > 0 && (len(c.Args) == 0 || hasArg(c, v.Name)) {
			l = worseTaint(l, t.wordTaint(&v.Value))
		}
	}
	return l
}

// outputKind returns how the output of the program name depends on its files and its input. An unnamed
// program passes on its input. It returns 0 for a program without a row.
func outputKind(name string) program.OutputKind {
	if name == "" {
		return program.OutputReads
	}
	return program.OutputOf(name)
}

// programName returns the name of the program of c, for messages.
func programName(c *shell.Call) string {
	if c.Name == "" {
		return "an unknown program"
	}
	return c.Name
}

// echoTaint returns the worst taint in the output of echo. Its words are text; files count only by
// substitution.
func (t *tracer) echoTaint(c *shell.Call) taint {
	var all taint
	for i := range c.Args {
		if !t.spendStep() {
			break
		}
		l := t.wordTaint(&c.Args[i])
		if l.level == unclear && len(c.Args[i].From) == 0 && hasInput(c) {
			l = worseTaint(l, t.inputTaint(c)) // `… | while read l; do echo $l`
		}
		all = worseTaint(all, l)
	}
	return all
}

// printedFilesTaint returns the worst taint in the output of a program that prints its standard input
// and the files that its words name. The first skip words that are not options are a pattern or a
// script, not files.
func (t *tracer) printedFilesTaint(c *shell.Call, skip int) taint {
	all := worseTaint(t.inputTaint(c), namedOnInputTaint(c))
	for i := range c.Args {
		w := &c.Args[i]
		if !t.spendStep() || all.level == secret {
			break
		}
		if len(w.From) > 0 {
			all = worseTaint(all, worseTaint(t.callsTaint(w.From), searchHitsTaint(w.From)))
		}
		text := w.Text
		switch {
		case text == "" || text == "-":
			continue
		case text[0] == '-':
			// An option may contain a path, as in --file=.env. The path of -in key.pem is the next word.
			if _, value, ok := strings.Cut(text, "="); ok && facts.IsSecretFile(value) {
				all = worseTaint(all, t.fileTaint(c, value))
			}
			if skip > 0 && (len(text) > 2 && strings.HasPrefix(text, "-e") || strings.HasPrefix(text, "--regexp=") || strings.HasPrefix(text, "--expression=")) {
				skip--
			}
			continue
		case isDigits(text) && i > 0 && strings.HasPrefix(c.Args[i-1].Text, "-"):
			continue
		case skip > 0:
			skip--
			if searchesSecrets(c.Name, text) {
				all = worseTaint(all, taint{level: secret, from: fromOutput, what: "lines that match " + text})
			}
			continue
		}
		switch program.FilesOf(c.Name) {
		case program.FilesDd:
			text = strings.TrimPrefix(text, "if=")
			if strings.Contains(text, "=") {
				continue
			}
		case program.FilesTar:
			if i == 0 && !strings.ContainsAny(text, "./") {
				continue // bundled options without a hyphen
			}
		}
		all = worseTaint(all, t.fileTaint(c, text))
	}
	return all
}

// searchesSecrets reports whether the program name is like grep and pattern mentions secrets.
func searchesSecrets(name, pattern string) bool {
	return program.Is(name, program.IsGrep) && facts.MentionsSecret(pattern)
}

// printsNoLines reports whether the search c prints no matching lines, but only counts, file names or
// nothing.
func printsNoLines(c *shell.Call) bool {
	return program.Is(c.Name, program.IsGrep) && (hasShortOption(c, 'c') || hasShortOption(c, 'q') || hasShortOption(c, 'l') || hasArg(c, "--count") || hasArg(c, "--quiet"))
}

// isDigits reports whether s is not empty and consists of decimal digits.
func isDigits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}

// codeOutputTaint returns the worst taint in the output of an interpreter. Package code parses the
// code; here it only matters whether the code names a secret.
func (t *tracer) codeOutputTaint(c *shell.Call) taint {
	for i := range c.Args {
		a := c.Args[i].Text
		if len(a) > facts.MaxPath {
			continue
		}
		path, ok := facts.FindSecretFile(a)
		if !ok && facts.IsSecretFile(a) {
			path, ok = a, true
		}
		if ok {
			return taint{level: secret, from: fromOutput, what: "data that code reads from " + path}
		}
		for _, w := range [...]string{"environ", "getenv", "ENV[", "ENV{", "_ENV", "process.env", "Deno.env", "Bun.env"} {
			if strings.Contains(a, w) {
				return taint{level: secret, from: fromOutput, what: "data that code reads from " + w}
			}
		}
	}
	l := worseTaint(t.inputTaint(c), taint{level: unclear, what: "the output of " + c.Name})
	for i := range c.Args {
		if a := c.Args[i].Text; len(a) <= maxCode {
			if path, ok := facts.FindPersonalFile(a, t.home()); ok {
				what := "data that code reads from " + path
				l = worseTaint(l, taint{level: file, from: fromOutput, what: what, path: path, valuable: true, personal: true})
			}
		}
	}
	return l
}

// gitOutputTaint returns the worst taint in the output of git. File contents have at least the level
// file; file names alone are not tainted.
func (t *tracer) gitOutputTaint(c *shell.Call) taint {
	sub, rest := gitSubcommand(c)
	switch sub {
	case "show", "diff", "log", "archive", "bundle", "cat-file", "format-patch", "stash", "blame", "grep", "fast-export", "whatchanged":
		for i := range rest {
			if _, path, ok := strings.Cut(rest[i].Text, ":"); ok && facts.IsSecretFile(path) || facts.IsSecretFile(rest[i].Text) {
				return taint{level: secret, from: fromOutput, what: rest[i].Text}
			}
		}
		if printsSummary(rest) {
			return taint{}
		}
		l := taint{level: file, from: fromOutput, what: "the output of git " + sub, valuable: sub == "bundle" || sub == "fast-export" || sub == "archive"}
		for i := range rest {
			switch a := rest[i].Text; {
			case a == "--root", a == "--all" && hasArg(c, "-p"):
				l.valuable = true // the content of all commits
			case a != "" && a[0] != '-' && t.isPersonal(c, a):
				l = worseTaint(l, t.fileTaint(c, a)) // `git grep --no-index`
			}
		}
		return l
	case "config":
		// Git's settings can contain tokens in URLs and headers. Reading a single setting is
		// harmless, unless its name suggests a secret.
		for i := range rest {
			switch a := rest[i].Text; {
			case a == "--list" || a == "-l" || a == "list" || a == "--get-regexp" || facts.MentionsSecret(a) || strings.HasSuffix(strings.ToLower(a), "extraheader"):
				return taint{level: secret, from: fromOutput, what: "git's settings"}
			}
		}
	}
	return taint{}
}

// printsSummary reports whether args make git diff or git log print names or counts instead of
// contents.
func printsSummary(args []shell.Word) bool {
	for i := range args {
		switch a := args[i].Text; a {
		case "--stat", "--name-only", "--name-status", "--shortstat", "--numstat", "--quiet", "-1", "-n1", "--oneline":
			return true
		}
	}
	return false
}

// downloadTaint returns the worst taint in a download. It contains no data of this machine, except
// that a cloud's metadata service returns credentials and that a file:// URL is a local file.
func (t *tracer) downloadTaint(c *shell.Call) taint {
	var all taint
	for i := range c.Args {
		a := c.Args[i].Text
		if strings.Contains(a, "169.254.169.254") || strings.Contains(a, "metadata.google.internal") || strings.Contains(a, "169.254.170.2") || strings.Contains(a, "100.100.100.200") {
			return taint{level: secret, from: fromOutput, what: "cloud metadata"}
		}
		if len(a) > 7 && strings.EqualFold(a[:7], "file://") {
			all = worseTaint(all, t.fileTaint(c, a[7:]))
		}
	}
	return all
}

// CodeReadsSecret reports whether c runs code in its words that names a file of secrets.
func CodeReadsSecret(c *shell.Call, p *shell.Place) bool {
	t := tracer{place: p, stepsLeft: maxSteps}
	return facts.IsInterpreter(c.Name) && t.codeOutputTaint(c).level == secret
}

// WrittenByCode returns the files that calls, which code is equivalent to, write or copy to.
func WrittenByCode(calls []*shell.Call) (paths []string) {
	for _, c := range calls {
		for i := range c.Redir {
			if strings.Contains(c.Redir[i].Op, ">") {
				paths = append(paths, c.Redir[i].Target.Text)
			}
		}
		if last := len(c.Args) - 1; last > 0 && program.Is(c.Name, program.IsCopier) {
			paths = append(paths, c.Args[last].Text)
		}
	}
	return paths
}
