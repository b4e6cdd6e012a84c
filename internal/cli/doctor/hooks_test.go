//go:build unix

package doctor

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/approval/grant"
)

const script = "#!/bin/sh\ncat >/dev/null\n"

// Doctor finds faults of real files, programs and deadlines.
func TestFaultsAreFound(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		id    string
		level Level
		what  string
		files map[string]string
		args  []string // files that are named instead of searched for
		hosts []string
	}{
		{name: "not executable", id: "not-executable", level: Error, what: "chmod +x",
			files: map[string]string{user: nativeFile("pre_tool_use", "{name: g, command: $ROOT/guard.sh}"), "guard.sh": "exit 2\n"}},
		{name: "not executable without a shell", id: "not-executable", level: Error, what: "every call is denied",
			files: map[string]string{user: nativeFile("pre_tool_use", "{name: g, command: [$ROOT/guard.sh]}"), "guard.sh": "exit 2\n"}},
		{name: "not executable for some calls", id: "not-executable", level: Error, what: "until this is fixed, every call of shell, write is denied",
			files: map[string]string{user: nativeFile("pre_tool_use", "{name: g, matcher: shell|write, command: [$ROOT/guard.sh]}"), "guard.sh": "exit 2\n"}},
		{name: "not executable as the shell finds", id: "not-executable", level: Error, what: "is not executable",
			files: map[string]string{user: nativeFile("pre_tool_use", "{name: g, command: 'true && $ROOT/guard.sh'}"), "guard.sh": "exit 2\n"}},
		{name: "a directory", id: "not-executable", level: Error, what: "is a directory",
			files: map[string]string{user: nativeFile("pre_tool_use", "{name: g, command: $ROOT/guard}"), "guard/x": ""}},
		{name: "missing script", id: "missing", level: Error, what: "is missing",
			files: map[string]string{user: nativeFile("pre_tool_use", "{name: g, command: $ROOT/guard.sh}")}},
		{name: "lines of Windows", id: "not-executable", level: Error, what: `first line has a Windows line ending and names "/bin/sh\r"`,
			files: map[string]string{user: nativeFile("pre_tool_use", "{name: g, command: $ROOT/guard.sh}"), "guard.sh": "#!/bin/sh\r\nexit 0\r\n"}},
		{name: "missing interpreter", id: "missing", level: Error, what: "its first line names pyton3, which is missing",
			files: map[string]string{user: nativeFile("pre_tool_use", "{name: g, command: $ROOT/guard.sh}"), "guard.sh": "#!/usr/bin/env pyton3\n"}},
		{name: "missing program", id: "missing", level: Error, what: "not in PATH",
			files: map[string]string{user: nativeFile("session_start", "{name: g, command: [no-such-program-anywhere]}")}},
		{name: "missing in a script", id: "missing", level: Error, what: "exit code 127",
			files: map[string]string{user: nativeFile("session_start", "{name: g, command: 'no-such-program-anywhere; exit $?'}")}},
		{name: "missing reader of a guard", id: "missing", level: Error, what: "without the program that reads its payload",
			files: map[string]string{user: nativeFile("pre_tool_use", `{name: g, command: 'echo "sh: 1: jq: not found" >&2'}`)}},
		{name: "missing script of an interpreter", id: "missing", level: Error, what: "the script",
			files: map[string]string{user: nativeFile("pre_tool_use", "{name: g, command: [sh, $ROOT/guard.sh]}")}},
		{name: "an interpreter's exit code 2 is no denial", id: "missing", level: Error, what: "counts as a denial",
			files: map[string]string{user: nativeFile("pre_tool_use", "{name: g, command: 'true; sh $ROOT/guard.sh || exit 2'}")}},
		{name: "relative to a person's file", id: "relative-path", level: Error, what: "write the absolute path",
			files: map[string]string{user: nativeFile("pre_tool_use", "{name: g, command: ./guard.sh}"), "config/checkrein/guard.sh": script}},
		{name: "relative and the project has one too", id: "relative-path", level: Warn, what: "a different file in each project",
			files: map[string]string{user: nativeFile("pre_tool_use", "{name: g, command: ./guard.sh}"), "config/checkrein/guard.sh": script, "project/guard.sh": script}},
		{name: "relative in a starchild file", id: "relative-path", level: Error, what: "absolute path",
			files: map[string]string{"shell_hooks.yaml": "hooks:\n  - {event: pre_tool_call, command: skills/guard.py}\n"}, args: []string{"shell_hooks.yaml"}},
		{name: "too slow", id: "timed-out", level: Error, what: "timed out after 1s",
			files: map[string]string{user: nativeFile("pre_tool_use", "{name: g, command: sleep 60, timeout: 1}")}},
		{name: "half a JSON object", id: "bad-json", level: Error, what: "not one JSON object",
			files: map[string]string{user: nativeFile("pre_tool_use", `{name: g, command: "echo '{\"decision\":'"}`)}},
		{name: "an unknown word", id: "bad-json", level: Error, what: "must be one of",
			files: map[string]string{user: nativeFile("pre_tool_use", `{name: g, command: "echo '{\"decision\":\"maybe\"}'"}`)}},
		{name: "text on a gate", id: "not-json", level: Error, what: `"all is well"`,
			files: map[string]string{user: nativeFile("pre_tool_use", "{name: g, command: echo all is well}")}},
		{name: "text where it means nothing", id: "not-json", level: Warn, what: "turn_end",
			files: map[string]string{user: nativeFile("turn_end", "{name: g, command: echo all is well}")}},
		{name: "exit code", id: "exit-code", level: Error, what: "exit code 3: broken",
			files: map[string]string{user: nativeFile("pre_tool_use", "{name: g, command: 'echo broken >&2; exit 3'}")}},
		{name: "exit code that is ignored", id: "exit-code", level: Warn, what: "exit code 3",
			files: map[string]string{user: nativeFile("turn_end", "{name: g, command: exit 3, on_error: ignore}")}},
		{name: "a signal", id: "exit-code", level: Error, what: "SIGKILL",
			files: map[string]string{user: nativeFile("pre_tool_use", "{name: g, command: kill -9 $$}")}},
		{name: "too much output", id: "failed", level: Error, what: "too much output",
			files: map[string]string{user: nativeFile("pre_tool_use", "{name: g, command: yes}")}},
		{name: "unknown keys", id: "ignored", level: Warn, what: "colour",
			files: map[string]string{user: nativeFile("pre_tool_use", `{name: g, command: "echo '{\"colour\":\"red\"}'"}`)}},
		{name: "a denial where nothing can be denied", id: "event-cannot", level: Error, what: "deny",
			files: map[string]string{user: nativeFile("turn_start", `{name: g, command: "echo '{\"decision\":\"block\",\"reason\":\"no\"}'"}`)}},
		{name: "a summary where there is none", id: "event-cannot", level: Warn, what: "summary",
			files: map[string]string{user: nativeFile("turn_start", `{name: g, command: "echo '{\"hook_specific_output\":{\"summary\":\"x\"}}'"}`)}},
		{name: "context that the host does not take", id: "host-cannot", level: Warn, what: "on stop, Claude Code does not support what the hook asks for: context", hosts: []string{"claude"},
			files: map[string]string{user: nativeFile("stop", "{name: g, command: echo remember}")}},
		{name: "a rewrite that the host does not take", id: "host-cannot", level: Error, what: "rewrite_output", hosts: []string{"claude"},
			files: map[string]string{user: nativeFile("user_prompt_submit", `{name: g, command: "echo '{\"message\":\"x\"}'"}`)}},
		{name: "a denial that the host does not heed", id: "host-cannot", level: Error, what: "deny", hosts: []string{"openclaw"},
			files: map[string]string{user: nativeFile("subagent_start", `{name: g, command: "echo no >&2; exit 2"}`)}},
		{name: "an event that one host never fires", id: "never-fires", level: Warn, what: "Claude Code never fires before_llm_call", hosts: []string{"claude"},
			files: map[string]string{user: nativeFile("before_llm_call", "{name: g, command: 'true'}")}},
		{name: "a gate that no host fires", id: "never-fires", level: Error, what: "Claude Code and Codex CLI never fire on_outbound_message, so the hook never runs there: it guards nothing here", hosts: []string{"claude", "codex"},
			files: map[string]string{user: nativeFile("on_outbound_message", "{name: g, command: 'true'}")}},
		{name: "an event that could be wired", id: "never-fires", level: Warn, what: "checkrein install claude --event MessageDisplay", hosts: []string{"claude"},
			files: map[string]string{user: nativeFile("on_response_end", "{name: g, command: 'true'}")}},
		{name: "a block in place of a replacement", id: "block-is-no-replacement", level: Warn, what: "Claude Code can replace it", hosts: []string{"claude"},
			files: map[string]string{"settings.json": `{"hooks":{"PostToolUse":[{"hooks":[{"type":"command","command":"echo '{\"decision\":\"block\",\"reason\":\"short\"}'"}]}]}}`}, args: []string{"settings.json"}},
		{name: "a replacement on the wrong row", id: "event-cannot", level: Error, what: "tool_response_transform",
			files: map[string]string{user: nativeFile("post_tool_use", `{name: g, command: "echo '{\"updated_tool_response\":\"short\"}'"}`)}},
		{name: "a gate that denies all", id: "denies-harmless", level: Warn, what: "no way",
			files: map[string]string{user: nativeFile("pre_tool_use", "{name: g, command: 'echo no way >&2; exit 2'}")}},
		{name: "a veto of what must be", id: "overflow-veto", level: Warn,
			files: map[string]string{user: nativeFile("before_compaction", "{name: g, command: exit 2}")}},
		{name: "an asynchronous gate", id: "async-gate", level: Warn,
			files: map[string]string{user: nativeFile("pre_tool_use", "{name: g, command: 'true', async: true}")}},
		{name: "a mistyped tool", id: "matches-nothing", level: Error, what: `did you mean "Bash|Write"`,
			files: map[string]string{user: nativeFile("pre_tool_use", "{name: g, matcher: Bahs|Wriet, command: 'true'}")}},
		{name: "a mistyped tool of a folder", id: "matches-nothing", level: Error, what: `did you mean "Shell"`,
			files: map[string]string{"g/HOOK.md": "---\nname: g\ndescription: d\ntrigger: before_tool\nmatcher: {tool: Shel}\n---\n", "g/scripts/run.sh": script}, args: []string{"g/HOOK.md"}},
		{name: "an anchor in a payload", id: "never-found", level: Error, what: "begins with a brace",
			files: map[string]string{"shell_hooks.yaml": "hooks:\n  - {event: pre_tool_call, matcher: '^(rm|dd)', command: /bin/true}\n"}, args: []string{"shell_hooks.yaml"}},
		{name: "look-around", id: "configuration", level: Error, what: "look-around",
			files: map[string]string{user: nativeFile("pre_tool_use", "{name: g, matcher: '(?!Bash)', command: 'true'}")}},
		{name: "an unknown event", id: "unknown-event", level: Error, what: `did you mean "pre_tool_use"`,
			files: map[string]string{user: nativeFile("pre_tool_us", "{name: g, command: 'true'}")}},
		{name: "an escape that YAML does not have", id: "configuration-warning", level: Warn,
			files: map[string]string{user: nativeFile("pre_tool_use", `{name: g, if: {command: {regex: "\.py$"}}, command: 'true'}`)}},
		{name: "two guards", id: "two-guards", level: Warn, what: "judges shell commands",
			files: map[string]string{user: nativeFile("pre_tool_use", "{name: a, type: builtin, command: safer_shell}\n    - {name: b, command: $ROOT/security_guard.sh}"), "security_guard.sh": script}},
		{name: "two footers", id: "two-guards", level: Warn, what: "writes a footer",
			files: map[string]string{user: nativeFile("on_response_end", "{name: a, type: builtin, command: runtime_footer}\n    - {name: b, command: $ROOT/turn-footer.sh}"), "turn-footer.sh": script}},
		{name: "a guard twice", id: "two-guards", level: Warn, what: "so the command runs twice",
			files: map[string]string{user: nativeFile("pre_tool_use", "{name: a, command: $ROOT/x.sh}\n    - {name: b, command: $ROOT/x.sh}"), "x.sh": script}},
		{name: "the same hook twice", id: "same-hook", level: Info, what: "runs only once",
			files: map[string]string{user: nativeFile("pre_tool_use", "{name: a, command: 'true'}\n    - {name: a, command: 'true'}")}},
		{name: "personal data in messages", id: "private-messages", level: Warn, what: "where files leave the machine",
			files: map[string]string{user: nativeFile("on_outbound_message", "{name: g, type: builtin, command: pii_redactor}")}},
		{name: "a scrubber of replies", id: "private-messages", level: Warn,
			files: map[string]string{user: nativeFile("on_response_end", "{name: g, command: $ROOT/scrub-content.sh}"), "scrub-content.sh": script}},
		{name: "a rule on private addresses", id: "private-messages", level: Warn, what: "private addresses",
			files: map[string]string{user: nativeFile("on_outbound_message", `{name: g, type: rule, if: {message: {regex: '192\.168\.'}}, decision: deny, reason: 'no'}`)}},
		{name: "a script on private addresses", id: "private-messages", level: Warn, what: "private addresses",
			files: map[string]string{user: nativeFile("on_outbound_message", "{name: g, command: $ROOT/x.sh}"), "x.sh": script + `# 192\.168\..*` + "\n"}},
		{name: "a switch beside the file", id: "switched-off", level: Error, what: "switched off by agent.yaml",
			files: map[string]string{"shell_hooks.yaml": "hooks:\n  - {event: pre_tool_call, command: /bin/true}\n", "agent.yaml": "shell_hooks: {enabled: false}\n"}, args: []string{"shell_hooks.yaml"}},
		{name: "packs that are off", id: "packs-off", level: Warn, what: "packs that are off: git",
			files: map[string]string{user: "version: 1\npacks: [{name: git, off: true}]\n"}},
		{name: "shadow", id: "shadow", level: Warn, what: "not enforced",
			files: map[string]string{user: "version: 1\nshadow: 2999-12-31\n"}},
		{name: "a managed hook in shadow mode", id: "hook-shadow", level: Warn, what: "managed/checkrein.yaml:4): its decisions are recorded, but not enforced",
			files: map[string]string{"managed/checkrein.yaml": nativeFile("pre_tool_use", "{name: g, mode: shadow, command: 'true'}")}},
		{name: "a grant of a file", id: "file-grant", level: Info, what: "git push --force origin x",
			files: map[string]string{user: "version: 1\ngrants: [{call: git push --force origin x, reason: r}]\n"}},
		{name: "a grant that is over", id: "grant-idle", level: Warn, what: "does not count: it ended at 2001-01-02",
			files: map[string]string{user: "version: 1\ngrants: [{call: git push --force origin x, until: 2001-01-01, reason: r}]\n"}},
		{name: "a project that would grant", id: "pack-ignored", level: Warn, what: "grants is ignored",
			files: map[string]string{"project/checkrein.yaml": "version: 1\ngrants: [{call: git push --force origin x, reason: r}]\n"}},
		{name: "a project that would loosen", id: "pack-ignored", level: Warn, what: "a project's file can only tighten",
			files: map[string]string{"project/checkrein.yaml": "version: 1\npacks: [{name: git, off: true}]\n"}},
		{name: "JSON by text", id: "json-by-text", level: Error, what: "jq",
			files: map[string]string{user: nativeFile("pre_tool_use", "{name: g, command: $ROOT/x.sh}"), "x.sh": "#!/bin/sh\ngrep -o '\"command\": \"[^\"]*\"' | grep -q mkfs && exit 2\nexit 0\n"}},
		{name: "a model", id: "not-run", level: Info, what: "costs money",
			files: map[string]string{user: nativeFile("pre_tool_use", "{name: g, type: model, model: a/b, prompt: hello}")}},
		{name: "a folder without a script", id: "missing", level: Error, what: "has no script",
			files: map[string]string{"g/HOOK.md": "---\nname: g\ndescription: d\ntrigger: before_tool\n---\n"}, args: []string{"g/HOOK.md"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := newTestMachine(t, tt.files)
			r := p.checkHooks(func(o *Options) { o.Hosts = installedHosts(t, tt.hosts...) }, tt.args...)
			wantFinding(t, r, tt.id, tt.level, tt.what)
			if f, _ := findingOf(r, tt.id); len(f.Remedies) == 0 {
				t.Errorf("no remedy: %+v", f)
			}
		})
	}
}

// Hooks that work have no findings.
func TestHealthyHooksHaveNoFindings(t *testing.T) {
	t.Parallel()
	p := newTestMachine(t, map[string]string{
		user: `version: 1
hooks:
  pre_tool_use:
    - {name: quiet, command: $ROOT/guard.sh}
    - {name: json, matcher: Bash|Write, command: "echo '{}'"}
    - {name: rule, type: rule, if: {command: {contains: rm}}, decision: deny, reason: 'no'}
    - {name: mcp, matcher: 'mcp__github__.*', command: 'true'}
  session_start: {name: context, command: echo hello}
  on_response_end: {name: mask, type: builtin, command: redact_secrets}
  stop: {name: tests, type: builtin, command: quality_gate, args: ['true']}
`,
		"guard.sh": "#!/bin/sh\ngrep -q '\"command\": *\"mkfs' && { echo '{\"decision\": \"block\"}'; }\nexit 0\n",
	})
	r := p.checkHooks(nil)
	wantNone(t, r)
	if r.Verdict() != "healthy" || len(r.Ran) != 7 {
		t.Errorf("%s, %d ran: %+v", r.Verdict(), len(r.Ran), r.Ran)
	}
}

func TestUnapprovedHooksAreReported(t *testing.T) {
	t.Parallel()
	p := newTestMachine(t, map[string]string{
		"project/checkrein.yaml": nativeFile("pre_tool_use", "{name: g, command: ./guard.sh}\n  session_start:\n    - {name: s, command: ./start.sh}"),
		"project/guard.sh":       script + "touch ran\n",
		"project/start.sh":       script,
		"project/.git/HEAD":      "ref: refs/heads/main\n",
		"project/.git/config":    "",
		"project/.git/objects/x": "",
	})
	r := p.checkHooks(nil)
	wantFinding(t, r, "not-approved", Error, "checkrein hooks approve g")
	wantFinding(t, r, "not-approved", Warn, "checkrein hooks approve s")
	if _, err := os.Stat(p.path("project/ran")); err == nil || len(r.Ran) != 0 {
		t.Errorf("what nobody approved ran: %+v", r.Ran)
	}
	p.approve()
	wantNone(t, p.checkHooks(nil))
	p.write("project/guard.sh", script+"touch other\n")
	r = p.checkHooks(nil)
	wantFinding(t, r, "changed", Error, "guard.sh")
	if _, err := os.Stat(p.path("project/other")); err == nil {
		t.Error("what was changed ran")
	}
	p.write("project/checkrein.yaml", "version: 1\n")
	wantFinding(t, p.checkHooks(nil), "vanished", Error, "checkrein hooks revoke g")
	if err := p.kit().SetOn(false); err != nil {
		t.Fatal(err)
	}
	wantFinding(t, p.checkHooks(nil), "master-off", Error, "checkrein hooks on")
}

// A user's hook that would run a repository's file does not run, and that is reported.
func TestRepositoryScriptInUserHook(t *testing.T) {
	t.Parallel()
	p := newTestMachine(t, map[string]string{user: nativeFile("pre_tool_use", "{name: g, command: sh ./guard.sh}"), "project/guard.sh": "touch ran\n", "project/checkrein.yaml": "version: 1\n"})
	wantFinding(t, p.checkHooks(nil), "not-approved", Error, "was not approved")
	if _, err := os.Stat(p.path("project/ran")); err == nil {
		t.Error("it ran")
	}
}

// A hook that every tool call waits for should be fast; an asynchronous one need not be.
func TestSlowHooks(t *testing.T) {
	t.Parallel()
	p := newTestMachine(t, map[string]string{user: nativeFile("pre_tool_use", "{name: g, command: sleep 0.02}\n  session_start:\n    - {name: s, command: sleep 0.02}\n  post_tool_use:\n    - {name: a, async: true, command: sleep 0.02}")})
	r := p.checkHooks(func(o *Options) { o.Slow = 10 * time.Millisecond })
	wantFinding(t, r, "slow", Warn, "every tool call waits")
	if len(r.Findings) != 1 || r.Findings[0].Hook != "g" {
		t.Errorf("%+v", r.Findings)
	}
}

// With --no-run nothing runs.
func TestWithoutScratchNothingRuns(t *testing.T) {
	t.Parallel()
	p := newTestMachine(t, map[string]string{user: nativeFile("pre_tool_use", "{name: g, command: touch ran}\n    - {name: m, command: $ROOT/missing.sh}")})
	r := p.checkHooks(func(o *Options) { o.Scratch = "" })
	wantFinding(t, r, "missing", Error, "missing.sh")
	if _, err := os.Stat(p.path("project/ran")); err == nil || len(r.Ran) > 0 {
		t.Error("it ran")
	}
}

// A pause is reported, with how to end it.
func TestPauseIsReported(t *testing.T) {
	t.Parallel()
	p := newTestMachine(t, nil)
	if err := p.kit().SetPause(grant.Pause{Until: time.Now().Add(time.Hour)}); err != nil {
		t.Fatal(err)
	}
	r := p.checkHooks(nil)
	wantFinding(t, r, "paused", Warn, "paused until")
	wantNone(t, r, "paused")
}

// Hooks run in their usual directory, get events about a scratch directory, and leave nothing in the
// state directory.
func TestWhereHooksRun(t *testing.T) {
	t.Parallel()
	p := newTestMachine(t, map[string]string{
		user:       nativeFile("stop", "{name: g, command: 'pwd > $ROOT/pwd; cat > $ROOT/payload'}\n  post_tool_use:\n    - {name: l, type: builtin, command: tool_audit_log, args: ['path=$ROOT/audit.jsonl']}\n    - {name: d, type: builtin, command: tool_audit_log}\n  on_response_end:\n    - {name: v, type: builtin, command: narration_guard}"),
		"state/.x": "",
	})
	r := p.checkHooks(nil)
	wantNone(t, r, "never-fires", "two-guards")
	pwd, _ := os.ReadFile(p.path("pwd"))
	payload, _ := os.ReadFile(p.path("payload"))
	if strings.TrimSpace(string(pwd)) != p.path("project") || !strings.Contains(string(payload), `"cwd":"`+p.path("scratch")+`"`) {
		t.Errorf("ran in %s with %s", pwd, payload)
	}
	if _, err := os.Stat(p.path("audit.jsonl")); err == nil {
		t.Error("something that did not happen was written down")
	}
	var left []string
	_ = filepath.WalkDir(p.path("state"), func(path string, e os.DirEntry, err error) error {
		if err == nil && !e.IsDir() && e.Name() != ".x" && !strings.Contains(path, "/cache/") {
			left = append(left, path)
		}
		return nil
	})
	if len(left) > 0 {
		t.Errorf("left %q", left)
	}
}

// If the context is cancelled, no further hook runs, and the report is marked as interrupted.
func TestInterrupted(t *testing.T) {
	t.Parallel()
	p := newTestMachine(t, map[string]string{user: nativeFile("pre_tool_use", "{name: a, command: 'touch $ROOT/a; sleep 60'}\n    - {name: b, command: touch $ROOT/b}")})
	ctx, cancel := context.WithCancel(t.Context())
	o := p.options()
	go func() {
		defer cancel()
		for ctx.Err() == nil {
			if _, err := os.Stat(p.path("a")); err == nil {
				return
			}
		}
	}()
	r := CheckHooks(ctx, o)
	if !r.Interrupted || r.Verdict() != "interrupted" {
		t.Errorf("%+v", r)
	}
	if _, err := os.Stat(p.path("b")); err == nil {
		t.Error("it went on")
	}
}

// A given payload is used as it is, by hooks on its event only.
func TestGivenPayload(t *testing.T) {
	t.Parallel()
	p := newTestMachine(t, map[string]string{user: nativeFile("pre_tool_use", "{name: bash, matcher: Bash, command: 'grep -q checkrein && echo bad >&2; exit 2'}\n    - {name: write, matcher: Write, command: exit 3}\n  stop:\n    - {name: stop, command: exit 3}")})
	r := p.checkHooks(func(o *Options) {
		o.Payload = &checkrein.Event{Kind: checkrein.PreToolUse, Tool: &checkrein.Tool{Name: "Bash", Canonical: "shell", Input: []byte(`{"command":"rm -rf /"}`)}}
	})
	wantNone(t, r)
	if len(r.Ran) != 1 || r.Ran[0].Hook != "bash" || r.Ran[0].Said != "deny" {
		t.Errorf("ran %+v", r.Ran)
	}
}

// A disabled hook does not run, and that is reported.
func TestDisabledHook(t *testing.T) {
	t.Parallel()
	p := newTestMachine(t, map[string]string{user: nativeFile("session_start", "{name: g, command: 'touch $ROOT/ran'}")})
	k := p.kit()
	hooks := k.Hooks()
	for i := range hooks {
		if hooks[i].ID == "g" {
			if _, err := k.SetDisabled(true, &hooks[i]); err != nil {
				t.Fatal(err)
			}
		}
	}
	r := p.checkHooks(nil)
	wantFinding(t, r, "disabled", Warn, "it is disabled, so it does not run")
	if _, err := os.Stat(p.path("ran")); err == nil || len(r.Ran) > 0 {
		t.Errorf("it ran: %+v", r.Ran)
	}
}

// A hook that does not match the harmless event runs, to see whether it can, but its decision is not
// reported.
func TestHookForOtherCalls(t *testing.T) {
	t.Parallel()
	const head = "---\nname: g\ndescription: d\ntrigger: before_tool\nmatcher: {tool: Shell, pattern: 'rm -rf'}\n---\n"
	p := newTestMachine(t, map[string]string{"g/HOOK.md": head, "g/scripts/run.sh": "#!/bin/sh\ncat >/dev/null\necho never >&2\nexit 2\n"})
	r := p.checkHooks(nil, "g/HOOK.md")
	wantNone(t, r)
	if len(r.Ran) != 1 || !r.Ran[0].Aside || r.Ran[0].Said != "deny" {
		t.Errorf("ran %+v", r.Ran)
	}
	p.write("g/scripts/run.sh", "#!/bin/sh\nexit 7\n")
	wantFinding(t, p.checkHooks(nil, "g/HOOK.md"), "exit-code", Warn, "for a harmless call that its condition excludes")
	p.write("g/scripts/run.sh", "#!/bin/sh\nno-such-program-anywhere\n")
	wantFinding(t, p.checkHooks(nil, "g/HOOK.md"), "missing", Error, "exit code 127")
	p.write("g/HOOK.md", strings.Replace(head, "rm -rf", "echo", 1))
	p.write("g/scripts/run.sh", "#!/bin/sh\ncat >/dev/null\necho never >&2\nexit 2\n")
	r = p.checkHooks(nil, "g/HOOK.md")
	wantFinding(t, r, "denies-harmless", Warn, "never")
	if len(r.Ran) != 1 || r.Ran[0].Aside {
		t.Errorf("ran %+v", r.Ran)
	}
}

// Git runs no hook for a push with --no-verify, but a hook on the tool call can refuse it.
func TestNoVerifyCanBeRefused(t *testing.T) {
	t.Parallel()
	p := newTestMachine(t, map[string]string{user: nativeFile("pre_tool_use", "{name: g, type: rule, if: {command: {regex: 'git push.*--no-verify'}}, decision: deny, reason: 'no'}")})
	for command, want := range map[string]string{"git push --no-verify": "deny", "git push": ""} {
		said := ""
		r := p.checkHooks(func(o *Options) {
			o.Payload = &checkrein.Event{Kind: checkrein.PreToolUse, Tool: &checkrein.Tool{Name: "Bash", Canonical: "shell", Input: []byte(`{"command":"` + command + `"}`)}}
		})
		for _, ran := range r.Ran {
			said = ran.Said
		}
		if said != want {
			t.Errorf("%s: %q, want %q", command, said, want)
		}
	}
}

// A setting that loosens the guard while an agent runs does not count, and that is reported.
func TestHeldSettingIsReported(t *testing.T) {
	t.Parallel()
	p := newTestMachine(t, map[string]string{user: "version: 1\n"})
	p.kit().NoteSelf("claude")
	time.Sleep(50 * time.Millisecond) // a start time is known to 20 ms, and this process is the agent
	p.write(user, "version: 1\npacks: [{name: git, off: true}]\n")
	wantFinding(t, p.checkHooks(nil), "held-back", Warn, "pack git: off: true")
}
