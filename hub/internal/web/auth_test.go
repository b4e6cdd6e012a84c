package web_test

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/checkrein/checkrein/hub/internal/hubtest"
	"github.com/checkrein/checkrein/hub/internal/people"
	"github.com/checkrein/checkrein/internal/fleet/machine"
	"github.com/checkrein/checkrein/internal/fleet/protocol"
)

// send sends a request and returns the status and the answer.
func send(t *testing.T, h *hubtest.Hub, req *http.Request) (int, string) {
	t.Helper()
	resp, err := h.Client.Do(req)
	hubtest.Must(t, err)
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	hubtest.Must(t, err)
	return resp.StatusCode, string(body)
}

func request(t *testing.T, h *hubtest.Hub, method, path string, body []byte) *http.Request {
	t.Helper()
	req, err := http.NewRequest(method, h.URL+path, bytes.NewReader(body))
	hubtest.Must(t, err)
	return req
}

func TestOnlySignedRequestsOfMembersAreServed(t *testing.T) {
	t.Parallel()
	h := hubtest.Start(t)
	mine, other := hubtest.NewKey(t), hubtest.NewKey(t)
	secret, _, err := h.Server.Machines.NewToken(context.Background(), 1, time.Now().Add(time.Hour), "test")
	hubtest.Must(t, err)
	_, err = h.Server.Machines.Join(context.Background(), &protocol.Join{Token: secret, Key: mine.Public().(ed25519.PublicKey)}, time.Now())
	hubtest.Must(t, err)
	body, err := json.Marshal(protocol.Report{Time: time.Now()})
	hubtest.Must(t, err)
	now := time.Now()
	for _, tt := range []struct {
		name string
		sign func(*http.Request)
		want int
	}{
		{"signed", func(r *http.Request) { protocol.Sign(r, body, hubtest.ID, mine, now) }, 200},
		{"not signed", func(*http.Request) {}, 401},
		{"a person's token", func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+secret) }, 401},
		{"a machine that did not join", func(r *http.Request) { protocol.Sign(r, body, hubtest.ID, other, now) }, 403},
		{"for another hub", func(r *http.Request) { protocol.Sign(r, body, "fedcba9876543210", mine, now) }, 401},
		{"another body", func(r *http.Request) { protocol.Sign(r, []byte("{}"), hubtest.ID, mine, now) }, 401},
		{"another path", func(r *http.Request) {
			u := *r
			u.URL = r.URL.JoinPath("x")
			protocol.Sign(&u, body, hubtest.ID, mine, now)
		}, 401},
		{"another method", func(r *http.Request) {
			u := *r
			u.Method = http.MethodPut
			protocol.Sign(&u, body, hubtest.ID, mine, now)
		}, 401},
		{"an hour ago", func(r *http.Request) { protocol.Sign(r, body, hubtest.ID, mine, now.Add(-time.Hour)) }, 401},
		{"an hour ahead", func(r *http.Request) { protocol.Sign(r, body, hubtest.ID, mine, now.Add(time.Hour)) }, 401},
		{"in the name of another machine", func(r *http.Request) {
			protocol.Sign(r, body, hubtest.ID, other, now)
			id := protocol.MachineID(other.Public().(ed25519.PublicKey))
			r.Header.Set("Authorization", strings.Replace(r.Header.Get("Authorization"), id, protocol.MachineID(mine.Public().(ed25519.PublicKey)), 1))
		}, 401},
		{"a damaged header", func(r *http.Request) {
			protocol.Sign(r, body, hubtest.ID, mine, now)
			r.Header.Set("Authorization", r.Header.Get("Authorization")[:60])
		}, 401},
	} {
		req := request(t, h, http.MethodPost, protocol.PathReport, body)
		tt.sign(req)
		if got, answer := send(t, h, req); got != tt.want {
			t.Errorf("%s: status %d, want %d: %s", tt.name, got, tt.want, answer)
		}
	}
}

func TestRevokedMachineIsRefused(t *testing.T) {
	t.Parallel()
	h := hubtest.Start(t)
	m := h.Join("one")
	m.Record(10)
	hubtest.Must(t, m.Upload())
	hubtest.Must(t, h.Server.Machines.Revoke(context.Background(), m.Machine, "test", time.Now()))
	m.Record(10)
	refusal := (*protocol.Refusal)(nil)
	if err := m.Upload(); !errors.As(err, &refusal) || refusal.Status != http.StatusForbidden {
		t.Fatalf("the error is %v", err)
	}
	if lines, _ := stored(t, h, m.Machine); len(lines) != 11 {
		t.Fatalf("the hub has %d lines", len(lines))
	}
	// A revoked key cannot join again, even with a valid token.
	secret, _, err := h.Server.Machines.NewToken(context.Background(), 1, time.Now().Add(time.Hour), "test")
	hubtest.Must(t, err)
	known, _ := h.Server.Machines.Get(m.Machine)
	if _, err := h.Server.Machines.Join(context.Background(), &protocol.Join{Token: secret, Key: known.Key}, time.Now()); err == nil {
		t.Fatal("a revoked machine joined again")
	}
}

func TestMachineWithWrongClockIsServed(t *testing.T) {
	t.Parallel()
	h := hubtest.Start(t)
	m := h.Join("one")
	h.Server.Now = func() time.Time { return time.Now().Add(7 * time.Hour) }
	m.Record(5)
	hubtest.Must(t, m.Upload())
}

func TestTokens(t *testing.T) {
	t.Parallel()
	h := hubtest.Start(t)
	join := func(secret string) error {
		_, err := h.Server.Machines.Join(context.Background(), &protocol.Join{Token: secret, Key: hubtest.NewKey(t).Public().(ed25519.PublicKey)}, time.Now())
		return err
	}
	expired, _, err := h.Server.Machines.NewToken(context.Background(), 5, time.Now().Add(-time.Second), "test")
	hubtest.Must(t, err)
	for _, secret := range []string{"", "x", expired} {
		if join(secret) == nil {
			t.Errorf("the token %q was accepted", secret)
		}
	}
	secret, _, err := h.Server.Machines.NewToken(context.Background(), 5, time.Now().Add(time.Hour), "test")
	hubtest.Must(t, err)
	var joined atomic.Int32
	var wg sync.WaitGroup
	for range 64 {
		wg.Go(func() {
			if join(secret) == nil {
				joined.Add(1)
			}
		})
	}
	wg.Wait()
	if joined.Load() != 5 {
		t.Fatalf("%d machines joined with a token for 5", joined.Load())
	}
}

func TestJoinTwiceUsesOneToken(t *testing.T) {
	t.Parallel()
	h := hubtest.Start(t)
	secret, _, err := h.Server.Machines.NewToken(context.Background(), 1, time.Now().Add(time.Hour), "test")
	hubtest.Must(t, err)
	k := hubtest.NewKey(t).Public().(ed25519.PublicKey)
	for range 2 { // as if the first answer was lost
		_, err := h.Server.Machines.Join(context.Background(), &protocol.Join{Token: secret, Key: k}, time.Now())
		hubtest.Must(t, err)
	}
}

func TestRoles(t *testing.T) {
	t.Parallel()
	h := hubtest.Start(t)
	tokens := map[people.Role]string{}
	for _, role := range []people.Role{people.Viewer, people.Approver, people.Admin} {
		token, err := h.Server.People.New(context.Background(), people.Person{Name: string(role), Role: role})
		hubtest.Must(t, err)
		tokens[role] = token
	}
	expired, err := h.Server.People.New(context.Background(), people.Person{Name: "late", Role: people.Admin, Expires: time.Now().Add(-time.Second)})
	hubtest.Must(t, err)
	tokens["expired"], tokens["forged"], tokens["none"] = expired, "crh_forged", ""
	for _, tt := range []struct {
		method, path, body string
		least              people.Role
	}{
		{"GET", protocol.PathMe, "", people.Viewer},
		{"GET", protocol.PathMachines, "", people.Viewer},
		{"GET", protocol.PathSearch, "", people.Viewer},
		{"GET", protocol.PathRollout, "", people.Viewer},
		{"GET", protocol.PathFiles + "timestamp.json", "", people.Viewer},
		{"POST", protocol.PathRollout, `{}`, people.Admin},
		{"POST", protocol.PathBundles, "", people.Admin},
		{"POST", protocol.PathFreeze, `{}`, people.Approver},
		{"DELETE", protocol.PathFreeze, "", people.Approver},
		{"GET", protocol.PathApprovals, "", people.Viewer},
		{"POST", protocol.PathApprovals + "/0123456789ab", `{}`, people.Approver},
		{"POST", protocol.PathTokens, `{"uses":1,"for_ns":3600000000000}`, people.Admin},
		{"POST", protocol.PathTokens, `{"role":"admin","name":"x","for_ns":3600000000000}`, people.Admin},
		{"DELETE", protocol.PathTokens + "/x", "", people.Admin},
		{"POST", protocol.PathMachines + "/0123456789abcdef/revoke", "", people.Admin},
	} {
		for role, token := range tokens {
			req := request(t, h, tt.method, tt.path, []byte(tt.body))
			if token != "" {
				req.Header.Set("Authorization", "Bearer "+token)
			}
			got, answer := send(t, h, req)
			known := role == people.Viewer || role == people.Approver || role == people.Admin
			switch {
			case !known && got != 401, known && !role.Includes(tt.least) && got != 403, known && role.Includes(tt.least) && (got == 401 || got == 403):
				t.Errorf("%s %s as %s: status %d: %s", tt.method, tt.path, role, got, answer)
			}
		}
	}
}

// TestRefusedActIsNotLogged checks that the log has machines that were revoked, and none that do not exist.
func TestRefusedActIsNotLogged(t *testing.T) {
	t.Parallel()
	h := hubtest.Start(t)
	var log bytes.Buffer
	h.Server.Log = slog.New(slog.NewTextHandler(&log, nil))
	m := h.Join("one")
	token, err := h.Server.People.New(context.Background(), people.Person{Name: "ada", Role: people.Admin, Expires: time.Now().Add(time.Hour)})
	hubtest.Must(t, err)
	for _, tt := range []struct {
		id     string
		status int
	}{{"one", http.StatusNotFound}, {m.Machine, http.StatusOK}} {
		req := request(t, h, "POST", protocol.PathMachines+"/"+tt.id+"/revoke", nil)
		req.Header.Set("Authorization", "Bearer "+token)
		got, answer := send(t, h, req)
		if logged := strings.Contains(log.String(), "revoked\" machine="+tt.id); got != tt.status || logged != (got == http.StatusOK) {
			t.Errorf("%s: status %d: %s, log %q", tt.id, got, answer, log.String())
		}
	}
}

func TestParseToken(t *testing.T) {
	t.Parallel()
	good := machine.Token{Hub: hubtest.ID, Root: strings.Repeat("ab", 32), Secret: "c2VjcmV0_x-y"}
	if got, err := machine.ParseToken(good.String() + "\n"); err != nil || got != good {
		t.Fatalf("%+v, %v", got, err)
	}
	for _, bad := range []string{"", "crf_", "crf_x_y_z", strings.TrimPrefix(good.String(), "crf_"), good.String()[:60], strings.Replace(good.String(), "ab", "zz", 1)} {
		if _, err := machine.ParseToken(bad); err == nil {
			t.Errorf("%q is a token", bad)
		}
	}
}
