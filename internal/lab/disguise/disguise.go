// Package disguise writes a shell command in other ways that do the same: padded,
// nested, wrapped, quoted, renamed, split, through variables and here-documents,
// behind a cd that fails and in branches. Tests use it to ask whether what a command
// is written like changes what is said about it.
package disguise

import (
	"math/rand/v2"
	"slices"
	"strings"
)

// A Script is shell text on its way through generators.
type Script struct {
	Text  string
	Words []string // of one simple command, as they are written; nil = it is more than that
	one   bool     // it is one simple command, whatever its words look like
	lines bool     // it counts that the shell reads it line by line: aliases
	Steps []string // the generators that made it, the first one first
}

// A Generator writes a script in another way.
type Generator struct {
	Class, Name string
	Make        func(r *rand.Rand, s Script) (string, bool) // false = it does not fit
	Words       bool                                        // it takes one simple command
	Simple      bool                                        // what it makes is one simple command, with words that other generators may take
	One         bool                                        // what it makes is one simple command
	Lines       bool                                        // what it makes must be read line by line
	Top         bool                                        // it leaves the script where the shell reads it line by line
	Whole       bool                                        // it has the script read as a text of its own
	Late        bool                                        // what it makes runs later, or by a program that few have
	Plans       bool                                        // it plans a job, which is a matter for a person
	Hides       bool                                        // reading it takes more than a shell's own means
}

// All returns the generators.
func All() []Generator {
	return slices.Concat(padding(), nesting(), wrapping(), quoting(), renaming(), splitting(), variables(), documents(), failing(), branches(), waiting())
}

// Parse reads a core.
func Parse(text string) Script {
	words := simple(text)
	return Script{Text: text, Words: words, one: words != nil}
}

// Apply runs one generator; false when it does not fit.
func (g *Generator) Apply(r *rand.Rand, s Script) (Script, bool) {
	if g.Words && s.Words == nil || s.lines && !g.Whole && !g.Top {
		return s, false
	}
	text, ok := g.Make(r, s)
	if !ok {
		return s, false
	}
	out := Script{Text: text, lines: g.Lines || s.lines && g.Top, Steps: append(slices.Clone(s.Steps), g.Class+"/"+g.Name)}
	if g.Simple {
		out.Words = simple(text)
	}
	out.one = out.Words != nil || g.One
	return out, true
}

// Compose applies up to depth generators of a list, at least one.
func Compose(r *rand.Rand, core string, from []Generator, depth int) Script {
	s := Parse(core)
	for want := 1 + r.IntN(depth); want > 0; want-- {
		for range 20 {
			// Classes count alike, however many ways each has.
			class := classes[r.IntN(len(classes))]
			var fit []int
			for i := range from {
				if from[i].Class == class && (!from[i].Words || s.Words != nil) {
					fit = append(fit, i)
				}
			}
			if len(fit) == 0 {
				continue
			}
			if next, ok := from[fit[r.IntN(len(fit))]].Apply(r, s); ok && len(next.Text) < maxText {
				s = next
				break
			}
		}
	}
	return s
}

// maxText is the size from which a script is not written in yet another way.
const maxText = 48 << 10

var classes = []string{"padding", "nesting", "wrapping", "quoting", "renaming", "splitting", "variables", "documents", "failing cd", "branches", "time"}

// Classes are the classes of generators.
func Classes() []string { return slices.Clone(classes) }

// notPrograms are what only the shell itself can run.
var notPrograms = []string{"export", "type", "cd", "set", "unset", "alias", "eval", "source", ".", ":", "exec", "read", "trap", "wait", "shopt", "declare", "local", "readonly",
	"if", "for", "while", "until", "case", "function", "select", "time", "coproc", "!", "{", "[[", "hash", "builtin", "mapfile", "umask", "ulimit", "let", "command"}

// simple splits one simple command of a program into its words; nil when the text
// is more than that.
func simple(text string) []string {
	var words []string
	var word strings.Builder
	in := byte(0)
	open := false
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case c == '\n' || c == '`' && in != '\'' || c == '$' && in != '\'' && i+1 < len(text) && text[i+1] == '(':
			return nil
		case in == 0 && (c == ' ' || c == '\t'):
			if open {
				words = append(words, word.String())
				word.Reset()
				open = false
			}
			continue
		case in == 0 && strings.IndexByte(";|&<>()#", c) >= 0:
			return nil
		case in == 0 && (c == '\'' || c == '"'):
			in = c
		case in == c:
			in = 0
		case c == '\\' && in != '\'' && i+1 < len(text):
			word.WriteByte(c)
			i++
			c = text[i]
		}
		word.WriteByte(c)
		open = true
	}
	if open {
		words = append(words, word.String())
	}
	if in != 0 || len(words) == 0 || !isPlain(words[0]) || strings.Contains(words[0], "=") || slices.Contains(notPrograms, words[0]) {
		return nil
	}
	return words
}

// isPlain reports whether a word means itself.
func isPlain(w string) bool {
	for i := 0; i < len(w); i++ {
		c := w[i]
		if c != '_' && c != '.' && c != '/' && c != ':' && c != '=' && c != ',' && c != '@' && c != '%' && c != '+' && c != '-' &&
			(c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') {
			return false
		}
	}
	return w != ""
}

// quote makes one word of a text.
func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// lit is a text of another language, in double quotes.
func lit(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\t", `\t`).Replace(s) + `"`
}

func join(words ...string) string { return strings.Join(words, " ") }

func pick[T any](r *rand.Rand, list ...T) T { return list[r.IntN(len(list))] }

// name is a name that nothing else has.
func name(r *rand.Rand) string {
	return pick(r, "v", "tmp", "step", "opt", "item", "job", "arg") + "_" + string(rune('a'+r.IntN(26))) + string(rune('a'+r.IntN(26))) + string(rune('a'+r.IntN(26)))
}

// form makes a script by one of the patterns: § is the script's text,
// ¶ the text as one word, ‡ a new name.
func form(patterns ...string) func(*rand.Rand, Script) (string, bool) {
	return func(r *rand.Rand, s Script) (string, bool) {
		p := pick(r, patterns...)
		return strings.NewReplacer("§", s.Text, "¶", quote(s.Text), "‡", name(r)).Replace(p), true
	}
}

// wordForm is form for one simple command: §1 is its program, §@ its arguments.
func wordForm(patterns ...string) func(*rand.Rand, Script) (string, bool) {
	return func(r *rand.Rand, s Script) (string, bool) {
		p := pick(r, patterns...)
		if strings.Contains(p, "§@") && len(s.Words) < 2 {
			return "", false
		}
		return strings.NewReplacer("§1", s.Words[0], "§@", join(s.Words[1:]...), "§", s.Text, "¶", quote(s.Text), "‡", name(r)).Replace(p), true
	}
}
