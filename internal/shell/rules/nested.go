package rules

import (
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// NestedCommands returns the shell commands that a call runs because of an option, a setting or a
// word: `git rebase --exec 'make test'`, `tar -I x`, `psql -c '\\! x'`. Wrappers that package resolve
// handles are not included. The caller must judge the commands. An unknown part becomes a variable
// that is never set.
func NestedCommands(c *shell.Call) []string {
	kind := program.NestsOf(c.Name)
	if len(c.Redir) > 0 {
		if texts := writtenCronCommands(c); len(texts) > 0 {
			return texts
		}
	}
	if strings.HasPrefix(c.Name, "git-") {
		kind = program.NestsGit
	}
	n := nest{dir: c.Dir}
	switch kind {
	case program.NestsMake:
		n.addCommand(makeCommands(c))
	case program.NestsPackage:
		n.addCommand(runnerCommand(c))
	case program.NestsDeleter, program.NestsTrash, program.NestsShellX:
		n.addCommand(fileToolCommand(c.Name, c.Args))
	case program.NestsCrontab:
		eachInput(c, func(text string) { n.out = append(n.out, cronCommands(text, false)...) })
	case program.NestsGit:
		if mayRunProgram(c) {
			n.setCall(c)
			n.addGitCommands()
		}
	case program.NestsClient, program.NestsDotClient:
		n.setCall(c)
		n.addClientCommands()
	}
	return n.out
}

// setCall sets the reading of c.
func (n *nest) setCall(c *shell.Call) {
	r := newReading(c)
	n.r = &r
}

// A nest collects the nested commands of a call.
type nest struct {
	r   *reading
	dir string // the directory that it runs in after a cd, or ""
	out []string
}

// maxNest bounds the nested commands of one call.
const maxNest = 32

// addCommand adds a command, unless it obviously runs nothing of interest.
func (n *nest) addCommand(text string) {
	text = strings.TrimSpace(text)
	if text == "" || len(n.out) >= maxNest || isPlainSSH(text) {
		return
	}
	if strings.Contains(text, placeholder) {
		text = strings.ReplaceAll(text, placeholder, unknownVariable)
	}
	n.out = append(n.out, text)
}

// unknownVariable stands for an unknown part of a command.
const unknownVariable = "${CHECKREIN_UNKNOWN}"

// addWords adds the command in the words from i on.
func (n *nest) addWords(i int) {
	if i >= len(n.r.Words) {
		return
	}
	if i == len(n.r.Words)-1 {
		n.addCommand(n.r.Words[i].Text)
		return
	}
	var b strings.Builder
	quoteAll(&b, n.r.Words[i:])
	n.addCommand(b.String())
}

// quoteAll writes words, quoted so that a shell leaves them unchanged.
func quoteAll(b *strings.Builder, words []shell.Word) {
	for i := range words {
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		quoteWord(b, words[i].Text, words[i].Glob)
	}
}

// quoteWord writes text as one word of a shell. Patterns are not quoted.
func quoteWord(b *strings.Builder, text string, isGlob bool) {
	if text != "" && (isGlob || text[0] != '~' && text[0] != '#' && !strings.ContainsAny(text, " \t\n'\"\\$`;&|<>()*?[]{}!")) {
		b.WriteString(text)
		return
	}
	if strings.Contains(text, placeholder) {
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

// isPlainSSH reports whether a text is ssh with only a key or a port, as in GIT_SSH_COMMAND="ssh -i
// key" and rsync -e "ssh -p 22".
func isPlainSSH(text string) bool {
	if text != "ssh" && !strings.HasPrefix(text, "ssh -") {
		return false
	}
	return !strings.ContainsAny(text, ";&|`$()<>\n") && !strings.Contains(strings.ToLower(text), "command")
}

// addOption adds the values of one option that begin with prefix.
func (n *nest) addOption(name, prefix string) {
	t := program.Flag{Name: strings.TrimLeft(name, "-"), Raw: name}
	t.Short = len(t.Name) == 1
	for k := range n.r.Flags {
		f := &n.r.Flags[k]
		if same, negated := n.r.MatchesFlag(f, &t); !same || negated {
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
			n.addCommand(value[len(prefix):])
		}
	}
}

// unwrapCluster returns the call of kubectl, ctr or crictl within a program that only passes on its
// words, or c.
func unwrapCluster(c *shell.Call) *shell.Call {
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
