package hot

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/sys/build"
	"github.com/checkrein/checkrein/internal/sys/environ"
	"github.com/checkrein/checkrein/internal/sys/process"
	"github.com/checkrein/checkrein/internal/text/yamldoc"
)

// ReadYAML returns a YAML reader that runs the companion. Since parsed configuration files are cached,
// the companion runs only once for each edit in a project.
func ReadYAML(ctx context.Context, env console.Env) yamldoc.Reader {
	return yamldoc.NewPipeReader(func() (io.ReadWriter, error) {
		path := companionPath(env)
		if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
			return nil, fmt.Errorf("checkreind is not in the same directory as checkrein (%s): install both", path)
		}
		// The companion ends with this program, which closes the pipe.
		return process.OpenStream(ctx, process.Spec{Argv: []string{path, "yaml"}, Env: environ.WithoutConnectionRedirects(env.Environ)})
	}, build.Version)
}
