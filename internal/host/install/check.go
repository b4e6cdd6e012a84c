package install

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/hostfiles"
	"github.com/checkrein/checkrein/internal/sys/state"
	"github.com/checkrein/checkrein/internal/text/message"
	"github.com/checkrein/checkrein/internal/text/tomldoc"
	"github.com/tailscale/hujson"
)

// A Check is the result of checking one property of a host, with remedies.
type Check struct {
	State    State            `json:"state"`
	Why      string           `json:"why,omitempty"`
	Remedies []message.Remedy `json:"remedies,omitempty"`
}

// NewCheck returns a Check with this state, reason and remedies.
func NewCheck(state State, why string, remedies ...message.Remedy) Check {
	return Check{state, why, remedies}
}

// Message returns the reason and the remedies as a message.
func (c *Check) Message() message.Message { return message.New(c.Why, c.Remedies...) }

// Remedies for a setting that keeps hooks from running.
var (
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

// A Site describes checkrein's entries in the files of a host for one scope.
type Site struct {
	Scope    Scope             `json:"scope"`
	Files    []SiteFile        `json:"files"`
	Events   []string          `json:"events"`
	Missing  []string          `json:"missing,omitempty"`  // events that install would add
	Gates    []string          `json:"gates,omitempty"`    // those of Missing on which checkrein could deny
	Programs []string          `json:"programs,omitempty"` // the programs that the command lines name
	Notes    []Note            `json:"notes,omitempty"`
	Problems []message.Message `json:"problems,omitempty"`
	// Elsewhere has a message for each directory that its command lines name but this terminal does not use.
	Elsewhere []message.Message `json:"elsewhere,omitempty"`

	gone  []message.Message // about files that lack the entries that install wrote
	lines []hostfiles.Line  // the parsed command lines of its entries
}

// AreManaged reports whether a file of the administrator has entries of checkrein, which users cannot turn
// off and need not trust.
func AreManaged(at []Site) bool {
	return slices.ContainsFunc(at, func(s Site) bool { return s.Scope == Managed && len(s.Files) > 0 })
}

// A Note is a remark about a site that is not a problem.
type Note struct {
	message.Message
	Narrowed string `json:"narrowed,omitempty"` // the event on which the host does not always call checkrein
	Missing  bool   `json:"-"`                  // it lists Site.Missing
}

// A SiteFile is a file that has entries of checkrein.
type SiteFile struct {
	Path    string  `json:"path"`
	Entries []Entry `json:"-"`
}

// maxFile limits the size of a host's file.
const maxFile = 16 << 20

// ReadHostFile returns the contents of a host's file, or nil if the file does not exist.
func ReadHostFile(path string) ([]byte, error) {
	src, err := state.ReadRegular(path, maxFile)
	if os.IsNotExist(err) {
		return nil, nil
	}
	if err == nil && src == nil {
		src = []byte{}
	}
	return src, err
}

// SettingText returns the source text of the value at keys in a JSON file, or "" if the file cannot be
// read or has no such value.
func SettingText(path string, keys ...string) string {
	if v := readSetting(path, keys...); v != nil {
		return strings.TrimSpace(string(v.Pack()))
	}
	return ""
}

// readSetting returns the value at keys in a JSON file, or nil if the file cannot be read or has no
// such value.
func readSetting(path string, keys ...string) *hujson.Value {
	src, err := ReadHostFile(path)
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

// SettingPairs returns, for each element of the list with the key list in a JSON file, its string
// members first and second. It returns nil if there is no such list.
func SettingPairs(path, list, first, second string) (out [][2]string) {
	if v := readSetting(path, list); v != nil {
		if a, ok := v.Value.(*hujson.Array); ok {
			for i := range a.Elements {
				out = append(out, [2]string{stringMember(&a.Elements[i], first), stringMember(&a.Elements[i], second)})
			}
		}
	}
	return out
}

// SettingList returns the literals of the list at keys in a JSON file, as text. It reports false if
// there is no such list.
func SettingList(path string, keys ...string) (out []string, ok bool) {
	v := readSetting(path, keys...)
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

// ShortPath returns path with the home directory replaced by a tilde, or path itself if it is not
// below the home directory.
func (m *Machine) ShortPath(path string) string {
	if m.Home != "" && IsWithin(m.Home, path) && path != m.Home {
		rel, _ := filepath.Rel(m.Home, path)
		return "~" + string(filepath.Separator) + rel
	}
	return path
}

// ReadTOML parses a TOML file. It returns nil if the file cannot be read or is not valid.
func ReadTOML(path string) tomldoc.Doc {
	src, err := ReadHostFile(path)
	if err != nil {
		return nil
	}
	doc, err := tomldoc.Parse(src)
	if err != nil {
		return nil
	}
	return doc
}

// quoteTOML returns s as a TOML basic string. JSON's encoding will do, because TOML has all of its
// escapes.
func quoteTOML(s string) string { return string(EncodeJSON(s)) }
