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

// A Check is the result of a check of a host, with remedies.
type Check struct {
	State    State            `json:"state"`
	Why      string           `json:"why,omitempty"`
	Remedies []message.Remedy `json:"remedies,omitempty"`
}

// NewCheck returns a check.
func NewCheck(state State, why string, remedies ...message.Remedy) Check {
	return Check{state, why, remedies}
}

// Message returns the reason for the result, with its remedies.
func (c *Check) Message() message.Message { return message.New(c.Why, c.Remedies...) }

// What to do about a setting that keeps hooks from running.
var (
	// Remedies for a setting that keeps hooks from running.
	RemoveIt = message.Do("remove it there")
	EnableIt = message.Do("set it to true")
)

// A State is the result of a check.
type State string

// The states.
const (
	Yes       State = "yes"
	No        State = "no"
	NotYet    State = "not yet"
	NotNeeded State = "not needed"
	Unknown   State = "unknown"
)

// A Site is an installation in a host's files of one scope.
type Site struct {
	Scope    Scope             `json:"scope"`
	Files    []SiteFile        `json:"files"`
	Events   []string          `json:"events"`
	Missing  []string          `json:"missing,omitempty"`  // events that install would add
	Gates    []string          `json:"gates,omitempty"`    // those of Missing on which checkrein could deny
	Programs []string          `json:"programs,omitempty"` // that the files name
	Notes    []Note            `json:"notes,omitempty"`
	Problems []message.Message `json:"problems,omitempty"`
	// Elsewhere lists the directories that its command lines name and this terminal does not use.
	Elsewhere []message.Message `json:"elsewhere,omitempty"`

	gone  []message.Message // files that install wrote and that lack its entries now
	lines []hostfiles.Line  // the parsed command lines of its entries
}

// A Note is a remark about a site that is no problem.
type Note struct {
	message.Message
	Narrowed string `json:"narrowed,omitempty"` // the event on which the host does not always call checkrein
	Missing  bool   `json:"-"`                  // it lists Site.Missing
}

// A SiteFile is a file with entries of checkrein.
type SiteFile struct {
	Path    string  `json:"path"`
	Entries []Entry `json:"-"`
}

// maxFile limits the size of a host's file.
const maxFile = 16 << 20

// Read returns the contents of a host's file; nil = it does not exist.
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

// Setting returns a value of a JSON file as it is written there, "" if it does not exist.
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
		if v = findMember(o, key); v == nil {
			return nil
		}
	}
	return v
}

// SettingPairs returns two string members of each object in a list of a JSON file.
func SettingPairs(path, list, first, second string) (out [][2]string) {
	if v := settingAt(path, list); v != nil {
		if a, ok := v.Value.(*hujson.Array); ok {
			for i := range a.Elements {
				out = append(out, [2]string{stringMember(&a.Elements[i], first), stringMember(&a.Elements[i], second)})
			}
		}
	}
	return out
}

// SettingList returns the strings of a list in a JSON file, and whether there is such a list.
func SettingList(path string, keys ...string) (out []string, ok bool) {
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

// ShortPath returns a path below the home with a tilde.
func (m *Machine) ShortPath(path string) string {
	if m.Home != "" && IsWithin(m.Home, path) && path != m.Home {
		rel, _ := filepath.Rel(m.Home, path)
		return "~" + string(filepath.Separator) + rel
	}
	return path
}

// ReadTOML reads the settings in a file; nil if it does not exist or is invalid.
func ReadTOML(path string) tomldoc.Doc {
	src, err := Read(path)
	if err != nil {
		return nil
	}
	doc, err := tomldoc.Parse(src)
	if err != nil {
		return nil
	}
	return doc
}

// quoteTOML returns a TOML basic string: TOML understands all escapes of JSON.
func quoteTOML(s string) string { return string(Encode(s)) }
