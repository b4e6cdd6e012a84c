package packs

import "github.com/checkrein/checkrein/internal/shell"

// Rules calls fn with every rule of the built-in packs. Callers must not change
// them.
func Rules(fn func(*shell.Rule)) {
	for _, set := range all {
		for i := range set.Rules {
			fn(&set.Rules[i])
		}
	}
}
