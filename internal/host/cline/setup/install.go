//go:build ignore

package install

import (
	"bytes"
	"errors"
	"path/filepath"
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/hostfiles"
)

// clineShut prints Cline's own block.
const clineShut = `echo '{"cancel":true,"errorMessage":"` + unasked + `"}'`

var cline = spec{
	name: "cline", scopes: []Scope{User, Project},
	folders: []string{"Documents/Cline", ".cline"}, programs: []string{"cline"},
	within: 25, // Cline gives a hook 30 seconds
	// Exit codes mean nothing to Cline; what is not JSON lets the action happen.
	shell: true, trap: "trap " + quote(clineShut+"; exit 0") + " EXIT; ", shut: untrap,
	files: func(m *Machine, s Scope, want []entry) ([]file, error) {
		dir := filepath.Join(m.Home, "Documents", "Cline", "Hooks")
		if s == Project {
			dir = filepath.Join(m.Project, ".clinerules", "hooks")
		}
		var out []file
		for _, w := range want {
			out = append(out, file{path: filepath.Join(dir, w.event), form: script{"cline", w.event}, want: []entry{w}, mode: 0o755})
		}
		return out, nil
	},
	repeats: unknown,
	enabled: func(*Machine, []Site) Check {
		return Check{Unknown, "Cline runs hooks only after you turn them on: Settings, Features, Enable Hooks (in the CLI: hooks-enabled)"}
	},
	after: []string{"Cline runs hooks only after you turn them on: Settings, Features, Enable Hooks (in the CLI: hooks-enabled)."},
}

// A script is an executable named after the event.
type script struct{ host, event string }

var errNotOurs = errors.New("the file already exists and was not written by checkrein: move it away, or call checkrein from it")

func (s script) put(src []byte, want []entry) ([]byte, error) {
	if !isBlank(src) {
		if have, _ := s.find(src); len(have) == 0 {
			return nil, errNotOurs
		}
	}
	return []byte("#!/bin/sh\n# checkrein wrote this file: `checkrein uninstall " + s.host + "` removes it.\n" + want[0].command + "\n"), nil
}

func (s script) find(src []byte) ([]entry, error) {
	for line := range bytes.Lines(src) {
		command := strings.TrimSpace(string(line))
		if _, mine := hostfiles.Ours(command, s.host); mine {
			return []entry{{event: s.event, command: command}}, nil
		}
	}
	return nil, nil
}

func (s script) drop(src []byte) ([]byte, error) {
	if have, _ := s.find(src); len(have) == 0 {
		return src, nil
	}
	return nil, nil
}
