//go:build unix

package main

import (
	"errors"
	"os"
	"path/filepath"
)

// measureAppend measures a process that only appends one durable record, to the ledger or to SQLite.
func (b *bench) measureAppend(what, name string) error {
	program, err := b.programCopies(name)
	if err != nil {
		return err
	}
	floor, err := b.programCopies("hello")
	if err != nil {
		return err
	}
	dir := filepath.Join(b.dir, name+".peer")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	none := []string{os.DevNull}
	return b.measureRatio(what+" ÷ Go hello world", "–", "–", launchCandidate(none, os.Environ(), program, fileThenArgs(dir)), launchCandidate(none, os.Environ(), floor, fileThenArgs()))
}

// measureRecordedDecision measures a decision with its record against the same decision without one.
func (b *bench) measureRecordedDecision() error {
	dir := filepath.Join(b.dir, "decision")
	w, err := newWorkplace(dir)
	if err != nil {
		return err
	}
	own := filepath.Join(w.home, ".config", "checkrein")
	if err := errors.Join(os.MkdirAll(own, 0o700), os.WriteFile(filepath.Join(own, "checkrein.yaml"), []byte(fiftyRules()), 0o600)); err != nil {
		return err
	}
	program, _, events, err := b.prepare(w, dir, bashCommand(ruled))
	if err != nil {
		return err
	}
	return b.measureRatio("durable append: `hook` (denies, so fdatasync) ÷ the same decision by `eval`", "≤ 1.25", "≤ 1.10",
		launchCandidate(events, w.env(), program, fileThenArgs(w.hookArgs("native")...)), launchCandidate(events, w.env(), program, fileThenArgs("eval", "--json")))
}
