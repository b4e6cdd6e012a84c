//go:build linux

package endtoend

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/checkrein/checkrein/internal/approval/grant"
	"github.com/checkrein/checkrein/internal/fleet/bundle"
	"github.com/checkrein/checkrein/internal/fleet/protocol"
)

// waitRules deny commands with the word danger until a person allows one, and let agents wait for that.
const waitRules = "version: 1\napprovals: {wait: 20s}\nhooks: {pre_tool_use: [{name: no, type: rule, if: {command: {contains: danger}}, decision: deny, reason: dangerous}]}\n"

// approvable writes a bundle that lets approvers answer.
func (f *fleet) approvable() string {
	dir := filepath.Join(f.dir, "approvable")
	must(f.t, os.MkdirAll(dir, 0o700))
	must(f.t, os.WriteFile(dir+"/bundle.json", []byte(`{"name":"approvable","version":1,"created":"2026-11-01T00:00:00Z","private":["`+f.dir+`/*/secret/**"],"approvals":true}`), 0o600))
	return dir
}

// approvals returns what waits at the hub and has no answer.
func (f *fleet) approvals() (out []protocol.Approval, err error) {
	text, err := f.try(f.admin, "checkrein", "fleet", "approvals", "--json")
	if err == nil {
		err = json.Unmarshal([]byte(text), &out)
	}
	return slices.DeleteFunc(out, func(a protocol.Approval) bool { return a.Given != nil }), err
}

// awaitApproval returns the approval of a call with this command.
func (f *fleet) awaitApproval(command string) (a protocol.Approval) {
	f.t.Helper()
	f.eventually(command+" waits at the hub", func() bool {
		list, _ := f.approvals()
		i := slices.IndexFunc(list, func(a protocol.Approval) bool { return a.Call.Call == command })
		if i >= 0 {
			a = list[i]
		}
		return i >= 0
	})
	return a
}

// A round is how long an answer took, and when it began.
type round struct {
	at   time.Time
	took time.Duration
}

// answerCalls denies calls of an agent on the machine m, one after the other, until stop is called. It
// returns how long each took from the approver's command until the agent went on.
func (f *fleet) answerCalls(m *member) (stop func() []round) {
	must(f.t, os.MkdirAll(m.home+"/.config/checkrein", 0o700))
	must(f.t, os.WriteFile(m.home+"/.config/checkrein/checkrein.yaml", []byte(waitRules), 0o600))
	f.run(f.admin, "checkrein", "fleet", "push", f.approvable(), "--enforce", "100%")
	ctx, cancel := context.WithCancel(context.Background())
	var rounds []round
	var wg sync.WaitGroup
	wg.Go(func() {
		for n := 0; ctx.Err() == nil; n++ {
			began, took := f.answerOne(ctx, m, fmt.Sprintf("echo danger %d", n))
			if took > 0 {
				rounds = append(rounds, round{began, took})
			}
		}
	})
	return func() []round { cancel(); wg.Wait(); return rounds }
}

// answerOne denies a call of an agent on m. It returns when the approver's command began that the hub took,
// and how long it took from then until the agent went on, or 0 if the hub took none.
func (f *fleet) answerOne(ctx context.Context, m *member, command string) (began time.Time, took time.Duration) {
	done := make(chan error, 1)
	go func() { done <- f.call(m, command, rand.Text()) }()
	for ctx.Err() == nil {
		list, _ := f.approvals()
		i := slices.IndexFunc(list, func(a protocol.Approval) bool { return a.Call.Call == command })
		began = time.Now()
		if i >= 0 && f.deny(list[i]) {
			<-done
			return began, time.Since(began)
		}
		select {
		case <-done: // silence denies
			return began, 0
		case <-time.After(50 * time.Millisecond):
		}
	}
	<-done
	return began, 0
}

// deny denies a, and reports whether the hub took the answer.
func (f *fleet) deny(a protocol.Approval) bool {
	_, err := f.try(f.admin, "checkrein", "fleet", "deny", a.ID)
	return err == nil
}

// TestApprovalsOfFleet answers calls of an account on a machine that root joined.
func TestApprovalsOfFleet(t *testing.T) {
	requireFleet(t)
	f := newFleet(t)
	const uid = "71501"
	must(t, os.Chmod(f.bin, 0o755))
	must(t, errors.Join(os.Chmod(f.dir, 0o755), os.Chmod(filepath.Dir(f.dir), 0o755)))
	m := &member{name: "shared", home: filepath.Join(f.dir, "shared"), env: f.home("shared")}
	pat := filepath.Join(f.dir, "pat")
	f.home("pat")
	must(t, os.MkdirAll(pat+"/.config/checkrein", 0o700))
	must(t, os.MkdirAll(pat+"/secret/plan/.git", 0o700))
	must(t, os.WriteFile(pat+"/.config/checkrein/checkrein.yaml", []byte(waitRules), 0o600))
	if out, err := exec.Command("chown", "-R", uid+":"+uid, pat).CombinedOutput(); err != nil {
		t.Skipf("no other account can be used here: %v %s", err, out)
	}
	enclosed := enclose(t, m.home, fmt.Sprintf("pat:x:%s:%[1]s:pat:%s:/bin/sh\n", uid, pat))
	token := filepath.Join(f.dir, "token")
	must(t, os.WriteFile(token, []byte(f.run(f.admin, "checkrein", "fleet", "token")), 0o600))
	join := exec.Command(enclosed[0], append(enclosed[1:], f.bin+"/checkrein", "fleet", "join", f.url, "--ca", f.dir+"/tls.crt", "--token-file", token, "--name", m.name)...)
	join.Env = m.env
	if out, err := join.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	m.agent = newProcess(t, m.home+"/agent.log", m.env, append(enclosed, f.bin+"/checkreind", "fleet-agent")...)
	f.run(f.admin, "checkrein", "fleet", "push", f.approvable(), "--enforce", "100%")
	f.eventually("the machine has the bundle", func() bool {
		var list []protocol.Machine
		must(t, json.Unmarshal([]byte(f.run(f.admin, "checkrein", "fleet", "machines", "--json")), &list))
		return strings.Contains(list[0].Report.Bundle, "approvable")
	})

	// as runs a program as pat, and call lets an agent of pat call a tool.
	as := func(dir, input string, args ...string) (string, error) {
		line := append(append([]string{}, enclosed...), "setpriv", "--reuid", uid, "--regid", uid, "--clear-groups", "env", "-i", "-C", pat+"/"+dir, "HOME="+pat, "PATH=/usr/bin:/bin")
		cmd := exec.Command(line[0], append(line[1:], args...)...)
		cmd.Stdin = strings.NewReader(input)
		var errs bytes.Buffer
		cmd.Stderr = &errs
		out, err := cmd.Output()
		if err != nil {
			err = fmt.Errorf("%v: %w: %s", args, err, errs.String())
		}
		return string(out), err
	}
	type reply struct {
		out  string
		at   time.Time
		fail error
	}
	call := func(dir, command string) <-chan reply {
		event, err := json.Marshal(map[string]any{"hook_event_name": "PreToolUse", "session_id": "5b0f9c0e-7f1b-4c55-9d1e-000000000002", "cwd": pat + "/" + dir, "tool_name": "Bash", "tool_use_id": rand.Text(), "tool_input": map[string]any{"command": command, "description": "because"}})
		must(t, err)
		done := make(chan reply, 1)
		go func() {
			out, err := as(dir, string(event), f.bin+"/checkrein", "hook", "claude")
			done <- reply{out, time.Now(), err}
		}()
		return done
	}
	finish := func(done <-chan reply) reply {
		t.Helper()
		r := <-done
		must(t, r.fail)
		return r
	}

	var up, down []time.Duration
	for i := range 10 {
		command := fmt.Sprintf("echo danger %d", i)
		began := time.Now()
		done := call("project", command)
		a := f.awaitApproval(command)
		up = append(up, time.Since(began))
		if a.User != "pat" || a.Name != "shared" || a.Call.Stated != "because" || len(a.Call.Why) != 1 {
			t.Fatalf("%+v", a)
		}
		verb := []string{"approve", "deny"}[i%2]
		began = time.Now()
		words := []string{"checkrein", "fleet", verb, a.ID}
		if verb == "deny" {
			words = append(words, "use", "the", "other", "one")
		}
		out := f.run(f.admin, words...)
		r := finish(done)
		down = append(down, r.at.Sub(began))
		if !strings.Contains(out, "has taken the answer") || (verb == "deny") != strings.Contains(r.out, "use the other one") || (verb == "approve") != (r.out == "") {
			t.Errorf("%s: %s%s", verb, out, r.out)
		}
		if out, err := f.try(f.admin, "checkrein", "fleet", "approve", a.ID); err == nil {
			t.Errorf("a second answer: %s", out)
		}
	}
	slices.Sort(up)
	slices.Sort(down)
	t.Logf("from the call until it waits at the hub: median %v, most %v", up[len(up)/2].Round(time.Millisecond), up[len(up)-1].Round(time.Millisecond))
	t.Logf("from the approver's command until the call goes on: median %v, most %v", down[len(down)/2].Round(time.Millisecond), down[len(down)-1].Round(time.Millisecond))
	if most := down[len(down)-1]; most > time.Second {
		t.Errorf("an answer took %v", most)
	}
	if out := f.run(f.admin, "checkrein", "fleet", "records", "--kind", "person"); !strings.Contains(out, "(fleet approver first administrator)") {
		t.Errorf("the records have no answer:\n%s", out)
	}

	// An agent with all files of the account cannot allow its call: it has no signature of the hub, and a
	// fleet of its own does not count beside root's.
	_, forged, err := ed25519.GenerateKey(rand.Reader)
	must(t, err)
	done := call("project", "echo danger forged")
	a := f.awaitApproval("echo danger forged")
	s, err := (&protocol.Answer{Machine: a.Machine, Handle: a.Call.Handle, NewAnswer: protocol.NewAnswer{Digest: a.Call.Digest, Decision: grant.AnswerAllow}, By: "me", At: time.Now(), Expires: a.Call.Expires}).Sign(a.ID, a.User, forged)
	must(t, err)
	own := f.plantFleet(forged, a.Machine)
	for _, dir := range []string{"", own} {
		if dir != "" {
			must(t, os.CopyFS(pat+"/.config/checkrein/fleet", os.DirFS(dir)))
			if out, err := exec.Command("chown", "-R", uid+":"+uid, pat+"/.config/checkrein").CombinedOutput(); err != nil {
				t.Fatalf("%v %s", err, out)
			}
		}
		input, err := json.Marshal([]*protocol.SignedAnswer{s})
		must(t, err)
		out, err := as("project", string(input), f.bin+"/checkreind", "fleet-answer")
		var p protocol.Pending
		if err != nil || json.Unmarshal([]byte(out), &p) != nil || len(p.Taken) != 1 || !strings.Contains(p.Taken[0].Why, "did not sign") || len(p.Approvals) != 1 {
			t.Errorf("%v: %s", err, out)
		}
	}
	f.run(f.admin, "checkrein", "fleet", "deny", a.ID)
	if r := finish(done); !strings.Contains(r.out, `"deny"`) {
		t.Errorf("a forged answer counts: %s", r.out)
	}

	// What waits in a private project stays on the machine.
	private := call("secret/plan", "echo danger private")
	done = call("project", "echo danger last")
	a = f.awaitApproval("echo danger last")
	list, err := f.approvals()
	must(t, err)
	if len(list) != 1 {
		t.Errorf("%+v", list)
	}
	f.run(f.admin, "checkrein", "fleet", "approve", a.ID)
	finish(done)
	finish(private)
}

// plantFleet returns a directory like that of an enrollment, of a fleet whose only key is key.
func (f *fleet) plantFleet(key ed25519.PrivateKey, id string) string {
	f.t.Helper()
	ctx, dir := context.Background(), f.t.TempDir()
	repo := bundle.Repository{Store: bundle.Dir(f.t.TempDir())}
	must(f.t, repo.Create(ctx, bundle.Keys{Root: key, Release: key, Hub: key.Public().(ed25519.PublicKey)}))
	archive, b, err := bundle.Build(filepath.Join(f.dir, "approvable"))
	must(f.t, err)
	_, err = repo.Add(ctx, key, archive)
	must(f.t, err)
	must(f.t, repo.Publish(ctx, key, &bundle.Rollout{Active: b.Target(), Stage: bundle.Enforce, Percent: 100}))
	root, err := os.ReadFile(filepath.Join(string(repo.Store.(bundle.Dir)), "1.root.json"))
	must(f.t, err)
	c := bundle.Client{Dir: dir, Machine: id, Source: repo.Store}
	must(f.t, c.Pin(ctx, root, fmt.Sprintf("%x", sha256.Sum256(root))))
	plan, err := c.Refresh(ctx)
	must(f.t, err)
	must(f.t, c.Apply(ctx, plan))
	got, err := c.HubKey()
	if err != nil || !got.Equal(key.Public()) {
		f.t.Fatalf("%x, %v", got, err)
	}
	must(f.t, os.WriteFile(dir+"/machine.json", []byte(`{"machine":"`+id+`"}`), 0o644))
	return dir
}
