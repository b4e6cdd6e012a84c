package hot

import (
	"github.com/checkrein/checkrein/internal/cli/console"
	"os"
	"os/signal"
)

// replaceProcess runs the program at path and returns its exit code, since Windows cannot replace a
// process. Ctrl-C reaches both processes; this one ignores it, so that the child decides.
func replaceProcess(path string, argv, environ []string) (int, error) {
	ignored := make(chan os.Signal, 1)
	signal.Notify(ignored, os.Interrupt)
	defer signal.Stop(ignored)
	p, err := os.StartProcess(path, argv, &os.ProcAttr{Env: environ, Files: []*os.File{os.Stdin, os.Stdout, os.Stderr}})
	if err != nil {
		return console.Bug, err
	}
	st, err := p.Wait()
	if err != nil {
		return console.Bug, err
	}
	return st.ExitCode(), nil
}
