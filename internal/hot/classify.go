package hot

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/checkrein/checkrein/internal/console"
	"github.com/checkrein/checkrein/internal/rawjson"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/classify"
	"github.com/checkrein/checkrein/internal/shell/disk"
	"github.com/checkrein/checkrein/internal/shell/gitrepo"
	"github.com/checkrein/checkrein/internal/trust"
	"github.com/checkrein/checkrein/internal/workplace"
)

const classifyHelp = `Say what a shell command does, without running it.

Examples:
  checkrein classify 'rm -rf ~/work'
  checkrein classify --explain 'r=rm; $r -rf /'
  echo '{"command":"git push --force"}' | checkrein classify --jsonl

Usage: checkrein classify [flags] COMMAND
       checkrein classify --jsonl < commands.jsonl

Flags:
  --explain            show every effect: what, how far, which paths and hosts, which words cause it
  --json               print JSON
  --jsonl              one {"command": …} a line on stdin, one answer a line
  --dir DIR            where the command would run; default: here
  --dialect NAME       bash (every POSIX shell), powershell or cmd

Labels: safe, unknown, destructive (loses data, history or access), exfiltration (sends
secrets or files off the machine). The exit code is 0 whatever the label.
`

// classifyFlags are what the command line asks for.
type classifyFlags struct {
	explain, json, jsonl bool
	command              string
	place                shell.Place
}

func parseClassify(env console.Env) (*classifyFlags, error) {
	f := classifyFlags{place: shell.Place{Dir: env.Dir, Home: workplace.Home(env.Environ), Getenv: func(name string) string { v, _ := workplace.Lookup(env.Environ, name); return v }}}
	var words []string
	args := args{list: env.Args, words: &words}
	for args.next() {
		switch args.name {
		case "h", "help":
			return nil, errHelp
		case "explain":
			f.explain = args.on()
		case "json":
			f.json = args.on()
		case "jsonl":
			f.jsonl = args.on()
		case "dir":
			f.place.Dir = env.Path(args.value())
		case "dialect":
			f.place.Dialect = dialectNamed(&args)
		default:
			args.unknown("explain", "json", "jsonl", "dir", "dialect", "help")
		}
	}
	f.place.Root = f.place.Dir
	f.place.Repo = func(dir string) *shell.Repo { return gitrepo.Read(dir, f.place.Home, env.Environ) }
	f.command = strings.Join(words, " ")
	switch {
	case args.err != nil:
		return nil, args.err
	case f.jsonl == (f.command != ""):
		return nil, errors.New("give one command, or --jsonl and commands on stdin")
	}
	return &f, nil
}

// judge says what a command does, with the files that it runs.
func (f *classifyFlags) judge(command string) shell.Report {
	p := f.place
	runs := false
	p.Read = func(path string) (string, bool) {
		runs = runs || disk.IsFile(path)
		return "", false
	}
	unread := classify.Command(command, p)
	if !runs {
		return unread
	}
	p.Read = new(disk.Reader).Read
	return classify.WithFiles(unread, classify.Command(command, p), &p)
}

func dialectNamed(args *args) shell.Dialect {
	switch name := args.value(); name {
	case "bash", "sh", "":
		return shell.Bash
	case "powershell", "pwsh":
		return shell.PowerShell
	case "cmd":
		return shell.Cmd
	default:
		args.fail("unknown dialect %q: write bash, powershell or cmd", name)
		return shell.Bash
	}
}

func classifyCommand(_ context.Context, env console.Env) int {
	f, err := parseClassify(env)
	if errors.Is(err, errHelp) {
		io.WriteString(env.Stdout, classifyHelp)
		return console.Done
	}
	if err != nil {
		return fail(env, console.Usage, "classify: %v\nRun 'checkrein classify --help' for usage.", err)
	}
	if f.jsonl {
		return classifyLines(env, f)
	}
	r := f.judge(f.command)
	if f.json {
		return write(env, append(reportJSON(f.command, &r), '\n'))
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s", r.Label)
	if r.Category != "" {
		fmt.Fprintf(&b, " (%s, %s)", r.Category, r.Radius)
	}
	if why := r.Why(); why != shell.NoGap && why.String() != r.Category {
		fmt.Fprintf(&b, ", %s", why)
	}
	fmt.Fprintf(&b, ": %s\n", trust.VisibleLine(r.Reason))
	if f.explain {
		for i := range r.Effects {
			explainEffect(&b, &r.Effects[i])
		}
	}
	return write(env, []byte(b.String()))
}

func explainEffect(b *strings.Builder, e *shell.Effect) {
	fmt.Fprintf(b, "\n%s %s (%s, %s)\n", e.Label, e.Kind, e.Row().Name, e.Radius)
	item(b, "because", e.Reason)
	item(b, "words", e.Words)
	item(b, "paths", strings.Join(e.Paths, " "))
	item(b, "hosts", strings.Join(e.Hosts, " "))
	item(b, "pack", strings.TrimSuffix(e.Row().PackName()+"/"+e.Rule, "/"))
}

// maxClassifyLine bounds a line of --jsonl.
const maxClassifyLine = 4 << 20

// classifyLines answers each line with one.
func classifyLines(env console.Env, f *classifyFlags) int {
	in := bufio.NewReaderSize(env.Stdin, 64<<10)
	out := bufio.NewWriterSize(env.Stdout, 64<<10)
	for {
		line, err := in.ReadBytes('\n')
		if len(strings.TrimSpace(string(line))) > 0 {
			out.Write(append(answerLine(line, f), '\n'))
		}
		if in.Buffered() == 0 { // whoever waits for an answer gets it
			if err := out.Flush(); err != nil {
				return fail(env, console.Bug, "the answers could not be written: %v", err)
			}
		}
		if err != nil {
			break
		}
	}
	if err := out.Flush(); err != nil {
		return fail(env, console.Bug, "the answers could not be written: %v", err)
	}
	return console.Done
}

func answerLine(line []byte, f *classifyFlags) []byte {
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
		problem = `no "command" that is a text`
	}
	if problem != "" {
		o := rawjson.Object{'{'}
		o.Text("error", problem)
		o.Text("label", shell.Unknown.String())
		return append(o, '}')
	}
	r := f.judge(command)
	return reportJSON(command, &r)
}

// reportJSON is what scripts rely on.
func reportJSON(command string, r *shell.Report) []byte {
	o := rawjson.Object{'{'}
	o.Key("command")
	o = rawjson.AppendString(o, command)
	o.Text("label", r.Label.String())
	o.Text("category", r.Category)
	o.Text("blast_radius", r.Radius.String())
	o.Text("reason", r.Reason)
	o.Text("why", r.Why().String())
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
		o.Text("blast_radius", e.Radius.String())
		o.Text("pack", e.Row().PackName())
		o.Text("rule", e.Rule)
		o.Texts("paths", e.Paths)
		o.Texts("hosts", e.Hosts)
		o.Text("on", e.On)
		o.Text("words", e.Words)
		o.Text("reason", e.Reason)
		o.Text("instead", e.Instead())
		o.Close()
	}
	return append(o, ']', '}')
}
