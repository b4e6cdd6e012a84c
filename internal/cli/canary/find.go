package canary

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/app"
	"github.com/checkrein/checkrein/internal/catalog/hostfiles"
	"github.com/checkrein/checkrein/internal/catalog/hosts"
	"github.com/checkrein/checkrein/internal/cli/base"
	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/engine"
	"github.com/checkrein/checkrein/internal/hook/dialect"
	"github.com/checkrein/checkrein/internal/hook/hookfile"
	"github.com/checkrein/checkrein/internal/hook/match"
	"github.com/checkrein/checkrein/internal/host"
	"github.com/checkrein/checkrein/internal/host/wire"
	"github.com/checkrein/checkrein/internal/sys/environ"
	"github.com/checkrein/checkrein/internal/sys/process"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// sessionID marks the payloads of a canary run.
const sessionID = "checkrein-canary"

// A target is a hook that a run sends calls to.
type target struct {
	host    string // whose hook it is: an agent's name, or checkrein
	name    string
	origin  string
	shows   string // what it runs
	argv    []string
	dir     string // where it runs; "" = the decoy project
	env     []environ.Var
	timeout time.Duration
	hook    checkrein.Hook
	matcher match.Tool
	form    *hookfile.AnswerForm
	encode  func(*checkrein.Event) ([]byte, error)
	words   *wire.HookCalls // names of tools and arguments
}

// usualNames are names of tools that every dialect knows.
var usualNames = wire.HookCalls{Shell: "Bash", Read: "Read", Write: "Write", Path: "file_path"}

// digest identifies t as long as its definition stays the same.
func (t *target) digest() string {
	sum := sha256.Sum256([]byte(strings.Join([]string{t.host, t.name, t.origin, t.shows, t.hook.Match, t.timeout.String()}, "\x00")))
	return hex.EncodeToString(sum[:8])
}

// findTargets returns the hooks that a run sends calls to.
func findTargets(env *console.Env, k *app.Kit) []target {
	home := environ.Home(env.Environ)
	return append(ownTargets(k, home), foreignTargets(home, base.Getenv(env))...)
}

// event returns the event of c in the place p. It reports false if the agent has no tool for c.
func (t *target) event(c *call, p place) (checkrein.Event, bool) {
	argument := c.in(p)
	name, input := t.words.Shell, map[string]string{"command": argument}
	switch {
	case c.tool == "read":
		name, input = t.words.Read, map[string]string{t.words.Path: argument}
	case c.tool == "write" && t.words.Patch:
		name, input = t.words.Write, map[string]string{"command": "*** Begin Patch\n*** Add File: " + argument + "\n+" + content + "*** End Patch\n"}
	case c.tool == "write":
		name, input = t.words.Write, map[string]string{t.words.Path: argument, "content": content}
	}
	body, _ := json.Marshal(input) // strings always encode
	return checkrein.Event{Kind: checkrein.PreToolUse, Native: "PreToolUse", Session: checkrein.Session{ID: sessionID, Dir: p.project, Root: p.project},
		Tool: &checkrein.Tool{Name: name, Canonical: c.tool, CallID: sessionID, Input: body}}, name != ""
}

// content is what calls write.
const content = "checkrein canary\n"

// matches reports whether the agent would call t before tool.
func (t *target) matches(tool *checkrein.Tool) bool {
	if t.matcher.Match(tool, "") {
		return true
	}
	return t.words.Patch && tool.Name == t.words.Write && slices.ContainsFunc(patchAliases, func(name string) bool {
		return t.matcher.Match(&checkrein.Tool{Name: name}, "")
	})
}

// patchAliases lists further names by which matchers can match a tool that takes patches.
var patchAliases = []string{"Write", "Edit"}

// defaultTimeout is the time limit of hooks that set none.
const defaultTimeout = 60 * time.Second

// foreignTargets returns the command hooks before tools in the person's and the administrator's settings
// of agents, without checkrein's own entries. Those of a project are found as checkrein's hooks, once
// they are approved.
func foreignTargets(home string, getenv func(string) string) []target {
	var out []target
	hostfiles.EachPath(home, getenv, nil, func(path string, f *hostfiles.File) bool {
		h, ok := host.Find(f.Host)
		if !ok || h.HookCalls == nil || f.Form != hosts.JSON || f.Glob {
			return false
		}
		text, err := os.ReadFile(path)
		if err == nil && !slices.ContainsFunc(out, func(t target) bool { return strings.HasPrefix(t.origin, path+":") }) {
			out = append(out, targetsOf(h, path, text, home)...)
		}
		return false
	})
	return out
}

// targetsOf returns the hooks in text, the content of the settings of h at path.
func targetsOf(h *wire.Host, path string, text []byte, home string) []target {
	calls := h.HookCalls
	var doc struct {
		Hooks map[string][]struct {
			Matcher string `json:"matcher"`
			Hooks   []struct {
				Name    string  `json:"name"`
				Type    string  `json:"type"`
				Command string  `json:"command"`
				Timeout float64 `json:"timeout"`
			} `json:"hooks"`
		} `json:"hooks"`
	}
	if json.Unmarshal(rawjson.Uncomment(text), &doc) != nil {
		return nil
	}
	claude, _ := dialect.Lookup("claude")
	var out []target
	for _, group := range doc.Hooks[calls.Event] {
		matcher, err := match.CompileTool(group.Matcher, true)
		if err != nil {
			continue
		}
		for _, declared := range group.Hooks {
			if _, ours := hostfiles.OwnProgram(declared.Command, h.Name); ours || declared.Command == "" || declared.Type != "" && declared.Type != "command" {
				continue
			}
			t := target{host: h.Name, name: declared.Name, origin: path + ":" + calls.Event, shows: declared.Command, timeout: time.Duration(declared.Timeout * float64(calls.Unit)),
				hook: checkrein.Hook{ID: declared.Command, On: checkrein.PreToolUse, Match: group.Matcher, Dialect: "claude"}, matcher: matcher, form: &claude.Form, words: calls}
			if t.name == "" {
				t.name = scriptName(declared.Command)
			}
			t.argv = process.BashArgv(inFull(declared.Command, home))
			t.encode = func(ev *checkrein.Event) ([]byte, error) { return encode(calls, ev) }
			if t.timeout <= 0 {
				t.timeout = defaultTimeout
			}
			out = append(out, t)
		}
	}
	return out
}

// scriptName returns the name of the script in command, or else of its program.
func scriptName(command string) string {
	words := strings.Fields(command + " .")
	script := slices.IndexFunc(words, func(w string) bool { return strings.Contains(w, "/") && !strings.Contains(w, "/bin/") })
	return filepath.Base(strings.Trim(words[max(0, script)], `"'`))
}

// inFull returns command with the home directory in full, since a scratch home has none of the person's
// files.
func inFull(command, home string) string {
	return strings.NewReplacer("${HOME}/", home+"/", "$HOME/", home+"/", " ~/", " "+home+"/").Replace(" " + command)[1:]
}

// encode returns the payload of ev with the members that the agent sends.
func encode(calls *wire.HookCalls, ev *checkrein.Event) ([]byte, error) {
	values := map[string]any{
		"session_id": ev.Session.ID, "transcript_path": filepath.Join(filepath.Dir(ev.Session.Dir), transcript), "cwd": ev.Session.Dir,
		"hook_event_name": calls.Event, "timestamp": time.Now().UTC().Truncate(time.Millisecond).Format(time.RFC3339Nano),
		"tool_name": ev.Tool.Name, "tool_input": ev.Tool.Input, "tool_use_id": ev.Tool.CallID,
	}
	maps.DeleteFunc(values, func(name string, _ any) bool {
		_, sent := rawjson.Get([]byte(calls.Payload), name)
		return !sent
	})
	patch, err := json.Marshal(values)
	if err != nil {
		return nil, err
	}
	return rawjson.Patch([]byte(calls.Payload), patch)
}

// ownTargets returns the command hooks before tools in checkrein's files that may run.
func ownTargets(k *app.Kit, home string) []target {
	var out []target
	for _, h := range k.Hooks() {
		if h.Run != "command" || h.On != checkrein.PreToolUse || h.Off != "" || h.Broken != "" || h.Async || k.IsDisabled(&h) {
			continue
		}
		if k.NeedsApproval(&h) {
			if state, _ := k.Approval(&h); state != engine.Approved {
				continue
			}
		}
		d, ok := dialect.Lookup(h.Dialect)
		matcher, err := match.CompileTool(h.Match, h.MatchWords)
		at, placeErr := environ.ReadPlace(h.With)
		argv := argvOf(h.With, d != nil && d.Bash, home)
		if !ok || err != nil || placeErr != nil || argv == nil {
			continue
		}
		out = append(out, target{host: "checkrein", name: h.Label(), origin: h.From.String(), shows: strings.Join(argv, " "), argv: argv, dir: k.Root(), env: at.Env, timeout: h.Limit(),
			hook: h, matcher: matcher, form: &d.Form, words: &usualNames, encode: func(ev *checkrein.Event) ([]byte, error) { return d.Encode(*ev) }})
	}
	return out
}

// argvOf returns the program and arguments in a hook's settings, or nil if there are none, as in hook
// folders.
func argvOf(with json.RawMessage, bash bool, home string) []string {
	if line := rawjson.GetText(with, "command"); line != "" {
		line = inFull(line, home)
		if bash {
			return process.BashArgv(line)
		}
		return process.ShellArgv(line)
	}
	var argv []string
	list, _ := rawjson.Get(with, "argv")
	rawjson.Elements(list, func(_ int, v []byte) bool {
		word, _ := rawjson.Text(v)
		argv = append(argv, word)
		return true
	})
	return argv
}
