package base

import (
	"os"

	"github.com/checkrein/checkrein/internal/cli/console"
)

func FileExists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// AbsolutePaths resolves file names of the command line.
func AbsolutePaths(env *console.Env, files []string) []string {
	out := make([]string, len(files))
	for i, f := range files {
		out[i] = env.Path(f)
	}
	return out
}
