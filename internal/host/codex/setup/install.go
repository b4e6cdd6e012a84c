// Package setup describes how checkrein is installed in Codex CLI, how its transcripts are read and
// how it runs in the lab.
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

// Install describes how checkrein is installed in Codex CLI.
var Install = install.Spec{
	Name: "codex", Scopes: []install.Scope{install.User, install.Project},
	Folders: []string{".codex"}, Programs: []string{"codex"},
	Timeout: 600, Within: 600 - install.Margin,
	Shell: true, ShutSuffix: install.ShutFailed,
	Limits: []install.Limit{{Event: "SessionEnd", Timeout: 3, Within: 2}}, // Codex reduces longer timeouts with a warning
	Files: func(m *install.Machine, s install.Scope, want []install.Entry) ([]install.File, error) {
		path := hooksFile(m, s)
		form := install.GroupForm("codex")
		form.Runs = func(e install.Entry) bool { return IsTrusted(install.ReadTOML(userConfig(m)), path, e) }
		return []install.File{{Path: path, Form: form, Want: want, Trust: "start codex, open /hooks and trust checkrein's hooks"}}, nil
	},
	Managed: install.ManagedFile{Linux: requirementsFile, Darwin: requirementsFile, Form: func(m *install.Machine) install.Form { return requirements{dir: filepath.Dir(m.Program)} }},
	Repeats: install.RunsTwice,
	OtherFiles: func(m *install.Machine) []string {
		return []string{filepath.Join(codexDir(m, install.User), "config.toml"), filepath.Join(codexDir(m, install.Project), "config.toml")}
	},
	Enabled:  checkEnabled,
	Trusted:  checkTrusted,
	Leftover: leftoverState,
	After: []string{
		"Codex silently skips hooks that you have not trusted: start codex, type /hooks, and trust checkrein's hooks (the key t trusts all that are listed). To check that it is done, run checkrein status codex.",
		"Codex trusts a command line together with its position in the file: if either changes, you must trust it again.",
	},
}

func codexDir(m *install.Machine, s install.Scope) string {
	if s == install.Project {
		return filepath.Join(m.Project, ".codex")
	}
	return m.DirFromEnv("CODEX_HOME", ".codex")
}

func userConfig(m *install.Machine) string {
	return filepath.Join(codexDir(m, install.User), "config.toml")
}

func hooksFile(m *install.Machine, s install.Scope) string {
	return filepath.Join(codexDir(m, s), "hooks.json")
}

func checkEnabled(m *install.Machine, at []install.Site) install.Check {
	if install.AreManaged(at) && install.ReadTOML(requirementsFile).Get("features", "hooks") == "true" {
		return install.Check{State: install.Yes}
	}
	for _, s := range []install.Scope{install.User, install.Project} {
		path := filepath.Join(codexDir(m, s), "config.toml")
		doc := install.ReadTOML(path)
		if doc.Get("features", "hooks") == "false" {
			return install.NewCheck(install.No, m.ShortPath(path)+" turns hooks off ([features] hooks = false)", install.RemoveIt)
		}
	}
	config := userConfig(m)
	for _, site := range at {
		if site.Scope == install.Project && install.ReadTOML(config).Get("projects", m.Project, "trust_level") == "untrusted" {
			return install.Check{State: install.No, Why: fmt.Sprintf("%s marks %s as untrusted, so Codex silently skips the project's hooks", m.ShortPath(config), m.Project)}
		}
	}
	return install.Check{State: install.Yes}
}

// leftoverState returns a note if config.toml still records that the user trusts checkrein's hooks, or
// "". Only Codex and the user change that file.
func leftoverState(m *install.Machine) string {
	config := userConfig(m)
	src, _ := install.ReadHostFile(config)
	if !bytes.Contains(src, []byte(hooksFile(m, install.User)+":")) {
		return ""
	}
	return fmt.Sprintf("%s still records that you trust these hooks ([hooks.state]). That has no effect now; you can remove it there", m.ShortPath(config))
}

// IsTrusted reports whether Codex runs the entry e of the file at path, according to doc, the user's
// config.toml: the user must have trusted it as it is now.
func IsTrusted(doc tomldoc.Doc, path string, e install.Entry) bool {
	hash := trustedHash(doc, path, e)
	return hash != "" && (e.Narrowed != "" || hash == HookStateHash(e))
}

// eventsText returns events as a list, or their number if they are all events of a site.
func eventsText(events []string, at []install.Site) string {
	for i := range at {
		if all := at[i].Events; len(all) > 2 && !slices.ContainsFunc(all, func(e string) bool { return !slices.Contains(events, e) }) {
			return fmt.Sprintf("all %d events", len(all))
		}
	}
	return strings.Join(events, ", ")
}

// checkTrusted checks whether the user trusted each entry as it is now.
func checkTrusted(m *install.Machine, at []install.Site) install.Check {
	config := userConfig(m)
	doc := install.ReadTOML(config)
	var missing, changed, older, twice []string
	for _, site := range at {
		if site.Scope == install.Managed {
			continue
		}
		for _, f := range site.Files {
			for _, e := range f.Entries {
				another := slices.ContainsFunc(f.Entries, func(o install.Entry) bool { return o.Event == e.Event && o != e && IsTrusted(doc, f.Path, o) })
				switch hash := trustedHash(doc, f.Path, e); {
				case IsTrusted(doc, f.Path, e):
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

// trustedHash returns the hash that the user trusted for the entry e of the file at path, or "" if
// there is none.
func trustedHash(doc tomldoc.Doc, path string, e install.Entry) string {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		real = path
	}
	for _, p := range []string{path, real} {
		if hash := doc.Get("hooks", "state", HookStateKey(p, e), "trusted_hash"); hash != "" {
			return hash
		}
	}
	return ""
}

// HookStateKey returns the key under which Codex stores the user's trust in an entry of a file.
func HookStateKey(path string, e install.Entry) string {
	return fmt.Sprintf("%s:%s:%d:%d", path, toSnakeCase(e.Event), e.Group, e.Index)
}

// HookStateHash returns the hash that Codex 0.166 computes for an entry without a matcher. It is used
// only for comparison; checkrein never writes it.
func HookStateHash(e install.Entry) string {
	hook := install.EncodeObject(install.NewMembers("async", false, "command", e.Command, "timeout", e.Timeout, "type", "command"))
	return "sha256:" + install.Digest(install.EncodeObject(install.NewMembers("event_name", toSnakeCase(e.Event), "hooks", []json.RawMessage{hook})))
}

// toSnakeCase converts PreToolUse to pre_tool_use.
func toSnakeCase(name string) string {
	var b strings.Builder
	for i, r := range name {
		if unicode.IsUpper(r) && i > 0 {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}
