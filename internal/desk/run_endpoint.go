package desk

import (
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"slices"

	"github.com/checkrein/checkrein/internal/workplace"
)

// endpoints refuses an agent file that came with a repository and names a server
// of its own: the person's key and the whole conversation would go there. What
// the person allows by name, and this machine, is fine.
func (r *run) endpoints() error {
	if _, err := os.Lstat(filepath.Join(workplace.Top(filepath.Dir(r.file)), ".git")); err != nil {
		return nil // the person's own file
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
