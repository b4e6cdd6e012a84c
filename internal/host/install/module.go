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
	var program string
	var pins []string
	constant(src, "program", &program)
	constant(src, "pins", &pins)
	var out []entry
	for _, event := range f.events {
		out = append(out, entry{event: event, command: join(append([]string{program, "hook", f.host, "--serve-stdio"}, pins...))})
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
