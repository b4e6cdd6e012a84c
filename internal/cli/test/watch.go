package test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/checkrein/checkrein/internal/cli/base"
	"github.com/checkrein/checkrein/internal/text/term"
)

// watchInterval is how often files are compared.
const watchInterval = 300 * time.Millisecond

// runAgain runs the test files at paths, and then each of them again whenever it, its policy or a file
// that its hooks run changes, until ctx ends.
func (c *command) runAgain(ctx context.Context, paths []string) error {
	before := map[string]string{} // the state of all files by test file, when it was run
	for {
		for _, path := range paths {
			before[path] = fileStates(readFile(path))
		}
		_, err := c.runFiles(ctx, paths)
		if e := (*base.Exit)(nil); ctx.Err() == nil && err != nil && !(errors.As(err, &e) && e.Quiet) {
			return err
		}
		if ctx.Err() == nil {
			base.Screen(c.env, c.env.Stdout).Line(term.T(term.Faint, fmt.Sprintf("watching %s since %s; press Ctrl-C to end", base.Amount(len(before), "test file"), c.env.Now().Format(time.TimeOnly))))
		}
		for paths = nil; paths == nil; {
			select {
			case <-ctx.Done():
				return nil
			case <-time.After(watchInterval):
			}
			for path, state := range before {
				if fileStates(readFile(path)) != state {
					paths = append(paths, path)
				}
			}
		}
		slices.Sort(paths)
	}
}

// fileStates returns the sizes and times of the files on which the results of f depend, as text that
// changes when one of them does.
func fileStates(f *testFile) (out string) {
	for _, path := range append([]string{f.path, f.policy}, f.links...) {
		if info, err := os.Stat(path); err == nil {
			out += fmt.Sprintf("%s %d %d\n", path, info.Size(), info.ModTime().UnixNano())
		}
	}
	return out
}
