package app

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/approval/grant"
)

const askDanger = "version: 1\nhooks:\n  pre_tool_use: {name: no, type: rule, if: {command: {contains: danger}}, decision: ask, reason: dangerous}\n"

// blockOf serves ev, which must be blocked, and returns the block.
func blockOf(t *testing.T, k *Kit, ev checkrein.Event) *grant.Block {
	t.Helper()
	out := k.Serve(t.Context(), ev)
	b, err := k.Grants().Block(out.Handle)
	if err != nil {
		t.Fatalf("%v: %s", err, out.JSON(true))
	}
	return b
}

// allowing returns an answer that allows one call, and its grant.
func allowing(t *testing.T, k *Kit, b *grant.Block, by string) (grant.Answer, grant.Grant) {
	t.Helper()
	g := b.NewGrant(k.now())
	if err := g.SetLifts(b, nil); err != nil {
		t.Fatal(err)
	}
	return grant.Answer{Decision: grant.AnswerAllow, By: by}, g
}

// pendingHandles returns the handles of the pending approvals.
func pendingHandles(t *testing.T, k *Kit) string {
	t.Helper()
	list, _, err := k.AnswerableBlocks()
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, b := range list {
		out = append(out, b.Handle)
	}
	return strings.Join(out, " ")
}

// A person's denial holds for the retry, with the person's words, until the person allows it.
func TestAnswerDeny(t *testing.T) {
	t.Parallel()
	for name, file := range map[string]string{"deny": denyDanger, "ask": askDanger} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k, _ := openServed(t, file, nil)
			ev := shellCall("danger")
			b := blockOf(t, k, ev)
			if got := pendingHandles(t, k); got != b.Handle {
				t.Fatalf("pending: %q, not %q", got, b.Handle)
			}
			denial := grant.Answer{Decision: grant.AnswerDeny, By: "anna (phone red)", Words: "not on \x1b[31mFridays"}
			if _, err := k.AnswerBlock(b, denial, grant.Grant{}, nil); err != nil {
				t.Fatal(err)
			}
			for i := range 2 {
				out := k.Serve(t.Context(), withNewID(ev, fmt.Sprint("c", i)))
				said := out.Verdict.Reason
				if out.Verdict.Decision != checkrein.Deny || !strings.Contains(said, "A person (anna (phone red)) denied this call: not on") || strings.Contains(said, "\x1b") {
					t.Errorf("the retry: %s", out.JSON(true))
				}
			}
			if got := pendingHandles(t, k); got != "" {
				t.Errorf("still pending: %q", got)
			}
			a, g := allowing(t, k, b, "anna")
			first, err := k.AnswerBlock(b, a, g, nil)
			if late := (*grant.AnsweredError)(nil); !errors.As(err, &late) || first.By != denial.By || late.By != denial.By {
				t.Fatalf("a late answer: %+v, %v", first, err)
			}
			if _, err := k.AnswerBlock(b, a, g, &first); err != nil {
				t.Fatal(err)
			}
			if out := k.Serve(t.Context(), withNewID(ev, "c3")); !isLifted(out) {
				t.Errorf("allowed after all: %s", out.JSON(true))
			}
		})
	}
}

// A call that a freeze denied does not wait for an answer after the freeze was lifted.
func TestNoAnswerAfterFreeze(t *testing.T) {
	t.Parallel()
	k, state := openServed(t, "version: 1\n", nil)
	freeze := filepath.Join(filepath.Dir(state), ".config", "checkrein", "fleet", "freeze.yaml")
	if err := os.MkdirAll(filepath.Dir(freeze), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(freeze, []byte("version: 1\nhooks:\n  pre_tool_use: [{name: fleet-freeze, type: builtin, command: freeze, args: ['until=2099-01-01T00:00:00Z']}]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	frozen, err := Open(Options{Dir: t.TempDir(), State: state, Config: k.places.Config, Managed: NoManaged, Environ: k.environ})
	if err != nil {
		t.Fatal(err)
	}
	b := blockOf(t, frozen, shellCall("ls"))
	if got := pendingHandles(t, frozen); got != b.Handle {
		t.Errorf("pending while frozen: %q, not %q", got, b.Handle)
	}
	other := blockOf(t, frozen, shellCall("git push --force origin main")) // which a pack denies, too
	if err := os.Remove(freeze); err != nil {
		t.Fatal(err)
	}
	if got := pendingHandles(t, k); got != other.Handle {
		t.Errorf("pending after the freeze: %q, not %q", got, other.Handle)
	}
}

// An allowed call passes once. Then it waits for an answer again, and so does a call that was denied
// more than a day ago.
func TestAnswerPendingAgain(t *testing.T) {
	t.Parallel()
	at := time.Now()
	k, _ := openServed(t, denyDanger, func(o *Options) { o.Now = func() time.Time { return at } })
	ev := shellCall("danger")
	b := blockOf(t, k, ev)
	a, g := allowing(t, k, b, "anna")
	if _, err := k.AnswerBlock(b, a, g, nil); err != nil {
		t.Fatal(err)
	}
	if got := pendingHandles(t, k); got != "" {
		t.Errorf("pending after it was allowed: %q", got)
	}
	if out := k.Serve(t.Context(), withNewID(ev, "c1")); !isLifted(out) {
		t.Fatalf("allowed: %s", out.JSON(true))
	}
	at = at.Add(time.Minute)
	b = blockOf(t, k, withNewID(ev, "c2"))
	if got := pendingHandles(t, k); got != b.Handle {
		t.Fatalf("pending: %q, not %q", got, b.Handle)
	}
	if _, err := k.AnswerBlock(b, grant.Answer{Decision: grant.AnswerDeny, By: "anna"}, grant.Grant{}, nil); err != nil {
		t.Fatal(err)
	}
	at = at.Add(grant.Life + time.Hour)
	b = blockOf(t, k, withNewID(ev, "c3"))
	if got := pendingHandles(t, k); got != b.Handle {
		t.Errorf("a day later pending: %q, not %q", got, b.Handle)
	}
}

// A grant that was given in another way, a forged answer, and a changed block.
func TestAnswerOthers(t *testing.T) {
	t.Parallel()
	k, state := openServed(t, denyDanger, nil)
	allowBlocked(t, k, shellCall("danger one"), grant.Session)
	if got := pendingHandles(t, k); got != "" {
		t.Errorf("pending although a grant allows it: %q", got)
	}
	b := blockOf(t, k, withNewID(shellCall("danger two"), "c2"))
	if err := os.MkdirAll(filepath.Join(state, "answers"), 0o700); err != nil {
		t.Fatal(err)
	}
	forged := fmt.Sprintf(`{"seal":"%064d","generation":0,"body":{"handle":%q,"digest":%q,"decision":"deny","at":{"wall":%q}}}`+"\n", 0, b.Handle, b.Digest, time.Now().Format(time.RFC3339))
	if err := os.WriteFile(filepath.Join(state, "answers", b.Handle), []byte(forged), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := pendingHandles(t, k); got != b.Handle {
		t.Errorf("a forged answer counts: pending %q", got)
	}
	b.Shown = "ls"
	if _, err := k.AnswerBlock(b, grant.Answer{Decision: grant.AnswerDeny, By: "anna"}, grant.Grant{}, nil); err == nil {
		t.Error("an answer to a changed block counts")
	}
}

// Of 64 answers at once, from kits of their own, one counts, and all others get that one.
func TestAnswerRace(t *testing.T) {
	t.Parallel()
	k, state := openServed(t, denyDanger, nil)
	b := blockOf(t, k, shellCall("danger"))
	dir := k.dir
	var won atomic.Int32
	var answers [64]grant.Answer
	var wg sync.WaitGroup
	for i := range answers {
		wg.Go(func() {
			other, err := Open(Options{Dir: dir, State: state, Config: k.places.Config, Managed: NoManaged, Environ: k.environ})
			if err != nil {
				t.Error(err)
				return
			}
			a, g := grant.Answer{Decision: grant.AnswerDeny, By: fmt.Sprint("p", i)}, grant.Grant{}
			if i%2 == 0 {
				a, g = allowing(t, other, b, a.By)
			}
			a, err = other.AnswerBlock(b, a, g, nil)
			answers[i] = a
			if late := (*grant.AnsweredError)(nil); err == nil {
				won.Add(1)
			} else if !errors.As(err, &late) {
				t.Errorf("answer %d: %v", i, err)
			}
		})
	}
	wg.Wait()
	if won.Load() != 1 {
		t.Errorf("%d answers counted", won.Load())
	}
	grants, err := k.Grants().List()
	if err != nil || len(grants) > 1 || (len(grants) == 1) != (answers[0].Decision == grant.AnswerAllow) {
		t.Errorf("%d grants after %q: %v", len(grants), answers[0].Decision, err)
	}
	for i := range answers {
		if answers[i].By != answers[0].By {
			t.Errorf("answer %d got that of %q, not of %q", i, answers[i].By, answers[0].By)
		}
	}
}
