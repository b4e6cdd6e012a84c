package desk

import (
	"fmt"
	"net"
	"net/url"
	"slices"

	"github.com/checkrein/checkrein/internal/config"
	"github.com/checkrein/checkrein/internal/trust"
)

// endpoints refuses an agent file that came with a repository and names a server
// of its own: the person's key and the whole conversation would go there. What
// the person allows by name, and this machine, is fine.
func (r *run) endpoints() error {
	if !r.brought() {
		return nil
	}
	for _, m := range r.team.Models {
		if m.BaseURL == "" {
			continue
		}
		u, err := url.Parse(m.BaseURL)
		host := ""
		if err == nil {
			host = u.Hostname()
		}
		if ip := net.ParseIP(host); host == "localhost" || ip != nil && ip.IsLoopback() || host != "" && slices.Contains(r.allowed, host) {
			continue
		}
		return refused(fmt.Errorf("model %q of %s, which came with a repository, sends the conversation and the key to %q: if you want that, say --allow-endpoint %s", m.Name, r.file, m.BaseURL, host))
	}
	return nil
}

// brought reports whether the agent file came with a repository.
func (r *run) brought() bool { return config.InRepository(r.file) }

// bound takes the allow rules out of an agent file that came with a repository:
// nobody approved them, and with a pull there may be others. Its refusals count.
func (r *run) bound() error {
	if !r.brought() {
		return nil
	}
	k, err := r.kit(r.beginner())
	if err != nil || k.ProjectMayAllow() {
		return err
	}
	lost := len(r.team.Permissions.Allow)
	r.team.Permissions.Allow = nil
	for i := range r.team.Agents {
		lost += len(r.team.Agents[i].Permissions.Allow)
		r.team.Agents[i].Permissions.Allow = nil
	}
	if lost > 0 {
		fmt.Fprintf(r.env.Stderr, "note: the %d allow rules of %s do not count, for it came with a repository: set project_may_allow: true in your own checkrein.yaml if they shall\n", lost, trust.VisibleLine(r.file))
	}
	return nil
}
