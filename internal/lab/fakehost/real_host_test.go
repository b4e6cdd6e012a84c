package fakehost_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/host/hostlab"
	"github.com/checkrein/checkrein/internal/host/mockmodel"
	"github.com/checkrein/checkrein/internal/lab/fakehost"
	"github.com/checkrein/checkrein/internal/lab/fakehost/faketest"
	"github.com/checkrein/checkrein/internal/lab/hosttest"
)

// hookScript is a hook that records the event and answers it in one of all possible ways.
const hookScript = `in=$(cat)
printf '%s\n' "$in" >> "$HOME/events.jsonl"
event=${in#*\"hook_event_name\":\"}; event=${event%%\"*}
say() { printf '{"hookSpecificOutput":{"hookEventName":"%s",%s}}\n' "$event" "$1"; }
case $event in
SubagentStart) sleep 3; say '"additionalContext":"context-of-SubagentStart"' ;;
SessionStart) say '"additionalContext":"context-of-'$event'"' ;;
UserPromptSubmit) case $in in
	*forbidden*) echo '{"decision":"block","reason":"such words"}' ;;
	*) say '"additionalContext":"context-of-prompt"' ;;
	esac ;;
PreToolUse) case $in in
	*'touch denied'*) say '"permissionDecision":"deny","permissionDecisionReason":"reason-of-deny","additionalContext":"context-of-deny"' ;;
	*'touch before'*) say '"permissionDecision":"allow","updatedInput":{"command":"touch after"},"additionalContext":"context-of-call"' ;;
	*'touch partly'*) say '"updatedInput":{"description":"none"}' ;;
	*'touch asked'*) say '"permissionDecision":"ask","permissionDecisionReason":"reason-of-ask"' ;;
	*'touch exit'*) echo by-exit >&2; exit 2 ;;
	*'touch garbage'*) echo '{"garbage' ;;
	*'touch crash'*) echo oops >&2; exit 1 ;;
	*'touch wrong'*) echo '{"hookSpecificOutput":{"hookEventName":"Stop","permissionDecision":"deny"}}' ;;
	*'touch legacy'*) echo '{"decision":"block","reason":"by-legacy"}' ;;
	*vault.txt*) say '"permissionDecision":"deny","permissionDecisionReason":"closed"' ;;
	esac ;;
PostToolUse) case $in in
	*'cat notes'*) say '"updatedToolOutput":{"stdout":"replaced","stderr":"","interrupted":false,"isImage":false},"additionalContext":"context-of-result"' ;;
	*'cat half'*) say '"updatedToolOutput":{"stdout":"replaced"}' ;;
	*'echo a'*) echo '{"decision":"block","reason":"block-after"}' ;;
	esac ;;
PostToolUseFailure) say '"additionalContext":"context-of-failure"' ;;
Stop|SubagentStop) case $in in
	*'"stop_hook_active":false'*) echo '{"decision":"block","reason":"reason-of-'$event'"}' ;;
	esac ;;
esac
`

// allEventSettings returns settings that run hookScript on all events that the fake host fires.
func allEventSettings() string {
	hooks := map[string]any{}
	for _, event := range []string{
		"SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure", "PostToolBatch",
		"Stop", "SubagentStart", "SubagentStop", "SessionEnd",
	} {
		hooks[event] = []any{map[string]any{"hooks": []any{map[string]any{"type": "command", "command": "sh $HOME/hook.sh", "timeout": 20}}}}
	}
	b, err := json.Marshal(map[string]any{"hooks": hooks})
	if err != nil {
		panic(err) // strings
	}
	return string(b)
}

// allAnswersScript returns a script with a call for each way to answer, and some that the host itself
// refuses.
func allAnswersScript(project string) mockmodel.Script {
	at := func(name string) string { return filepath.Join(project, name) }
	return withSubagents(mockmodel.Script{Final: "all is well"}, []mockmodel.Call{
		mockmodel.Shell("touch denied"), mockmodel.Shell("touch before"), mockmodel.Shell("touch partly"), mockmodel.Shell("touch asked"),
		mockmodel.Shell("touch exit"), mockmodel.Shell("touch garbage"), mockmodel.Shell("touch crash"), mockmodel.Shell("touch wrong"),
		mockmodel.Shell("touch legacy"), mockmodel.Shell("cat notes.txt"), mockmodel.Shell("cat half.txt"), mockmodel.Shell("echo a; echo b >&2"),
		mockmodel.Shell("echo out; ls nowhere"),
		mockmodel.Write(at("new.txt"), "one\n"), mockmodel.Write(at("vault.txt"), "one\n"), mockmodel.Write(at("plain.c"), "one\n"),
		mockmodel.Edit(at("main.c"), "main", "start"), mockmodel.Read(at("main.c")), mockmodel.Edit(at("main.c"), "main", "start"),
		mockmodel.Edit(at("main.c"), "nowhere", "start"), mockmodel.Read(at("nothing.c")),
		{Tool: "task", Args: map[string]any{"prompt": subPrompt, "subagent_type": "general-purpose"}},
	}, []mockmodel.Call{mockmodel.Shell("touch sub"), mockmodel.Shell("touch denied in sub"), mockmodel.Shell("cat notes.txt")})
}

var likeFiles = map[string]string{"notes.txt": "token\n", "half.txt": "half\n", "main.c": "int main;\n", "plain.c": "int plain;\n"}

// TestHostIsAlike runs the real build that the fake host imitates and the fake host on the same
// script: hooks and the model must get the same, and the transcripts must be alike.
func TestHostIsAlike(t *testing.T) {
	real := hosttest.New(t).Build("claude", fakehost.Version).OpenSpace()
	home := map[string]string{".claude/settings.json": allEventSettings(), "hook.sh": hookScript}
	theirs := real.Run(hostlab.Run{Prompt: "please go", Script: allAnswersScript(real.Project), Home: home, Project: likeFiles})
	blocked := real.Run(hostlab.Run{Prompt: "forbidden words"})
	want := summarizeRun(t, real.Home, real.Project, theirs.Record)
	want["printed"] = []string{theirs.Stdout, blocked.Stdout, fmt.Sprint(theirs.Exit, blocked.Exit, len(blocked.Record))}

	s := faketest.New(t, faketest.Program(t), fakehost.Build{})
	s.Write(s.Home, home)
	s.Write(s.Project, likeFiles)
	ours := s.Run(faketest.Run{Prompt: "please go", Script: allAnswersScript(s.Project)})
	again := s.Run(faketest.Run{Prompt: "forbidden words"})
	got := summarizeRun(t, s.Home, s.Project, ours.Record)
	got["printed"] = []string{ours.Stdout, again.Stdout, fmt.Sprint(ours.Exit, again.Exit, len(again.Record))}
	for _, part := range slices.Sorted(maps.Keys(want)) {
		compare(t, part, got[part], want[part])
	}
}

func compare(t *testing.T, part string, got, want []string) {
	t.Helper()
	for i := range max(len(got), len(want)) {
		switch {
		case i >= len(got):
			t.Errorf("%s: only the real host has %s", part, want[i])
		case i >= len(want):
			t.Errorf("%s: only the fake host has %s", part, got[i])
		case got[i] != want[i]:
			t.Errorf("%s %d:\nfake %s\nreal %s", part, i, got[i], want[i])
			return // what follows is off by one, or the same again
		}
	}
}

// summarizeRun returns what hooks, the model and the transcripts got in a run, without what differs in
// every run.
func summarizeRun(t *testing.T, home, project string, r mockmodel.Record) map[string][]string {
	t.Helper()
	clean := func(s string) string {
		s = strings.NewReplacer(project, "PROJECT", home, "HOME", strings.Trim(dashes.ReplaceAllString(project, "-"), "-"), "FOLDER").Replace(s)
		s = folders.ReplaceAllString(s, "TMP/")
		for _, re := range []*regexp.Regexp{ids, agents, calls, took} {
			s = re.ReplaceAllString(s, "X")
		}
		return s
	}
	out := map[string][]string{}
	eachLine(t, filepath.Join(home, "events.jsonl"), func(m map[string]any) {
		line, keys := fmt.Sprint(m["hook_event_name"], " ", describeShape(m)), []string{
			"tool_name", "tool_input", "error", "source", "reason", "stop_hook_active", "agent_type", "last_assistant_message",
			"prompt", "transcript_path", "agent_transcript_path",
		}
		part := "event"
		if m["agent_id"] != nil { // which runs beside
			part, keys = "event of a sub-agent", append(keys, "background_tasks")
		}
		for _, k := range keys {
			if v, ok := m[k]; ok {
				line += fmt.Sprintf(" %s=%v", k, v)
			}
		}
		out[part] = append(out[part], clean(line))
	})
	for _, q := range r.Turns() {
		part, last := "told", 0
		for i, m := range q.Messages {
			if m.Role == "assistant" {
				last = i + 1
			}
			if slices.Contains(m.Texts, subPrompt) {
				part = "told a sub-agent"
			}
		}
		for _, m := range q.Messages[last:] {
			for _, res := range m.Results {
				out[part] = append(out[part], clean(fmt.Sprintf("%s error=%v %s", res.ID, res.IsError, res.Text)))
			}
			for _, text := range strings.Split(strings.Join(m.Texts, "\n\n"), "\n\n") {
				if ofHooks.MatchString(text) {
					out[part] = append(out[part], m.Role+" "+clean(text))
				}
			}
		}
	}
	files, err := filepath.Glob(filepath.Join(home, ".claude", "projects", "*", "*.jsonl"))
	subs, errSub := filepath.Glob(filepath.Join(home, ".claude", "projects", "*", "*", "subagents", "*.jsonl"))
	if err != nil || errSub != nil || len(files) != 2 || len(subs) != 1 {
		t.Fatalf("transcripts %q and %q: %v, %v", files, subs, err, errSub)
	}
	slices.SortFunc(files, func(a, b string) int { return int(size(t, b) - size(t, a)) })
	for name, path := range map[string]string{"transcript": files[0], "transcript of a block": files[1], "transcript of a sub-agent": subs[0]} {
		eachLine(t, path, func(m map[string]any) {
			if l := transcriptLine(m); l != "" {
				out[name] = append(out[name], clean(l))
			}
		})
	}
	return out
}

var (
	dashes = regexp.MustCompile(`[^A-Za-z0-9]`)
	ids    = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)
	agents = regexp.MustCompile(`\ba[0-9a-f]{16}\b`)
	calls  = regexp.MustCompile(`\bcall\d+n\d+\b`) // the model counts all, and who runs beside may be first
	took   = regexp.MustCompile(`<(duration_ms|subagent_tokens)>\d+`)
	// folders are where things are for now.
	folders = regexp.MustCompile(`[^ <>\n]*/claude-\d+/`)
	// ofHooks is what the host says for a hook.
	ofHooks = regexp.MustCompile(`^[A-Za-z:]+ hook `)
)

func size(t *testing.T, path string) int64 {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}

// own lists the kinds of lines and attachments of the real host that have nothing to do with
// hooks; ownMembers lists members of other lines that readers of transcripts do not need.
var (
	own = []string{
		"agent_listing_delta", "skill_listing", "task_reminder", "environment", "model", "session_context", "date", "remote_session_change",
		"prompt_snapshot", "silent_turn_reminder", "last-prompt", "queue-operation", "atis-latch", "tools-used", "cost-state",
		"api-request", "api-request-shape", "api-request-blob",
	}
	ownMembers = []string{
		"toolInputStreamMs", "apiBlockIndex", "requestRef", "requestedModel", "promptCacheRequested", "effort", "perTurnEffort", "madeBy",
		"turnPosition", "queueSkipAttachments",
	}
)

// transcriptLine describes a line of a transcript, or returns "" if it is ignored.
func transcriptLine(m map[string]any) string {
	a, _ := m["attachment"].(map[string]any)
	if slices.Contains(own, fmt.Sprint(m["type"])) || slices.Contains(own, fmt.Sprint(a["type"])) {
		return ""
	}
	for _, k := range ownMembers {
		delete(m, k)
	}
	line := describeShape(m)
	for _, k := range []string{"subtype", "promptSource", "turnOrigin", "toolDenialKind", "permissionDecision", "sandboxed", "hookCount", "hookErrors", "hasOutput", "rendered", "promptSubmitEnding"} {
		if v, ok := m[k]; ok {
			line += fmt.Sprintf(" %s=%v", k, v)
		}
	}
	if a != nil {
		return fmt.Sprint(line, " ", a["type"], " ", a["hookName"], " ", fmt.Sprintf("%.100v", a["content"]), " ", a["blockingError"], " ", fmt.Sprintf("%.40v", a["stderr"]), " ", a["exitCode"])
	}
	message, _ := m["message"].(map[string]any)
	return fmt.Sprint(line, " ", m["type"], " ", m["content"], " ", message["role"], " ", message["content"], " ", describeShape(m["toolUseResult"]))
}

// describeShape returns the names of the members of an object and of the results in it.
func describeShape(v any) string {
	m, ok := v.(map[string]any)
	if !ok {
		return fmt.Sprintf("%T", v)
	}
	var names []string
	for _, k := range slices.Sorted(maps.Keys(m)) {
		switch k {
		case "tool_response", "file", "attachment":
			names = append(names, k+describeShape(m[k]))
		case "usage", "toolStats", "noOutputExpected": // which no reader needs
		default:
			names = append(names, k)
		}
	}
	return "{" + strings.Join(names, " ") + "}"
}

func eachLine(t *testing.T, path string, f func(map[string]any)) {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var m map[string]any
		if err := json.Unmarshal(lines.Bytes(), &m); err != nil {
			t.Fatalf("%s: %v: %s", path, err, lines.Text())
		}
		f(m)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
}
