package app

import (
	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/catalog/walls"
	"github.com/checkrein/checkrein/internal/engine"
)

// A Rehearsal makes a kit decide by a policy as it would where that policy is installed, for a program that
// supplies the calls itself. No hook is started in the background.
type Rehearsal struct {
	// Scope returns the scope of each of Options.Files, in place of the user's.
	Scope func(file string) checkrein.Scope
	// Trust determines which hooks run, in place of the user's approvals.
	Trust engine.Approver
	// Wrap returns the handler type to use in place of t.
	Wrap func(t checkrein.HandlerType) checkrein.HandlerType
	// Walls is where hooks with that sandbox run.
	Walls walls.Place
}

// namesOnly reports whether only the hooks of named files count.
func (o *Options) namesOnly() bool {
	return len(o.Files) > 0 && !o.Defaults
}

// hookWalls returns the function that returns where hooks with the sandbox walls run.
func (k *Kit) hookWalls(t *Rehearsal) func() walls.Place {
	if t == nil {
		return k.WallsPlace
	}
	return func() walls.Place { return t.Walls }
}

// wrapHandlers replaces handler types as t requires.
func wrapHandlers(t *Rehearsal, list []checkrein.HandlerType) {
	for i := range list {
		if t != nil {
			list[i] = t.Wrap(list[i])
		}
	}
}
