package code

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// An interpreter is a program that runs code. Its row describes its options.
type interpreter struct {
	row  string
	lang lang
	subs bool // code and scripts follow a subcommand
}

// interpreters lists the interpreters by language. Languages without a row have readers of their own.
var interpreters = [facts.NumLanguages]interpreter{
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

// interpreterOf returns the interpreter with the program name n, or nil.
func interpreterOf(n string) *interpreter { return interpreterFor(facts.LanguageOf(n)) }

// interpreterFor returns the interpreter of a language, or nil.
func interpreterFor(t facts.Language) *interpreter {
	if p := &interpreters[t]; p.row != "" {
		return p
	}
	return nil
}

// A codeSource describes where an interpreter gets its code from, by the words of a call.
type codeSource struct {
	code    string
	before  string // code that options prepend
	file    string // the script
	rest    []shell.Word
	loads   []string      // files that are loaded first
	from    []*shell.Call // the calls whose output is the script
	modules []string      // modules that are loaded first, by name
	root    string        // the project's directory
	found   bool          // code is one of the words
	script  bool          // a file holds the code
	module  bool
	name    string // the name of the module
	version bool
	checks  bool // the code is checked and not run
	inplace bool // files are changed in place
	loops   bool // the code runs for each line of the files
}

// parseArgs returns the source of the code that c runs.
func (p *interpreter) parseArgs(c *shell.Call) (g codeSource) {
	var k program.Walk
	k.StartAs(c, p.row)
	sub := false // deno eval code, bun run a.ts
	for k.Next() {
		switch {
		case k.Name == "" && !sub && k.EntersSubcommand() && hasAnyPrefix(k.Role, "code:", "script:"):
			sub = true
		case !sub && p.showsVersion(&k):
			g.version = !g.found
			return g
		case k.Name == "":
			g.setOperand(&k)
			return g
		default:
			p.addOption(&g, &k)
		}
		if g.module || g.found && p.lang == python { // the rest are arguments of the code
			g.rest = k.RestArgs()
			return g
		}
	}
	g.script = g.script || p.subs && !sub
	return g
}

// showsVersion reports whether a word makes the program only show its version or help.
func (p *interpreter) showsVersion(k *program.Walk) bool {
	switch k.Name {
	case "":
		return p.row == "crystal" && k.Arg.Text == "version"
	case "V": // -V:name shows a setting
		return k.Whole && !k.HasArg && (k.Role == "alone" || p.lang == perl)
	}
	return k.Whole && k.Role == "alone"
}

// setOperand handles the first word that is not an option: the script, unless there is code.
func (g *codeSource) setOperand(k *program.Walk) {
	g.rest = k.RestArgs()
	switch w := k.Arg.Text; {
	case strings.HasPrefix(k.Role, "code:"):
		g.code, g.found = w, true
	case w == "-" || w == "/dev/stdin" || w == "/dev/fd/0":
	case g.found || g.script:
		g.rest = k.ArgsFromCurrent()
	default:
		g.script, g.file = true, w
	}
}

// addOption handles an option.
func (p *interpreter) addOption(g *codeSource, k *program.Walk) {
	role, of, _ := strings.Cut(k.Role, ":")
	val := k.Arg.Text
	edits := p.row == "perl" || p.row == "ruby"
	switch {
	case k.Name == "i" && edits:
		g.inplace = true
		// perl reads -pie as a backup suffix; people mean -p -i -e.
		if strings.HasSuffix(val, "e") && strings.Trim(val, "nple0123456789") == "" {
			g.loops = true
			if rest := k.RestArgs(); len(rest) > 0 {
				g.addCode(rest[0].Text)
				k.Skip(1)
			}
		}
	case role == "loop":
		g.loops = true
	case role == "check":
		g.checks = g.checks || k.Whole
	case of == "module":
		g.module, g.name = true, val
	case !k.HasArg || k.IsValueMissing() || g.script: // R -f a.R: the rest are its arguments
	case k.Name == "p" && role == "code" && strings.HasPrefix(val, "-") && k.UnreadValue(): // node -p -e code
	case role == "code":
		g.addCode(val)
	case role == "script":
		g.script, g.file = true, val
	case role == "load":
		g.addLoad(p.lang, k.Name, val)
	}
}

// addCode adds a line of code.
func (g *codeSource) addCode(code string) {
	if g.found {
		code = g.code + "\n" + code
	}
	g.code, g.found = code, true
}

// wordLetters are the characters of an identifier.
const wordLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"
