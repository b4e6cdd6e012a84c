package install

import (
	"bytes"
	"encoding/json"
)

// A module is a file of our own that runs inside the host. It is written anew
// whenever another would be made.
type module struct {
	host   string
	text   []byte
	events []string // that it hears
}

// moduleMark is how every module begins, followed by its host's name.
const moduleMark = "// Written by `checkrein install "

func (f module) isOurs(src []byte) bool { return bytes.HasPrefix(src, []byte(moduleMark+f.host+"`")) }

func (f module) put(src []byte, _ []entry) ([]byte, error) {
	if !isBlank(src) && !f.isOurs(src) {
		return nil, errNotOurs
	}
	return f.text, nil
}

func (f module) drop(src []byte) ([]byte, error) {
	if !f.isOurs(src) {
		return src, nil
	}
	return nil, nil
}

func (f module) find(src []byte) ([]entry, error) {
	if !f.isOurs(src) {
		return nil, nil
	}
	var out []entry
	for _, event := range f.events {
		out = append(out, entry{event: event, command: join([]string{f.program(src), "hook", f.host, "--serve-stdio"})})
	}
	return out, nil
}

// program is the path that a module has in it.
func (f module) program(src []byte) string {
	for line := range bytes.Lines(src) {
		if quoted, ok := bytes.CutPrefix(line, []byte("const program = ")); ok {
			var s string
			if json.Unmarshal(bytes.TrimRight(quoted, "; \r\n"), &s) == nil {
				return s
			}
		}
	}
	return ""
}

// A plain file is one of ours that goes with a module and holds only what we put
// there.
type plain struct{ text []byte }

func (f plain) put(src []byte, _ []entry) ([]byte, error) {
	if !isBlank(src) && !f.isOurs(src) {
		return nil, errNotOurs
	}
	return f.text, nil
}

// isOurs tells by our name in it: JSON has no comments.
func (f plain) isOurs(src []byte) bool { return bytes.Contains(src, []byte(`"checkrein`)) }

func (f plain) drop(src []byte) ([]byte, error) {
	if !f.isOurs(src) {
		return src, nil
	}
	return nil, nil
}

func (f plain) find([]byte) ([]entry, error) { return nil, nil }

// eventsOf are the names of the events of some entries.
func eventsOf(list []entry) []string {
	out := make([]string, len(list))
	for i, e := range list {
		out[i] = e.event
	}
	return out
}
