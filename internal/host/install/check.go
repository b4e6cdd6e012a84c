package install

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/hostfiles"
	"github.com/checkrein/checkrein/internal/sys/state"
	"github.com/checkrein/checkrein/internal/text/message"
	"github.com/checkrein/checkrein/internal/text/tomldoc"
	"github.com/tailscale/hujson"
)

// A Check is an answer to a question about a host, with what to do about it.
type Check struct {
	State    State            `json:"state"`
	Why      string           `json:"why,omitempty"`
	Remedies []message.Remedy `json:"remedies,omitempty"`
}

// NewCheck returns a check.
func NewCheck(state State, why string, remedies ...message.Remedy) Check {
	return Check{state, why, remedies}
}

// Message returns why the check found what it did, and what to do about it.
func (c *Check) Message() message.Message { return message.New(c.Why, c.Remedies...) }

// What to do about a setting that keeps hooks from running.
var (
	RemoveIt = message.Do("remove it there")
	EnableIt = message.Do("set it to true")
)

// A State is what a check found.
type State string

// The states.
const (
	Yes       State = "yes"
	No        State = "no"
	NotYet    State = "not yet"
	NotNeeded State = "not needed"
	Unknown   State = "unknown"
)

// A Site is where a host is wired in one scope.
type Site struct {
	Scope    Scope             `json:"scope"`
	Files    []SiteFile        `json:"files"`
	Events   []string          `json:"events"`
	Missing  []string          `json:"missing,omitempty"`  // that install would wire
	Gates    []string          `json:"gates,omitempty"`    // those of them on which something could be refused
	Programs []string          `json:"programs,omitempty"` // that the files name
	Notes    []Note            `json:"notes,omitempty"`
	Problems []message.Message `json:"problems,omitempty"`
	// Elsewhere is set if its lines name other directories than this terminal uses.
	Elsewhere []message.Message `json:"elsewhere,omitempty"`

	gone  []message.Message // what install wrote and is there no more
	lines []hostfiles.Line  // what its entries say
}

// A Note is something to know about a site.
type Note struct {
	message.Message
	Narrowed string `json:"narrowed,omitempty"` // the event on which the host does not always call checkrein
	Missing  bool   `json:"-"`                  // it lists Site.Missing
}

// A SiteFile is a file with entries of ours.
type SiteFile struct {
	Path    string  `json:"path"`
	Entries []Entry `json:"-"`
}

// maxFile bounds what is read of a host's file.
const maxFile = 16 << 20

// Read reads a file of a host; nil = it is not there.
func Read(path string) ([]byte, error) {
	src, err := state.ReadRegular(path, maxFile)
	if os.IsNotExist(err) {
		return nil, nil
	}
	if err == nil && src == nil {
		src = []byte{}
	}
	return src, err
}

// Setting is a value in a JSON file as it is written there, "" if there is none.
func Setting(path string, keys ...string) string {
	if v := settingAt(path, keys...); v != nil {
		return strings.TrimSpace(string(v.Pack()))
	}
	return ""
}

func settingAt(path string, keys ...string) *hujson.Value {
	src, err := Read(path)
	if err != nil || src == nil {
		return nil
	}
	doc, err := parseJSON(src, nil)
	if err != nil {
		return nil
	}
	v := &doc.root
	for _, key := range keys {
		o, ok := v.Value.(*hujson.Object)
		if !ok {
			return nil
		}
		if v = find(o, key); v == nil {
			return nil
		}
	}
	return v
}

// SettingPairs are the texts of two members of each object in a list of a JSON file.
func SettingPairs(path, list, first, second string) (out [][2]string) {
	if v := settingAt(path, list); v != nil {
		if a, ok := v.Value.(*hujson.Array); ok {
			for i := range a.Elements {
				out = append(out, [2]string{text(&a.Elements[i], first), text(&a.Elements[i], second)})
			}
		}
	}
	return out
}

// Settings are the texts of a list in a JSON file, and whether there is one.
func Settings(path string, keys ...string) (out []string, ok bool) {
	v := settingAt(path, keys...)
	if v == nil {
		return nil, false
	}
	a, ok := v.Value.(*hujson.Array)
	if !ok {
		return nil, false
	}
	for i := range a.Elements {
		if s, ok := a.Elements[i].Value.(hujson.Literal); ok {
			out = append(out, s.String())
		}
	}
	return out, true
}

// Short writes a path below the home with a tilde.
func (m *Machine) Short(path string) string {
	if m.Home != "" && Within(m.Home, path) && path != m.Home {
		rel, _ := filepath.Rel(m.Home, path)
		return "~" + string(filepath.Separator) + rel
	}
	return path
}

// ReadTOML reads a file for its settings; one that is not there, or broken, has
// none.
func ReadTOML(path string) tomldoc.Doc {
	src, err := Read(path)
	if err != nil {
		return nil
	}
	doc, err := tomldoc.Scan(src)
	if err != nil {
		return nil
	}
	return doc
}

// quoteTOML writes a basic string: what JSON escapes, TOML understands.
func quoteTOML(s string) string { return string(Encode(s)) }
