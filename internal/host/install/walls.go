package install

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/checkrein/checkrein/internal/catalog/hosts"
	"github.com/checkrein/checkrein/internal/host/wire"
	"github.com/checkrein/checkrein/internal/sys/sandbox"
	"github.com/checkrein/checkrein/internal/sys/state"
	"github.com/checkrein/checkrein/internal/sys/wrap"
	"github.com/checkrein/checkrein/internal/text/message"
	"github.com/tailscale/hujson"
)

// A PrefixForm is the form of a JSON file that also names the program through which the host starts
// commands.
type PrefixForm struct {
	Form
	Keys    []string // the keys that lead to the setting
	Program string   // the path of checkrein-shell; "" = the setting is not added
	Next    string   // the program that was there before; "" = none
}

// PrefixForm returns form with the setting keys, for the host. The setting is added if the wrapper is
// in the state directory.
func (m *Machine) PrefixForm(host string, form Form, keys ...string) Form {
	f := &PrefixForm{Form: form, Keys: keys}
	if m.Walls || m.State.Has(wrap.HostFile(host)) {
		f.Program = m.State.Path(filepath.FromSlash(wrap.Program(host)))
	}
	if next, err := m.State.Read(wrap.NextFile(host), 4<<10); err == nil {
		f.Next = string(next)
	}
	return f
}

// baseForm returns f, or the form that f extends by a setting.
func baseForm(f Form) Form {
	if p, ok := f.(*PrefixForm); ok {
		return p.Form
	}
	return f
}

// isWrapper reports whether the setting value names the wrapper of any state directory.
func isWrapper(value string) bool {
	value = filepath.ToSlash(value)
	return filepath.Base(value) == filepath.Base(wrap.Program("")) && strings.Contains(value, "/"+wrap.Folder+"/")
}

// Setting returns the value of the setting in src, or "" if there is none.
func (f *PrefixForm) Setting(src []byte) string {
	doc, err := parseJSON(src, nil)
	if err != nil {
		return ""
	}
	return f.settingIn(doc)
}

// settingIn returns the value of the setting in doc.
func (f *PrefixForm) settingIn(doc *jsonDoc) string {
	last := len(f.Keys) - 1
	in, err := doc.objectAt(f.Keys[:last], false)
	if err != nil || in == nil {
		return ""
	}
	if v := in.get(f.Keys[last]); v != nil {
		if text, ok := v.Value.(hujson.Literal); ok {
			return text.String()
		}
	}
	return ""
}

// Put returns src with checkrein's entries and, if f.Program is set, the setting.
func (f *PrefixForm) Put(src []byte, want []Entry) ([]byte, error) {
	out, err := f.Form.Put(src, want)
	if err != nil {
		return nil, err
	}
	if f.Program == "" {
		return f.dropSetting(out)
	}
	return f.edit(out, f.Program)
}

// Drop returns src without checkrein's entries, and with the setting as it was before.
func (f *PrefixForm) Drop(src []byte) ([]byte, error) {
	out, err := f.dropSetting(src)
	if err != nil {
		return nil, err
	}
	return f.Form.Drop(out)
}

// dropSetting returns src with the setting as it was before checkrein set it.
func (f *PrefixForm) dropSetting(src []byte) ([]byte, error) {
	if !isWrapper(f.Setting(src)) {
		return src, nil
	}
	return f.edit(src, f.Next)
}

// edit returns src with the setting value, or without the setting if value is "".
func (f *PrefixForm) edit(src []byte, value string) ([]byte, error) {
	doc, err := parseJSON(src, nil)
	if err != nil {
		return nil, err
	}
	if f.settingIn(doc) == value {
		return src, nil
	}
	last := len(f.Keys) - 1
	in, err := doc.objectAt(f.Keys[:last], true)
	if err != nil {
		return nil, err
	}
	if value == "" {
		in.remove(f.Keys[last])
		doc.removeEmpty(f.Keys[:last])
	} else {
		in.set(f.Keys[last], value)
	}
	return doc.bytes()
}

// SetUpWalls puts the wrapper into the state directory, from the directory of the running program, so
// that the plan to install checkrein in the host adds the setting that starts commands through it.
func (m *Machine) SetUpWalls(name, running string) error {
	s, h, err := m.findSpec(name)
	if err != nil {
		return err
	}
	if _, ok := hosts.FindWrapper(name); !ok {
		return fmt.Errorf("%s has no setting for the program that starts commands, so there are no walls for it", h.Title)
	}
	if err := sandbox.CheckSupported(); err != nil {
		return err
	}
	files, err := m.scopeFiles(s, h, User, nil)
	if err != nil {
		return err
	}
	for _, f := range files {
		p, ok := f.Form.(*PrefixForm)
		if !ok {
			continue
		}
		src, err := ReadHostFile(f.Path)
		if err != nil {
			return err
		}
		if next := p.Setting(src); next != "" && !isWrapper(next) {
			if err := m.State.Write(wrap.NextFile(name), []byte(next)); err != nil {
				return err
			}
		}
	}
	program, err := os.ReadFile(filepath.Join(filepath.Dir(running), wrapperProgram))
	if errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("checkrein-shell is not beside checkrein in %s: install it there", filepath.Dir(running))
	}
	if err != nil {
		return err
	}
	if err := m.State.Write(wrap.ProgramFile, []byte(m.Program+"\n")); err != nil {
		return err
	}
	to := m.State.Path(filepath.FromSlash(wrap.Program(name)))
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return err
	}
	if err := state.ReplaceFile(to, program, 0o700); err != nil {
		return err
	}
	m.Walls = true
	return m.State.Write(wrap.HostFile(name), []byte(m.Now().UTC().Format(time.RFC3339)+"\n"))
}

// RemoveWalls forgets that the host starts commands through the wrapper. The wrapper itself stays until
// no host uses it.
func (m *Machine) RemoveWalls(name string) error {
	if !m.State.Has(wrap.HostFile(name)) {
		return nil
	}
	return errors.Join(m.State.Remove(wrap.HostFile(name)), m.State.Remove(wrap.NextFile(name)))
}

// noteOldWrapper adds a note to site if the wrapper through which the host starts commands differs from
// the one beside checkrein, as after an update.
func (m *Machine) noteOldWrapper(site *Site, host string) {
	program, err := m.State.Read(wrap.ProgramFile, 4<<10)
	if err != nil || !m.State.Has(wrap.HostFile(host)) {
		return
	}
	beside := filepath.Join(filepath.Dir(strings.TrimSpace(string(program))), wrapperProgram)
	now, err := os.ReadFile(beside)
	if err != nil {
		return
	}
	if have, err := os.ReadFile(m.State.Path(filepath.FromSlash(wrap.Program(host)))); err == nil && !bytes.Equal(have, now) {
		site.addNote("commands start through a copy of checkrein-shell that is not "+m.ShortPath(beside)+" of now", message.Run("checkrein install "+host+" --walls", "to renew it"))
	}
}

// checkWalls returns why the host does not start commands through the wrapper as install set it up.
func (m *Machine) checkWalls(s *Spec, h *wire.Host) []message.Message {
	if !m.State.Has(wrap.HostFile(s.Name)) {
		return nil
	}
	again := message.Run("checkrein install "+s.Name+" --walls", "to repair it")
	var out []message.Message
	wrapper := m.State.Path(filepath.FromSlash(wrap.Program(s.Name)))
	if err := checkRunnable(wrapper); err != nil {
		out = append(out, message.New(h.Title+" cannot start commands: checkrein-shell "+err.Error(), again))
	}
	if path, err := m.State.Read(wrap.ProgramFile, 4<<10); err == nil {
		program := strings.TrimSpace(string(path))
		if _, err := os.Stat(program); errors.Is(err, os.ErrNotExist) {
			out = append(out, message.New("nothing is contained: checkrein was removed from "+m.ShortPath(program), again))
		}
	}
	files, err := m.scopeFiles(s, h, User, nil)
	if err != nil {
		return append(out, message.FromError(err))
	}
	for _, f := range files {
		p, ok := f.Form.(*PrefixForm)
		if !ok {
			continue
		}
		if src, err := ReadHostFile(f.Path); err == nil && p.Setting(src) != wrapper {
			out = append(out, message.New(fmt.Sprintf("%s: %s does not name checkrein-shell, so nothing is contained", m.ShortPath(f.Path), strings.Join(p.Keys, ".")), again))
		}
	}
	return out
}
