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

// ReadYAML returns a reader of YAML that has the companion read it. Readings of
// configuration files are cached, so that happens once for a project and an edit.
func ReadYAML(ctx context.Context, env console.Env) yamldoc.Reader {
	return yamldoc.Through(func() (io.ReadWriter, error) {
		path := companion(env)
		if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
			return nil, fmt.Errorf("checkreind is not in the same directory as checkrein (%s): install both", path)
		}
		// It ends with this program, which closes the pipe.
		return process.Open(ctx, process.Spec{Argv: []string{path, "yaml"}, Env: environ.Unmoved(env.Environ)})
	}, build.Version)
}
