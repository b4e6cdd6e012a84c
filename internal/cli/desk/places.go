package desk

import (
	"errors"
	"fmt"
	"strings"

	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/evidence/ledger"
	"github.com/checkrein/checkrein/internal/sys/state"
	"github.com/checkrein/checkrein/internal/sys/userdirs"
)

// placesOf finds the directories of the person at the terminal. What variables say
// counts, unless it is not theirs.
func placesOf(env *console.Env) userdirs.Places {
	// Nothing is pinned, so nothing fails.
	p, _ := userdirs.Ask{Environ: env.Environ}.Find()
	return p
}

// tellPlaces tells the person what does not count.
func tellPlaces(env *console.Env) {
	for _, line := range placesOf(env).Told {
		fmt.Fprintln(env.Stderr, "checkrein:", line)
	}
}

// userDir is where the person's own files lie.
func userDir(env *console.Env) (string, error) {
	p := placesOf(env)
	if p.Config == "" {
		return "", refused(errors.New(strings.Join(append(p.Told, "checkrein does not know where your files are: set HOME to your home directory"), "; ")))
	}
	return p.Config, nil
}

// stateDir is the person's state directory.
func stateDir(env *console.Env) (state.Dir, error) {
	p := placesOf(env)
	if p.State == "" {
		return state.Dir{}, refused(errors.New(strings.Join(p.Told, "; ")))
	}
	return ledger.SealedDir(state.At(p.State)), nil
}
