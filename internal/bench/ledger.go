//go:build unix

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// appends measures what a durable record costs: in a process that does nothing
// else, beside the same with SQLite, and in a whole decision.
func appends(dir string, runs int) error {
	floor := filepath.Join(dir, "hello") // which starts built
	env := []string{"HOME=" + dir, "PATH=" + os.Getenv("PATH")}
	event := filepath.Join(dir, "event.json")
	for _, c := range []struct{ what, program, must string }{
		{"one process, one durable record in the ledger ÷ Go hello world", "appendledger", "–"},
		{"the same in SQLite (modernc, WAL, synchronous FULL) ÷ Go hello world", "appendsqlite", "–"},
	} {
		built := filepath.Join(dir, c.program+".built")
		if out, err := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", built, "./internal/bench/"+c.program).CombinedOutput(); err != nil {
			return fmt.Errorf("building %s: %w\n%s", c.program, err, out)
		}
		program, err := install(built, filepath.Join(dir, c.program))
		if err != nil {
			return err
		}
		cmd, base := launch(event, env, program, filepath.Join(dir, "peer")), launch(event, env, floor)
		if err := os.MkdirAll(filepath.Join(dir, "peer"), 0o700); err != nil {
			return err
		}
		series(10, cmd, base)
		a, b := series(runs, cmd, base)
		row(c.what, ratio(a, b), c.must, "–")
	}
	return decisions(dir, runs)
}

// decisions measures a decision with its record against the same without.
func decisions(dir string, runs int) error {
	home := filepath.Join(dir, "home")
	if err := os.MkdirAll(filepath.Join(home, ".config", "checkrein"), 0o700); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(home, ".config", "checkrein", "checkrein.yaml"), []byte(fifty()), 0o600); err != nil {
		return err
	}
	env := []string{"HOME=" + home, "PATH=" + os.Getenv("PATH")}
	program, event := filepath.Join(dir, "checkrein"), filepath.Join(dir, "event.json")
	with, without := launch(event, env, program, "hook", "native"), launch(event, env, program, "eval", "--json")
	series(10, with, without)
	a, b := series(runs, with, without)
	row("durable append: `hook` (denies, so fdatasync) ÷ the same decision by `eval`", ratio(a, b), "≤ 1.25", "≤ 1.10")
	base := launch(event, env, filepath.Join(dir, "hello"))
	a, b = series(runs, with, base)
	row("cold decision with durable record, 50 rules ÷ Go hello world", ratio(a, b), "≤ 1.8", "≤ 1.5")
	return nil
}
