package localhttp

import (
	"slices"

	"github.com/checkrein/checkrein/internal/sys/process"
)

// maxLineage is how many ancestors of a process are followed.
const maxLineage = 128

// A Peer is the other end of a connection, as far as the system reports it.
type Peer struct {
	Known bool // the system reported UID
	UID   int
	pid   int    // of a unix socket
	inode uint64 // of a loopback one
}

// Process returns the only process at the other end; zero if there is none, or several.
func (p *Peer) Process() process.ID {
	pids := p.Processes()
	if len(pids) != 1 {
		return process.ID{}
	}
	line, _, err := process.Lineage(pids[0])
	if err != nil {
		return process.ID{}
	}
	return line[0].ID
}

// IsSameUser reports whether the peer is certainly the user of this process.
func (p *Peer) IsSameUser() bool { return p.Known && ownUID >= 0 && p.UID == ownUID }

// Processes returns the processes that hold the other end; none if they are unknown.
func (p *Peer) Processes() []int {
	switch {
	case p.pid > 0:
		return []int{p.pid}
	case p.inode > 0:
		return socketHolders(p.inode)
	}
	return nil
}

// IsBelow reports whether one of its processes is a descendant of self, or may be: a lineage without a
// visible end hides ancestors.
func (p *Peer) IsBelow(self int) bool {
	for _, pid := range p.Processes() {
		line, above, err := process.Lineage(pid)
		if err != nil {
			continue // the process has ended
		}
		if above != 0 || slices.ContainsFunc(line, func(a process.Ancestor) bool { return a.PID == self }) {
			return true
		}
		if len(line) >= maxLineage {
			return true
		}
	}
	return false
}
