package install

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/hostfiles"
)

// ErrNotOurs means that the path of one of checkrein's files has a file that checkrein did not write.
var ErrNotOurs = errors.New("the file already exists and was not written by checkrein: move it away, or call checkrein from it")

// A Module is the form of a source file of checkrein that runs inside the host. Put replaces the whole
// file.
type Module struct {
	Host   string
	Text   []byte
	Events []string // that it listens to
}

// moduleMark is the beginning of every module; the host's name follows.
const moduleMark = "// Written by `checkrein install "

// isOwnSource reports whether checkrein wrote src for this host.
func (f Module) isOwnSource(src []byte) bool {
	return bytes.HasPrefix(src, []byte(moduleMark+f.Host+"`"))
}

func (f Module) Put(src []byte, _ []Entry) ([]byte, error) {
	if !IsBlank(src) && !f.isOwnSource(src) {
		return nil, ErrNotOurs
	}
	return f.Text, nil
}

func (f Module) Drop(src []byte) ([]byte, error) {
	if !f.isOwnSource(src) {
		return src, nil
	}
	return nil, nil
}

func (f Module) Find(src []byte) ([]Entry, error) {
	if !f.isOwnSource(src) {
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

// readConstant decodes the value of the constant name in a module's source into to. It leaves to
// unchanged if there is no such constant.
func readConstant(src []byte, name string, to any) {
	for line := range bytes.Lines(src) {
		if value, ok := bytes.CutPrefix(line, []byte("const "+name+" = ")); ok {
			if json.Unmarshal(bytes.TrimRight(value, "; \r\n"), to) == nil {
				return
			}
		}
	}
}

// A Manifest is the form of the JSON file that describes a module to the host.
type Manifest struct{ Text []byte }

func (f Manifest) Put(src []byte, _ []Entry) ([]byte, error) {
	if !IsBlank(src) && !f.isOwnSource(src) {
		return nil, ErrNotOurs
	}
	return f.Text, nil
}

// isOwnSource reports whether src names checkrein. JSON has no comments that could mark it.
func (f Manifest) isOwnSource(src []byte) bool { return bytes.Contains(src, []byte(`"checkrein`)) }

func (f Manifest) Drop(src []byte) ([]byte, error) {
	if !f.isOwnSource(src) {
		return src, nil
	}
	return nil, nil
}

func (f Manifest) Find([]byte) ([]Entry, error) { return nil, nil }

// EventsOf returns the events of the entries in list.
func EventsOf(list []Entry) []string {
	out := make([]string, len(list))
	for i, e := range list {
		out[i] = e.Event
	}
	return out
}

// A Script is the form of an executable script that the host runs for the event after which the file
// is named.
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
