package localhttp

import (
	"slices"
	"sync/atomic"

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

	only atomic.Pointer[process.ID] // what FindProcesses found; nil = not called
}

// Process returns what [FindProcesses] found for p: the only process at the other end, or the zero ID
// if there are none or several. It reports false if FindProcesses was not called for p.
func (p *Peer) Process() (id process.ID, found bool) {
	if only := p.only.Load(); only != nil {
		return *only, true
	}
	return process.ID{}, false
}

// FindProcesses finds the processes at the other ends of peers, for [Peer.Process]. It reads once for
// all of them what every process has open.
func FindProcesses(peers []*Peer) {
	holders := socketHolders(peers...)
	for _, p := range peers {
		var id process.ID
		if pids := p.processes(holders); len(pids) == 1 {
			if line, _, err := process.Lineage(pids[0]); err == nil {
				id = line[0].ID
			}
		}
		p.only.Store(&id)
	}
}

// IsSameUser reports whether p certainly belongs to the user of this process.
func (p *Peer) IsSameUser() bool { return p.Known && ownUID >= 0 && p.UID == ownUID }

// Processes returns the ids of the processes that hold the other end, or nil if they are unknown.
func (p *Peer) Processes() []int { return p.processes(socketHolders(p)) }

// processes is Processes, with the holders of p's socket among holders.
func (p *Peer) processes(holders map[uint64][]int) []int {
	if p.pid > 0 {
		return []int{p.pid}
	}
	return holders[p.inode]
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
