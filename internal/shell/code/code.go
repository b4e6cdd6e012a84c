// Package code finds the effects of code that a command passes to an interpreter: python -c, node -e,
// perl -ne, awk programs, the e command of sed, the ! command of an editor, and code on standard
// input.
//
// Python and JavaScript are split into tokens and read once, from front to back. The reader tracks the
// values of variables and expressions where the source shows them, such as concatenated literals,
// imported modules and their aliases, and lists that a loop iterates over. Calls that start programs
// or touch files become the equivalent shell commands, so that the caller judges them like any other
// command. The contents of strings and comments are data. Perl, Ruby and PHP are only scanned for
// functions with effects. Code in other languages is opaque. The package runs nothing.
package code

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// A job describes the environment in which a piece of code runs.
type job struct {
	args  []shell.Word     // arguments of the code
	env   []shell.Variable // environment variables that the call sets
	input value            // standard input
	files []shell.File     // files whose contents are at least partly known
	place *shell.Place     // where the code runs; nil = unknown
}

// maxCode is the maximum length of the code that is read, in bytes. Longer code is truncated.
const maxCode = 256 << 10

// Effects returns the effects of the code that c runs. Nested are shell commands that the code runs or
// that are equivalent to parts of it; the caller must judge them like any other command. Known is
// false if c runs no code, or no code that this package can read. Variables that make an interpreter
// load code add effects in any case.
func Effects(c *shell.Call, p *shell.Place) (effects []shell.Effect, nested []string, known bool) {
	effects, nested, known = codeEffects(withDirectoryEnv(c, p), p)
	if len(c.Env) > 0 {
		effects = append(effects, hijackVarEffects(c, p)...)
	}
	return effects, nested, known
}

// withDirectoryEnv returns a copy of c that also sets the variables for the user's directories,
// such as HOME. They come first, so variables that the command sets take precedence. It returns c
// itself if no directory is known or c runs on another machine.
func withDirectoryEnv(c *shell.Call, p *shell.Place) *shell.Call {
	var env []shell.Variable
	for name := range shell.DirVariables {
		if dir := p.EnvDir(name); dir != "" && c.Remote == "" {
			env = append(env, shell.Variable{Name: name, Value: shell.Word{Text: dir}})
		}
	}
	if env == nil {
		return c
	}
	with := *c
	with.Env = append(env, c.Env...)
	return &with
}

// codeEffects returns the effects of the code that c runs, using the reader for its program. See
// [Effects] for the results.
func codeEffects(c *shell.Call, p *shell.Place) (effects []shell.Effect, nested []string, known bool) {
	n := trimVersion(c.Name)
	if n == "" {
		return nil, nil, false
	}
	if k, args := findConsole(c, n); k != nil {
		if effects, nested, ok := k.effects(c, args); ok {
			return effects, nested, true
		}
	}
	tongue := facts.LanguageOf(n)
	if tongue == facts.Awk {
		return awkEffects(c)
	}
	switch n {
	case "sed", "gsed", "ssed":
		return sedEffects(c)
	case "gdb", "lldb", "sqlite", "psql", "mysql", "mariadb", "ftp", "less", "more":
		return shellEscapeEffects(c, n)
	}
	if p := findOpaqueProgram(n); p != nil {
		return p.effects(c)
	}
	if prog := interpreterByLanguage(tongue); prog != nil {
		return interpreterEffects(c, prog, p)
	}
	if len(c.Files) > 0 {
		return knownScriptEffects(c)
	}
	return nil, nil, false
}

// trimVersion returns the program name n without a trailing version: python for python3.11, perl for
// perl5.36.0.
func trimVersion(n string) string {
	if n == "m4" {
		return n
	}
	i := len(n)
	for i > 0 && (isDigit(n[i-1]) || n[i-1] == '.') {
		i--
	}
	return strings.TrimSuffix(n[:i], "-")
}

// interpreterEffects returns the effects of the code that c passes to the interpreter prog. See
// [Effects] for the results.
func interpreterEffects(c *shell.Call, prog *interpreter, p *shell.Place) ([]shell.Effect, []string, bool) {
	g := prog.parseArgs(c)
	g.root = p.Root
	if g.root == "" {
		g.root = p.Dir
	}
	switch {
	case g.version:
		return []shell.Effect{{Label: shell.Safe, Kind: "read", Category: shell.ProcRead, Words: c.Name, Reason: "shows a program's version"}}, nil, true
	case g.checks && g.script:
		return []shell.Effect{{Label: shell.Safe, Kind: "read", Category: shell.Test, Words: c.Name, Reason: "checks code without running it"}}, nil, true
	case g.module:
		return g.archiveModuleEffects(c)
	case prog.lang == opaque:
		return g.opaqueEffects(c)
	case g.script && !g.resolveStream(c):
		return scriptEffects(c, prog.lang, &g)
	case g.script && !g.found:
		return []shell.Effect{printedCodeEffect(c, g.from)}, nil, true
	}
	stdin := !g.found
	if stdin {
		text, have, sure := stdinText(c)
		if !have {
			return preloadEffects(c, prog.lang, &g)
		}
		if !sure {
			return []shell.Effect{pipedCodeEffect(c)}, nil, true
		}
		g.code = text
	}
	for i := range c.Args {
		if w := &c.Args[i]; g.code == placeholder && w.Text == placeholder && program.OnlyPrintFiles(w.From) { // as in python3 -c "$(cat x.py)"
			return []shell.Effect{shell.UnreadEffect(c.Name, "runs a file that checkrein did not read")}, nil, true
		}
	}
	l := prog.lang
	j := job{args: g.rest, env: c.Env, files: c.Files, place: p}
	if !stdin {
		j.input = stdinValue(c)
	}
	o := &result{}
	o.addPreloads(c, l, &g)
	o.addCodeEffects(g.before+g.code, l, &j)
	if g.inplace || g.loops {
		o.addFileArgEffects(g.rest, g.inplace, l)
	}
	return o.finish(c)
}

// archiveModuleEffects returns the unzip or tar command that is equivalent to python -m zipfile -e or
// python -m tarfile -e. It reports false for other modules and options.
func (g *codeSource) archiveModuleEffects(c *shell.Call) ([]shell.Effect, []string, bool) {
	if len(g.rest) < 2 || !facts.InList("-e --extract", g.rest[0].Text) || !facts.InList("zipfile tarfile", g.name) {
		return nil, nil, false
	}
	archive, dir := g.rest[1].Text, "."
	if len(g.rest) > 2 {
		dir = g.rest[2].Text
	}
	cmd := "unzip -o " + quoteText(archive) + " -d "
	if strings.HasPrefix(g.name, "tar") {
		cmd = "tar -xf " + quoteText(archive) + " -C "
	}
	return (&result{nested: []string{cmd + quoteText(dir)}}).finish(c)
}

// addCodeEffects adds the effects of src, which is written in l and runs in the environment j.
func (o *result) addCodeEffects(src string, l lang, j *job) {
	if len(src) > maxCode {
		o.addEffect(shell.LimitEffect("", "contains code too long to be checked"))
		src = src[:maxCode]
	}
	o.steps = stepsBase + stepsEach*len(src)
	if isScanned(l) {
		o.scanCode(src, l, j)
		return
	}
	r := reader{job: j, out: o, lang: l}
	r.readProgram(src, l)
}

// addFileArgEffects adds the effects of code that loops over the lines of the files in words, as perl
// -n does. If inplace is set, the code changes the files. Only the first 32 words are checked.
func (o *result) addFileArgEffects(words []shell.Word, inplace bool, l lang) {
	r := reader{job: &job{}, out: o, lang: l}
	for i := range words {
		if i == 32 {
			break
		}
		v := value{form: text, text: words[i].Text, glob: words[i].Glob}
		if l == perl && strings.ContainsAny(v.text, "|>") { // perl runs "cmd |" and writes to ">file"
			r.addUnresolvedEffect("opens an unknown file or runs an unknown command", v.text)
		} else if inplace {
			r.addCommand("sed -i s/a/b/ " + shellQuote(&v))
		} else if facts.IsSecretFile(v.text) {
			o.seen |= fromSecret
			r.addCommand("cat -- " + shellQuote(&v))
		}
	}
	if inplace && len(words) == 0 {
		r.addCommand("sed -i s/a/b/ " + placeholder)
	}
}

// stdinText returns the text on the standard input of c. Found is false if standard input is neither
// redirected nor piped, or comes from a file whose contents are not known. Complete is false if only
// part of the text is known.
func stdinText(c *shell.Call) (text string, found, complete bool) {
	for i := len(c.Redir) - 1; i >= 0; i-- {
		d := &c.Redir[i]
		if d.Fd != "" && d.Fd != "0" {
			continue
		}
		switch d.Op {
		case "<<", "<<-", "<<<":
			return d.Target.Text, true, true
		case "<", "<>":
			if len(d.Target.From) > 0 {
				return "", true, false
			}
			if f := knownFile(c, d.Target.Text); f != nil {
				return f.Text, true, f.Complete
			}
			return "", false, false
		}
	}
	if c.In == nil {
		return "", false, false
	}
	return c.In.Text, true, c.In.Complete
}

// pipedCodeEffect returns the effect of running the unknown code that is piped into c.
func pipedCodeEffect(c *shell.Call) shell.Effect {
	if c.In == nil {
		return printedCodeEffect(c, nil)
	}
	return printedCodeEffect(c, c.In.From)
}

// printedCodeEffect returns the effect of c running unknown code that the calls in from print. The
// impact is high if one of them fetches it from another machine.
func printedCodeEffect(c *shell.Call, from []*shell.Call) shell.Effect {
	e := shell.OpaqueEffect(c.Name, "runs code printed by another command")
	if program.OnlyPrintFiles(from) {
		return shell.UnreadEffect(c.Name, "runs a file that checkrein did not read")
	}
	for _, f := range from {
		switch f.Name {
		case "curl", "wget", "fetch", "http", "https", "aria2c", "nc", "ncat", "lynx", "ssh", "iwr":
			e.Category, e.Rule, e.Impact, e.Reason = program.FetchCategory(f), "", shell.ImpactHigh, "runs code received from another machine"
		}
	}
	return e
}

// resolveStream reports whether the script is a stream that the command itself opens, such as <(echo
// code), or /dev/fd/3 with 3<<<code. If the text of the stream is known, resolveStream stores it in
// g.code and sets g.found.
func (g *codeSource) resolveStream(c *shell.Call) bool {
	fd, ok := strings.CutPrefix(g.file, "/dev/fd/")
	if !ok {
		fd, ok = strings.CutPrefix(g.file, "/proc/self/fd/")
	}
	if !ok {
		return false
	}
	if fd == "0" {
		text, have, sure := stdinText(c)
		g.code, g.found = text, have && sure
		return have
	}
	for i := range c.Redir {
		if d := &c.Redir[i]; d.Fd == fd && strings.HasPrefix(d.Op, "<<") {
			g.code, g.found = d.Target.Text, true
			return true
		}
	}
	for i := range c.Args {
		w := &c.Args[i]
		if w.Text != g.file || len(w.From) == 0 {
			continue
		}
		g.from = w.From
		g.code, g.found = echoOutput(w.From)
		return true
	}
	return false
}

// scriptText returns the text of the script at path, which is a known file of c or a stream that c
// opens. Found is false if path is neither. Complete is false if only part of the text is known.
func scriptText(c *shell.Call, path string) (text string, found, complete bool) {
	if f := knownFile(c, path); f != nil {
		return f.Text, true, f.Complete
	}
	if path == "-" || path == "/dev/stdin" {
		return stdinText(c)
	}
	g := codeSource{file: path}
	if !g.resolveStream(c) {
		return "", false, false
	}
	return g.code, true, g.found
}

// echoOutput returns the output of the calls in from if they are a single echo or printf with known
// arguments. It reports false otherwise.
func echoOutput(from []*shell.Call) (string, bool) {
	if len(from) != 1 || from[0].In != nil || program.OutputOf(from[0].Name) != program.OutputPrints {
		return "", false
	}
	var out []string
	for i := range from[0].Args {
		w := &from[0].Args[i]
		switch {
		case !w.IsKnown() || len(w.From) > 0:
			return "", false
		case i == 0 && (w.Text == "-n" || w.Text == "-e" || w.Text == "%s"):
		case strings.Contains(w.Text, "%"): // a verb of printf
			return "", false
		default:
			out = append(out, w.Text)
		}
	}
	return strings.ReplaceAll(strings.Join(out, " "), `\n`, "\n"), true
}

// stdinValue returns the value that code gets when it reads the standard input of c. The text is set
// if it is known, and the taint otherwise.
func stdinValue(c *shell.Call) value {
	for i := range c.Redir {
		switch d := &c.Redir[i]; d.Op {
		case "<<", "<<-", "<<<":
			return value{form: text, text: d.Target.Text, taint: outputTaint(d.Target.From, 0)}
		case "<":
			v := value{taint: fromFile}
			if facts.IsSecretFile(d.Target.Text) {
				v.taint |= fromSecret
			}
			return v
		}
	}
	if c.In == nil {
		return value{}
	}
	if c.In.Complete {
		return value{form: text, text: c.In.Text}
	}
	v := value{taint: fromInput}
	for _, f := range c.In.From {
		if f.Name == "env" || f.Name == "printenv" || f.Name == "set" {
			v.taint |= fromEnv
		}
		for i := range f.Args {
			if facts.IsSecretFile(f.Args[i].Text) {
				v.taint |= fromSecret
			}
		}
	}
	return v
}
