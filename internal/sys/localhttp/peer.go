package localhttp

import (
	"slices"

	"github.com/checkrein/checkrein/internal/sys/process"
)

// deep is how many processes above each other are followed.
const deep = 128

// A Peer is who is at the other end of a connection, as far as the system tells.
type Peer struct {
	Known bool // the system told
	UID   int
	pid   int    // of a unix socket
	inode uint64 // of a loopback one
}

// Process is the one process that is at the other end; zero = there is none, or several.
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

// Same reports whether the peer is the user of this process, for sure.
func (p *Peer) Same() bool { return p.Known && uid >= 0 && p.UID == uid }

// Processes are those that hold the other end; none where that cannot be told.
func (p *Peer) Processes() []int {
	switch {
	case p.pid > 0:
		return []int{p.pid}
	case p.inode > 0:
		return holders(p.inode)
	}
	return nil
}

// Below reports whether one of its processes was started by this one, or by one that
// was, or may have been: a line that does not end hides who is above.
func (p *Peer) Below(self int) bool {
	for _, pid := range p.Processes() {
		line, above, err := process.Lineage(pid)
		if err != nil {
			continue // it is gone
		}
		if above != 0 || slices.ContainsFunc(line, func(a process.Ancestor) bool { return a.PID == self }) {
			return true
		}
		if len(line) >= deep {
			return true
		}
	}
	return false
}
