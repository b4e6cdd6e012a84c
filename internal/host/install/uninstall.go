package install

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
)

// Uninstall plans to take a host's wires away: a file that nobody touched since
// becomes what it was, byte for byte; of another only our entries go.
func (m *Machine) Uninstall(name string, o Options) (*Plan, error) {
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
	files, err := m.filesOf(s, h, o.Scope, want)
	if err != nil && !errors.Is(err, ErrNoPlace) { // where nothing can be installed, nothing is
		return nil, err
	}
	for _, f := range m.withRecorded(files, &old) {
		if err := p.uninstall(m, f, &old, o); err != nil {
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

// withRecorded adds files that we wrote when the host's were elsewhere.
func (m *Machine) withRecorded(files []File, old *record) []File {
	for _, k := range old.Files {
		if slices.ContainsFunc(files, func(f File) bool { return f.Path == k.Path }) {
			continue
		}
		f := File{Path: k.Path, Form: whole{}}
		for _, known := range files {
			if filepath.Base(known.Path) == filepath.Base(k.Path) || filepath.Ext(known.Path) == filepath.Ext(k.Path) && filepath.Ext(k.Path) == ".json" {
				f.Form = known.Form
			}
		}
		files = append(files, f)
	}
	return files
}

// whole is the form of a file of which nothing is known any more: it is
// restored, or left alone.
type whole struct{}

func (whole) Put(src []byte, _ []Entry) ([]byte, error) { return src, nil }
func (whole) Drop(src []byte) ([]byte, error)           { return src, nil }
func (whole) Find([]byte) ([]Entry, error)              { return nil, nil }

func (p *Plan) uninstall(m *Machine, f File, old *record, o Options) error {
	o.Force = true // what is taken out again was put in through the same link
	target, err := p.resolveTarget(m, f.Path, o)
	if err != nil {
		return err
	}
	src, err := Read(target)
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
		c.After = append([]byte{}, k.Before...) // an empty file is one too
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
