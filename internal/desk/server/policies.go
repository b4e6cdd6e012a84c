package server

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/checkrein/checkrein/internal/app"
	"github.com/checkrein/checkrein/internal/sys/localhttp"
)

const (
	// refreshInterval is how long events are answered before the configuration is read again.
	refreshInterval = 250 * time.Millisecond
	// unusedAfter is after which time without events a kit is dropped.
	unusedAfter = 10 * time.Minute
	maxKits     = 512
)

// A policies holds a kit for each place from which events come, so that the configuration is not read
// again for each event. If a change of the configuration is broken, the last good one remains.
type policies struct {
	open   func(place) (*app.Kit, error)
	report func(error)

	mu   sync.Mutex
	kits map[place]*policy

	reported string // the fault that was reported last
}

// A place is what determines which configuration counts for an event.
type place struct{ dir, session, agent string }

// A policy is a kit that is kept up to date.
type policy struct {
	mu    sync.Mutex // held while the configuration is read
	state sync.RWMutex
	kit   *app.Kit
	fault string    // why the configuration as it is now is not in force
	since time.Time // when the version in force was first read
	read  time.Time
	used  time.Time
}

// get returns the kit for events from at.
func (p *policies) get(at place) (*app.Kit, error) {
	p.mu.Lock()
	c := p.kits[at]
	if c == nil {
		if len(p.kits) >= maxKits {
			p.dropUnused(time.Minute)
		}
		c = &policy{}
		p.kits[at] = c
	}
	p.mu.Unlock()
	c.state.Lock()
	c.used = time.Now()
	k, isFresh := c.kit, c.used.Sub(c.read) < refreshInterval
	c.state.Unlock()
	switch {
	case isFresh:
		return k, nil
	case k == nil:
		c.mu.Lock()
	case !c.mu.TryLock(): // another event reads the configuration
		return k, nil
	}
	defer c.mu.Unlock()
	if k == nil && c.kit != nil { // another event was first
		return c.kit, nil
	}
	return p.refresh(c, at)
}

// refresh reads the configuration of c, whose mu is held, and returns the kit in force.
func (p *policies) refresh(c *policy, at place) (*app.Kit, error) {
	k, err := p.open(at)
	if err != nil {
		return nil, err
	}
	now, fault := time.Now(), firstFault(k)
	if fault != "" {
		if good := p.findGood(c, k.Root(), at.agent); good != nil {
			k = good
		}
	}
	c.state.Lock()
	defer c.state.Unlock()
	if fault != c.fault && firstFault(k) == "" {
		p.reportOnce(fault)
	}
	if c.kit == nil || c.kit.Policy() != k.Policy() {
		c.since = now
	}
	c.kit, c.fault, c.read = k, fault, now
	return k, nil
}

// reportOnce reports fault, unless that was done for another session. "" means that it was repaired.
func (p *policies) reportOnce(fault string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.reported == fault {
		return
	}
	if p.reported = fault; fault != "" {
		p.report(errors.New("a change of the configuration is broken, so the previous one remains in force: " + fault))
	}
}

// findGood returns a kit for the same project whose configuration was read without a fault: that of c,
// or of another session. It returns nil if there is none.
func (p *policies) findGood(c *policy, root, agent string) *app.Kit {
	if c.kit != nil && firstFault(c.kit) == "" {
		return c.kit
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for at, other := range p.kits {
		if other == c || at.agent != agent {
			continue
		}
		other.state.RLock()
		k := other.kit
		other.state.RUnlock()
		if k != nil && k.Root() == root && firstFault(k) == "" {
			return k
		}
	}
	return nil
}

// firstFault returns the first mistake in the configuration of k, or "".
func firstFault(k *app.Kit) string {
	for _, f := range k.Files() {
		if f.Err != nil {
			return f.Err.Error()
		}
	}
	return ""
}

// dropUnused drops the policies that were not used for a while. mu is held.
func (p *policies) dropUnused(after time.Duration) {
	now := time.Now()
	maps.DeleteFunc(p.kits, func(_ place, c *policy) bool {
		c.state.RLock()
		defer c.state.RUnlock()
		return now.Sub(c.used) > after
	})
	if len(p.kits) >= maxKits {
		clear(p.kits)
	}
}

// A PolicyFile is a configuration file.
type PolicyFile struct {
	Path    string `json:"path"`
	Scope   string `json:"scope"`
	Dialect string `json:"dialect,omitempty"`
	Hooks   int    `json:"hooks"`
	Error   string `json:"error,omitempty"`
}

// A Policy is the policy in force in a project.
type Policy struct {
	Root string `json:"root"`
	// Version is the version that records have.
	Version string       `json:"version"`
	Since   time.Time    `json:"since"`
	Files   []PolicyFile `json:"files"`
	// Fault is why the files as they are now are not in force; then an earlier version is.
	Fault string `json:"fault,omitempty"`
}

// A PolicyList is the answer to requests about policies.
type PolicyList struct {
	Policies []Policy `json:"policies"`
}

// list returns the policies in use, by project.
func (p *policies) list() PolicyList {
	p.mu.Lock()
	p.dropUnused(unusedAfter)
	all := slices.Collect(maps.Values(p.kits))
	p.mu.Unlock()
	byRoot := map[string]Policy{}
	for _, c := range all {
		c.state.RLock()
		k, one := c.kit, Policy{Since: c.since, Fault: c.fault, Files: []PolicyFile{}}
		c.state.RUnlock()
		if k == nil {
			continue
		}
		one.Root, one.Version = k.Root(), k.Policy()
		for _, f := range k.Files() {
			file := PolicyFile{Path: f.Path, Scope: f.Scope.String(), Dialect: f.Dialect, Hooks: f.Hooks}
			if f.Err != nil {
				file.Error = f.Err.Error()
			}
			one.Files = append(one.Files, file)
		}
		if have, ok := byRoot[one.Root]; !ok || have.Since.Before(one.Since) {
			byRoot[one.Root] = one
		}
	}
	list := PolicyList{Policies: slices.AppendSeq([]Policy{}, maps.Values(byRoot))}
	slices.SortFunc(list.Policies, func(a, b Policy) int { return cmp.Compare(a.Root, b.Root) })
	return list
}

// listPolicies answers with the policies in use.
func (s *Server) listPolicies(_ context.Context, r *localhttp.Request) localhttp.Answer {
	if _, refused := s.kitFor(r); refused != nil {
		return *refused
	}
	return jsonAnswer(http.StatusOK, s.policies.list())
}

// reloadPolicies reads the configuration of all policies in use now. If a change is broken, the status
// is 422, and the last good version remains in force.
func (s *Server) reloadPolicies(_ context.Context, r *localhttp.Request) localhttp.Answer {
	p := s.policies
	p.mu.Lock()
	for _, c := range p.kits {
		c.state.Lock()
		c.read = time.Time{}
		c.state.Unlock()
	}
	all := maps.Clone(p.kits)
	p.mu.Unlock()
	for at := range all {
		if _, err := p.get(at); err != nil {
			return unavailable(err)
		}
	}
	if _, refused := s.kitFor(r); refused != nil {
		return *refused
	}
	list, status := p.list(), http.StatusOK
	if slices.ContainsFunc(list.Policies, func(one Policy) bool { return one.Fault != "" }) {
		status = http.StatusUnprocessableEntity
	}
	return jsonAnswer(status, list)
}
