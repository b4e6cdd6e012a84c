package base

import (
	"fmt"
	"io"

	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/sys/environ"
	"github.com/checkrein/checkrein/internal/text/term"
)

// Screen is where a command prints for people.
func Screen(env *console.Env, w io.Writer) *term.Screen {
	return term.New(w, term.Options{
		Environ: env.Environ, Colour: env.Colour, Home: environ.Home(env.Environ), Now: env.Now(), Zone: Zone(env),
	})
}

// A ColourFlag is the value of --color.
type ColourFlag string

func (c *ColourFlag) String() string { return string(*c) }
func (c *ColourFlag) Type() string   { return "when" }

// Set takes the three words that programs agree on.
func (c *ColourFlag) Set(v string) error {
	switch v {
	case "auto", "always", "never":
		*c = ColourFlag(v)
		return nil
	}
	return fmt.Errorf("must be auto, always or never")
}
