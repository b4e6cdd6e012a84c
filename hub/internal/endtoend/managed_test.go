//go:build linux

package endtoend

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/checkrein/checkrein/internal/fleet/protocol"
)

// enclose returns a command line that runs another one where /etc has nothing but accounts, among them root,
// who lives in home. The namespace lives until the test ends.
func enclose(t *testing.T, home string, accounts ...string) []string {
	if os.Geteuid() != 0 {
		t.Skip("only root can give a machine an /etc of its own")
	}
	etc := t.TempDir()
	passwd := fmt.Appendf(nil, "root:x:0:0:root:%s:/bin/sh\n%s", home, strings.Join(accounts, ""))
	must(t, os.WriteFile(filepath.Join(etc, "passwd"), passwd, 0o644))
	holder := exec.Command("unshare", "--mount", "--propagation", "private", "sh", "-c", "mount --bind "+etc+" /etc && echo ready && exec sleep 1000")
	out, err := holder.StdoutPipe()
	must(t, err)
	if err := holder.Start(); err != nil {
		t.Skipf("no mount namespace can be made here: %v", err)
	}
	t.Cleanup(func() { _ = holder.Process.Kill(); _ = holder.Wait() })
	said := make([]byte, 5)
	if _, err := out.Read(said); err != nil || string(said) != "ready" {
		t.Skipf("/etc cannot be mounted here: %q, %v", said, err)
	}
	return []string{"nsenter", "-t", fmt.Sprint(holder.Process.Pid), "-m", "--"}
}

// decide asks the hot program of m what it decides about a command.
func (f *fleet) decide(t *testing.T, enclosed []string, m *member, command string) (decision, reason string) {
	t.Helper()
	event, err := json.Marshal(map[string]any{"hook_event_name": "PreToolUse", "session_id": "5b0f9c0e-7f1b-4c55-9d1e-000000000001", "cwd": m.home + "/project", "tool_name": "Bash", "tool_input": map[string]any{"command": command}})
	must(t, err)
	// A process of its own is the agent, so that this test may give commands of people.
	args := append(append([]string{}, enclosed...), os.Args[0], f.bin+"/checkrein", "hook", "claude")
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Env = append(m.env, agentEnv+"=1")
	cmd.Dir, cmd.Stdin = m.home+"/project", strings.NewReader(string(event))
	out, err := cmd.Output()
	must(t, err)
	var reply struct {
		HookSpecificOutput struct{ PermissionDecision, PermissionDecisionReason string }
	}
	if len(out) > 0 {
		must(t, json.Unmarshal(out, &reply))
	}
	return reply.HookSpecificOutput.PermissionDecision, reply.HookSpecificOutput.PermissionDecisionReason
}

// writeBundle writes a bundle that denies a command.
func (f *fleet) writeBundle(version int, command string) string {
	dir := filepath.Join(f.dir, "policies")
	must(f.t, os.MkdirAll(dir, 0o700))
	must(f.t, os.WriteFile(dir+"/bundle.json", fmt.Appendf(nil, `{"name":"base","version":%d,"created":"2026-11-01T00:00:00Z"}`, version), 0o600))
	must(f.t, os.WriteFile(dir+"/checkrein.yaml", fmt.Appendf(nil, "version: 1\nhooks: {pre_tool_use: [{name: no-%s, type: rule, if: {command: {contains: %q}}, decision: deny, reason: the fleet forbids it}]}\n", command, command), 0o600))
	return dir
}

// TestManagedMachine rolls a bundle out to a machine on which root has joined, and checks what its hooks
// decide.
func TestManagedMachine(t *testing.T) {
	requireFleet(t)
	f := newFleet(t)
	enclosed := enclose(t, filepath.Join(f.dir, "managed"))
	token := filepath.Join(f.dir, "token")
	must(t, os.WriteFile(token, []byte(f.run(f.admin, "checkrein", "fleet", "token")), 0o600))
	m := &member{name: "managed", home: filepath.Join(f.dir, "managed"), env: f.home("managed")}
	run := func(args ...string) string {
		t.Helper()
		line := append(append([]string{}, enclosed...), f.bin+"/checkrein")
		cmd := exec.Command(line[0], append(line[1:], args...)...)
		cmd.Env = m.env
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %v\n%s", args, err, out)
		}
		return string(out)
	}
	if out := run("fleet", "join", f.url, "--ca", f.dir+"/tls.crt", "--token-file", token, "--name", m.name); !strings.Contains(out, "is part of the fleet") || !strings.Contains(out, "fleet-agent") {
		t.Fatal(out)
	}
	m.agent = newProcess(t, m.home+"/agent.log", m.env, append(enclosed, f.bin+"/checkreind", "fleet-agent")...)
	if decision, _ := f.decide(t, enclosed, m, "deploy now"); decision != "" {
		t.Fatalf("without a bundle: %s", decision)
	}

	f.run(f.admin, "checkrein", "fleet", "push", f.writeBundle(1, "deploy"), "--enforce", "100%")
	f.eventually("deploy is denied", func() bool { decision, _ := f.decide(t, enclosed, m, "deploy now"); return decision == "deny" })
	f.run(f.admin, "checkrein", "fleet", "push", f.writeBundle(2, "publish"), "--shadow")
	f.eventually("the second bundle is tried", func() bool { return strings.Contains(run("fleet", "status"), "shadow    bundles/base-2") })
	if decision, _ := f.decide(t, enclosed, m, "publish now"); decision != "" {
		t.Errorf("in shadow mode: %s", decision)
	}
	if decision, _ := f.decide(t, enclosed, m, "deploy now"); decision != "deny" {
		t.Errorf("beside a bundle in shadow mode: %s", decision)
	}
	f.run(f.admin, "checkrein", "fleet", "push", filepath.Join(f.dir, "policies"), "--enforce", "100%")
	f.eventually("publish is denied, and deploy is not", func() bool {
		publish, _ := f.decide(t, enclosed, m, "publish now")
		deploy, _ := f.decide(t, enclosed, m, "deploy now")
		return publish == "deny" && deploy == ""
	})

	began := time.Now()
	f.run(f.admin, "checkrein", "fleet", "freeze", "--for", "1h", "--reason", "incident 4711")
	f.eventually("all tools are denied", func() bool { decision, _ := f.decide(t, enclosed, m, "ls"); return decision == "deny" })
	t.Logf("frozen %v after the command began", time.Since(began).Round(10*time.Millisecond))
	if _, reason := f.decide(t, enclosed, m, "ls"); !strings.Contains(reason, "incident 4711") {
		t.Errorf("the reason is %q", reason)
	}
	m.agent.kill()
	if decision, _ := f.decide(t, enclosed, m, "ls"); decision != "deny" {
		t.Error("the freeze ended with the agent")
	}
	m.agent.start()
	f.run(f.admin, "checkrein", "fleet", "freeze", "--lift")
	f.eventually("tools are allowed again", func() bool { decision, _ := f.decide(t, enclosed, m, "ls"); return decision == "" })

	// A short one ends by itself, although nobody lifts it and the agent is dead.
	f.run(f.admin, "checkrein", "fleet", "freeze", "--for", "8s", "--reason", "short")
	f.eventually("all tools are denied", func() bool { decision, _ := f.decide(t, enclosed, m, "ls"); return decision == "deny" })
	m.agent.kill()
	f.eventually("the freeze ends", func() bool { decision, _ := f.decide(t, enclosed, m, "ls"); return decision == "" })
	m.agent.start()

	f.eventually("the hub knows what the machine runs", func() bool {
		var list []protocol.Machine
		must(t, json.Unmarshal([]byte(f.run(f.admin, "checkrein", "fleet", "machines", "--json")), &list))
		return len(list) == 1 && list[0].Report.Bundle == "bundles/base-2.tar.gz" && !list[0].Facts.Advisory
	})
	f.eventually("the records are uploaded", func() bool {
		return strings.Contains(f.run(f.admin, "checkrein", "fleet", "records", "--decision", "deny"), "the fleet forbids it")
	})
	m.agent.kill()
	out := run("fleet", "leave")
	for _, want := range []string{"has left the fleet", "bundles/base-2.tar.gz, which is enforced until you remove /etc/checkrein/fleet", m.home + "/.local/state/checkrein/ledger, of root", "hub       the records"} {
		if !strings.Contains(out, want) {
			t.Errorf("leave does not say that this stays: %s\n%s", want, out)
		}
	}
	if decision, _ := f.decide(t, enclosed, m, "publish now"); decision != "deny" {
		t.Errorf("the bundle is not enforced any more: %q", decision)
	}
	if out, err := exec.Command(enclosed[0], append(enclosed[1:], "rm", "-r", "/etc/checkrein/fleet")...).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if decision, _ := f.decide(t, enclosed, m, "publish now"); decision != "" {
		t.Errorf("the bundle is still enforced: %q", decision)
	}
}
