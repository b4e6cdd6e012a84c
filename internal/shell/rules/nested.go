package rules

import (
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// NestedCommands returns the shell commands that c runs because of an option, a setting or a word, as
// in `git rebase --exec 'make test'`, `tar -I x` and `psql -c '\\! x'`. Those of wrappers that package
// resolve handles are not included. The commands are not judged yet. An unknown part is replaced by a
// variable that is never set.
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
	n := nestedCollector{dir: c.Dir}
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

// setCall sets n.r to the reading of c.
func (n *nestedCollector) setCall(c *shell.Call) {
	r := newReading(c)
	n.r = &r
}

// A nestedCollector collects the nested commands of a call.
type nestedCollector struct {
	r   *reading
	dir string // the directory that the call runs in after a cd, or ""
	out []string
}

// maxNested is the largest number of nested commands of one call.
const maxNested = 32

// addCommand adds the command text, unless it is empty or plain ssh.
func (n *nestedCollector) addCommand(text string) {
	text = strings.TrimSpace(text)
	if text == "" || len(n.out) >= maxNested || isPlainSSH(text) {
		return
	}
	if strings.Contains(text, placeholder) {
		text = strings.ReplaceAll(text, placeholder, unknownVariable)
	}
	n.out = append(n.out, text)
}

// unknownVariable stands for an unknown part of a nested command.
const unknownVariable = "${CHECKREIN_UNKNOWN}"

// addWords adds the command that the words from the index i on form. A single word is shell text;
// several are quoted.
func (n *nestedCollector) addWords(i int) {
	if i >= len(n.r.Words) {
		return
	}
	if i == len(n.r.Words)-1 {
		n.addCommand(n.r.Words[i].Text)
		return
	}
	var b strings.Builder
	appendQuoted(&b, n.r.Words[i:])
	n.addCommand(b.String())
}

// appendQuoted appends words to b, quoted so that a shell leaves them unchanged.
func appendQuoted(b *strings.Builder, words []shell.Word) {
	for i := range words {
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		appendQuotedWord(b, words[i].Text, words[i].Glob)
	}
}

// appendQuotedWord appends text to b as one word of a shell. A pattern stays unquoted if isGlob is
// set.
func appendQuotedWord(b *strings.Builder, text string, isGlob bool) {
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

// isPlainSSH reports whether text is ssh with harmless options such as a key or a port, as in
// GIT_SSH_COMMAND="ssh -i key" and rsync -e "ssh -p 22".
func isPlainSSH(text string) bool {
	if text != "ssh" && !strings.HasPrefix(text, "ssh -") {
		return false
	}
	return !strings.ContainsAny(text, ";&|`$()<>\n") && !strings.Contains(strings.ToLower(text), "command")
}

// addOption adds the values of the option name that begin with prefix, without the prefix.
func (n *nestedCollector) addOption(name, prefix string) {
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
			value = f.Raw[2:] // the value is the rest of the word, as in git grep -Oless
		default:
			value = f.Next
		}
		if len(value) >= len(prefix) && strings.EqualFold(value[:len(prefix)], prefix) {
			n.addCommand(value[len(prefix):])
		}
	}
}

// unwrapKubectl returns the call of kubectl, ctr or crictl that c makes, if its program only passes on
// its words. Otherwise it returns c.
func unwrapKubectl(c *shell.Call) *shell.Call {
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
