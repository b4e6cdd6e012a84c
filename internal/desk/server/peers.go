package server

import (
	"maps"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/checkrein/checkrein/internal/app"
	"github.com/checkrein/checkrein/internal/sys/localhttp"
	"github.com/checkrein/checkrein/internal/sys/process"
)

// noteInterval is how often a process that sends events is noted again.
const noteInterval = 10 * time.Second

// maxSeen is the number of processes that are remembered. Those that are forgotten are noted later.
const maxSeen = 4096

// peers are the processes that send events.
type peers struct {
	mu      sync.Mutex
	seen    map[process.ID]time.Time       // when they were noted; zero = they sent one event
	unknown map[*localhttp.Peer][]*app.Kit // peers whose process is not known yet, with the kits of their events
	noted   chan struct{}                  // is closed when the processes of unknown are noted
	search  sync.WaitGroup                 // the goroutine that empties unknown
	isBusy  bool                           // search runs
}

// note notes the process of peer as a host once it has sent more than one event, so that its child
// processes count as an agent's. A process that sends a single event, such as curl, is not noted. It
// returns a function that waits until that is done: the event is judged meanwhile, and its answer must
// wait, because a process that has its answer may close the connection by which it is found. To find it
// means to read what every process has open, so a connection is looked up once, and connections that are
// opened at the same time share one search.
func (ps *peers) note(k *app.Kit, peer *localhttp.Peer) (wait func()) {
	if id, found := peer.Process(); found {
		ps.noteProcess(k, id)
		return func() {}
	}
	ps.mu.Lock()
	defer ps.mu.Unlock()
	ps.unknown[peer] = append(ps.unknown[peer], k)
	noted := ps.noted
	if !ps.isBusy {
		ps.isBusy = true
		ps.search.Go(ps.findUnknown)
	}
	return func() { <-noted }
}

// findUnknown finds and notes the processes of unknown peers until there are none.
func (ps *peers) findUnknown() {
	for {
		ps.mu.Lock()
		batch, noted := ps.unknown, ps.noted
		if len(batch) == 0 {
			ps.isBusy = false
			ps.mu.Unlock()
			return
		}
		ps.unknown, ps.noted = map[*localhttp.Peer][]*app.Kit{}, make(chan struct{})
		ps.mu.Unlock()
		localhttp.FindProcesses(slices.Collect(maps.Keys(batch)))
		for p, kits := range batch {
			id, _ := p.Process()
			for _, k := range kits {
				ps.noteProcess(k, id)
			}
		}
		close(noted)
	}
}

// noteProcess notes id, from which an event came, if it is due.
func (ps *peers) noteProcess(k *app.Kit, id process.ID) {
	if id.PID == 0 || id.PID == os.Getpid() {
		return
	}
	now := time.Now()
	ps.mu.Lock()
	if len(ps.seen) >= maxSeen {
		clear(ps.seen)
	}
	last, again := ps.seen[id]
	isDue := now.Sub(last) > noteInterval
	switch {
	case !again:
		ps.seen[id] = time.Time{}
	case isDue:
		ps.seen[id] = now
	}
	ps.mu.Unlock()
	if again && isDue {
		k.NoteProcess(id.PID)
	}
}
