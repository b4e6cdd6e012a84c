package setup

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/checkrein/checkrein/internal/approval/loosening"
	"github.com/checkrein/checkrein/internal/cli/base"
	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/hook/config"
	"github.com/checkrein/checkrein/internal/hook/dialect"
	"github.com/checkrein/checkrein/internal/sys/state"
)

// shadowPeriod is how long the shadow mode of install --shadow lasts.
const shadowPeriod = 7 * 24 * time.Hour

// writeShadow sets shadow: in the user's own checkrein.yaml, and confirms the setting, since the user
// has just asked for it.
func writeShadow(env *console.Env, dryRun bool) error {
	dir, err := base.UserDir(env)
	if err != nil {
		return err
	}
	path := filepath.Join(dir, "checkrein.yaml")
	until := env.Now().Add(shadowPeriod).UTC().Format(time.RFC3339)
	old, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return base.AsRefusal(err)
	}
	if dryRun {
		fmt.Fprintf(env.Stdout, "would set shadow: %s in %s\n", until, path)
		return nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return base.AsRefusal(err)
	}
	if err := state.ReplaceFile(path, withShadow(old, until), 0o644); err != nil {
		return base.AsRefusal(err)
	}
	read := config.Load(config.Options{Files: []string{path}, Dialect: dialect.Detect})
	if read.Settings.Shadow != until {
		err := errors.New("a line cannot be added to a file with this layout")
		if old == nil {
			return base.AsRefusal(errors.Join(err, os.Remove(path)))
		}
		return base.AsRefusal(fmt.Errorf("shadow cannot be set in %s (%w): add shadow: %s yourself", path, errors.Join(err, state.ReplaceFile(path, old, 0o644)), until))
	}
	home, err := base.StateDir(env)
	if err == nil {
		err = loosening.AcceptShadow(home, until)
	}
	if err != nil {
		return base.AsRefusal(err)
	}
	fmt.Fprintf(env.Stdout, "until %s, hook decisions are only recorded; only self-protection is enforced (shadow: in %s)\n", until, path)
	return nil
}

// withShadow returns the file content old with its shadow: line replaced, or with the line added at
// the end if it has none.
func withShadow(old []byte, until string) []byte {
	line := "shadow: " + until + "\n"
	if len(old) == 0 {
		return []byte("version: 1\n" + line)
	}
	var out strings.Builder
	done := false
	for l := range strings.Lines(string(old)) {
		if strings.HasPrefix(l, "shadow:") {
			l, done = line, true
		}
		out.WriteString(l)
	}
	if !done {
		if !strings.HasSuffix(out.String(), "\n") {
			out.WriteByte('\n')
		}
		out.WriteString(line)
	}
	return []byte(out.String())
}
