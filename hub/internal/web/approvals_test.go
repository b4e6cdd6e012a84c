package web_test

import (
	"bufio"
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/checkrein/checkrein/hub/internal/hubtest"
	"github.com/checkrein/checkrein/hub/internal/people"
	"github.com/checkrein/checkrein/internal/approval/grant"
	"github.com/checkrein/checkrein/internal/fleet/protocol"
)

// A board is a hub on which a machine has calls that wait.
type board struct {
	*hubtest.Hub
	t        *testing.T
	key      ed25519.PrivateKey // of the machine
	approver string             // a token
}

func newBoard(t *testing.T) *board {
	b := &board{Hub: hubtest.Start(t), t: t, key: hubtest.NewKey(t)}
	b.join(b.key)
	b.approver = b.person("ann", people.Approver)
	return b
}

func (b *board) join(key ed25519.PrivateKey) {
	secret, _, err := b.Server.Machines.NewToken(context.Background(), 1, time.Now().Add(time.Hour), "test")
	hubtest.Must(b.t, err)
	_, err = b.Server.Machines.Join(context.Background(), &protocol.Join{Token: secret, Key: key.Public().(ed25519.PublicKey), Facts: protocol.Facts{Name: "laptop"}}, time.Now())
	hubtest.Must(b.t, err)
}

func (b *board) person(name string, role people.Role) string {
	token, err := b.Server.People.New(context.Background(), people.Person{Name: name, Role: role})
	hubtest.Must(b.t, err)
	return token
}

// waiting returns a call that waits, with this digest.
func waiting(digest string) grant.Approval {
	return grant.Approval{Handle: "a1b2", Digest: digest, Event: "pre_tool_use", Tool: "Bash", Call: "rm -rf " + digest, Was: "deny", Blocked: time.Now().UTC(), Expires: time.Now().Add(time.Hour).UTC(), Times: 1}
}

// report lets the machine say what waits, and what became of answers.
func (b *board) report(p protocol.Pending) {
	b.t.Helper()
	body, err := json.Marshal(p)
	hubtest.Must(b.t, err)
	req := request(b.t, b.Hub, http.MethodPost, protocol.PathPending, body)
	protocol.Sign(req, body, hubtest.ID, b.key, time.Now())
	if status, text := send(b.t, b.Hub, req); status != 200 {
		b.t.Fatalf("status %d: %s", status, text)
	}
}

// ask sends a request of the person with token, and decodes the answer into out.
func (b *board) ask(token, method, path string, in, out any) int {
	b.t.Helper()
	var body []byte
	if in != nil {
		var err error
		body, err = json.Marshal(in)
		hubtest.Must(b.t, err)
	}
	req := request(b.t, b.Hub, method, path, body)
	req.Header.Set("Authorization", "Bearer "+token)
	status, text := send(b.t, b.Hub, req)
	if status == 200 && out != nil {
		hubtest.Must(b.t, json.Unmarshal([]byte(text), out))
	}
	return status
}

// list returns the approvals by their digests.
func (b *board) list() map[string]protocol.Approval {
	b.t.Helper()
	var list []protocol.Approval
	if status := b.ask(b.approver, http.MethodGet, protocol.PathApprovals, nil, &list); status != 200 {
		b.t.Fatalf("status %d", status)
	}
	out := map[string]protocol.Approval{}
	for _, a := range list {
		out[a.Call.Digest] = a
	}
	return out
}

// answer answers a as the person with token.
func (b *board) answer(token string, a protocol.Approval, in protocol.NewAnswer) int {
	b.t.Helper()
	return b.ask(token, http.MethodPost, protocol.PathApprovals+"/"+a.ID, in, nil)
}

// listen returns the answers that the hub sends to the machine with key.
func (b *board) listen(key ed25519.PrivateKey) <-chan protocol.SignedAnswer {
	b.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	b.t.Cleanup(cancel)
	req := request(b.t, b.Hub, http.MethodGet, protocol.PathEvents, nil).WithContext(ctx)
	protocol.Sign(req, nil, hubtest.ID, key, time.Now())
	resp, err := b.Client.Do(req)
	hubtest.Must(b.t, err)
	answers := make(chan protocol.SignedAnswer, 10)
	go func() {
		defer resp.Body.Close()
		defer close(answers)
		isAnswer := false
		for lines := bufio.NewScanner(resp.Body); lines.Scan(); {
			if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok && isAnswer {
				var a protocol.SignedAnswer
				if json.Unmarshal([]byte(data), &a) == nil {
					answers <- a
				}
			}
			isAnswer = lines.Text() == "event: answer"
		}
	}()
	return answers
}

func allow(a protocol.Approval) protocol.NewAnswer {
	return protocol.NewAnswer{Digest: a.Call.Digest, Decision: grant.AnswerAllow}
}

func TestApprovalIsAnsweredOnce(t *testing.T) {
	t.Parallel()
	b := newBoard(t)
	answers := b.listen(b.key)
	b.report(protocol.Pending{User: "dev", Approvals: []grant.Approval{waiting("d1"), waiting("d2")}})
	list := b.list()
	d1 := list["d1"]
	if len(list) != 2 || d1.Machine != protocol.MachineID(b.key.Public().(ed25519.PublicKey)) || d1.Name != "laptop" || d1.User != "dev" || d1.Call.Call != "rm -rf d1" || !d1.IsOpen() {
		t.Fatalf("%+v", list)
	}
	for name, tt := range map[string]struct {
		in   protocol.NewAnswer
		want int
	}{
		"no decision":    {protocol.NewAnswer{Digest: "d1"}, 400},
		"another call":   {protocol.NewAnswer{Digest: "d2", Decision: grant.AnswerAllow}, 409},
		"too many words": {protocol.NewAnswer{Digest: "d1", Decision: grant.AnswerDeny, Words: strings.Repeat("x", 501)}, 400},
	} {
		if got := b.answer(b.approver, d1, tt.in); got != tt.want {
			t.Errorf("%s: status %d, want %d", name, got, tt.want)
		}
	}
	if got := b.answer(b.approver, protocol.Approval{ID: "000000000000"}, allow(d1)); got != 404 {
		t.Errorf("an unknown approval: status %d", got)
	}

	// Many answer at once, and one answer counts.
	var mu sync.Mutex
	counts := map[int]int{}
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			status := b.answer(b.approver, d1, allow(d1))
			mu.Lock()
			counts[status]++
			mu.Unlock()
		})
	}
	wg.Wait()
	if counts[200] != 1 || counts[409] != 15 {
		t.Fatalf("statuses %v", counts)
	}
	sent := <-answers
	opened, err := sent.Open(b.Server.Rollout.Key())
	hubtest.Must(t, err)
	if sent.ID != d1.ID || sent.User != "dev" || opened.Machine != d1.Machine || opened.Handle != "a1b2" || opened.Digest != "d1" || opened.Decision != "allow" || opened.By != "ann" || !opened.Expires.Equal(d1.Call.Expires) {
		t.Fatalf("%+v", opened)
	}
	if _, err := sent.Open(hubtest.NewKey(t).Public().(ed25519.PublicKey)); err == nil {
		t.Error("another key opens the answer")
	}
	changed := sent
	changed.Answer = []byte(strings.Replace(string(sent.Answer), "d1", "d2", 1))
	if _, err := changed.Open(b.Server.Rollout.Key()); err == nil {
		t.Error("a changed answer is opened")
	}

	// A connection that comes later gets the answer again, until the machine has reported it.
	if again := <-b.listen(b.key); again.ID != d1.ID {
		t.Fatalf("%+v", again)
	}
	b.report(protocol.Pending{User: "dev", Approvals: []grant.Approval{waiting("d2")}, Taken: []protocol.Taken{{ID: d1.ID}}})
	if d1 = b.list()["d1"]; d1.Given == nil || d1.Given.Taken.IsZero() || d1.IsOpen() {
		t.Fatalf("%+v", d1)
	}
	if n := len(b.Server.Approvals.AnswersFor(d1.Machine)); n != 0 {
		t.Errorf("%d answers are undelivered", n)
	}
	// What was answered on the machine itself does not wait any more.
	b.report(protocol.Pending{User: "dev"})
	if list := b.list(); len(list) != 1 {
		t.Fatalf("%+v", list)
	}
	// The same call, blocked again after its answer was used, waits again.
	b.report(protocol.Pending{User: "dev", Approvals: []grant.Approval{waiting("d1")}})
	if d1 = b.list()["d1"]; d1.Given != nil {
		t.Fatalf("%+v", d1.Given)
	}
	// An answer that the machine refused can be replaced.
	if got := b.answer(b.approver, d1, allow(d1)); got != 200 {
		t.Fatalf("status %d", got)
	}
	b.report(protocol.Pending{User: "dev", Approvals: []grant.Approval{waiting("d1")}, Taken: []protocol.Taken{{ID: d1.ID, Why: "no"}}})
	if d1 = b.list()["d1"]; d1.Given.Why != "no" || !d1.IsOpen() {
		t.Fatalf("%+v", d1.Given)
	}
	if got := b.answer(b.approver, d1, allow(d1)); got != 200 {
		t.Fatalf("status %d", got)
	}
}

func TestApprovalOfProgramNeedsItsFlag(t *testing.T) {
	t.Parallel()
	b := newBoard(t)
	call := waiting("d1")
	call.Programs = []string{"check"}
	b.report(protocol.Pending{User: "dev", Approvals: []grant.Approval{call}})
	d1 := b.list()["d1"]
	if got := b.answer(b.approver, d1, allow(d1)); got != 422 {
		t.Fatalf("status %d", got)
	}
	in := allow(d1)
	in.Programs = true
	if got := b.answer(b.approver, d1, in); got != 200 {
		t.Fatalf("status %d", got)
	}
}

func TestAnswerReachesItsMachineOnly(t *testing.T) {
	t.Parallel()
	b := newBoard(t)
	other := hubtest.NewKey(t)
	b.join(other)
	mine, theirs := b.listen(b.key), b.listen(other)
	b.report(protocol.Pending{User: "dev", Approvals: []grant.Approval{waiting("d1")}})
	d1 := b.list()["d1"]
	b.answer(b.approver, d1, allow(d1))
	<-mine
	select {
	case a := <-theirs:
		t.Fatalf("%+v", a)
	default:
	}
	// What another machine reports does not end the answer.
	machine := b.key
	b.key = other
	b.report(protocol.Pending{User: "dev", Taken: []protocol.Taken{{ID: d1.ID}}})
	b.key = machine
	if d1 = b.list()["d1"]; d1.Given == nil || !d1.Given.Taken.IsZero() {
		t.Fatalf("%+v", d1.Given)
	}
}

// TestRevokedApproverDoesNotCount revokes an approver whose answer has not reached its machine.
func TestRevokedApproverDoesNotCount(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]people.Person{
		"expired": {Name: "ann", Role: people.Approver, Expires: time.Now().Add(-time.Second)},
		"demoted": {Name: "ann", Role: people.Viewer},
	} {
		b := newBoard(t)
		b.report(protocol.Pending{User: "dev", Approvals: []grant.Approval{waiting("d1")}})
		d1 := b.list()["d1"]
		if got := b.answer(b.approver, d1, allow(d1)); got != 200 {
			t.Fatalf("status %d", got)
		}
		hubtest.Must(t, b.Server.People.Put(context.Background(), b.approver, change))
		b.approver = b.person("bob", people.Approver)
		answers := b.listen(b.key)
		eventually(t, name, func() bool { d1 = b.list()["d1"]; return d1.Given.Why != "" })
		if !d1.IsOpen() {
			t.Errorf("%s: %+v", name, d1.Given)
		}
		if got := b.answer(b.approver, d1, protocol.NewAnswer{Digest: "d1", Decision: grant.AnswerDeny}); got != 200 {
			t.Errorf("%s: status %d", name, got)
		}
		sent := <-answers
		if a, err := sent.Open(b.Server.Rollout.Key()); err != nil || a.By != "bob" || a.Decision != grant.AnswerDeny {
			t.Errorf("%s: %+v, %v", name, a, err)
		}
	}
}

func TestExpiredApprovalIsNotAnswered(t *testing.T) {
	t.Parallel()
	b := newBoard(t)
	b.report(protocol.Pending{User: "dev", Approvals: []grant.Approval{waiting("d1")}})
	d1 := b.list()["d1"]
	b.Server.Now = func() time.Time { return time.Now().Add(2 * time.Hour) }
	if got := b.answer(b.approver, d1, allow(d1)); got != 404 || len(b.list()) != 0 {
		t.Fatalf("status %d", got)
	}
}

// TestAgentPassesApprovalsOn lets an agent pass on what waits in an account and what approvers answer.
func TestAgentPassesApprovalsOn(t *testing.T) {
	t.Parallel()
	h := hubtest.Start(t)
	b := &board{Hub: h, t: t}
	b.approver = b.person("ann", people.Approver)
	m := h.Join("one")
	m.Record(1)
	var mu sync.Mutex
	var calls []grant.Approval
	asked, answered := 0, 0
	a := m.Agent()
	a.Answer = func(_ context.Context, user string, answers []protocol.SignedAnswer) (p protocol.Pending, err error) {
		mu.Lock()
		defer mu.Unlock()
		asked++
		p.Approvals = slices.Clone(calls)
		for _, s := range answers {
			opened, err := s.Open(h.Server.Rollout.Key())
			if err != nil || user != "dev" || opened.Machine != m.Machine {
				t.Errorf("%s: %+v, %v", user, opened, err)
			}
			answered++
			p.Taken = append(p.Taken, protocol.Taken{ID: s.ID})
			p.Approvals = slices.DeleteFunc(p.Approvals, func(w grant.Approval) bool { return w.Digest == opened.Digest })
		}
		return p, nil
	}
	blocks := m.State.Path(grant.BlocksDir)
	hubtest.Must(t, os.MkdirAll(blocks, 0o700))
	begin := func(list ...grant.Approval) { // as if these calls were blocked now
		mu.Lock()
		calls = list
		mu.Unlock()
		hubtest.Write(t, filepath.Join(blocks, rand.Text()), nil)
	}
	push := func(version int, more string) {
		target := h.Sign(version, map[string]string{"bundle.json": fmt.Sprintf(`{"name":"test","version":%d,"created":"2026-11-01T00:00:00Z"%s}`, version, more)})
		_, err := h.Server.Rollout.Begin(context.Background(), protocol.Step{Bundle: target, Stage: "enforce", Percent: 100, By: "test"})
		hubtest.Must(t, err)
		eventually(t, "the machine has the bundle", func() bool { known, _ := h.Server.Machines.Get(m.Machine); return known.Report.Bundle == target })
	}
	stop := runAgent(t, a)

	open, private := waiting("d1"), waiting("d2")
	private.Project = "/work/private/x"
	begin(open, private)
	push(1, `,"private":["/work/private/**"]`)
	m.Record(1)
	eventually(t, "records are uploaded", func() bool { lines, _ := stored(t, h, m.Machine); return len(lines) == len(m.Lines()) })
	mu.Lock()
	if asked != 0 {
		t.Errorf("without a bundle that allows it, the account was asked %d times", asked)
	}
	mu.Unlock()
	push(2, `,"private":["/work/private/**"],"approvals":true`)
	eventually(t, "the call waits at the hub", func() bool { return len(b.list()) == 1 })
	d1 := b.list()["d1"]
	if d1.Name != "one" {
		t.Fatalf("%+v", b.list())
	}
	if got := b.answer(b.approver, d1, allow(d1)); got != 200 {
		t.Fatalf("status %d", got)
	}
	eventually(t, "the machine takes the answer", func() bool { d1 := b.list()["d1"]; return !d1.Given.Taken.IsZero() })

	// An answer survives that the hub goes away before the machine has it.
	begin(waiting("d3"))
	eventually(t, "the next call waits", func() bool { return b.list()["d3"].ID != "" })
	stop()
	d3 := b.list()["d3"]
	if got := b.answer(b.approver, d3, allow(d3)); got != 200 {
		t.Fatalf("status %d", got)
	}
	h.Close()
	h.Open()
	runAgent(t, a)
	eventually(t, "the machine takes the answer", func() bool { d3 := b.list()["d3"]; return d3.Given != nil && !d3.Given.Taken.IsZero() })
	mu.Lock()
	defer mu.Unlock()
	if answered != 2 {
		t.Errorf("%d answers were passed on", answered)
	}
}
