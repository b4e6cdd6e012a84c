package install

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/checkrein/checkrein/internal/sys/state"
)

// Apply writes the changes of a plan. It first saves the previous contents of the files in the record,
// so that an interrupted installation can be undone. It returns an error if another program changed
// one of the files since the plan was made. A plan that only prints text is not applied.
func (m *Machine) Apply(p *Plan) error {
	if p.Print != "" {
		return nil
	}
	name := p.record.fileName()
	if p.removesRecord && len(p.Changes) == 0 {
		if _, err := m.State.Read(name, maxRecord); errors.Is(err, fs.ErrNotExist) {
			return nil // nothing was ever installed
		}
	}
	unlock, err := m.State.Lock("install/hosts") // one installation at a time
	if err != nil {
		return err
	}
	defer unlock()
	for _, c := range p.Changes {
		now, err := ReadHostFile(c.target)
		if err != nil {
			return err
		}
		if !bytes.Equal(now, c.Before) || (now == nil) != (c.Before == nil) {
			return fmt.Errorf("%s was changed by another program in the meantime: try again", c.Path)
		}
	}
	if !p.removesRecord {
		if m.Ledger != nil {
			p.record.Ledger = m.Ledger(p.Host)
		}
		raw, err := json.Marshal(p.record)
		if err != nil {
			return err
		}
		if err := m.State.Write(name, append(raw, '\n')); err != nil {
			return fmt.Errorf("the previous contents could not be saved: %w", err)
		}
	}
	for _, c := range p.Changes {
		if err := c.apply(p.Scope); err != nil {
			return fmt.Errorf("%s: %w", c.Path, err)
		}
	}
	if p.removesRecord {
		return m.State.Remove(name)
	}
	return nil
}

// apply writes the new contents of the file, or removes the file and its now empty directories if
// After is nil.
func (c *Change) apply(s Scope) error {
	if c.After == nil {
		if err := os.Remove(c.Path); err != nil {
			return err
		}
		for _, dir := range c.dirs {
			if os.Remove(dir) != nil { // not empty
				break
			}
		}
		return nil
	}
	mode := c.mode
	if info, err := os.Stat(c.target); err == nil {
		mode = info.Mode().Perm() | c.mode&0o111
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	dirMode := fs.FileMode(0o700)
	if s != User {
		dirMode = 0o755
	}
	if err := os.MkdirAll(filepath.Dir(c.target), dirMode); err != nil {
		return err
	}
	return state.ReplaceFile(c.target, c.After, mode)
}

// missingDirs returns the parent directories of path that do not exist, innermost first.
func missingDirs(path string) []string {
	var out []string
	for dir := filepath.Dir(path); ; dir = filepath.Dir(dir) {
		if _, err := os.Lstat(dir); !errors.Is(err, fs.ErrNotExist) || dir == filepath.Dir(dir) {
			return out
		}
		out = append(out, dir)
	}
}
