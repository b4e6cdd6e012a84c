package code

import (
	"slices"
	"strconv"
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
)

// A console is a program that runs code within an application, or statements
// against its database.
type console struct {
	code   string
	why    string // the code is not seen here
	script string // a file that runs as well
	lang   lang
	found  bool // the code was given as a word; else it is standard input
	sql    bool
	magic  bool // lines may be commands for the shell, as in ipython
}

// consoleOf tells whether a call is a console, and which.
func consoleOf(c *shell.Call, n string) (console, bool) {
	args := c.Args
	switch n {
	case "python", "pypy":
		return pythonConsole(args)
	case "manage.py", "django-admin":
		return django(args)
	case "flask":
		return console{lang: python}, sub(args) == "shell"
	case "pdb", "pdb3", "pdb2":
		return pythonModule("pdb", args)
	case "ipython":
		k := console{lang: python, magic: true}
		k.code, k.found = option(args, "-c", "--c", "")
		_, script := operand(args, 0)
		return k, k.found || !script
	case "rails":
		return rails(c, args)
	case "php":
		if w, i := script(args); w != "" {
			return phpConsole(w[strings.LastIndexByte(w, '/')+1:], args[i+1:])
		}
	case "artisan", "console":
		return phpConsole(n, args)
	case "sail", "symfony", "lando", "ddev":
		if len(args) > 1 {
			w := args[0].Text
			if w == "php" && len(args) > 2 {
				w, args = args[1].Text, args[1:]
			}
			return phpConsole(w[strings.LastIndexByte(w, '/')+1:], args[1:])
		}
	case "npx", "pnpm", "yarn", "bunx", "npm", "bun", "prisma":
		return prisma(n, args)
	case "mix":
		return mix(args)
	case "mongosh", "mongo":
		k := console{lang: javascript}
		k.code, k.found = option(args, "--eval", "--eval", "")
		return k, k.found
	case "blender":
		k := console{lang: python}
		k.code, k.found = option(args, "--python-expr", "--python-expr", "")
		return k, k.found
	case "sbt", "jupyter", "papermill":
		return unseen(n, args)
	}
	return console{}, false
}

// sub is the first word that is no flag.
func sub(args []shell.Word) string {
	w, _ := operand(args, 0)
	return w
}

// operand is the n-th word that is no flag.
func operand(args []shell.Word, n int) (string, bool) {
	for i := range args {
		if w := args[i].Text; !strings.HasPrefix(w, "-") || w == "-" {
			if n == 0 {
				return w, true
			}
			n--
		}
	}
	return "", false
}

// script is the first word that is no flag, and where it stands.
func script(args []shell.Word) (string, int) {
	for i := 0; i < len(args); i++ {
		switch w := args[i].Text; {
		case w == "-d" || w == "-c" || w == "-W" || w == "-X":
			i++
		case !strings.HasPrefix(w, "-"):
			return w, i
		case strings.HasPrefix(w, "-r") || w == "-f":
			return "", i
		}
	}
	return "", len(args)
}

// option is the value of a flag; the words joined are also given as one.
func option(args []shell.Word, short, long, joined string) (string, bool) {
	for i := range args {
		w := args[i].Text
		if (w == short || w == long) && i+1 < len(args) {
			return args[i+1].Text, true
		}
		if v, ok := strings.CutPrefix(w, long+"="); ok {
			return v, true
		}
		if v, ok := strings.CutPrefix(w, short); ok && joined != "" && v != "" && !strings.HasPrefix(w, "--") {
			return v, true
		}
	}
	return "", false
}

// pythonConsole reads `python manage.py shell` and the modules of python that run
// code.
func pythonConsole(args []shell.Word) (console, bool) {
	for i := 0; i < len(args); i++ {
		w := args[i].Text
		switch {
		case w == "-W" || w == "-X":
			i++
		case w == "-m" || strings.HasPrefix(w, "-") && !strings.HasPrefix(w, "--") && strings.HasSuffix(w, "m") && strings.Trim(w, "-bBdEiIOPqsSuvx") == "m":
			if i+1 < len(args) {
				return pythonModule(args[i+1].Text, args[i+2:])
			}
			return console{}, false
		case strings.HasPrefix(w, "-m") && len(w) > 2: // -mtimeit
			return pythonModule(w[2:], args[i+1:])
		case strings.HasPrefix(w, "-"):
			if strings.Contains(w, "c") {
				return console{}, false
			}
		default:
			if w[strings.LastIndexByte(w, '/')+1:] == "manage.py" {
				return django(args[i+1:])
			}
			return console{}, false
		}
	}
	return console{}, false
}

func pythonModule(module string, args []shell.Word) (console, bool) {
	switch module {
	case "django":
		return django(args)
	case "flask":
		return console{lang: python}, sub(args) == "shell"
	case "IPython":
		k := console{lang: python, magic: true}
		k.code, k.found = option(args, "-c", "--c", "")
		return k, k.found
	case "pdb":
		k := console{lang: python}
		for i := 0; i+1 < len(args) && strings.HasPrefix(args[i].Text, "-"); i++ {
			if w := args[i].Text; w == "-c" || w == "--command" {
				i++
				k.code += strings.TrimLeft(args[i].Text, "! ") + "\n"
				k.found = true
			}
		}
		return k, k.found
	case "zipfile", "tarfile":
		if k, ok := unpacks(module, args); ok {
			return k, true
		}
	case "venv":
		return clearsDirectory(args)
	case "sqlite3":
		k := console{sql: true}
		k.code, k.found = operand(args, 1)
		return k, k.found
	case "timeit":
		k := console{lang: python, found: true}
		for i := 0; i < len(args); i++ {
			w := args[i].Text
			switch {
			case w == "-s" || w == "--setup":
				if i++; i < len(args) {
					k.code += args[i].Text + "\n"
				}
			case strings.HasPrefix(w, "--setup="):
				k.code += w[len("--setup="):] + "\n"
			case w == "-n" || w == "-r" || w == "-u":
				i++
			case !strings.HasPrefix(w, "-"):
				k.code += w + "\n"
			}
		}
		return k, true
	}
	return moduleWrites(module, args)
}

// unpacks is `python -m zipfile -e a.zip dir`, as code that does the same.
func unpacks(module string, args []shell.Word) (console, bool) {
	at := slices.IndexFunc(args, func(w shell.Word) bool { return w.Text == "-e" || w.Text == "--extract" })
	if at < 0 || len(args) < at+2 {
		return console{}, false
	}
	dir := "."
	if len(args) > at+2 {
		dir = args[at+2].Text
	}
	return console{lang: python, found: true, code: "import shutil; shutil.unpack_archive('" + module + "', " + strconv.Quote(dir) + ")"}, true
}

// django reads the words behind manage.py.
func django(args []shell.Word) (console, bool) {
	switch sub(args) {
	case "shell", "shell_plus":
		k := console{lang: python, magic: true}
		k.code, k.found = option(args, "-c", "--command", "")
		return k, true
	case "dbshell":
		k := console{sql: true}
		k.code, k.found = option(args, "-c", "--command", "")
		if !k.found {
			k.code, k.found = option(args, "-e", "--execute", "e")
		}
		return k, true
	}
	return console{}, false
}

// rails reads runner, console and dbconsole.
func rails(c *shell.Call, args []shell.Word) (console, bool) {
	for i := 0; i < len(args); i++ {
		switch w := args[i].Text; w {
		case "runner", "r":
			for i++; i < len(args); i++ {
				switch w := args[i].Text; {
				case w == "-e" || w == "--environment":
					i++
				case w == "-":
					return console{lang: ruby}, true
				case strings.HasPrefix(w, "-"):
				default:
					return railsCode(c, w)
				}
			}
			return console{}, false
		case "console", "c":
			return console{lang: ruby}, true
		case "dbconsole", "db":
			return console{sql: true}, true
		case "-e", "--environment":
			i++
		default:
			if !strings.HasPrefix(w, "-") {
				return console{}, false
			}
		}
	}
	return console{}, false
}

// railsCode is code, or the name of a file that holds it.
func railsCode(c *shell.Call, w string) (console, bool) {
	if f := written(c, w); f != nil {
		k := console{lang: ruby, found: true, code: f.Text}
		if !f.Sure {
			k.why = "runs a newly written script that checkrein can only partly read"
		}
		return k, true
	}
	if strings.HasSuffix(w, ".rb") && !strings.ContainsAny(w, " ;(") {
		return console{}, false
	}
	return console{lang: ruby, code: w, found: true}, true
}

// phpConsole reads artisan of laravel and console of symfony.
func phpConsole(n string, args []shell.Word) (console, bool) {
	switch verb := sub(args); n {
	case "artisan", "art", "tinker":
		if n == "tinker" || verb == "tinker" {
			k := console{lang: php}
			k.code, k.found = option(args, "--execute", "--execute", "")
			return k, true
		}
	case "console":
		switch verb {
		case "doctrine:query:sql", "dbal:run-sql", "doctrine:query:dql", "doctrine:run-sql", "d:q:s", "d:q:sql":
			k := console{sql: true}
			k.code, k.found = operand(args, 1)
			return k, k.found
		}
	}
	return console{}, false
}

// prisma reads `npx prisma db execute --stdin`, also behind what starts it.
func prisma(n string, args []shell.Word) (console, bool) {
	if sub(args) == "zx" {
		k := console{lang: javascript}
		k.code, k.found = option(args, "-e", "--eval", "")
		return k, k.found
	}
	at := 0
	if n != "prisma" {
		for at = 0; at < len(args) && at < 4; at++ {
			if args[at].Text == "prisma" {
				break
			}
		}
		at++
	}
	if at+1 >= len(args) || args[at].Text != "db" || args[at+1].Text != "execute" {
		return console{}, false
	}
	for i := range args[at:] {
		if args[at+i].Text == "--stdin" {
			return console{sql: true}, true
		}
	}
	return console{}, false
}

// mix reads `mix run -e code` and `mix eval code`.
func mix(args []shell.Word) (console, bool) {
	k := console{lang: ruby}
	switch sub(args) {
	case "run":
		for i := 0; i+1 < len(args); i++ {
			if w := args[i].Text; w == "-e" || w == "--eval" {
				k.code, k.found = k.code+args[i+1].Text+"\n", true
			}
		}
	case "eval":
		k.code, k.found = operand(args, 1)
	}
	return k, k.found
}

// unseen are programs that run code of the project which is not a word of the
// call and which nobody reads before: notebooks, main classes by name.
func unseen(n string, args []shell.Word) (console, bool) {
	k := console{why: "runs a notebook or class that checkrein did not read"}
	switch n {
	case "sbt":
		for i := range args {
			if w := args[i].Text; strings.HasPrefix(w, "runMain") || strings.Contains(w, ":runMain") || strings.Contains(w, "/runMain") {
				return k, true
			}
		}
	case "jupyter":
		if v := sub(args); v == "execute" || v == "run" {
			return k, true
		}
		for i := range args {
			if args[i].Text == "--execute" {
				return k, true
			}
		}
	case "papermill":
		return k, sub(args) != ""
	}
	return console{}, false
}

// run reads the code of a console.
func (k *console) run(c *shell.Call) ([]shell.Effect, []string, bool) {
	if k.why != "" {
		return []shell.Effect{shell.Unreads(c.Name, k.why)}, nil, true
	}
	if !k.found {
		text, have, sure := stdinText(c)
		if !have {
			return nil, nil, false
		}
		if !sure {
			return []shell.Effect{pipedCode(c)}, nil, true
		}
		k.code = text
	}
	o := &result{console: true}
	if k.sql {
		r := reader{job: &job{}, out: o}
		if strings.Contains(k.code, holeText) {
			r.unresolved("contains a statement that checkrein can only partly read", k.code)
		}
		r.statements(r.whole(k.code), facts.Short(k.code))
		return o.finish(c)
	}
	code := k.code
	if f := written(c, k.script); f != nil && k.script != "" {
		code += f.Text
	}
	if k.magic {
		code = o.magics(code)
	}
	o.read(code, k.lang, &job{env: c.Env, files: c.Files, args: nil}, false)
	return o.finish(c)
}

// magics takes the lines of ipython that are no python: !cmd, %sx cmd, %%bash.
func (o *result) magics(src string) string {
	if !strings.ContainsAny(src, "!%") || len(src) > maxCode {
		return src
	}
	r := reader{job: &job{}, out: o}
	var b strings.Builder
	for at := 0; at < len(src); {
		line := lineFrom(src, at)
		at += len(line) + 1
		s := strings.TrimSpace(line)
		if i := strings.Index(s, "="); i > 0 { // x = !cmd
			if v := strings.TrimSpace(s[i+1:]); begins(v, "!", "%sx", "%system") && !strings.HasPrefix(v, "!=") {
				s = v
			}
		}
		word, rest, _ := strings.Cut(s, " ")
		switch l, cell := magicCells(word); {
		case strings.HasPrefix(s, "!"):
			r.exShell(strings.TrimLeft(s, "!"))
		case facts.InList("%%bash %%sh %%system %%sx %%script %%!", word):
			r.exShell(src[min(at, len(src)):])
			at = len(src)
		case facts.InList("%sx %system %alias", word):
			r.exShell(rest)
		case facts.InList("%run %load %%writefile %rerun %macro %edit %%file", word):
			r.unread("runs or writes another file", s)
		case cell:
			o.read(src[min(at, len(src)):], l, &job{}, false)
			at = len(src)
		case strings.HasPrefix(word, "%"):
			b.WriteString(rest + "\n") // %timeit code
		default:
			b.WriteString(line + "\n")
		}
	}
	return b.String()
}

// magicCells is the language of a cell of ipython that is not python.
func magicCells(word string) (lang, bool) {
	switch word {
	case "%%javascript", "%%js":
		return javascript, true
	case "%%perl":
		return perl, true
	case "%%ruby":
		return ruby, true
	}
	return 0, false
}
