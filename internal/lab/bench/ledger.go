//go:build unix

package main

import (
	"errors"
	"os"
	"path/filepath"
)

// appends measures what a durable record costs a process that does nothing else,
// with the ledger or with SQLite.
func (b *bench) appends(what, name string) error {
	program, err := b.program(name)
	if err != nil {
		return err
	}
	floor, err := b.program("hello")
	if err != nil {
		return err
	}
	dir := filepath.Join(b.dir, name+".peer")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	none := []string{os.DevNull}
	return b.against(what+" ÷ Go hello world", "–", "–", launches(none, os.Environ(), program, fileThenArgs(dir)), launches(none, os.Environ(), floor, fileThenArgs()))
}

// decision measures a decision with its record against the same without.
func (b *bench) decision() error {
	dir := filepath.Join(b.dir, "decision")
	w, err := newWorkplace(dir)
	if err != nil {
		return err
	}
	own := filepath.Join(w.home, ".config", "checkrein")
	if err := errors.Join(os.MkdirAll(own, 0o700), os.WriteFile(filepath.Join(own, "checkrein.yaml"), []byte(fifty()), 0o600)); err != nil {
		return err
	}
	program, _, events, err := b.ready(w, dir, commandOf(ruled))
	if err != nil {
		return err
	}
	return b.against("durable append: `hook` (denies, so fdatasync) ÷ the same decision by `eval`", "≤ 1.25", "≤ 1.10",
		launches(events, w.env(), program, fileThenArgs(w.hookArgs("native")...)), launches(events, w.env(), program, fileThenArgs("eval", "--json")))
}
