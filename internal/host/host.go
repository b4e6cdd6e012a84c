// Package host lists the hosts that checkrein answers, one package each.
package host

import (
	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/host/claude"
	"github.com/checkrein/checkrein/internal/host/codex"
	"github.com/checkrein/checkrein/internal/host/copilot"
	"github.com/checkrein/checkrein/internal/host/wire"
)

// Table returns the hosts in order of importance. Callers must not change it.
func Table() []*wire.Host { return table[:] }

var table = [...]*wire.Host{
	&claude.Host,
	&codex.Host,
	&copilot.Host,
}

// Named finds a host.
func Named(name string) (*wire.Host, bool) {
	for _, h := range table {
		if h.Name == name {
			return h, true
		}
	}
	return nil, false
}

// Names lists the hosts' names.
func Names() []string {
	out := make([]string, len(table))
	for i, h := range table {
		out[i] = h.Name
	}
	return out
}

// Honours is what a host does with verdicts on a row. Whoever speaks checkrein's
// own words honours everything.
func Honours(name string, k checkrein.Kind) checkrein.Effect {
	if h, ok := Named(name); ok {
		return h.Honours(k)
	}
	return checkrein.AllEffects
}
