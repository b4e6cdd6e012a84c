package hot

import (
	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/sys/workplace"
	"github.com/checkrein/checkrein/internal/text/screen"
)

// screenOn is where a command prints for people, with the colours that --color says.
func screenOn(env console.Env, colour string) *screen.Screen {
	return screen.New(env.Stdout, screen.Options{Environ: env.Environ, Colour: colour, Home: workplace.Home(env.Environ), Now: env.Now()})
}

// colour reads the value of --color.
func (a *args) colour() string {
	v := a.value()
	if v != "auto" && v != "always" && v != "never" {
		a.fail("--color must be auto, always or never, not %q", v)
	}
	return v
}
