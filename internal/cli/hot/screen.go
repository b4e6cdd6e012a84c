package hot

import (
	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/sys/environ"
	"github.com/checkrein/checkrein/internal/text/term"
)

// newScreen returns a screen for stdout. colour is the value of --color.
func newScreen(env console.Env, colour string) *term.Screen {
	return term.New(env.Stdout, term.Options{Environ: env.Environ, Colour: colour, Home: environ.Home(env.Environ), Now: env.Now()})
}

// colourValue returns the value of --color. It sets the error if the value is not auto, always or
// never.
func (a *args) colourValue() string {
	v := a.value()
	if v != "auto" && v != "always" && v != "never" {
		a.fail("--color must be auto, always or never, not %q", v)
	}
	return v
}
