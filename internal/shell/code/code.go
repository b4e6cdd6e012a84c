// Package code knows what code does that is handed to an interpreter: python -c,
// node -e, perl -ne, awk, sed's e, an editor's !, and the same on standard input.
//
// Python and JavaScript are cut into tokens and gone through once, keeping what names
// and expressions stand for as far as that is plain: literals put together, imports and
// their aliases, lists that a loop goes over. Calls that start programs or touch files
// become the shell commands that do the same, so that one place judges them. Text in
// strings and comments is data. Perl, Ruby and PHP are scanned for functions that act;
// other languages are opaque. It runs nothing.
package code

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// A job is a piece of code with what it is given.
type job struct {
	args  []shell.Word // the words after the code
	env   []shell.Variable
	input value // standard input
	files []shell.File
}

// maxCode bounds the code that is read.
const maxCode = 256 << 10

// Effects names what the code in a call does. Nested are shell commands that the
// code runs, or that do what it does: they are to be judged like any command. Not
// known means that the call holds no code, or none that this package reads.
func Effects(c *shell.Call, p *shell.Place) (effects []shell.Effect, nested []string, known bool) {
	effects, nested, known = judge(withDirectories(c, p), p)
	if len(c.Env) > 0 {
		effects = append(effects, byEnvironment(c, p)...)
	}
	return effects, nested, known
}

// withDirectories is a call with the variables that say where a person's directories
// are, before those that the command sets.
func withDirectories(c *shell.Call, p *shell.Place) *shell.Call {
	var env []shell.Variable
	for name := range shell.Directories {
		if dir := p.Directory(name); dir != "" && c.Remote == "" {
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

// judge finds who reads the code of a call.
func judge(c *shell.Call, p *shell.Place) ([]shell.Effect, []string, bool) {
	n := trimVersion(c.Name)
	if n == "" {
		return nil, nil, false
	}
	if k, args := consoleOf(c, n); k != nil {
		if effects, nested, ok := k.run(c, args); ok {
			return effects, nested, true
		}
	}
	tongue := facts.TongueOf(n)
	if tongue == facts.Awk {
		return runAwk(c)
	}
	switch n {
	case "sed", "gsed", "ssed":
		return runSed(c)
	case "gdb", "lldb", "sqlite", "psql", "mysql", "mariadb", "ftp", "less", "more":
		return runEscapes(c, n)
	}
	if p := opaqueOf(n); p != nil {
		return p.run(c)
	}
	if prog := speaking(tongue); prog != nil {
		return interpret(c, prog, p)
	}
	if len(c.Files) > 0 {
		return runWritten(c)
	}
	return nil, nil, false
}

// trimVersion takes the version off a name: python3.11, lua5.4, perl5.36.0.
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

// interpret reads the code of an interpreter's call.
func interpret(c *shell.Call, prog *interpreter, p *shell.Place) ([]shell.Effect, []string, bool) {
	g := prog.split(c)
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
		return g.unpacks(c)
	case prog.lang == opaque:
		return g.opaque(c)
	case g.script && !g.opens(c):
		return scripted(c, prog.lang, &g)
	case g.script && !g.found:
		return []shell.Effect{printedCode(c, g.from)}, nil, true
	}
	stdin := !g.found
	if stdin {
		text, have, sure := stdinText(c)
		if !have {
			return loaded(c, prog.lang, &g)
		}
		if !sure {
			return []shell.Effect{pipedCode(c)}, nil, true
		}
		g.code = text
	}
	for i := range c.Args {
		if w := &c.Args[i]; g.code == holeText && w.Text == holeText && program.Copies(w.From) { // python3 -c "$(cat x.py)"
			return []shell.Effect{shell.Unreads(c.Name, "runs a file that checkrein did not read")}, nil, true
		}
	}
	l := prog.lang
	j := job{args: g.rest, env: c.Env, files: c.Files}
	if !stdin {
		j.input = inputOf(c)
	}
	o := &result{}
	o.loads(c, l, &g)
	o.read(g.before+g.code, l, &j)
	if g.inplace || g.loops {
		o.files(g.rest, g.inplace, l)
	}
	return o.finish(c)
}

// unpacks returns the command that does what python -m zipfile -e and tarfile -e do.
func (g *given) unpacks(c *shell.Call) ([]shell.Effect, []string, bool) {
	if len(g.rest) < 2 || !facts.InList("-e --extract", g.rest[0].Text) || !facts.InList("zipfile tarfile", g.name) {
		return nil, nil, false
	}
	archive, dir := g.rest[1].Text, "."
	if len(g.rest) > 2 {
		dir = g.rest[2].Text
	}
	cmd := "unzip -o " + quoteText(archive) + " -d "
	if g.name == "tarfile" {
		cmd = "tar -xf " + quoteText(archive) + " -C "
	}
	return (&result{nested: []string{cmd + quoteText(dir)}}).finish(c)
}

// read reads code into the result.
func (o *result) read(src string, l lang, j *job) {
	if len(src) > maxCode {
		o.add(shell.Exceeds("", "contains code too long to be checked"))
		src = src[:maxCode]
	}
	o.steps = stepsBase + stepsEach*len(src)
	if isScanned(l) {
		o.scan(src, l, j)
		return
	}
	r := reader{job: j, out: o, lang: l}
	r.run(src, l)
}

// files are the words behind code that goes over the lines of files.
func (o *result) files(words []shell.Word, inplace bool, l lang) {
	r := reader{job: &job{}, out: o, lang: l}
	for i := range words {
		if i == 32 {
			break
		}
		v := value{form: text, text: words[i].Text, glob: words[i].Glob}
		if l == perl && strings.ContainsAny(v.text, "|>") { // perl opens its files with a command too
			r.unresolved("opens an unknown file or runs an unknown command", v.text)
		} else if inplace {
			r.runs("sed -i s/a/b/ " + quote(&v))
		} else if facts.SecretFile(v.text) {
			o.seen |= fromSecret
			r.runs("cat -- " + quote(&v))
		}
	}
	if inplace && len(words) == 0 {
		r.runs("sed -i s/a/b/ " + holeText)
	}
}

// stdinText is what a call reads as code from its standard input.
func stdinText(c *shell.Call) (text string, have, sure bool) {
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
			if f := written(c, d.Target.Text); f != nil {
				return f.Text, true, f.Sure
			}
			return "", false, false
		}
	}
	if c.In == nil {
		return "", false, false
	}
	return c.In.Text, true, c.In.Sure
}

// pipedCode is the effect of code that comes out of a pipe and is not known.
func pipedCode(c *shell.Call) shell.Effect {
	if c.In == nil {
		return printedCode(c, nil)
	}
	return printedCode(c, c.In.From)
}

// printedCode is the effect of code that other calls print.
func printedCode(c *shell.Call, from []*shell.Call) shell.Effect {
	e := shell.Evaluates(c.Name, "runs code printed by another command")
	if program.Copies(from) {
		return shell.Unreads(c.Name, "runs a file that checkrein did not read")
	}
	for _, f := range from {
		switch f.Name {
		case "curl", "wget", "fetch", "http", "https", "aria2c", "nc", "ncat", "lynx", "ssh", "iwr":
			e.Category, e.Rule, e.Radius, e.Reason = program.FetchSource(f), "", shell.RadiusHigh, "runs code received from another machine"
		}
	}
	return e
}

// opens reports whether the script is a stream that the command itself opens:
// <(echo code), /dev/fd/3 with 3<<<code. It takes the code when that is known.
func (g *given) opens(c *shell.Call) bool {
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
		g.code, g.found = echoed(w.From)
		return true
	}
	return false
}

// scriptText is the text of a script that a call names: a file that is known, or a
// stream that the command opens. It is not sure where only a part is known.
func scriptText(c *shell.Call, path string) (text string, have, sure bool) {
	if f := written(c, path); f != nil {
		return f.Text, true, f.Sure
	}
	if path == "-" || path == "/dev/stdin" {
		return stdinText(c)
	}
	g := given{file: path}
	if !g.opens(c) {
		return "", false, false
	}
	return g.code, true, g.found
}

// echoed is the text that echo or printf prints, when it is plain.
func echoed(from []*shell.Call) (string, bool) {
	if len(from) != 1 || from[0].In != nil || program.OutputOf(from[0].Name) != program.OutputPrints {
		return "", false
	}
	var out []string
	for i := range from[0].Args {
		w := &from[0].Args[i]
		switch {
		case !w.Known() || len(w.From) > 0:
			return "", false
		case i == 0 && (w.Text == "-n" || w.Text == "-e" || w.Text == "%s"):
		case strings.Contains(w.Text, "%"): // a printf verb
			return "", false
		default:
			out = append(out, w.Text)
		}
	}
	return strings.ReplaceAll(strings.Join(out, " "), `\n`, "\n"), true
}

// inputOf is what the code can read from its standard input.
func inputOf(c *shell.Call) value {
	for i := range c.Redir {
		switch d := &c.Redir[i]; d.Op {
		case "<<", "<<-", "<<<":
			return value{form: text, text: d.Target.Text, taint: printedTaint(d.Target.From, 0)}
		case "<":
			v := value{taint: fromFile}
			if facts.SecretFile(d.Target.Text) {
				v.taint |= fromSecret
			}
			return v
		}
	}
	if c.In == nil {
		return value{}
	}
	if c.In.Sure {
		return value{form: text, text: c.In.Text}
	}
	v := value{taint: fromInput}
	for _, f := range c.In.From {
		if f.Name == "env" || f.Name == "printenv" || f.Name == "set" {
			v.taint |= fromEnv
		}
		for i := range f.Args {
			if facts.SecretFile(f.Args[i].Text) {
				v.taint |= fromSecret
			}
		}
	}
	return v
}
