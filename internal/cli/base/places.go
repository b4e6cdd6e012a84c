package base

import (
	"errors"
	"fmt"
	"strings"

	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/evidence/ledger"
	"github.com/checkrein/checkrein/internal/sys/state"
	"github.com/checkrein/checkrein/internal/sys/userdirs"
)

// Places finds the directories of the person at the terminal. What variables say
// counts, unless it is not theirs.
func Places(env *console.Env) userdirs.Places {
	// Nothing is pinned, so nothing fails.
	p, _ := userdirs.Ask{Environ: env.Environ}.Find()
	return p
}

// WarnPlaces tells the person what does not count.
func WarnPlaces(env *console.Env) {
	for _, line := range Places(env).Told {
		fmt.Fprintln(env.Stderr, "checkrein:", line)
	}
}

// UserDir is where the person's own files lie.
func UserDir(env *console.Env) (string, error) {
	p := Places(env)
	if p.Config == "" {
		return "", Refused(errors.New(strings.Join(append(p.Told, "checkrein does not know where your files are: set HOME to your home directory"), "; ")))
	}
	return p.Config, nil
}

// StateDir is the person's state directory.
func StateDir(env *console.Env) (state.Dir, error) {
	p := Places(env)
	if p.State == "" {
		return state.Dir{}, Refused(errors.New(strings.Join(p.Told, "; ")))
	}
	return ledger.SealedDir(state.At(p.State)), nil
}
