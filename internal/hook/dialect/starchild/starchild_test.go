package starchild

import (
	"errors"
	"testing"

	"github.com/checkrein/checkrein/internal/hook/hookfile"
)

func TestMasterSwitch(t *testing.T) {
	t.Parallel()
	const agent = "/w/config/agent.yaml"
	for _, tt := range []struct {
		name, text, beside string
		off                bool
		want               string // an error, or a warning
	}{
		{"no file", "hooks: []", "", false, ""},
		{"says nothing", "hooks: []", "name: x\n", false, ""},
		{"says nothing of it", "hooks: []", "shell_hooks: {}\n", false, ""},
		{"null", "hooks: []", "shell_hooks:\n", false, ""},
		{"on", "hooks: []", "shell_hooks: {enabled: true}\n", false, ""},
		{"off", "hooks: []", "name: x\nshell_hooks:\n  enabled: false\n", true, ""},
		{"off, beside a broken file", "hooks: [", "shell_hooks: {enabled: false}\n", true, ""},
		{"off in YAML 1.1", "hooks: []", "shell_hooks: {enabled: off}\n", true, ""},
		{"No in YAML 1.1", "hooks: []", "shell_hooks: {enabled: No}\n", true, ""},
		{"YES in YAML 1.1", "hooks: []", "shell_hooks: {enabled: YES}\n", false, ""},
		{"another word", "hooks: []", "shell_hooks: {enabled: maybe}\n", false, agent + ":1: the master switch cannot be read, so hooks are on: shell_hooks.enabled is a string, not a boolean (write shell_hooks: {enabled: true} or {enabled: false})"},
		{"a text", "hooks: []", "shell_hooks: {enabled: 'false'}\n", false, agent + ":1: the master switch cannot be read, so hooks are on: shell_hooks.enabled is a string, not a boolean (write shell_hooks: {enabled: true} or {enabled: false})"},
		{"a flag", "hooks: []", "\nshell_hooks: false\n", false, agent + ":2: the master switch cannot be read, so hooks are on: shell_hooks is a boolean, not a mapping (write shell_hooks: {enabled: true} or {enabled: false})"},
		{"broken", "hooks: []", "shell_hooks: {enabled: false\n", false, agent + ":1: the master switch cannot be read, so hooks are on: this { is never closed (add } where the mapping ends) (write shell_hooks: {enabled: true} or {enabled: false})"},
		{"in the wrong file", "shell_hooks: {enabled: false}\nhooks: []", "", false, file + ":1: shell_hooks.enabled has no effect in this file (set shell_hooks.enabled in agent.yaml)"},
		{"short, in the wrong file", "enabled: false\nhooks: []", "", false, file + ":1: enabled has no effect in this file (set shell_hooks.enabled in agent.yaml)"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f, wrong := read(tt.text, tt.beside)
			if f.Lost != nil { // the file itself is broken
				wrong = nil
			}
			if f.Settings.Off != tt.off {
				t.Errorf("off: %v", f.Settings.Off)
			}
			got := ""
			if err := errors.Join(append(f.Warnings, wrong)...); err != nil {
				got = err.Error()
			}
			if got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

func TestDetect(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, file, text string
		want             bool
	}{
		{"by name", "/w/config/shell_hooks.yaml", "", true},
		{"by the other name", "shell_hooks.yml", "hooks: {}", true},
		{"a list", "h.yaml", "hooks:\n  - event: on_stop\n    command: /x\n", true},
		{"a list without indentation", "h.yaml", "# mine\r\nhooks: # all\r\n\r\n# c\r\n- event: on_stop\r\n", true},
		{"event is not the first", "h.yaml", "enabled: true\nhooks:\n- command: /x\n  'event': on_stop\n", true},
		{"flow", "h.yaml", "hooks: [{command: /x, event: on_stop}]\n", true},
		{"flow over lines", "h.yaml", "hooks: [\n  {\"event\": \"on_stop\"},\n]\n", true},
		{"keys behind", "h.yaml", "hooks:\n- event: on_stop\nshell_hooks: {}\n", true},
		{"native", "checkrein.yaml", "version: 1\nhooks:\n  stop:\n    - command: x\n", false},
		{"native, with a list by mistake", "x.yaml", "version: 1\nhooks:\n  - event: stop\n", false},
		{"native, version last", "x.yaml", "hooks:\n  - event: stop\nversion: 1\n", false},
		{"native with a condition on the event", "x.yaml", "version: 1\nhooks:\n  stop:\n    - if:\n        event: {is: stop}\n", false},
		{"docker-agent", "agent.yaml", "agents:\n  root:\n    hooks:\n      stop:\n        - event: x\n", false},
		{"hooks of something else", "x.yaml", "repos:\n- hooks:\n  - id: x\n    event: y\n", false},
		{"a list without events", "x.yaml", "hooks:\n- id: x\n", false},
		{"event in another block", "x.yaml", "hooks: []\nother:\n- event: x\n", false},
		{"nothing", "x.yaml", "", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := Dialect.Detect(hookfile.Source{File: tt.file, Data: []byte(tt.text)}); got != tt.want {
				t.Errorf("got %v", got)
			}
		})
	}
}
