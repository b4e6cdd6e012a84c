package hot

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/engine"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/classify"
	"github.com/checkrein/checkrein/internal/shell/gitconfig"
	"github.com/checkrein/checkrein/internal/shell/scriptfile"
	"github.com/checkrein/checkrein/internal/sys/environ"
	"github.com/checkrein/checkrein/internal/text/rawjson"
	"github.com/checkrein/checkrein/internal/text/suggest"
	"github.com/checkrein/checkrein/internal/text/term"
)

const classifyHelp = `Show what a shell command does, without running it.

Examples:
  checkrein classify 'rm -rf ~/work'
  checkrein classify git push --force
  checkrein classify --explain 'r=rm; $r -rf /'
  echo '{"command":"git push --force"}' | checkrein classify --jsonl

Usage: checkrein classify [flags] COMMAND [WORD…]
       checkrein classify --jsonl < commands.jsonl

Flags (before the command):
  --explain            show every effect: what it is, how far it reaches, its
                       paths and hosts, and the words that cause it
  --json               print JSON
  --jsonl              read one {"command": …} per line from stdin, print one
                       answer per line
  --dir DIR            where the command would run (default: the current
                       directory)
  --dialect NAME       bash (every POSIX shell), powershell or cmd
  --defaults           decide as the packs do by default, whatever your files
                       set
  --color WHEN         auto, always or never

The first line shows what the packs decide here, with the levels that your files
set. Self-protection, secrets in the command and your own hooks are not part of
it: checkrein eval runs them too. The labels do not depend on your
files: safe, unknown, destructive (loses data, history or access) and
exfiltration (sends secrets or files off the machine). The exit code is 0, or 2
if the command line is wrong.
`

// classifyFlags holds the flags of classify.
type classifyFlags struct {
	explain, json, jsonl bool
	defaults             bool
	colour               string
	command              string
	place                shell.Place
	// packs returns the verdict of the packs on an event.
	packs func(context.Context, checkrein.Event) checkrein.Verdict
}

// parseClassify reads the command line of classify.
func parseClassify(env console.Env) (*classifyFlags, error) {
	f := classifyFlags{place: shell.Place{Dir: env.Dir, Home: environ.Home(env.Environ), Getenv: func(name string) string { v, _ := environ.Lookup(env.Environ, name); return v }}}
	var words []string
	args := args{list: env.Args, words: &words, command: true}
	for args.next() {
		switch args.name {
		case "h", "help":
			return nil, errHelp
		case "explain":
			f.explain = args.boolValue()
		case "json":
			f.json = args.boolValue()
		case "jsonl":
			f.jsonl = args.boolValue()
		case "defaults":
			f.defaults = args.boolValue()
		case "dir":
			f.place.Dir = env.Path(args.value())
		case "color":
			f.colour = args.colourValue()
		case "dialect":
			f.place.Dialect = parseDialect(&args)
		default:
			args.failUnknown("explain", "json", "jsonl", "dir", "dialect", "defaults", "color", "help")
		}
	}
	f.place.Root = f.place.Dir
	f.place.Repo = func(dir string) *shell.Repo { return gitconfig.Read(dir, f.place.Home, env.Environ) }
	f.command = commandLine(words, f.place.Dialect)
	switch {
	case args.err != nil:
		return nil, args.err
	case f.jsonl == (f.command != ""):
		return nil, errors.New("give one command, or use --jsonl with commands on stdin")
	}
	return &f, nil
}

// commandLine returns the command that words stand for. A single word is a whole command line; several
// are quoted as the words of one, as with env and sudo.
func commandLine(words []string, dialect shell.Dialect) string {
	if len(words) < 2 || dialect != shell.Bash {
		return strings.Join(words, " ")
	}
	typed := make([]string, len(words))
	for i, w := range words {
		typed[i] = suggest.QuoteWord(w)
	}
	return strings.Join(typed, " ")
}

// classify returns what command does, including the effects of script files that it runs.
func (f *classifyFlags) classify(command string) shell.Report {
	p := f.place
	runs := false
	p.Read = func(path string) (string, bool) {
		runs = runs || scriptfile.IsFile(path)
		return "", false
	}
	unread := classify.Command(command, p)
	if !runs {
		return unread
	}
	p.Read = new(scriptfile.Reader).Read
	return classify.WithFiles(unread, classify.Command(command, p), &p)
}

// parseDialect reads the value of --dialect.
func parseDialect(args *args) shell.Dialect {
	switch name := args.value(); name {
	case "bash", "sh", "":
		return shell.Bash
	case "powershell", "pwsh":
		return shell.PowerShell
	case "cmd":
		return shell.Cmd
	default:
		args.fail("unknown dialect %q: must be one of bash, powershell, cmd", name)
		return shell.Bash
	}
}

// openPacks sets f.packs to the packs in force in f.place.Dir, or to the defaults with --defaults. It
// prints notes about broken files and shadow mode, since decisions do not show these.
func (f *classifyFlags) openPacks(env console.Env) error {
	ev := checkrein.Event{Session: checkrein.Session{Dir: f.place.Dir}}
	k, err := openKit(env, setup{readOnly: true}, &ev)
	if err != nil {
		return err
	}
	if f.defaults {
		f.packs = k.DryRunDefaultPacks()
		return nil
	}
	f.packs = k.DryRunPacks()
	for _, file := range k.Files() {
		if file.Err != nil {
			fmt.Fprintf(env.Stderr, "note: %s has errors, so its settings for packs may not count. To see the errors, run checkrein validate\n", file.Path)
		}
	}
	if guards := k.Guards(); guards.Shadow != "" {
		fmt.Fprintf(env.Stderr, "note: decisions are recorded but not enforced until %s\n", guards.Until())
	}
	return nil
}

// decide returns what the packs decide about command, and the strictest rule. It returns NoOpinion and
// "" if they neither ask nor deny.
func (f *classifyFlags) decide(ctx context.Context, command string) (d checkrein.Decision, answer, rule string) {
	tool := checkrein.Tool{Name: "Bash", Canonical: "shell"}
	if f.place.Dialect == shell.PowerShell {
		tool.Name = "PowerShell"
	}
	input := rawjson.Object{'{'}
	input.Key("command")
	tool.Input = append(rawjson.AppendString(input, command), '}')
	at := checkrein.Session{Dir: f.place.Dir}
	v := f.packs(ctx, checkrein.Event{Kind: checkrein.PreToolUse, Tool: &tool, Session: at})
	if answer = engine.AnswerWord(&v); v.Decision < checkrein.Ask {
		return checkrein.NoOpinion, answer, ""
	}
	return v.Decision, answer, v.Metadata["rule"]
}

// runClassify runs the classify command and returns the exit code.
func runClassify(ctx context.Context, env console.Env) int {
	f, err := parseClassify(env)
	if errors.Is(err, errHelp) {
		io.WriteString(env.Stdout, classifyHelp)
		return console.Done
	}
	if err != nil {
		return printError(env, console.Usage, "classify: %v\nRun 'checkrein classify --help' for usage.", err)
	}
	if err := f.openPacks(env); err != nil {
		return printError(env, console.Refused, "classify: %v", err)
	}
	if f.jsonl {
		return classifyLines(ctx, env, f)
	}
	if f.json {
		return writeStdout(env, append(f.answerJSON(ctx, f.command), '\n'))
	}
	r := f.classify(f.command)
	out := newScreen(env, f.colour)
	f.printDecision(ctx, out, &r)
	f.print(out, &r)
	if out.Err() != nil {
		return printError(env, console.Bug, "the answer could not be written: %v", out.Err())
	}
	return console.Done
}

// printDecision prints what the packs decide about f.command, and the rule.
func (f *classifyFlags) printDecision(ctx context.Context, out *term.Screen, r *shell.Report) {
	decision, answer, rule := f.decide(ctx, f.command)
	word, style := "PASSES", term.Good
	switch {
	case decision == checkrein.Deny:
		word, style = "DENIED", term.Bad
	case decision == checkrein.Ask:
		word, style = "ASKED", term.Warn
	case answer == "saved":
		word = "SAVED"
	case r.Label != shell.Safe:
		style = term.Warn // it passes, but is not known to be safe
	}
	spans := []term.Span{term.T(style, word), term.P("  "), term.T(term.Strong, out.ShortenPaths(f.command))}
	if rule != "" {
		spans = append(spans, term.T(term.Faint, "  ·  "), term.T(term.Name, rule))
	}
	out.Text(0, 8, spans...)
}

// print prints the label of the command in r with the reason, then its effects.
func (f *classifyFlags) print(out *term.Screen, r *shell.Report) {
	label := r.Label.String()
	if r.Category != "" {
		label += fmt.Sprintf(" (%s, %s)", r.Category, r.Impact)
	}
	if why := r.UnknownGap(); why != shell.NoGap && why.String() != r.Category {
		label += ", " + why.String()
	}
	out.Text(0, 2, term.T(labelStyle(r.Label), label), term.P(": "+out.ShortenPaths(r.Reason)))
	for i := range r.Effects {
		e := &r.Effects[i]
		if f.explain {
			printEffectDetails(out, e)
		} else if len(r.Effects) > 1 {
			out.Text(2, 4, term.T(labelStyle(e.Label), e.Label.String()), term.P(" "+e.Kind+": "+out.ShortenPaths(e.Reason)+"  "), term.T(term.Name, e.RuleName()))
		}
	}
}

// labelStyle returns the style in which a label is printed.
func labelStyle(l shell.Label) term.Style {
	switch {
	case l >= shell.Destructive:
		return term.Bad
	case l == shell.Safe:
		return term.Good
	}
	return term.Warn
}

// printEffectDetails prints all details of an effect.
func printEffectDetails(out *term.Screen, e *shell.Effect) {
	out.Blank()
	out.Text(0, 2, term.T(labelStyle(e.Label), e.Label.String()), term.P(fmt.Sprintf(" %s (%s, %s)", e.Kind, e.Row().Name, e.Impact)))
	for _, each := range []struct{ label, value string }{
		{"because", e.Reason}, {"words", e.Words}, {"paths", strings.Join(e.Paths, " ")}, {"hosts", strings.Join(e.Hosts, " ")},
		{"pack", strings.TrimSuffix(e.Row().PackName()+"/"+e.Rule, "/")},
	} {
		if each.value != "" {
			out.Text(2, 4, term.T(term.Faint, each.label+": "), term.P(out.ShortenPaths(each.value)))
		}
	}
}

// maxClassifyLine is the maximum length of a line of --jsonl, in bytes.
const maxClassifyLine = 4 << 20

// classifyLines prints one answer for each line of stdin, and returns the exit code.
func classifyLines(ctx context.Context, env console.Env, f *classifyFlags) int {
	in := bufio.NewReaderSize(env.Stdin, 64<<10)
	out := bufio.NewWriterSize(env.Stdout, 64<<10)
	for {
		line, err := in.ReadBytes('\n')
		if len(strings.TrimSpace(string(line))) > 0 {
			out.Write(append(answerLine(ctx, line, f), '\n'))
		}
		if in.Buffered() == 0 { // do not keep a reader waiting
			if err := out.Flush(); err != nil {
				return printError(env, console.Bug, "the answers could not be written: %v", err)
			}
		}
		if err != nil {
			break
		}
	}
	if err := out.Flush(); err != nil {
		return printError(env, console.Bug, "the answers could not be written: %v", err)
	}
	return console.Done
}

// answerLine returns the JSON answer to a line of --jsonl. For a line without a command it has an
// error.
func answerLine(ctx context.Context, line []byte, f *classifyFlags) []byte {
	problem := ""
	switch err := rawjson.CheckObject(line); {
	case len(line) > maxClassifyLine:
		problem = "the line is too long"
	case err != nil:
		problem = "not a JSON object: " + err.Error()
	}
	val, _ := rawjson.Get(line, "command")
	command, ok := rawjson.Text(val)
	if problem == "" && !ok {
		problem = `"command" is missing or not a string`
	}
	if problem != "" {
		o := rawjson.Object{'{'}
		o.Text("error", problem)
		o.Text("label", shell.Unknown.String())
		return append(o, '}')
	}
	return f.answerJSON(ctx, command)
}

// answerJSON returns a JSON object with what command does and what the packs decide about it here.
// Scripts rely on its format.
func (f *classifyFlags) answerJSON(ctx context.Context, command string) []byte {
	r := f.classify(command)
	decision, answer, by := f.decide(ctx, command)
	o := rawjson.Object{'{'}
	o.Key("command")
	o = rawjson.AppendString(o, command)
	o.Text("label", r.Label.String())
	o.Text("category", r.Category)
	o.Text("blast_radius", r.Impact.String())
	o.Text("reason", r.Reason)
	o.Text("why", r.UnknownGap().String())
	o.Text("decision", decision.String())
	o.Text("answer", answer)
	o.Text("by", by)
	o.Key("effects")
	o = append(o, '[')
	for i := range r.Effects {
		e := &r.Effects[i]
		if i > 0 {
			o = append(o, ',')
		}
		o = append(o, '{')
		o.Text("label", e.Label.String())
		o.Text("kind", e.Kind)
		o.Text("category", e.Row().Name)
		o.Text("blast_radius", e.Impact.String())
		o.Text("pack", e.Row().PackName())
		o.Text("rule", e.Rule)
		o.Texts("paths", e.Paths)
		o.Texts("hosts", e.Hosts)
		o.Text("on", e.Subject)
		o.Text("words", e.Words)
		o.Text("reason", e.Reason)
		o.Text("instead", e.Alternative())
		o.Close()
	}
	return append(o, ']', '}')
}
