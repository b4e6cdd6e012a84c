package exfil

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// output returns what a call prints, as far as it matters.
func (t *tracer) output(c *shell.Call) load {
	if c.Name == typedName {
		return t.typedLoad(c)
	}
	t.budget -= len(c.Args) / 8 // the looks at all words that follow
	if l, ok := secretOutput(c); ok {
		return more(l, t.shown(c))
	}
	switch outputOf(c.Name) {
	case program.OutputPrints, program.OutputEndless:
		return t.printed(c)
	case program.OutputReads:
		return t.read(c, 0)
	case program.OutputSelects:
		if counts(c) {
			return load{}
		}
		l := t.read(c, 1)
		l.picked = true
		return l
	case program.OutputPicks:
		l := t.read(c, 0)
		l.picked = true
		return l
	case program.OutputEncodes:
		l := t.read(c, 0)
		l.coded = l.level >= about
		return l
	case program.OutputReduces:
		return load{}
	case program.OutputDumps:
		return load{level: file, from: fromOutput, what: "the output of " + c.Name, rich: true}
	case program.OutputTells:
		return load{level: about, from: fromOutput, what: "the output of " + c.Name, who: program.Is(c.Name, program.IsIdentifying)}
	case program.OutputGit:
		return t.gitOutput(c)
	case program.OutputLists:
		return load{level: about, from: fromOutput, what: "the output of " + c.Name}
	case program.OutputFetches:
		return t.fetched(c)
	case program.OutputUname:
		if bundled(c, 'a') || bundled(c, 'n') || hasArg(c, "--all") || hasArg(c, "--nodename") {
			return load{level: about, from: fromOutput, what: "the output of uname", who: true}
		}
		return load{}
	case program.OutputQueries:
		return more(load{level: file, from: fromOutput, what: "the output of " + c.Name, rich: !hasWords(c, "save|build|images|ps|version|info|logs|get|describe")}, t.read(c, 0))
	}
	if facts.Interpreter(c.Name) {
		return t.codeOutput(c)
	}
	l := t.read(c, 0)
	if l.level < secret {
		l = more(t.input(c), load{level: unclear, what: "the output of " + title(c)})
	}
	return l
}

// shown is what printenv prints of variables that the command itself filled.
func (t *tracer) shown(c *shell.Call) load {
	var l load
	if kind := program.HandsOf(c.Name); kind != program.HandsPrintenv && kind != program.HandsEnv {
		return l
	}
	for i := range c.Env {
		if v := &c.Env[i]; len(v.Value.From) > 0 && (len(c.Args) == 0 || hasArg(c, v.Name)) {
			l = more(l, t.word(&v.Value))
		}
	}
	return l
}

// outputOf returns how a program's output depends on its input. One that is not known
// passes on what it reads.
func outputOf(name string) program.OutputKind {
	if name == "" {
		return program.OutputReads
	}
	return program.OutputOf(name)
}

func title(c *shell.Call) string {
	if c.Name == "" {
		return "an unknown program"
	}
	return c.Name
}

// printed is the output of echo: its words, and files only by substitution.
func (t *tracer) printed(c *shell.Call) load {
	var all load
	for i := range c.Args {
		if !t.spend() {
			break
		}
		l := t.word(&c.Args[i])
		if l.level == unclear && len(c.Args[i].From) == 0 && fed(c) {
			l = more(l, t.input(c)) // `… | while read l; do echo $l`
		}
		all = more(all, l)
	}
	return all
}

// read is the output of a program that prints the files its words name, or else
// its input. The first skip words that are no flags are a pattern or program.
func (t *tracer) read(c *shell.Call, skip int) load {
	all := t.input(c)
	for i := range c.Args {
		w := &c.Args[i]
		if !t.spend() || all.level == secret {
			break
		}
		if len(w.From) > 0 {
			all = more(all, more(t.calls(w.From), hunted(w.From)))
		}
		text := w.Text
		switch {
		case text == "" || text == "-":
			continue
		case text[0] == '-':
			// A flag may hold a path: --file=.env, -in key.pem comes as the next word.
			if _, value, ok := strings.Cut(text, "="); ok && facts.SecretFile(value) {
				all = more(all, t.file(c, value))
			}
			if skip > 0 && (len(text) > 2 && strings.HasPrefix(text, "-e") || strings.HasPrefix(text, "--regexp=") || strings.HasPrefix(text, "--expression=")) {
				skip--
			}
			continue
		case number(text) && i > 0 && strings.HasPrefix(c.Args[i-1].Text, "-"):
			continue
		case skip > 0:
			skip--
			if hunts(c.Name, text) {
				all = more(all, load{level: secret, from: fromOutput, what: "lines about " + text})
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
				continue // its options
			}
		}
		all = more(all, t.file(c, text))
	}
	return all
}

// hunts reports whether a search pattern looks for secrets.
func hunts(name, pattern string) bool {
	return program.Is(name, program.IsGrep) && facts.SpeaksOfSecrets(pattern)
}

// counts reports whether a search prints no lines, only whether or how many.
func counts(c *shell.Call) bool {
	return program.Is(c.Name, program.IsGrep) && (bundled(c, 'c') || bundled(c, 'q') || bundled(c, 'l') || hasArg(c, "--count") || hasArg(c, "--quiet"))
}

func number(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}

// codeOutput is what an interpreter prints. Its code is package code's to read;
// here it is enough that it names a secret.
func (t *tracer) codeOutput(c *shell.Call) load {
	for i := range c.Args {
		a := c.Args[i].Text
		if len(a) > facts.MaxPath {
			continue
		}
		path, ok := facts.SecretIn(a)
		if !ok && facts.SecretFile(a) {
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
	return more(t.input(c), load{level: unclear, what: "the output of " + c.Name})
}

// gitOutput is what git prints: content is a file, names are not.
func (t *tracer) gitOutput(c *shell.Call) load {
	sub, rest := gitVerb(c)
	switch sub {
	case "show", "diff", "log", "archive", "bundle", "cat-file", "format-patch", "stash", "blame", "grep", "fast-export", "whatchanged":
		for i := range rest {
			if _, path, ok := strings.Cut(rest[i].Text, ":"); ok && facts.SecretFile(path) || facts.SecretFile(rest[i].Text) {
				return load{level: secret, from: fromOutput, what: rest[i].Text}
			}
		}
		if summary(rest) {
			return load{}
		}
		return load{level: file, from: fromOutput, what: "the output of git " + sub, rich: sub == "bundle" || sub == "fast-export" || sub == "archive"}
	case "config":
		// Settings hold tokens in URLs and headers; one that is asked for by a plain
		// name is harmless.
		for i := range rest {
			switch a := rest[i].Text; {
			case a == "--list" || a == "-l" || a == "list" || a == "--get-regexp" || facts.SpeaksOfSecrets(a) || strings.HasSuffix(strings.ToLower(a), "extraheader"):
				return load{level: secret, from: fromOutput, what: "git's settings"}
			}
		}
	}
	return load{}
}

// summary reports whether a diff or a log prints names or counts and no content.
func summary(args []shell.Word) bool {
	for i := range args {
		switch a := args[i].Text; a {
		case "--stat", "--name-only", "--name-status", "--shortstat", "--numstat", "--quiet", "-1", "-n1", "--oneline":
			return true
		}
	}
	return false
}

// fetched is what a download prints: nothing of this machine, except that the
// metadata service of a cloud hands out credentials and that file:// is a file.
func (t *tracer) fetched(c *shell.Call) load {
	var all load
	for i := range c.Args {
		a := c.Args[i].Text
		if strings.Contains(a, "169.254.169.254") || strings.Contains(a, "metadata.google.internal") || strings.Contains(a, "169.254.170.2") || strings.Contains(a, "100.100.100.200") {
			return load{level: secret, from: fromOutput, what: "cloud metadata"}
		}
		if len(a) > 7 && strings.EqualFold(a[:7], "file://") {
			all = more(all, t.file(c, a[7:]))
		}
	}
	return all
}
