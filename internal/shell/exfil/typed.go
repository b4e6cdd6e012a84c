package exfil

import (
	"strconv"
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// typedName is the name of a call that stands for a secret which is written in the
// command itself. No program has it.
const typedName = "\x00typed"

// Conceal puts into the words of calls, in place of the secrets that are written
// there, what stands for the output of a program. So a secret that somebody typed
// is followed like one that a program hands out.
func Conceal(calls []*shell.Call, secrets []shell.Typed) {
	c := concealer{secrets: secrets, from: make([]*shell.Call, len(secrets)), seen: map[*shell.Call]bool{}}
	for i := range secrets {
		c.from[i] = &shell.Call{Name: typedName, Args: []shell.Word{{Text: strconv.Itoa(i)}}}
	}
	for _, call := range calls {
		c.call(call)
	}
}

type concealer struct {
	secrets []shell.Typed
	from    []*shell.Call
	seen    map[*shell.Call]bool
}

func (c *concealer) call(call *shell.Call) {
	if call == nil || c.seen[call] || call.Name == typedName {
		return
	}
	c.seen[call], call.Memo = true, nil
	for i := range call.Args {
		c.word(&call.Args[i])
	}
	for i := range call.Env {
		c.word(&call.Env[i].Value)
	}
	for i := range call.Redir {
		c.word(&call.Redir[i].Target)
	}
	for i := range call.Files {
		c.calls(call.Files[i].From)
	}
	if call.In != nil {
		c.calls(call.In.From)
	}
}

func (c *concealer) calls(list []*shell.Call) {
	for _, call := range list {
		c.call(call)
	}
}

func (c *concealer) word(w *shell.Word) {
	c.calls(w.From)
	for i := range c.secrets {
		if value := c.secrets[i].Value; value != "" && strings.Contains(w.Text, value) {
			w.Text = strings.ReplaceAll(w.Text, value, string(shell.Hole))
			w.From = append(w.From[:len(w.From):len(w.From)], c.from[i])
		}
	}
}

// typed is the load of a call that stands for a typed secret.
func (t *tracer) typed(c *shell.Call) load {
	i, err := strconv.Atoi(c.Args[0].Text)
	if err != nil || i >= len(t.place.Typed) {
		return load{}
	}
	s := &t.place.Typed[i]
	return load{level: secret, from: fromTyped, what: "a value written in the command (" + s.Rule + ")", typed: s}
}

// judgeTyped is about a secret that is written in the command: it may go to the one
// who gave it out; one that nobody is known to have given out may go, in a
// credential's place, to the host that is named. Anywhere else it is given away.
func judgeTyped(e *shell.Effect, s *shell.Typed, h facts.Host, ch channel) bool {
	e.Radius = shell.RadiusHigh
	if len(s.Issuers) > 0 {
		for _, domain := range s.Issuers {
			if facts.Under(h.Name, domain) {
				return false
			}
		}
		return h.Name != "" || ch != auth
	}
	if h.Bare && !h.Drop() { // a service of a compose file
		return false
	}
	return ch != auth || h.Drop()
}

// Stored returns the files into which a call writes typed secrets, as it names
// them.
func Stored(c *shell.Call, p *shell.Place) []string {
	t := tracer{place: p, budget: budget}
	var out []string
	for i := range c.Redir {
		r := &c.Redir[i]
		if strings.Contains(r.Op, ">") && r.Op != ">&" && !strings.HasPrefix(r.Target.Text, "/dev/") && r.Fd != "2" && t.output(c).typed != nil {
			out = append(out, inDir(c, r.Target.Text))
		}
	}
	if program.FilesOf(c.Name) != program.FilesTee || t.input(c).typed == nil {
		return out
	}
	for i := range c.Args {
		if w := &c.Args[i]; w.Text != "" && w.Text[0] != '-' && w.Known() {
			out = append(out, inDir(c, w.Text))
		}
	}
	return out
}

// flagsOf are a call's long options, a blank before each.
func flagsOf(c *shell.Call) string {
	var b strings.Builder
	for i := range c.Args {
		if a := c.Args[i].Text; strings.HasPrefix(a, "--") {
			b.WriteString(" " + a)
		}
	}
	return b.String()
}

// inDir is a path as it is from where the whole command runs.
func inDir(c *shell.Call, path string) string {
	if c.Dir == "" || strings.HasPrefix(path, "/") || strings.HasPrefix(path, "~") {
		return path
	}
	return c.Dir + "/" + path
}
