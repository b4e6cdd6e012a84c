package code

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// An interpreter is a program that runs code in a language. Its row says how it takes it.
type interpreter struct {
	row  string
	lang lang
	subs bool // code and scripts come behind a subcommand
}

// interpreters are by what they read; those without a row are read elsewhere.
var interpreters = [facts.Tongues]interpreter{
	facts.Python:      {row: "python", lang: python},
	facts.Node:        {row: "node", lang: javascript},
	facts.Bun:         {row: "bun", lang: javascript},
	facts.Deno:        {row: "deno", lang: javascript, subs: true},
	facts.Perl:        {row: "perl", lang: perl},
	facts.Ruby:        {row: "ruby", lang: ruby},
	facts.Elixir:      {row: "elixir", lang: ruby},
	facts.PHP:         {row: "php", lang: php},
	facts.Lua:         {row: "lua", lang: opaque},
	facts.R:           {row: "rscript", lang: opaque},
	facts.Julia:       {row: "julia", lang: opaque},
	facts.Groovy:      {row: "groovy", lang: opaque},
	facts.Swift:       {row: "swift", lang: opaque},
	facts.JShell:      {row: "jshell", lang: opaque},
	facts.AppleScript: {row: "osascript", lang: opaque},
	facts.Crystal:     {row: "crystal", lang: ruby, subs: true},
}

// interpreterOf is the interpreter of that name; nil = it is none.
func interpreterOf(n string) *interpreter { return speaking(facts.TongueOf(n)) }

func speaking(t facts.Tongue) *interpreter {
	if p := &interpreters[t]; p.row != "" {
		return p
	}
	return nil
}

// A given is what a call's words come to.
type given struct {
	code    string
	before  string // code that flags add in front
	file    string // the script
	rest    []shell.Word
	loads   []string      // what is loaded first
	from    []*shell.Call // the calls that print the script
	modules []string      // what is loaded first by its name
	root    string        // the project's directory
	found   bool          // code was given as a word
	script  bool          // a file holds the code
	module  bool
	name    string // of the module
	version bool
	checks  bool // nothing runs
	inplace bool // files are changed in place
	loops   bool // the code runs for each line of the files
}

// split reads the words of a call.
func (p *interpreter) split(c *shell.Call) (g given) {
	var k program.Walk
	k.StartAs(c, p.row)
	sub := false // deno eval code, bun run a.ts
	for k.Next() {
		switch {
		case k.Name == "" && !sub && k.Enters() && hasAnyPrefix(k.Role, "code:", "script:"):
			sub = true
		case !sub && p.shows(&k):
			g.version = !g.found
			return g
		case k.Name == "":
			g.operand(&k)
			return g
		default:
			p.option(&g, &k)
		}
		if g.module || g.found && p.lang == python { // what follows is for the code
			g.rest = k.Rest()
			return g
		}
	}
	g.script = g.script || p.subs && !sub
	return g
}

// shows reports whether a word has the program only show its version or help.
func (p *interpreter) shows(k *program.Walk) bool {
	switch k.Name {
	case "":
		return p.row == "crystal" && k.Arg.Text == "version"
	case "V": // -V:name shows a setting
		return k.Whole && !k.HasArg && (k.Role == "alone" || p.lang == perl)
	}
	return k.Whole && k.Role == "alone"
}

// operand takes the first word that is not an option: the script, unless code was given.
func (g *given) operand(k *program.Walk) {
	g.rest = k.Rest()
	switch w := k.Arg.Text; {
	case strings.HasPrefix(k.Role, "code:"):
		g.code, g.found = w, true
	case w == "-" || w == "/dev/stdin" || w == "/dev/fd/0":
	case g.found || g.script:
		g.rest = k.From()
	default:
		g.script, g.file = true, w
	}
}

// option takes an option.
func (p *interpreter) option(g *given, k *program.Walk) {
	role, of, _ := strings.Cut(k.Role, ":")
	val := k.Arg.Text
	edits := p.row == "perl" || p.row == "ruby"
	switch {
	case k.Name == "i" && edits:
		g.inplace = true
		// perl reads -pie as a backup suffix; people mean -p -i -e.
		if strings.HasSuffix(val, "e") && strings.Trim(val, "nple0123456789") == "" {
			g.loops = true
			if rest := k.Rest(); len(rest) > 0 {
				g.add(rest[0].Text)
				k.Skip(1)
			}
		}
	case role == "loop":
		g.loops = true
	case role == "check":
		g.checks = g.checks || k.Whole
	case of == "module":
		g.module, g.name = true, val
	case !k.HasArg || k.Missing() || g.script: // R -f a.R: what follows are its own words
	case k.Name == "p" && role == "code" && strings.HasPrefix(val, "-") && k.Back(): // node -p -e code
	case role == "code":
		g.add(val)
	case role == "script":
		g.script, g.file = true, val
	case role == "load":
		g.load(p.lang, k.Name, val)
	}
}

// add takes a piece of code; several are lines of one program.
func (g *given) add(code string) {
	if g.found {
		code = g.code + "\n" + code
	}
	g.code, g.found = code, true
}

const wordLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"
