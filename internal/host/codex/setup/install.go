// Package setup has what checkrein needs of Codex CLI beside its wire: how it is installed, its
// transcripts and how it runs in the lab, as far as they are known.
package setup

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/checkrein/checkrein/internal/host/install"
	"github.com/checkrein/checkrein/internal/text/message"
	"github.com/checkrein/checkrein/internal/text/tomldoc"
)

// Install is how checkrein is installed in Codex CLI.
var Install = install.Spec{
	Name: "codex", Scopes: []install.Scope{install.User, install.Project},
	Folders: []string{".codex"}, Programs: []string{"codex"},
	Timeout: 600, Within: 600 - install.Margin,
	Shell: true, ShutSuffix: install.ShutFailed,
	Limits: []install.Limit{{Event: "SessionEnd", Timeout: 3, Within: 2}}, // Codex cuts more down to that, and says so
	Files: func(m *install.Machine, s install.Scope, want []install.Entry) ([]install.File, error) {
		path := hooks(m, s)
		form := install.GroupForm("codex")
		form.Runs = func(e install.Entry) bool { return Runs(install.ReadTOML(codexConfig(m)), path, e) }
		return []install.File{{Path: path, Form: form, Want: want, Trust: "start codex, open /hooks and trust checkrein's hooks"}}, nil
	},
	Repeats: install.RunsTwice,
	OtherFiles: func(m *install.Machine) []string {
		return []string{filepath.Join(home(m, install.User), "config.toml"), filepath.Join(home(m, install.Project), "config.toml")}
	},
	Enabled:  enabled,
	Trusted:  trusted,
	Leftover: left,
	After: []string{
		"Codex silently skips hooks that you have not trusted: start codex, type /hooks, and trust checkrein's hooks (the key t trusts all that are listed). To check that it is done, run checkrein status codex.",
		"Codex trusts a command line together with its position in the file: if either changes, you must trust it again.",
	},
}

func home(m *install.Machine, s install.Scope) string {
	if s == install.Project {
		return filepath.Join(m.Project, ".codex")
	}
	return m.Dir("CODEX_HOME", ".codex")
}

func codexConfig(m *install.Machine) string {
	return filepath.Join(home(m, install.User), "config.toml")
}

func hooks(m *install.Machine, s install.Scope) string {
	return filepath.Join(home(m, s), "hooks.json")
}

func enabled(m *install.Machine, at []install.Site) install.Check {
	for _, s := range []install.Scope{install.User, install.Project} {
		path := filepath.Join(home(m, s), "config.toml")
		doc := install.ReadTOML(path)
		if doc.Get("features", "hooks") == "false" {
			return install.NewCheck(install.No, m.ShortPath(path)+" turns hooks off ([features] hooks = false)", install.RemoveIt)
		}
	}
	config := codexConfig(m)
	for _, site := range at {
		if site.Scope == install.Project && install.ReadTOML(config).Get("projects", m.Project, "trust_level") == "untrusted" {
			return install.Check{State: install.No, Why: fmt.Sprintf("%s marks %s as untrusted, so Codex silently skips the project's hooks", m.ShortPath(config), m.Project)}
		}
	}
	return install.Check{State: install.Yes}
}

// left reports the trust that a person gave our entries: only Codex and the
// person write it down.
func left(m *install.Machine) string {
	config := codexConfig(m)
	src, _ := install.Read(config)
	if !bytes.Contains(src, []byte(hooks(m, install.User)+":")) {
		return ""
	}
	return fmt.Sprintf("%s keeps your trust in these hooks ([hooks.state]). It has no effect now; you can remove it there", m.ShortPath(config))
}

// Runs reports whether the person has trusted an entry, and what stands there
// is what was trusted.
func Runs(doc tomldoc.Doc, path string, e install.Entry) bool {
	hash := codexHash(doc, path, e)
	return hash != "" && (e.Narrowed != "" || hash == TrustHash(e))
}

// eventsText lists events, or counts them if they are all of a site.
func eventsText(events []string, at []install.Site) string {
	for i := range at {
		if all := at[i].Events; len(all) > 2 && !slices.ContainsFunc(all, func(e string) bool { return !slices.Contains(events, e) }) {
			return fmt.Sprintf("all %d events", len(all))
		}
	}
	return strings.Join(events, ", ")
}

// trusted looks for the person's trust in each entry, and whether it is for
// what stands there now.
func trusted(m *install.Machine, at []install.Site) install.Check {
	config := codexConfig(m)
	doc := install.ReadTOML(config)
	var missing, changed, older, twice []string
	for _, site := range at {
		for _, f := range site.Files {
			for _, e := range f.Entries {
				another := slices.ContainsFunc(f.Entries, func(o install.Entry) bool { return o.Event == e.Event && o != e && Runs(doc, f.Path, o) })
				switch hash := codexHash(doc, f.Path, e); {
				case Runs(doc, f.Path, e):
					if another && !slices.Contains(twice, e.Event) {
						twice = append(twice, e.Event)
					}
				case another:
					older = append(older, e.Event)
				case hash == "":
					missing = append(missing, e.Event)
				default:
					changed = append(changed, e.Event)
				}
			}
		}
	}
	switch {
	case len(missing) > 0:
		return install.NewCheck(install.NotYet, "Codex silently skips hooks that you have not trusted: "+eventsText(missing, at), message.Do("start codex, open /hooks and trust them"))
	case len(changed) > 0:
		return install.NewCheck(install.NotYet, "the command lines changed since you trusted them, so Codex silently skips: "+eventsText(changed, at), message.Do("start codex, open /hooks and trust them again"))
	}
	switch {
	case len(older) > 0:
		return install.NewCheck(install.NotYet, "Codex runs the older lines that you trusted, but not the new ones for "+eventsText(older, at),
			message.Do("start codex, open /hooks and trust them"), message.Run("checkrein install codex", "then, to remove the older ones"))
	case len(twice) > 0:
		return install.NewCheck(install.Yes, "the older and the new lines both run for "+strings.Join(twice, ", "), message.Run("checkrein install codex", "to remove the older ones"))
	}
	return install.Check{State: install.Yes, Why: m.ShortPath(config) + " says that you trust each of them"}
}

// codexHash is the hash that the person trusted for an entry, "" if there is none.
func codexHash(doc tomldoc.Doc, path string, e install.Entry) string {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		real = path
	}
	for _, p := range []string{path, real} {
		if hash := doc.Get("hooks", "state", TrustKey(p, e), "trusted_hash"); hash != "" {
			return hash
		}
	}
	return ""
}

// TrustKey returns the name under which Codex keeps the trust in an entry of a file.
func TrustKey(path string, e install.Entry) string {
	return fmt.Sprintf("%s:%s:%d:%d", path, snake(e.Event), e.Group, e.Index)
}

// TrustHash returns what Codex 0.166 makes of an entry without a matcher. It is for
// looking only: nobody but the person writes it down.
func TrustHash(e install.Entry) string {
	hook := install.EncodeObject(install.Members("async", false, "command", e.Command, "timeout", e.Timeout, "type", "command"))
	return "sha256:" + install.Digest(install.EncodeObject(install.Members("event_name", snake(e.Event), "hooks", []json.RawMessage{hook})))
}

// snake turns PreToolUse into pre_tool_use.
func snake(name string) string {
	var b strings.Builder
	for i, r := range name {
		if unicode.IsUpper(r) && i > 0 {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}
