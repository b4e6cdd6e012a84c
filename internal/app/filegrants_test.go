package app_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/checkrein/checkrein"
)

// shellCall returns a call of a shell command, with further arguments as JSON members.
func shellCall(command, more string) checkrein.Event {
	quoted, _ := json.Marshal(command)
	return checkrein.Event{Kind: checkrein.PreToolUse, Host: "claude", Session: checkrein.Session{ID: "s"},
		Tool: &checkrein.Tool{Name: "Bash", Input: json.RawMessage(`{"command":` + string(quoted) + more + `}`)}}
}

// A grant in a file lifts what packs, builtins and rules decide about its call, and nothing else.
func TestFileGrantsLiftOnlyTheirCall(t *testing.T) {
	t.Parallel()
	const guard = "hooks:\n  pre_tool_use: [{name: no-volumes, type: rule, decision: deny, reason: r, if: {tool_input.command: {contains: volume}}}]\n"
	const program = "hooks:\n  pre_tool_use: [{name: guard, command: \"cat >/dev/null; echo no >&2; exit 2\"}]\n"
	const call = "docker volume rm data"
	for _, tt := range []struct {
		name, grant, user, managed string
		command, more              string
		want                       checkrein.Decision
	}{
		{name: "none", command: call, want: checkrein.Deny},
		{name: "the call", grant: "call: " + call, command: call},
		{name: "another spelling", grant: "call: " + call, command: "docker  volume rm 'data'"},
		{name: "beside what is harmless", grant: "call: " + call, command: call + " && ls"},
		{name: "with arguments that change nothing", grant: "call: " + call, command: call, more: `,"description":"d","timeout":5,"run_in_background":false`},
		{name: "with others", grant: "call: " + call, command: call, more: `,"env":"DOCKER_HOST=prod"`, want: checkrein.Deny},
		{name: "another object", grant: "call: " + call, command: "docker volume rm other", want: checkrein.Deny},
		{name: "more objects", grant: "call: " + call, command: "docker volume rm data other", want: checkrein.Deny},
		{name: "more effects", grant: "call: " + call, command: call + "; rm -rf ~", want: checkrein.Deny},
		{name: "an effect that is not known", grant: "call: " + call, command: call + "; $X", want: checkrein.Deny},
		{name: "what is not known in full, as it is", grant: "call: 'eval \"$X\"; " + call + "'", command: "eval \"$X\"; " + call},
		{name: "what is not known in full, otherwise", grant: "call: 'eval \"$X\"; " + call + "'", command: "eval  \"$X\"; " + call, want: checkrein.Deny},
		{name: "less of it", grant: "call: " + call + " other", command: call, want: checkrein.Deny}, // packs do not compare parts of commands

		{name: "its rule", grant: "call: " + call + "\n    rules: [containers/volume-remove]", command: call},
		{name: "the hook's name", grant: "call: " + call + "\n    rules: [packs]", command: call},
		{name: "another rule", grant: "call: " + call + "\n    rules: [git/push-force]", command: call, want: checkrein.Deny},
		{name: "one of two rules", grant: "call: " + call + " && kubectl delete ns a\n    rules: [containers/volume-remove]", command: call + " && kubectl delete ns a", want: checkrein.Deny},
		{name: "one of two rules of what is not known in full", grant: "call: 'eval \"$X\"; " + call + "; kubectl delete ns a'\n    rules: [containers/volume-remove]", command: "eval \"$X\"; " + call + "; kubectl delete ns a", want: checkrein.Deny},
		{name: "both of them", grant: "call: 'eval \"$X\"; " + call + "; kubectl delete ns a'\n    rules: [code/opaque, containers/volume-remove, kubernetes/delete-wide]", command: "eval \"$X\"; " + call + "; kubectl delete ns a"},
		{name: "one of two rules, alone", grant: "call: " + call + " && kubectl delete ns a\n    rules: [containers/volume-remove]", command: call},

		{name: "a rule of the person's too", grant: "call: " + call, user: guard, command: call},
		{name: "of which the words count", grant: "call: " + call, user: guard, command: call + " ", want: checkrein.Deny},
		{name: "one decider stays", grant: "call: " + call + "\n    rules: [packs]", user: guard, command: call, want: checkrein.Deny},
		{name: "a program stays", grant: "call: " + call, user: program, command: call, want: checkrein.Deny},
		{name: "unless it is named", grant: "call: " + call + "\n    rules: [guard, packs]", user: program, command: call},
		{name: "an administrator's denial stays", grant: "call: " + call, managed: "version: 1\n" + guard, command: call, want: checkrein.Deny},
		{name: "a managed pack's too", grant: "call: " + call + "\n    rules: [packs]", managed: "version: 1\npacks: [containers]\n", command: call, want: checkrein.Deny},
		{name: "self-protection stays", grant: "call: rm -rf ~/.config/checkrein", command: "rm -rf ~/.config/checkrein", want: checkrein.Deny},

		{name: "in this project", grant: "call: " + call + "\n    in: PROJECT", command: call},
		{name: "in another one", grant: "call: " + call + "\n    in: ~/other", command: call, want: checkrein.Deny},
		{name: "out of the project", grant: "call: rm -rf out\n    in: PROJECT", command: "rm -rf out", more: `,"workdir":"/srv"`, want: checkrein.Deny},
		{name: "before its end", grant: "call: " + call + "\n    until: 2999-01-01", command: call},
		{name: "after its end", grant: "call: " + call + "\n    until: 2001-01-01", command: call, want: checkrein.Deny},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := newTestMachine(t)
			text := "version: 1\n" + tt.user
			if tt.grant != "" {
				text += "grants:\n  - " + strings.ReplaceAll(tt.grant, "PROJECT", p.path("project")) + "\n    reason: r\n"
			}
			file := p.writeUser(text)
			if tt.managed != "" {
				p.writeManaged(tt.managed)
			}
			k := p.open()
			if err := k.Check(); err != nil {
				t.Fatal(err)
			}
			out := k.Decide(t.Context(), shellCall(tt.command, tt.more))
			wantDecision(t, out, tt.want)
			for i := range out.Steps {
				if l := out.Steps[i].Lifted; l != nil && !strings.HasPrefix(l.Grant, file+":") {
					t.Errorf("lifted by %s", l.Grant)
				}
			}
		})
	}
}

// A grant applies to a call, not to later events, even if their hook has the same name.
func TestGrantsEndWithTheCall(t *testing.T) {
	t.Parallel()
	p := newTestMachine(t)
	const rule = "[{name: g, type: rule, decision: deny, reason: r, if: {tool_input.command: {contains: deploy}}}]\n"
	p.writeUser("version: 1\nhooks:\n  pre_tool_use: " + rule + "  post_tool_use: " + rule + "grants: [{call: deploy it, reason: r}]\n")
	k := p.open()
	ev := shellCall("deploy it", "")
	wantDecision(t, k.Decide(t.Context(), ev), checkrein.NoOpinion)
	ev.Kind = checkrein.PostToolUse
	out := k.Decide(t.Context(), ev)
	for i := range out.Steps {
		if out.Steps[i].Lifted != nil {
			t.Errorf("lifted: %s", out.JSON(true))
		}
	}
}

// A grant in a managed file counts like the user's; one in a project's file does not.
func TestGrantsOfManagedAndProjectFiles(t *testing.T) {
	t.Parallel()
	const text = "version: 1\ngrants: [{call: docker volume rm data, reason: r}]\n"
	for i, tt := range []struct {
		write func(testMachine, string) string
		want  checkrein.Decision
	}{{testMachine.writeUser, checkrein.NoOpinion}, {testMachine.writeManaged, checkrein.NoOpinion}, {testMachine.writeProject, checkrein.Deny}} {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			p := newTestMachine(t)
			tt.write(p, text)
			wantDecision(t, p.decide(shellCall("docker volume rm data", "")), tt.want)
		})
	}
}
