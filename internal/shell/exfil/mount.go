package exfil

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// mounts are directories of other machines that the calls of one command mounted:
// what is put there leaves this one.
type mounts struct {
	list [maxMounts]mounted
	n    int
}

const maxMounts = 4

type mounted struct {
	dir string
	to  facts.Host
}

// take looks at one call: it notes a mount, or judges what goes into one.
func (m *mounts) take(t *tracer, c *shell.Call) (shell.Effect, bool) {
	if dir, h, ok := t.mountOf(c); ok {
		if m.n < maxMounts {
			m.list[m.n] = mounted{dir, h}
			m.n++
		}
		return shell.Effect{}, false
	}
	if m.n == 0 {
		return shell.Effect{}, false
	}
	for i := range c.Redir {
		if r := &c.Redir[i]; strings.HasPrefix(r.Op, ">") {
			if h, ok := m.at(t, c, r.Target.Text); ok {
				s := sending{to: h}
				s.add(t.output(c), copied)
				return s.effect(c)
			}
		}
	}
	last := len(c.Args) - 1
	if last < 0 {
		return shell.Effect{}, false
	}
	h, ok := m.at(t, c, c.Args[last].Text)
	if !ok {
		return shell.Effect{}, false
	}
	s := sending{to: h}
	switch {
	case program.Is(c.Name, program.IsCopier):
		for i := range c.Args[:last] {
			if a := &c.Args[i]; a.Text != "" && a.Text[0] != '-' {
				s.add(t.fileWord(c, a), copied)
			}
		}
	case c.Name == "tee" || c.Name == "dd":
		s.add(t.input(c), copied)
	}
	return s.effect(c)
}

// at returns the host behind a path.
func (m *mounts) at(t *tracer, c *shell.Call, path string) (facts.Host, bool) {
	if path == "" || path == "-" || len(path) > facts.MaxPath {
		return facts.Host{}, false
	}
	path = t.full(c, path)
	for i := range m.list[:m.n] {
		if d := m.list[i].dir; path == d || strings.HasPrefix(path, d+"/") {
			return m.list[i].to, true
		}
	}
	return facts.Host{}, false
}

// mountOf returns the directory that a call mounts from another machine.
func (t *tracer) mountOf(c *shell.Call) (dir string, h facts.Host, ok bool) {
	switch c.Name {
	case "mount", "mount.cifs", "mount.nfs", "mount_smbfs", "mount_nfs", "mount.davfs", "sshfs", "curlftpfs", "s3fs", "goofys", "gcsfuse", "smbnetfs", "davfs2":
	case "rclone":
		if len(c.Args) == 0 || c.Args[0].Text != "mount" {
			return "", facts.Host{}, false
		}
	default:
		return "", facts.Host{}, false
	}
	var words []string
	for i := 0; i < len(c.Args); i++ {
		a := c.Args[i].Text
		if a == "-t" || a == "-o" || a == "--type" || a == "--options" {
			i++
			continue
		}
		if a != "" && a[0] != '-' {
			words = append(words, a)
		}
	}
	if len(words) < 2 {
		return "", facts.Host{}, false
	}
	from, dir := words[len(words)-2], words[len(words)-1]
	switch {
	case strings.HasPrefix(from, "//"):
		h = facts.HostOf(strings.SplitN(from[2:], "/", 2)[0])
	case strings.Contains(from, "://"):
		h = facts.HostOf(from)
	case c.Name == "s3fs" || c.Name == "goofys" || c.Name == "gcsfuse" || c.Name == "rclone":
		h = facts.Host{Name: from, Zone: facts.Away}
	default:
		var remote bool
		if h, remote = remotePath(from); !remote {
			return "", facts.Host{}, false
		}
	}
	return t.full(c, dir), h, h.Set()
}
