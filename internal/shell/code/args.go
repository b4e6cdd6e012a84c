package code

import (
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/fact"
)

// A program says how an interpreter takes code. Letters are short flags.
type program struct {
	lang   lang
	code   string // letters whose value is code
	long   string // options whose value is code
	value  string // letters that take a value, attached or as the next word
	rest   string // letters that take what is attached to them
	values string // options that take a value
	module string // letters after which comes no code
	show   string // flags that only print a version or help
	check  string // flags with which code is only checked, not run
	sub    string // the subcommand that takes code
	run    string // subcommands that take a script
	loads  string // letters and options whose value is loaded first
	last   bool   // behind the code come only words for it
}

// programs are how interpreters take code, by what they read; nil = others read it.
var programs = [fact.Tongues]*program{
	fact.Python: {lang: python, code: "c", value: "WXQ", values: "--check-hash-based-pycs", module: "m",
		show: "-V -VV --version -h --help", last: true},
	fact.Node: {lang: javascript, code: "ep", long: "--eval --print", value: "rC", loads: "r --require --import --loader --experimental-loader --test-reporter --test-global-setup --snapshot-blob",
		values: "--require --import --loader --conditions --env-file --experimental-loader --input-type --title --test-reporter --test-global-setup --snapshot-blob", show: "-v --version -h --help", check: "-c --check"},
	fact.Bun: {lang: javascript, code: "ep", long: "--eval --print", value: "rdlc", run: "run", loads: "r --preload --require --import",
		values: "--preload --require --import --cwd", show: "-v --version -h --help --revision"},
	fact.Deno:   {lang: javascript, sub: "eval", run: "run test bench check serve", value: "cL", values: "--ext --cert --config --import-map --location --seed", show: "-V --version -h --help"},
	fact.Perl:   {lang: perl, code: "eE", value: "I", rest: "MmFixDdVC", loads: "M m I", check: "-c -wc -cw", show: "-v --version -V -h --help"},
	fact.Ruby:   {lang: ruby, code: "e", value: "rICE", rest: "iFKTWx", loads: "r I", check: "-c -wc -cw", show: "-v --version -h --help --copyright"},
	fact.Elixir: {lang: ruby, code: "e", long: "--eval --rpc-eval", value: "rS", values: "--require", loads: "r --require", show: "-v --version -h --help"},
	fact.PHP: {lang: php, code: "rRBE", long: "--run --process-code --process-begin --process-end", value: "dctz", loads: "d z", module: "fFS", check: "-l --syntax-check",
		show: "-v --version -h --help -m -i --info --ini"},
	fact.Lua:         {lang: lua, code: "e", value: "l", loads: "l", show: "-v"},
	fact.R:           {lang: rlang, code: "e", value: "gf", values: "--file", show: "--version --help"},
	fact.Julia:       {lang: julia, code: "eE", long: "--eval --print", value: "tpLJCOg", values: "--threads --procs --load --sysimage", loads: "L --load", show: "-v --version -h --help"},
	fact.Groovy:      {lang: java, code: "e", long: "--eval", value: "cDS", values: "--classpath -cp", show: "-v --version -version -h --help"},
	fact.Swift:       {lang: java, code: "e", show: "--version --help -h"},
	fact.JShell:      {lang: java, values: "--class-path --module-path --feedback", rest: "RCsvqn", show: "--version -h --help"},
	fact.AppleScript: {lang: applescript, code: "e", value: "ls"},
	fact.Crystal:     {lang: ruby, sub: "eval", run: "run", show: "--version -v --help -h version"},
}

// programOf is how an interpreter of that name takes code; nil = it is none.
func programOf(n string) *program { return programs[fact.TongueOf(n)] }

// A given is what a call's words come to.
type given struct {
	code     string
	language string
	before   string // code that flags add in front
	file     string // the script
	rest     []shell.Word
	loads    []string      // what is loaded first
	from     []*shell.Call // the calls that print the script
	modules  []string      // what is loaded first by its name
	root     string        // the project's directory
	found    bool          // code was given as a word
	script   bool          // a file holds the code
	module   bool
	name     string // of the module
	version  bool
	checks   bool // nothing runs
	inplace  bool // files are changed in place
	loops    bool // the code runs for each line of the files
	switches bool // words with a dash behind the code set its variables
}

// split reads the words of a call.
func (p *program) split(c *shell.Call) given {
	if p.sub != "" {
		return p.splitCommand(c.Args)
	}
	var g given
	args := c.Args
	for i := 0; i < len(args); i++ {
		w := args[i].Text
		switch {
		case w == "-" || w == "/dev/stdin" || w == "/dev/fd/0":
			g.rest = args[i+1:]
			return g
		case w == "--":
			g.operands(args[i+1:])
			return g
		case !strings.HasPrefix(w, "-"):
			if i == 0 && hasWord(p.run, w) {
				continue // bun run a.ts
			}
			g.operands(args[i:])
			return g
		case hasWord(p.show, w):
			g.version = !g.found
			return g
		case hasWord(p.check, w):
			g.checks = true
		case strings.HasPrefix(w, "--"):
			i = p.longFlag(&g, args, i)
		default:
			i = p.bundle(&g, args, i)
		}
		if g.module || g.found && p.last {
			g.rest = args[min(i+1, len(args)):]
			return g
		}
	}
	return g
}

// operands takes the words behind all flags: the first is the script when no code
// was given.
func (g *given) operands(args []shell.Word) {
	if len(args) > 0 && !g.found {
		g.script, g.file, args = true, args[0].Text, args[1:]
	}
	g.rest = args
}

// splitCommand reads the words of a program with subcommands.
func (p *program) splitCommand(args []shell.Word) (g given) {
	for len(args) > 0 && strings.HasPrefix(args[0].Text, "-") && !hasWord(p.show, args[0].Text) {
		args = args[1:]
	}
	switch {
	case len(args) == 0:
	case args[0].Text == p.sub:
		return p.splitSub(args[1:])
	case hasWord(p.show, args[0].Text):
		g.version = true
		return g
	case hasWord(p.run, args[0].Text):
		g = p.splitSub(args[1:])
		g.file, g.code, g.found = g.code, "", false
		g.script = g.file != "-" && g.file != ""
		return g
	default:
		g.file = args[0].Text
	}
	g.script = true
	return g
}

// splitSub reads `deno eval flags code`.
func (p *program) splitSub(args []shell.Word) given {
	var g given
	for i := 0; i < len(args); i++ {
		w := args[i].Text
		if !strings.HasPrefix(w, "-") || w == "-" {
			g.code, g.found, g.rest = w, true, args[i+1:]
			return g
		}
		if hasWord(p.values, w) || len(w) == 2 && strings.Contains(p.value, w[1:]) {
			i++
		}
	}
	return g
}

// add takes a piece of code; several are lines of one program.
func (g *given) add(code string) {
	if g.found {
		code = g.code + "\n" + code
	}
	g.code, g.found = code, true
}

func (p *program) longFlag(g *given, args []shell.Word, i int) int {
	flag, val, has := strings.Cut(args[i].Text, "=")
	switch {
	case hasWord(p.long, flag):
		if has {
			g.add(val)
		} else if i+1 < len(args) {
			i++
			g.add(args[i].Text)
		}
	case hasWord(p.values, flag):
		if !has {
			if i++; i >= len(args) {
				return i
			}
			val = args[i].Text
		}
		if hasWord(p.loads, flag) {
			g.load(p.lang, flag, val)
		}
		if flag == "--file" {
			g.script, g.file = true, val
		}
	}
	return i
}

// bundle reads short flags that stand together, such as -lane and -i.bak.
func (p *program) bundle(g *given, args []shell.Word, i int) int {
	w := args[i].Text
	if hasWord(p.values, w) {
		return i + 1
	}
	if g.script { // R -f a.R: what follows are its own words
		return i
	}
	edits := p.lang == perl || p.lang == ruby
	for j := 1; j < len(w); j++ {
		ch, rest := w[j:j+1], w[j+1:]
		switch {
		case strings.Contains(p.code, ch):
			if rest != "" && strings.Trim(rest, p.code) == "" && p.lang == javascript {
				continue // node -pe
			}
			return p.codeFlag(g, args, i, ch, rest)
		case strings.Contains(p.module, ch):
			return p.moduleFlag(g, args, i, ch, rest)
		case ch == "i" && edits:
			return g.inplaceFlag(args, i, rest)
		case strings.Contains(p.rest, ch):
			p.valueFlag(g, ch, rest)
			return i
		case strings.Contains(p.value, ch):
			rest, i = valueOf(args, i, rest)
			p.valueFlag(g, ch, rest)
			return i
		case (ch == "n" || ch == "p") && edits:
			g.loops = true
		case ch == "s" && (p.lang == perl || p.lang == ruby):
			g.switches = true
		}
	}
	return i
}

// valueOf is the value of a flag: what is attached to it, or the next word.
func valueOf(args []shell.Word, i int, attached string) (string, int) {
	if attached != "" {
		return attached, i
	}
	if i++; i < len(args) {
		return args[i].Text, i
	}
	return "", i
}

// codeFlag takes the code of a flag.
func (p *program) codeFlag(g *given, args []shell.Word, i int, ch, attached string) int {
	code, next := valueOf(args, i, attached)
	switch {
	case next >= len(args):
	case attached == "" && strings.HasPrefix(code, "-") && p.lang == javascript && ch == "p":
		return i // node -p -e code
	default:
		g.add(code)
	}
	return next
}

// moduleFlag takes a module that runs by its name.
func (p *program) moduleFlag(g *given, args []shell.Word, i int, ch, rest string) int {
	g.module, g.name = true, rest
	if p.lang != php && rest == "" && i+1 < len(args) {
		i++
		g.name = args[i].Text
	}
	if p.lang == php && ch == "f" { // a script all the same
		if i++; rest == "" && i < len(args) {
			rest = args[i].Text
		}
		g.module, g.script, g.file = false, true, rest
	}
	return i
}

// inplaceFlag reads -i, with a suffix for the copies.
func (g *given) inplaceFlag(args []shell.Word, i int, rest string) int {
	g.inplace = true
	// perl reads -pie as a backup suffix; people mean -p -i -e.
	if strings.HasSuffix(rest, "e") && strings.Trim(rest, "nple0123456789") == "" {
		g.loops = true
		if i++; i < len(args) {
			g.add(args[i].Text)
		}
	}
	return i
}

// valueFlag takes the value of a flag.
func (p *program) valueFlag(g *given, ch, val string) {
	if strings.Contains(p.value, ch) {
		if ch == "l" {
			g.language = val
		}
		if ch == "f" && p.lang == rlang {
			g.script, g.file = true, val
		}
	}
	if hasWord(p.loads, ch) {
		g.load(p.lang, ch, val)
	}
}

// switched is the code that does what perl -s and ruby -s do with the words behind the
// code: -out=x sets $out.
func (g *given) switched() string {
	if !g.switches {
		return ""
	}
	var b strings.Builder
	for i := range g.rest {
		w := strings.TrimPrefix(g.rest[i].Text, "-")
		if w == g.rest[i].Text || w == "-" || i == 32 {
			break
		}
		name, val, has := strings.Cut(strings.TrimPrefix(w, "-"), "=")
		if !has {
			val = "1"
		}
		if name == "" || strings.Trim(name, wordLetters) != "" {
			break
		}
		b.WriteString("$" + name + " = '" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(val) + "';\n")
	}
	return b.String()
}

const wordLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"
