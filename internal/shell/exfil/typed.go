package exfil

import (
	"strconv"
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// typedName is the program name of a synthetic call that stands for a secret typed in the command. No
// program has this name.
const typedName = "\x00typed"

// MaskTypedSecrets replaces the secrets that are typed in the words of calls with the output of
// synthetic calls, so that they are traced like secrets that programs print. It changes calls.
func MaskTypedSecrets(calls []*shell.Call, secrets []shell.TypedSecret) {
	c := typedMasker{secrets: secrets, from: make([]*shell.Call, len(secrets)), seen: map[*shell.Call]bool{}}
	for i := range secrets {
		c.from[i] = &shell.Call{Name: typedName, Args: []shell.Word{{Text: strconv.Itoa(i)}}}
	}
	for _, call := range calls {
		c.maskCall(call)
	}
}

// A typedMasker replaces typed secrets in calls with placeholders.
type typedMasker struct {
	secrets []shell.TypedSecret
	from    []*shell.Call // the synthetic call for each secret
	seen    map[*shell.Call]bool
}

// maskCall replaces the secrets in call and in the calls whose output it uses.
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

// maskWord replaces the secrets in w, and in the calls whose output it contains, with placeholders.
func (c *typedMasker) maskWord(w *shell.Word) {
	c.maskCalls(w.From)
	for i := range c.secrets {
		if value := c.secrets[i].Value; value != "" && strings.Contains(w.Text, value) {
			w.Text = strings.ReplaceAll(w.Text, value, string(shell.Placeholder))
			w.From = append(w.From[:len(w.From):len(w.From)], c.from[i])
		}
	}
}

// typedTaint returns the typed secret that the synthetic call c stands for.
func (t *tracer) typedTaint(c *shell.Call) taint {
	i, err := strconv.Atoi(c.Args[0].Text)
	if err != nil || i >= len(t.place.TypedSecrets) {
		return taint{}
	}
	s := &t.place.TypedSecrets[i]
	return taint{level: secret, from: fromTyped, what: "a value written in the command (" + s.Rule + ")", typed: s}
}

// judgeTyped reports whether sending the typed secret s to h through ch is a leak, and sets the impact
// of e. A secret may be sent to its issuer. A secret without a known issuer may be sent in a place for
// credentials, or to a host name without a domain, unless h is a dead drop.
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
	if h.Bare && !h.HidesOwner() { // a name without a domain, such as a service of docker compose
		return false
	}
	return ch != auth || h.HidesOwner()
}

// TypedSecretFiles returns the files that c writes typed secrets to. Relative paths are relative to
// the directory in which the whole command runs.
func TypedSecretFiles(c *shell.Call, p *shell.Place) []string {
	t := tracer{place: p, stepsLeft: maxSteps}
	var out []string
	for i := range c.Redir {
		r := &c.Redir[i]
		if strings.Contains(r.Op, ">") && r.Op != ">&" && !strings.HasPrefix(r.Target.Text, "/dev/") && r.Fd != "2" && t.outputTaint(c).typed != nil {
			out = append(out, joinDir(c, r.Target.Text))
		}
	}
	if program.FilesOf(c.Name) != program.FilesTee || t.inputTaint(c).typed == nil {
		return out
	}
	for i := range c.Args {
		if w := &c.Args[i]; w.Text != "" && w.Text[0] != '-' && w.IsKnown() {
			out = append(out, joinDir(c, w.Text))
		}
	}
	return out
}

// longOptions returns the arguments of c that start with --, each preceded by a space.
func longOptions(c *shell.Call) string {
	var b strings.Builder
	for i := range c.Args {
		if a := c.Args[i].Text; strings.HasPrefix(a, "--") {
			b.WriteString(" " + a)
		}
	}
	return b.String()
}

// joinDir returns path, which is relative to the directory of c, relative to the directory in which
// the whole command runs.
func joinDir(c *shell.Call, path string) string {
	if c.Dir == "" || strings.HasPrefix(path, "/") || strings.HasPrefix(path, "~") {
		return path
	}
	return c.Dir + "/" + path
}
