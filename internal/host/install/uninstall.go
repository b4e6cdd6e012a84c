package install

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
)

// PlanUninstall returns a plan that removes checkrein from the files of the host called name. It
// restores a file that is unchanged since the installation byte for byte, and removes only checkrein's
// entries from other files.
func (m *Machine) PlanUninstall(name string, o Options) (*Plan, error) {
	s, h, err := m.findSpec(name)
	if err != nil {
		return nil, err
	}
	p := &Plan{Host: name, Title: h.Title, Scope: o.Scope, removesRecord: true, record: m.newRecord(name, o.Scope)}
	if s.Print != nil {
		p.Notes = append(p.Notes, "nothing to uninstall: if you added checkrein's entries by hand, remove them by hand")
		return p, nil
	}
	old, err := m.loadRecord(name, o.Scope)
	if err != nil {
		return nil, err
	}
	want, err := m.wantedEntries(s, h, o.Scope, old.Events)
	if err != nil {
		return nil, err
	}
	files, err := m.scopeFiles(s, h, o.Scope, want)
	if err != nil && !errors.Is(err, ErrNoPlace) { // recorded files may still exist
		return nil, err
	}
	for _, f := range m.addRecordedFiles(files, &old) {
		if err := p.removeFile(m, f, &old, o); err != nil {
			return nil, fmt.Errorf("%s: %w", f.Path, err)
		}
	}
	if s.Leftover != nil {
		if text := s.Leftover(m); text != "" {
			p.Notes = append(p.Notes, text)
		}
	}
	return p, nil
}

// addRecordedFiles returns files and the files in old that have other paths.
func (m *Machine) addRecordedFiles(files []File, old *record) []File {
	for _, k := range old.Files {
		if slices.ContainsFunc(files, func(f File) bool { return f.Path == k.Path }) {
			continue
		}
		f := File{Path: k.Path, Form: unknownForm{}}
		for _, known := range files {
			if filepath.Base(known.Path) == filepath.Base(k.Path) || filepath.Ext(known.Path) == filepath.Ext(k.Path) && filepath.Ext(k.Path) == ".json" {
				f.Form = known.Form
			}
		}
		files = append(files, f)
	}
	return files
}

// An unknownForm is the form of a recorded file that is not among the host's files any more. It edits
// nothing, so the file is restored from the record or left alone.
type unknownForm struct{}

func (unknownForm) Put(src []byte, _ []Entry) ([]byte, error) { return src, nil }

// Drop returns src as it is: it removes nothing.
func (unknownForm) Drop(src []byte) ([]byte, error) { return src, nil }
func (unknownForm) Find([]byte) ([]Entry, error)    { return nil, nil }

// removeFile adds the change that removes checkrein from one file.
func (p *Plan) removeFile(m *Machine, f File, old *record, o Options) error {
	o.Force = true // install wrote through the same symlink
	target, err := p.resolveTarget(m, f.Path, o)
	if err != nil {
		return err
	}
	src, err := ReadHostFile(target)
	if err != nil || src == nil {
		return err
	}
	k := old.findFile(f.Path)
	c := Change{Path: f.Path, Before: src, target: target}
	if k != nil {
		c.dirs = k.Dirs
	}
	switch {
	case k != nil && Digest(src) == k.After && k.Made:
	case k != nil && Digest(src) == k.After:
		c.After = append([]byte{}, k.Before...) // not nil: the file may have been empty
	default:
		if c.After, err = f.Form.Drop(src); err != nil {
			return err
		}
		if c.After == nil && k != nil && !k.Made {
			c.After = append([]byte{}, k.Before...)
		}
		if bytes.Equal(c.After, src) {
			return nil
		}
		if k != nil {
			p.Notes = append(p.Notes, fmt.Sprintf("%s was changed after checkrein was installed: only checkrein's entries will be removed", m.ShortPath(f.Path)))
		}
	}
	p.Changes = append(p.Changes, c)
	return nil
}
