package localhttp

import (
	"slices"
	"sync"

	"github.com/checkrein/checkrein/internal/sys/process"
)

// maxLineage is the number of processes in a lineage from which on it counts as hiding ancestors.
const maxLineage = 128

// A Peer is the other end of a connection, as far as the system reports it. The zero Peer is unknown.
type Peer struct {
	Known bool // the system reported UID
	UID   int
	pid   int    // the process at the other end of a unix socket
	inode uint64 // the socket at the other end of a loopback connection

	holder int // a process at the other end; 0 = not looked for, -1 = not found; guarded by the limiter

	once sync.Once // sets only
	only process.ID
}

// Process returns the only process at the other end, or the zero ID if there are none or several. It
// looks once for all requests of a connection, because that means to read what every process has open.
func (p *Peer) Process() process.ID {
	p.once.Do(func() { p.only = p.findProcess() })
	return p.only
}

func (p *Peer) findProcess() process.ID {
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

// IsSameUser reports whether p certainly belongs to the user of this process.
func (p *Peer) IsSameUser() bool { return p.Known && ownUID >= 0 && p.UID == ownUID }

// Processes returns the ids of the processes that hold the other end, or nil if they are unknown.
func (p *Peer) Processes() []int {
	switch {
	case p.pid > 0:
		return []int{p.pid}
	case p.inode > 0:
		return socketHolders(p.inode)
	}
	return nil
}

// MayDescendFrom reports whether a process at the other end is a descendant of the process self, or
// may be one because its lineage hides ancestors.
func (p *Peer) MayDescendFrom(self int) bool {
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
