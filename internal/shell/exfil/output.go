package exfil

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// outputLoad returns the worst data that c prints.
func (t *tracer) outputLoad(c *shell.Call) load {
	if c.Name == typedName {
		return t.typedLoad(c)
	}
	t.stepsLeft -= len(c.Args) / 8 // the checks below visit all words
	if l, ok := secretOutputLoad(c); ok {
		return worseLoad(l, t.printedVarsLoad(c))
	}
	switch outputKind(c.Name) {
	case program.OutputPrints, program.OutputEndless:
		return t.echoLoad(c)
	case program.OutputReads:
		return t.printedFilesLoad(c, 0)
	case program.OutputSelects:
		if printsNoLines(c) {
			return load{}
		}
		l := t.printedFilesLoad(c, 1)
		l.partial = true
		return l
	case program.OutputPicks:
		l := t.printedFilesLoad(c, 0)
		l.partial = true
		return l
	case program.OutputEncodes:
		l := t.printedFilesLoad(c, 0)
		l.encoded = l.level >= about
		return l
	case program.OutputReduces:
		return load{}
	case program.OutputDumps:
		return load{level: file, from: fromOutput, what: "the output of " + c.Name, valuable: true}
	case program.OutputTells:
		return load{level: about, from: fromOutput, what: "the output of " + c.Name, identifying: program.Is(c.Name, program.IsIdentifying)}
	case program.OutputGit:
		return t.gitOutputLoad(c)
	case program.OutputLists:
		return load{level: about, from: fromOutput, what: "the output of " + c.Name}
	case program.OutputFetches:
		return t.downloadLoad(c)
	case program.OutputUname:
		if hasShortOption(c, 'a') || hasShortOption(c, 'n') || hasArg(c, "--all") || hasArg(c, "--nodename") {
			return load{level: about, from: fromOutput, what: "the output of uname", identifying: true}
		}
		return load{}
	case program.OutputQueries:
		return worseLoad(load{level: file, from: fromOutput, what: "the output of " + c.Name, valuable: !hasWords(c, "save|build|images|ps|version|info|logs|get|describe")}, t.printedFilesLoad(c, 0))
	}
	if facts.IsInterpreter(c.Name) {
		return t.codeOutputLoad(c)
	}
	l := t.printedFilesLoad(c, 0)
	if l.level < secret {
		l = worseLoad(t.inputLoad(c), load{level: unclear, what: "the output of " + programName(c)})
	}
	return l
}

// printedVarsLoad returns the worst data that printenv or env prints from variables that the command
// itself sets.
func (t *tracer) printedVarsLoad(c *shell.Call) load {
	var l load
	if kind := program.HandsOf(c.Name); kind != program.HandsPrintenv && kind != program.HandsEnv {
		return l
	}
	for i := range c.Env {
		if v := &c.Env[i]; len(v.Value.From) > 0 && (len(c.Args) == 0 || hasArg(c, v.Name)) {
			l = worseLoad(l, t.wordLoad(&v.Value))
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

// echoLoad returns the worst data that echo prints. Its words are text; files count only by
// substitution.
func (t *tracer) echoLoad(c *shell.Call) load {
	var all load
	for i := range c.Args {
		if !t.spendStep() {
			break
		}
		l := t.wordLoad(&c.Args[i])
		if l.level == unclear && len(c.Args[i].From) == 0 && hasInput(c) {
			l = worseLoad(l, t.inputLoad(c)) // `… | while read l; do echo $l`
		}
		all = worseLoad(all, l)
	}
	return all
}

// printedFilesLoad returns the worst data that a program prints from its standard input and from the
// files that its words name. The first skip words that are not options are a pattern or a script, not
// files.
func (t *tracer) printedFilesLoad(c *shell.Call, skip int) load {
	all := t.inputLoad(c)
	for i := range c.Args {
		w := &c.Args[i]
		if !t.spendStep() || all.level == secret {
			break
		}
		if len(w.From) > 0 {
			all = worseLoad(all, worseLoad(t.callsLoad(w.From), searchHitsLoad(w.From)))
		}
		text := w.Text
		switch {
		case text == "" || text == "-":
			continue
		case text[0] == '-':
			// An option may contain a path, as in --file=.env. The path of -in key.pem is the next word.
			if _, value, ok := strings.Cut(text, "="); ok && facts.IsSecretFile(value) {
				all = worseLoad(all, t.fileLoad(c, value))
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
				all = worseLoad(all, load{level: secret, from: fromOutput, what: "lines about " + text})
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
		all = worseLoad(all, t.fileLoad(c, text))
	}
	return all
}

// searchesSecrets reports whether the program name is like grep and pattern finds secrets.
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

// codeOutputLoad returns the worst data that an interpreter prints. Package code parses the code; here
// it only matters whether the code names a secret.
func (t *tracer) codeOutputLoad(c *shell.Call) load {
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
			return load{level: secret, from: fromOutput, what: "data that code reads from " + path}
		}
		for _, w := range [...]string{"environ", "getenv", "ENV[", "ENV{", "_ENV", "process.env", "Deno.env", "Bun.env"} {
			if strings.Contains(a, w) {
				return load{level: secret, from: fromOutput, what: "data that code reads from " + w}
			}
		}
	}
	return worseLoad(t.inputLoad(c), load{level: unclear, what: "the output of " + c.Name})
}

// gitOutputLoad returns the worst data that git prints. The contents of files count as a file, their
// names do not count.
func (t *tracer) gitOutputLoad(c *shell.Call) load {
	sub, rest := gitSubcommand(c)
	switch sub {
	case "show", "diff", "log", "archive", "bundle", "cat-file", "format-patch", "stash", "blame", "grep", "fast-export", "whatchanged":
		for i := range rest {
			if _, path, ok := strings.Cut(rest[i].Text, ":"); ok && facts.IsSecretFile(path) || facts.IsSecretFile(rest[i].Text) {
				return load{level: secret, from: fromOutput, what: rest[i].Text}
			}
		}
		if printsSummary(rest) {
			return load{}
		}
		return load{level: file, from: fromOutput, what: "the output of git " + sub, valuable: sub == "bundle" || sub == "fast-export" || sub == "archive"}
	case "config":
		// Git's settings can contain tokens in URLs and headers. Reading a single setting is
		// harmless, unless its name suggests a secret.
		for i := range rest {
			switch a := rest[i].Text; {
			case a == "--list" || a == "-l" || a == "list" || a == "--get-regexp" || facts.MentionsSecret(a) || strings.HasSuffix(strings.ToLower(a), "extraheader"):
				return load{level: secret, from: fromOutput, what: "git's settings"}
			}
		}
	}
	return load{}
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

// downloadLoad returns the worst data of this machine in a download. There is none, except that a
// cloud's metadata service returns credentials and that a file:// URL is a local file.
func (t *tracer) downloadLoad(c *shell.Call) load {
	var all load
	for i := range c.Args {
		a := c.Args[i].Text
		if strings.Contains(a, "169.254.169.254") || strings.Contains(a, "metadata.google.internal") || strings.Contains(a, "169.254.170.2") || strings.Contains(a, "100.100.100.200") {
			return load{level: secret, from: fromOutput, what: "cloud metadata"}
		}
		if len(a) > 7 && strings.EqualFold(a[:7], "file://") {
			all = worseLoad(all, t.fileLoad(c, a[7:]))
		}
	}
	return all
}
