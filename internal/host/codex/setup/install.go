//go:build ignore

package install

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/checkrein/checkrein/internal/text/tomldoc"
)

var codex = spec{
	name: "codex", scopes: []Scope{User, Project},
	folders: []string{".codex"}, programs: []string{"codex"},
	timeout: 600, within: 600 - margin,
	shell: true, shut: shutFailed,
	limits: []limit{{"SessionEnd", 3, 2}}, // Codex cuts more down to that, and says so
	files: func(m *Machine, s Scope, want []entry) ([]file, error) {
		path := codexHooks(m, s)
		form := claudeForm("codex")
		form.runs = func(e entry) bool { return codexRuns(readTOML(codexConfig(m)), path, e) }
		return []file{{path: path, form: form, want: want, trust: "start codex, open /hooks and trust checkrein's hooks"}}, nil
	},
	repeats: runsTwice,
	also: func(m *Machine) []string {
		return []string{filepath.Join(codexHome(m, User), "config.toml"), filepath.Join(codexHome(m, Project), "config.toml")}
	},
	enabled: codexEnabled,
	trusted: codexTrusted,
	left:    codexLeft,
	after: []string{
		"Codex silently skips hooks that you have not trusted: start codex, type /hooks, and trust checkrein's hooks (the key t trusts all that are listed). To check that it is done, run checkrein status codex.",
		"Codex trusts a command line together with its position in the file: if either changes, you must trust it again.",
	},
}

func codexHome(m *Machine, s Scope) string {
	if s == Project {
		return filepath.Join(m.Project, ".codex")
	}
	return m.dir("CODEX_HOME", ".codex")
}

func codexConfig(m *Machine) string { return filepath.Join(codexHome(m, User), "config.toml") }

func codexHooks(m *Machine, s Scope) string { return filepath.Join(codexHome(m, s), "hooks.json") }

func codexEnabled(m *Machine, at []Site) Check {
	for _, s := range []Scope{User, Project} {
		path := filepath.Join(codexHome(m, s), "config.toml")
		doc := readTOML(path)
		if doc.Get("features", "hooks") == "false" {
			return Check{No, m.short(path) + " turns hooks off ([features] hooks = false): remove it there"}
		}
	}
	config := codexConfig(m)
	for _, site := range at {
		if site.Scope == Project && readTOML(config).Get("projects", m.Project, "trust_level") == "untrusted" {
			return Check{No, fmt.Sprintf("%s marks %s as untrusted, so Codex silently skips the project's hooks", m.short(config), m.Project)}
		}
	}
	return Check{Yes, ""}
}

// codexLeft tells of the trust that a person gave our entries: only Codex and the
// person write it down.
func codexLeft(m *Machine) string {
	config := codexConfig(m)
	src, _ := read(config)
	if !bytes.Contains(src, []byte(codexHooks(m, User)+":")) {
		return ""
	}
	return fmt.Sprintf("%s keeps your trust in these hooks ([hooks.state]). It has no effect now; you can remove it there", m.short(config))
}

// codexRuns reports whether the person has trusted an entry, and what stands there
// is what was trusted.
func codexRuns(doc tomldoc.Doc, path string, e entry) bool {
	hash := codexHash(doc, path, e)
	return hash != "" && (e.narrowed != "" || hash == codexSum(e))
}

// codexTrusted looks for the person's trust in each entry, and whether it is for
// what stands there now.
func codexTrusted(m *Machine, at []Site) Check {
	config := codexConfig(m)
	doc := readTOML(config)
	var missing, changed, older, twice []string
	for _, site := range at {
		for _, f := range site.Files {
			for _, e := range f.entries {
				another := slices.ContainsFunc(f.entries, func(o entry) bool { return o.event == e.event && o != e && codexRuns(doc, f.Path, o) })
				switch hash := codexHash(doc, f.Path, e); {
				case codexRuns(doc, f.Path, e):
					if another && !slices.Contains(twice, e.event) {
						twice = append(twice, e.event)
					}
				case another:
					older = append(older, e.event)
				case hash == "":
					missing = append(missing, e.event)
				default:
					changed = append(changed, e.event)
				}
			}
		}
	}
	switch {
	case len(missing) > 0:
		return Check{NotYet, fmt.Sprintf("Codex silently skips hooks that you have not trusted: %s. Start codex, open /hooks and trust them", strings.Join(missing, ", "))}
	case len(changed) > 0:
		return Check{NotYet, fmt.Sprintf("the command lines changed since you trusted them, so Codex silently skips: %s. Start codex, open /hooks and trust them again", strings.Join(changed, ", "))}
	}
	switch {
	case len(older) > 0:
		return Check{NotYet, fmt.Sprintf("Codex runs the older lines that you trusted, but not the new ones for %s. Start codex, open /hooks and trust them, then run checkrein install codex to remove the older ones", strings.Join(older, ", "))}
	case len(twice) > 0:
		return Check{Yes, fmt.Sprintf("the older and the new lines both run for %s: run checkrein install codex to remove the older ones", strings.Join(twice, ", "))}
	}
	return Check{Yes, m.short(config) + " says that you trust each of them"}
}

// codexHash is the hash that the person trusted for an entry, "" if there is none.
func codexHash(doc tomldoc.Doc, path string, e entry) string {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		real = path
	}
	for _, p := range []string{path, real} {
		key := fmt.Sprintf("%s:%s:%d:%d", p, snake(e.event), e.group, e.index)
		if hash := doc.Get("hooks", "state", key, "trusted_hash"); hash != "" {
			return hash
		}
	}
	return ""
}

// codexSum is what Codex 0.166 makes of an entry without a matcher. It is for
// looking only: nobody but the person writes it down.
func codexSum(e entry) string {
	hook := object([]member{{"async", false}, {"command", e.command}, {"timeout", e.timeout}, {"type", "command"}})
	return "sha256:" + digest(object([]member{{"event_name", snake(e.event)}, {"hooks", []json.RawMessage{hook}}}))
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
