package rules

import (
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// Nested returns the shell texts that a call runs because an option, a setting
// or a word of it says so: `git rebase --exec 'make test'`, `tar
// -I x`, `psql -c '\\! x'`. What package resolve takes for a wrapper is not among
// them. What a text does is for the caller to find out. A part that is not known
// stands in it as a variable that nobody sets.
func Nested(c *shell.Call) []string {
	kind := program.NestsOf(c.Name)
	if len(c.Redir) > 0 {
		if texts := scheduled(c); len(texts) > 0 {
			return texts
		}
	}
	if strings.HasPrefix(c.Name, "git-") {
		kind = program.NestsGit
	}
	n := nest{dir: c.Dir}
	switch kind {
	case program.NestsMake:
		n.add(makeText(c))
	case program.NestsPackage:
		n.add(packageText(c))
	case program.NestsDeleter, program.NestsTrash, program.NestsShellX:
		n.add(fileTool(c.Name, c.Args))
	case program.NestsCrontab:
		eachInput(c, func(text string) { n.out = append(n.out, cronTexts(text, false)...) })
	case program.NestsGit:
		if gitRuns(c) {
			n.read(c)
			n.git()
		}
	case program.NestsClient, program.NestsDotClient:
		n.read(c)
		n.client()
	}
	return n.out
}

// read reads the call.
func (n *nest) read(c *shell.Call) {
	r := readingOf(c)
	n.r = &r
}

// A nest gathers texts.
type nest struct {
	r   *reading
	dir string // where it runs, when a cd says so
	out []string
}

// maxNest bounds the texts of one call.
const maxNest = 32

// add takes in a text, unless it plainly runs nothing of interest.
func (n *nest) add(text string) {
	text = strings.TrimSpace(text)
	if text == "" || len(n.out) >= maxNest || isPlainSSH(text) {
		return
	}
	if strings.Contains(text, hole) {
		text = strings.ReplaceAll(text, hole, unknownVariable)
	}
	n.out = append(n.out, text)
}

// unknownVariable stands in a text for a part that is not known.
const unknownVariable = "${CHECKREIN_UNKNOWN}"

// call takes in a command that is given as words, from the word at i on.
func (n *nest) call(i int) {
	if i >= len(n.r.Words) {
		return
	}
	if i == len(n.r.Words)-1 {
		n.add(n.r.Words[i].Text)
		return
	}
	var b strings.Builder
	quoteAll(&b, n.r.Words[i:])
	n.add(b.String())
}

// quoteAll writes words so that a shell reads them as they are.
func quoteAll(b *strings.Builder, words []shell.Word) {
	for i := range words {
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		quote(b, words[i].Text, words[i].Glob)
	}
}

func quote(b *strings.Builder, text string, isGlob bool) {
	if text != "" && (isGlob || text[0] != '~' && text[0] != '#' && !strings.ContainsAny(text, " \t\n'\"\\$`;&|<>()*?[]{}!")) {
		b.WriteString(text)
		return
	}
	if strings.Contains(text, hole) {
		b.WriteByte('"')
		for _, c := range text {
			if strings.ContainsRune("\"\\$`", c) {
				b.WriteByte('\\')
			}
			b.WriteRune(c)
		}
		b.WriteByte('"')
		return
	}
	b.WriteByte('\'')
	b.WriteString(strings.ReplaceAll(text, "'", `'\''`))
	b.WriteByte('\'')
}

// isPlainSSH reports whether a text is ssh with a key or a port, as in
// GIT_SSH_COMMAND="ssh -i key" and rsync -e "ssh -p 22".
func isPlainSSH(text string) bool {
	if text != "ssh" && !strings.HasPrefix(text, "ssh -") {
		return false
	}
	return !strings.ContainsAny(text, ";&|`$()<>\n") && !strings.Contains(strings.ToLower(text), "command")
}

// option takes in the values of one option.
func (n *nest) option(name, prefix string) {
	t := program.Flag{Name: strings.TrimLeft(name, "-"), Raw: name}
	t.Short = len(t.Name) == 1
	for k := range n.r.Flags {
		f := &n.r.Flags[k]
		if same, negated := n.r.Concerns(f, &t); !same || negated {
			continue
		}
		value := f.Value
		switch {
		case f.Set:
		case f.Short && len(f.Raw) > 2 && f.Raw[1] == f.Name[0]:
			value = f.Raw[2:] // the rest of the word, as in git grep -Oless
		default:
			value = f.Next
		}
		if len(value) >= len(prefix) && strings.EqualFold(value[:len(prefix)], prefix) {
			n.add(value[len(prefix):])
		}
	}
}

// inner takes off the programs that only hand their words to kubectl.
func inner(c *shell.Call) *shell.Call {
	if !program.Is(c.Name, program.IsClusterWrapper) {
		return c
	}
	for i := range c.Args {
		switch t := c.Args[i].Text; {
		case t == "kubectl" || t == "ctr" || t == "crictl":
			rest := c.Args[i+1:]
			if len(rest) > 0 && rest[0].Text == "--" {
				rest = rest[1:]
			}
			out := *c
			out.Name, out.Path, out.Args = t, t, rest
			return &out
		case !strings.HasPrefix(t, "-"):
			return c
		}
	}
	return c
}
