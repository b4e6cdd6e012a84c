package install

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/hostfiles"
)

// ErrNotOurs reports a file at a path of checkrein's that checkrein did not write.
var ErrNotOurs = errors.New("the file already exists and was not written by checkrein: move it away, or call checkrein from it")

// A Module is a file of checkrein's that runs inside the host. Install overwrites it whenever its text
// changed.
type Module struct {
	Host   string
	Text   []byte
	Events []string // that it listens to
}

// moduleMark begins every module, followed by the host's name.
const moduleMark = "// Written by `checkrein install "

func (f Module) isOurs(src []byte) bool { return bytes.HasPrefix(src, []byte(moduleMark+f.Host+"`")) }

func (f Module) Put(src []byte, _ []Entry) ([]byte, error) {
	if !IsBlank(src) && !f.isOurs(src) {
		return nil, ErrNotOurs
	}
	return f.Text, nil
}

func (f Module) Drop(src []byte) ([]byte, error) {
	if !f.isOurs(src) {
		return src, nil
	}
	return nil, nil
}

func (f Module) Find(src []byte) ([]Entry, error) {
	if !f.isOurs(src) {
		return nil, nil
	}
	var program string
	var pins []string
	readConstant(src, "program", &program)
	readConstant(src, "pins", &pins)
	var out []Entry
	for _, event := range f.Events {
		out = append(out, Entry{Event: event, Command: quoteWords(append([]string{program, "hook", f.Host, "--serve-stdio"}, pins...))})
	}
	return out, nil
}

// readConstant decodes the value of a constant in a module into to, and leaves to unchanged if there
// is none.
func readConstant(src []byte, name string, to any) {
	for line := range bytes.Lines(src) {
		if value, ok := bytes.CutPrefix(line, []byte("const "+name+" = ")); ok {
			if json.Unmarshal(bytes.TrimRight(value, "; \r\n"), to) == nil {
				return
			}
		}
	}
}

// A Manifest is a JSON file of checkrein's beside a module.
type Manifest struct{ Text []byte }

func (f Manifest) Put(src []byte, _ []Entry) ([]byte, error) {
	if !IsBlank(src) && !f.isOurs(src) {
		return nil, ErrNotOurs
	}
	return f.Text, nil
}

// isOurs finds checkrein's name in the file, because JSON has no comments to mark it with.
func (f Manifest) isOurs(src []byte) bool { return bytes.Contains(src, []byte(`"checkrein`)) }

func (f Manifest) Drop(src []byte) ([]byte, error) {
	if !f.isOurs(src) {
		return src, nil
	}
	return nil, nil
}

func (f Manifest) Find([]byte) ([]Entry, error) { return nil, nil }

// EventsOf returns the names of the entries' events.
func EventsOf(list []Entry) []string {
	out := make([]string, len(list))
	for i, e := range list {
		out[i] = e.Event
	}
	return out
}

// A Script is an executable that the host runs for the event it is named after.
type Script struct{ Host, Event string }

func (s Script) Put(src []byte, want []Entry) ([]byte, error) {
	if !IsBlank(src) {
		if have, _ := s.Find(src); len(have) == 0 {
			return nil, ErrNotOurs
		}
	}
	return []byte("#!/bin/sh\n# checkrein wrote this file: `checkrein uninstall " + s.Host + "` removes it.\n" + want[0].Command + "\n"), nil
}

func (s Script) Find(src []byte) ([]Entry, error) {
	for line := range bytes.Lines(src) {
		command := strings.TrimSpace(string(line))
		if _, mine := hostfiles.OwnProgram(command, s.Host); mine {
			return []Entry{{Event: s.Event, Command: command}}, nil
		}
	}
	return nil, nil
}

func (s Script) Drop(src []byte) ([]byte, error) {
	if have, _ := s.Find(src); len(have) == 0 {
		return src, nil
	}
	return nil, nil
}
