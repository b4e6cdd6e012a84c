package setup

import (
	"fmt"

	"github.com/checkrein/checkrein/internal/cli/base"
	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/host/install"
	"github.com/checkrein/checkrein/internal/sys/userdirs"
)

// checkPins refuses to pin directories that checkrein would not take for the
// person's, and warns of those that it would not take in the project at hand.
func checkPins(env *console.Env, m *install.Machine) error {
	if _, err := base.UserDir(env); err != nil {
		return err
	}
	for _, dir := range []string{m.Config, m.State.Path()} {
		if err := userdirs.Check(dir); err != nil {
			return base.Refused(fmt.Errorf("%s: %w", dir, err))
		}
		if err := userdirs.Check(dir, m.Project); err != nil {
			fmt.Fprintf(env.Stderr, "warning: the directory %s is not safe: %v\n", dir, err)
		}
	}
	return nil
}

// note notes where the person's directories are, for what is called without pins:
// lines of older installations, and git hooks. The last host that goes takes the
// note along.
func note(m *install.Machine, undo bool) error {
	if !undo {
		return userdirs.Note(m.Home, m.Config, m.State.Path())
	}
	if _, dir, ok := userdirs.Noted(m.Home); !ok || dir != m.State.Path() {
		return nil
	}
	if any, err := m.Any(); any || err != nil {
		return err
	}
	return userdirs.Forget(m.Home)
}
