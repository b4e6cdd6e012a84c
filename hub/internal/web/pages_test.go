package web_test

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/checkrein/checkrein/hub/internal/hubtest"
	"github.com/checkrein/checkrein/hub/internal/people"
	"github.com/checkrein/checkrein/internal/approval/grant"
	"github.com/checkrein/checkrein/internal/evidence/ledger"
	"github.com/checkrein/checkrein/internal/fleet/protocol"
)

// views lists the addresses of pages that show something of the fleet.
var views = []string{"/", "/machines/ID", "/approvals", "/approvals/cards", "/rollout", "/search", "/rows", "/r/1/1", "/live", "/nothing"}

func TestPagesNeedASession(t *testing.T) {
	t.Parallel()
	s := startSite(t)
	m := s.Join("secret-machine")
	v := s.visitor()
	for _, path := range views {
		status, text, _ := v.fetch("GET", strings.Replace(path, "ID", m.Machine, 1), nil)
		if status != http.StatusUnauthorized || strings.Contains(text, "secret-machine") || !strings.Contains(text, `name="token"`) {
			t.Errorf("%s: status %d: %s", path, status, text)
		}
	}
	if status, _, _ := v.fetch("GET", "/v1/machines", nil); status != http.StatusUnauthorized {
		t.Errorf("the API: status %d", status)
	}
}

func TestPageRoles(t *testing.T) {
	t.Parallel()
	b := newBoard(t)
	s := &site{Hub: b.Hub, t: t}
	b.report(protocol.Pending{User: "dev", Approvals: []grant.Approval{waiting("d1")}})
	machine := s.Join("one").Machine
	for _, tt := range []struct {
		path string
		form url.Values
		need people.Role
	}{
		{"/approvals/" + b.list()["d1"].ID, url.Values{"digest": {"d1"}, "decision": {"deny"}, "words": {"No."}}, people.Approver},
		{"/freeze", url.Values{"for": {"1h"}, "reason": {"An incident"}}, people.Approver},
		{"/thaw", nil, people.Approver},
		{"/machines/" + machine + "/revoke", nil, people.Admin},
	} {
		for _, role := range []people.Role{people.Viewer, people.Approver, people.Admin} {
			before := s.state()
			v := s.visitor()
			v.loginWithToken(role, time.Time{})
			v.isIn()
			status, text, _ := v.fetch("POST", tt.path, tt.form)
			if may := role.Includes(tt.need); may != (status != http.StatusForbidden) || !may && s.state() != before {
				t.Errorf("%s as %s: status %d: %s", tt.path, role, status, text)
			}
			if status, _, _ := v.fetch("GET", tt.path, nil); status == http.StatusOK || status == http.StatusNoContent {
				t.Errorf("%s by GET: status %d", tt.path, status)
			}
			if status, _, _ := v.fetch("POST", tt.path, tt.form, "X-Csrf", "x"); status != http.StatusForbidden {
				t.Errorf("%s without the session's token: status %d", tt.path, status)
			}
		}
	}
	if given := b.list()["d1"].Given; given == nil || given.Decision != "deny" || given.Words != "No." || given.By != "bob" {
		t.Errorf("the answer is %+v", given)
	}
	if m, _ := s.Server.Machines.Get(machine); m.IsActive() || m.By != "bob" {
		t.Errorf("the machine is %+v", m)
	}
}

// TestAnswerOfMember has someone answer who logged in by a provider.
func TestAnswerOfMember(t *testing.T) {
	t.Parallel()
	s := startSite(t)
	b := &board{Hub: s.Hub, t: t, key: hubtest.NewKey(t)}
	b.join(b.key)
	answers := b.listen(b.key)
	b.report(protocol.Pending{User: "dev", Approvals: []grant.Approval{waiting("d1")}})
	v := s.visitor()
	v.fetch("GET", v.toProvider(member{"olga", []string{"security"}}), nil)
	v.isIn("olga")
	id := s.Server.Approvals.List(time.Now())[0].ID
	if status, text, _ := v.fetch("POST", "/approvals/"+id, url.Values{"digest": {"d1"}, "decision": {"allow"}}); status != http.StatusNoContent {
		t.Fatalf("status %d: %s", status, text)
	}
	sent := <-answers
	if opened, err := sent.Open(s.Server.Rollout.Key()); err != nil || opened.By != "olga" || opened.Decision != "allow" {
		t.Errorf("the machine gets %+v, %v", opened, err)
	}
	if status, _, _ := v.fetch("POST", "/approvals/"+id, url.Values{"digest": {"d1"}, "decision": {"deny"}}); status != http.StatusConflict {
		t.Errorf("a second answer: status %d", status)
	}
}

// state returns what people can change, as text.
func (s *site) state() string {
	s.t.Helper()
	r, err := s.Server.Rollout.Current(s.t.Context())
	hubtest.Must(s.t, err)
	out := fmt.Sprint(r.Freeze != nil)
	for _, a := range s.Server.Approvals.List(time.Now()) {
		out += fmt.Sprint(a.Given != nil)
	}
	for _, m := range s.Server.Machines.All() {
		out += fmt.Sprint(m.IsActive())
	}
	return out
}

var rowLink = regexp.MustCompile(`href="/r/(\d+)/(\d+)"`)
var nextLink = regexp.MustCompile(`hx-get="([^"]*)"`)

// TestPageSearch goes through all records by the links of lists.
func TestPageSearch(t *testing.T) {
	t.Parallel()
	s := &site{Hub: hubtest.Start(t), t: t}
	one, other := s.Join("one"), s.Join("other")
	for range 4 {
		one.Record(70)
		hubtest.Must(t, one.Upload())
		other.Record(1)
		hubtest.Must(t, other.Upload())
	}
	v := s.visitor()
	v.loginWithToken(people.Viewer, time.Time{})
	for query, want := range map[string]int{"all=1": 284, "all=1&machine=one": 280, "all=1&machine=other": 4, "all=1&machine=none": 0, "all=1&answer=denied": 0, "all=1&session=x": 0, "": 0} {
		var got []string
		for next := "/search?" + query; next != ""; {
			_, text, _ := v.fetch("GET", strings.ReplaceAll(next, "&amp;", "&"), nil)
			for _, m := range rowLink.FindAllStringSubmatch(text, -1) {
				got = append(got, fmt.Sprintf("%04s.%04s", m[1], m[2]))
			}
			next = ""
			if m := nextLink.FindStringSubmatch(text); m != nil {
				next = m[1]
			}
		}
		sorted := slices.Clone(got)
		slices.Sort(sorted)
		slices.Reverse(sorted)
		if len(got) != want || !slices.Equal(got, sorted) || len(slices.Compact(sorted)) != want {
			t.Errorf("%s: %d records, want %d, newest first: %v", query, len(got), want, got)
		}
	}
	if status, text, _ := v.fetch("GET", "/r/1/3", nil); status != http.StatusOK || !strings.Contains(text, "&#34;seq&#34;: 3,") {
		t.Errorf("a record: status %d: %s", status, text)
	}
	for _, path := range []string{"/r/1/999", "/r/999/1", "/r/0/0", "/r/18446744073709551615/1", "/r/x/1", "/machines/x"} {
		if status, _, _ := v.fetch("GET", path, nil); status != http.StatusNotFound {
			t.Errorf("%s: status %d", path, status)
		}
	}
}

// TestPagesEscape shows texts that others choose.
func TestPagesEscape(t *testing.T) {
	t.Parallel()
	const evil = `<img src=x onerror=alert(1)>"'` + "\u202e"
	b := newBoard(t)
	s := &site{Hub: b.Hub, t: t}
	call := waiting("d1")
	call.Call, call.Whole, call.Stated, call.Host, call.Why = evil, evil, evil, evil, []grant.Reason{{Rule: evil, Reason: evil}}
	b.report(protocol.Pending{User: evil, Approvals: []grant.Approval{call}})
	m := s.Join(evil)
	_, err := m.Ledger.Append(ledger.KindEvent, fmt.Appendf(nil, `"event":"pre_tool_use","host":%[1]q,"session":%[1]q,"dir":%[1]q,"tool":{"name":%[1]q},"decision":"deny","why":%[1]q`, `<img src=x onerror=alert(1)>`), false)
	hubtest.Must(t, err)
	hubtest.Must(t, m.Upload())
	known, _ := s.Server.Machines.Get(m.Machine)
	hubtest.Must(t, s.Server.Machines.Report(t.Context(), m.Machine, &protocol.Report{
		Facts: known.Facts, Bundle: evil, Refused: evil, Ledgers: []protocol.LedgerState{{User: evil, Fault: evil}},
		Wiring: protocol.Wiring{Agents: []protocol.AgentState{{User: evil, Agent: evil, Vanished: true}}, Accounts: []protocol.AccountState{{User: evil, Weakened: []string{evil}}}},
	}, time.Now()))
	v := s.visitor()
	v.loginWithToken(people.Admin, time.Time{})
	for _, path := range views {
		if path == "/live" {
			continue // it has numbers only
		}
		status, text, _ := v.fetch("GET", strings.Replace(path, "ID", m.Machine, 1)+"?all=1&q="+url.QueryEscape(`<img`), nil)
		if strings.Contains(text, "<img src=x") || strings.Contains(text, "\u202e") || status >= 500 {
			t.Errorf("%s: status %d: %s", path, status, text)
		}
	}
	resp, err := v.client.Get(v.URL + "/")
	hubtest.Must(t, err)
	defer resp.Body.Close()
	if csp := resp.Header.Get("Content-Security-Policy"); !strings.Contains(csp, "default-src 'none'; script-src 'self';") || strings.Contains(csp, "unsafe") {
		t.Errorf("the policy is %q", csp)
	}
}
