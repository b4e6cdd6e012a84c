package code

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
)

// A console is a program that runs code within an application, or SQL statements on its database.
type console struct {
	names    string // names of the program
	subs     string // names of the subcommand; "" if it needs none
	code     string // options whose value is code
	values   string // other options that take a value
	lang     lang   // the language of the code, unless sql is set
	operands bool   // operands are code, or files of code
	stdin    bool   // without code in the arguments, standard input is code
	sql      bool   // the code is SQL
}

// consoles lists the consoles in the order in which findConsole checks them.
var consoles = [...]console{
	{names: "artisan", subs: "tinker", code: "--execute", lang: php, stdin: true},
	{names: "blender", code: "--python-expr", lang: python},
	{names: "console", subs: "doctrine:query:sql dbal:run-sql doctrine:query:dql doctrine:run-sql d:q:s d:q:sql", operands: true, sql: true},
	{names: "django django-admin manage.py", subs: "shell shell_plus", code: "-c --command", lang: python, stdin: true},
	{names: "django django-admin manage.py", subs: "dbshell", code: "-c --command -e --execute", stdin: true, sql: true},
	{names: "flask", subs: "shell", lang: python, stdin: true},
	{names: "IPython ipython", code: "-c --c", lang: python, stdin: true},
	{names: "mix", subs: "run", code: "-e --eval", lang: ruby},
	{names: "mix", subs: "eval", operands: true, lang: ruby},
	{names: "mongo mongosh", code: "--eval", lang: javascript},
	{names: "pdb pdb2 pdb3", code: "-c --command", lang: python},
	{names: "prisma", subs: "db", stdin: true, sql: true},
	{names: "rails", subs: "runner r", values: "-e --environment", operands: true, lang: ruby, stdin: true},
	{names: "rails", subs: "console c", lang: ruby, stdin: true},
	{names: "rails", subs: "dbconsole db", stdin: true, sql: true},
	{names: "timeit", code: "-s --setup", values: "-n -r -u", operands: true, lang: python},
	{names: "zx", code: "-e --eval", lang: javascript},
}

// findConsole returns the console that c runs and the arguments after its name, or nil if c runs none.
// Name is the program name of c without its version.
func findConsole(c *shell.Call, name string) (*console, []shell.Word) {
	name, args := startedProgram(name, c.Args)
	sub := ""
	for i := range args {
		if sub = args[i].Text; !strings.HasPrefix(sub, "-") {
			break
		}
	}
	for i := range consoles {
		if k := &consoles[i]; facts.InList(k.names, name) && (k.subs == "" || facts.InList(k.subs, sub)) {
			return k, args
		}
	}
	return nil, nil
}

// startedProgram returns the program that a launcher starts, and its arguments, as in python
// manage.py, python -m timeit, php artisan, sail artisan or npx prisma. It returns name and args if
// name is not a launcher, and name without arguments if the launcher itself runs code.
func startedProgram(name string, args []shell.Word) (string, []shell.Word) {
	if !facts.InList("python pypy php sail symfony lando ddev npx pnpm yarn bunx npm bun", name) {
		return name, args
	}
	for i := 0; i < len(args); i++ {
		w := args[i].Text
		if module, ok := strings.CutPrefix(w, "-m"); ok && module != "" {
			w = module
		}
		switch {
		case w == "-c" || strings.HasPrefix(w, "-r") || w == "-f":
			return name, nil // code or a script follows
		case w == "-W" || w == "-X" || w == "-d":
			i++
		case strings.HasPrefix(w, "-"), facts.InList("exec run dlx x php", w):
		default:
			return w[strings.LastIndexByte(w, '/')+1:], args[i+1:]
		}
	}
	return name, nil
}

// effects returns the effects of the code that the console runs. It reports false if it runs none.
func (k *console) effects(c *shell.Call, args []shell.Word) ([]shell.Effect, []string, bool) {
	o := &result{console: true}
	code, found := k.findCode(c, args, o)
	if !found {
		text, have, sure := stdinText(c)
		switch {
		case !have || !k.stdin:
			return nil, nil, false
		case !sure:
			return []shell.Effect{pipedCodeEffect(c)}, nil, true
		}
		code = text
	}
	r := reader{job: &job{}, out: o}
	if k.sql {
		if strings.Contains(code, placeholder) {
			r.addUnresolvedEffect("contains a statement that checkrein can only partly read", code)
		}
		r.addSQLStatements(r.truncateScript(code), facts.ShortFirstLine(code))
		return o.finish(c)
	}
	for line := range strings.Lines(code) { // IPython runs lines such as !ls and %run a.py as commands
		if line = strings.TrimSpace(line); k.lang == python && hasAnyPrefix(line, "!", "%") || strings.Contains(line, "= !") {
			r.addUnresolvedEffect("runs an IPython magic or shell command", line)
		}
	}
	o.addCodeEffects(code, k.lang, &job{env: c.Env, files: c.Files})
	return o.finish(c)
}

// findCode returns the code among args, the arguments of the console that c runs. It reports false if
// there is none. It adds an effect to o if a file of code is only partly known.
func (k *console) findCode(c *shell.Call, args []shell.Word, o *result) (code string, found bool) {
	subs := k.subs != ""
	for i := 0; i < len(args); i++ {
		w := args[i].Text
		flag, value, joined := strings.Cut(w, "=")
		switch {
		case i+1 < len(args) && facts.InList(k.code, w):
			i++
			value = args[i].Text
			if strings.HasPrefix(k.names, "pdb") {
				value = strings.TrimLeft(value, "! ")
			}
			code, found = code+value+"\n", true
		case joined && facts.InList(k.code, flag):
			code, found = code+value+"\n", true
		case facts.InList(k.values, w):
			i++
		case strings.HasPrefix(w, "-"):
		case subs:
			subs = false
		case !k.operands:
		case knownFile(c, w) != nil:
			f := knownFile(c, w)
			if code, found = code+f.Text+"\n", true; !f.Complete {
				o.addEffect(shell.OpaqueEffect(w, "runs a newly written script that checkrein can only partly read"))
			}
		case !strings.HasSuffix(w, ".rb") || strings.ContainsAny(w, " ;("):
			code, found = code+w+"\n", true
			if k.lang == ruby {
				return code, found // the rest are arguments of the code
			}
		default:
			return "", false
		}
	}
	return code, found
}
