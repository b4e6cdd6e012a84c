package exfil

import (
	"strconv"
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// typedName is the name of a call that stands for a secret written in the command itself. No program
// has this name.
const typedName = "\x00typed"

// MaskTyped replaces the secrets that are written in the words of calls by the output of a synthetic
// call. So a typed secret is traced like one that a program prints.
func MaskTyped(calls []*shell.Call, secrets []shell.TypedSecret) {
	c := typedMasker{secrets: secrets, from: make([]*shell.Call, len(secrets)), seen: map[*shell.Call]bool{}}
	for i := range secrets {
		c.from[i] = &shell.Call{Name: typedName, Args: []shell.Word{{Text: strconv.Itoa(i)}}}
	}
	for _, call := range calls {
		c.maskCall(call)
	}
}

// A typedMasker replaces typed secrets in calls.
type typedMasker struct {
	secrets []shell.TypedSecret
	from    []*shell.Call
	seen    map[*shell.Call]bool
}

// maskCall replaces the secrets in call and in the calls that it takes input from.
func (c *typedMasker) maskCall(call *shell.Call) {
	if call == nil || c.seen[call] || call.Name == typedName {
		return
	}
	c.seen[call], call.Memo = true, nil
	for i := range call.Args {
		c.maskWord(&call.Args[i])
	}
	for i := range call.Env {
		c.maskWord(&call.Env[i].Value)
	}
	for i := range call.Redir {
		c.maskWord(&call.Redir[i].Target)
	}
	for i := range call.Files {
		c.maskCalls(call.Files[i].From)
	}
	if call.In != nil {
		c.maskCalls(call.In.From)
	}
}

// maskCalls replaces the secrets in all calls of list.
func (c *typedMasker) maskCalls(list []*shell.Call) {
	for _, call := range list {
		c.maskCall(call)
	}
}

// maskWord replaces the secrets in w.
func (c *typedMasker) maskWord(w *shell.Word) {
	c.maskCalls(w.From)
	for i := range c.secrets {
		if value := c.secrets[i].Value; value != "" && strings.Contains(w.Text, value) {
			w.Text = strings.ReplaceAll(w.Text, value, string(shell.Placeholder))
			w.From = append(w.From[:len(w.From):len(w.From)], c.from[i])
		}
	}
}

// typedLoad returns the load of a synthetic call that stands for a typed secret.
func (t *tracer) typedLoad(c *shell.Call) load {
	i, err := strconv.Atoi(c.Args[0].Text)
	if err != nil || i >= len(t.place.TypedSecrets) {
		return load{}
	}
	s := &t.place.TypedSecrets[i]
	return load{level: secret, from: fromTyped, what: "a value written in the command (" + s.Rule + ")", typed: s}
}

// judgeTyped reports whether it is a leak to send a typed secret to h by ch, and sets its impact. A
// secret may go to its issuer; one without a known issuer may go, in a place for credentials, to the
// host that the call names.
func judgeTyped(e *shell.Effect, s *shell.TypedSecret, h facts.Host, ch channel) bool {
	e.Impact = shell.ImpactHigh
	if len(s.Issuers) > 0 {
		for _, domain := range s.Issuers {
			if facts.InDomains(h.Name, domain) {
				return false
			}
		}
		return h.Name != "" || ch != auth
	}
	if h.Bare && !h.Drop() { // a service in a compose file
		return false
	}
	return ch != auth || h.Drop()
}

// TypedTargets returns the files that c writes typed secrets to, as c names them.
func TypedTargets(c *shell.Call, p *shell.Place) []string {
	t := tracer{place: p, stepsLeft: maxSteps}
	var out []string
	for i := range c.Redir {
		r := &c.Redir[i]
		if strings.Contains(r.Op, ">") && r.Op != ">&" && !strings.HasPrefix(r.Target.Text, "/dev/") && r.Fd != "2" && t.outputLoad(c).typed != nil {
			out = append(out, joinDir(c, r.Target.Text))
		}
	}
	if program.FilesOf(c.Name) != program.FilesTee || t.inputLoad(c).typed == nil {
		return out
	}
	for i := range c.Args {
		if w := &c.Args[i]; w.Text != "" && w.Text[0] != '-' && w.IsKnown() {
			out = append(out, joinDir(c, w.Text))
		}
	}
	return out
}

// longOptions returns the long options of c, each preceded by a space.
func longOptions(c *shell.Call) string {
	var b strings.Builder
	for i := range c.Args {
		if a := c.Args[i].Text; strings.HasPrefix(a, "--") {
			b.WriteString(" " + a)
		}
	}
	return b.String()
}

// joinDir returns path relative to the directory in which the whole command runs.
func joinDir(c *shell.Call, path string) string {
	if c.Dir == "" || strings.HasPrefix(path, "/") || strings.HasPrefix(path, "~") {
		return path
	}
	return c.Dir + "/" + path
}
