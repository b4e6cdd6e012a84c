package desk

import (
	"fmt"
	"io"

	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/sys/environ"
	"github.com/checkrein/checkrein/internal/text/term"
)

// screenOn is where a command prints for people.
func screenOn(env *console.Env, w io.Writer) *term.Screen {
	return term.New(w, term.Options{
		Environ: env.Environ, Colour: env.Colour, Home: environ.Home(env.Environ), Now: env.Now(), Zone: zone(env),
	})
}

// A colourFlag is the value of --color.
type colourFlag string

func (c *colourFlag) String() string { return string(*c) }
func (c *colourFlag) Type() string   { return "when" }

// Set takes the three words that programs agree on.
func (c *colourFlag) Set(v string) error {
	switch v {
	case "auto", "always", "never":
		*c = colourFlag(v)
		return nil
	}
	return fmt.Errorf("must be auto, always or never")
}
