package install

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/hostfiles"
)

var ErrNotOurs = errors.New("the file already exists and was not written by checkrein: move it away, or call checkrein from it")

// A Module is a file of our own that runs inside the host. It is written anew
// whenever another would be made.
type Module struct {
	Host   string
	Text   []byte
	Events []string // that it hears
}

// moduleMark is how every module begins, followed by its host's name.
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
	constant(src, "program", &program)
	constant(src, "pins", &pins)
	var out []Entry
	for _, event := range f.Events {
		out = append(out, Entry{Event: event, Command: quoteWords(append([]string{program, "hook", f.Host, "--serve-stdio"}, pins...))})
	}
	return out, nil
}

// constant reads what a module has under a name; one that it lacks stays as it is.
func constant(src []byte, name string, to any) {
	for line := range bytes.Lines(src) {
		if value, ok := bytes.CutPrefix(line, []byte("const "+name+" = ")); ok {
			if json.Unmarshal(bytes.TrimRight(value, "; \r\n"), to) == nil {
				return
			}
		}
	}
}

// A Plain file is one of ours that goes with a module and holds only what we put
// there.
type Plain struct{ Text []byte }

func (f Plain) Put(src []byte, _ []Entry) ([]byte, error) {
	if !IsBlank(src) && !f.isOurs(src) {
		return nil, ErrNotOurs
	}
	return f.Text, nil
}

// isOurs looks for our name in it: JSON has no comments.
func (f Plain) isOurs(src []byte) bool { return bytes.Contains(src, []byte(`"checkrein`)) }

func (f Plain) Drop(src []byte) ([]byte, error) {
	if !f.isOurs(src) {
		return src, nil
	}
	return nil, nil
}

func (f Plain) Find([]byte) ([]Entry, error) { return nil, nil }

// EventsOf are the names of the events of some entries.
func EventsOf(list []Entry) []string {
	out := make([]string, len(list))
	for i, e := range list {
		out[i] = e.Event
	}
	return out
}

// A Script is an executable named after the event.
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
		if _, mine := hostfiles.Ours(command, s.Host); mine {
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
