package web_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/checkrein/checkrein/hub/internal/hubtest"
	"github.com/checkrein/checkrein/internal/evidence/ledger"
	"github.com/checkrein/checkrein/internal/fleet/protocol"
)

// TestFlags checks what the hub flags about a machine, by what the machine reports and uploads.
func TestFlags(t *testing.T) {
	t.Parallel()
	report := func(r protocol.Report) func(*testing.T, *hubtest.Hub, *hubtest.Machine) {
		return func(t *testing.T, h *hubtest.Hub, m *hubtest.Machine) {
			r.Time = time.Now()
			hubtest.Must(t, h.Server.Machines.Report(context.Background(), m.Machine, &r, time.Now()))
		}
	}
	agent := func(a protocol.AgentState) protocol.Report {
		return protocol.Report{Wiring: protocol.Wiring{Agents: []protocol.AgentState{a}}}
	}
	event := func(members string) func(*testing.T, *hubtest.Hub, *hubtest.Machine) {
		return func(t *testing.T, _ *hubtest.Hub, m *hubtest.Machine) {
			_, err := m.Ledger.Append(ledger.KindEvent, []byte(members), false)
			hubtest.Must(t, err)
			hubtest.Must(t, m.Upload())
		}
	}
	for _, tt := range []struct {
		name string
		do   func(*testing.T, *hubtest.Hub, *hubtest.Machine)
		wait time.Duration
		want string // the kind of the only flag, or ""
	}{
		{"all is well", event(`"policy":"p","decision":"deny","ms":1`), 0, ""},
		{"nothing for a quarter of an hour", event(`"policy":"p","decision":"none","ms":1`), 16 * time.Minute, protocol.FlagSilence},
		{"a gap in the ledger", func(t *testing.T, _ *hubtest.Hub, m *hubtest.Machine) {
			_, err := m.Ledger.Append(ledger.KindGap, []byte(`"why":"the disk was full"`), false)
			hubtest.Must(t, err)
			hubtest.Must(t, m.Upload())
		}, 0, protocol.FlagGap},
		{"a ledger that begins again", func(t *testing.T, _ *hubtest.Hub, m *hubtest.Machine) {
			hubtest.Must(t, m.Upload())
			list, err := filepath.Glob(filepath.Join(m.LedgerDir(), "*.jsonl"))
			hubtest.Must(t, err)
			for _, path := range list {
				hubtest.Must(t, os.Remove(path))
			}
			m.SetState(filepath.Dir(m.LedgerDir()))
			m.Record(2)
			hubtest.Must(t, m.Upload())
		}, 0, protocol.FlagGap},
		{"a ledger that cannot be uploaded", report(protocol.Report{Ledgers: []protocol.LedgerState{{User: "dev", Fault: "the disk is broken"}}}), 0, protocol.FlagGap},
		{"packs that are off", event(`"policy":"p","packs_off":["git"],"decision":"none","ms":1`), 0, protocol.FlagGuards},
		{"shadow mode", event(`"policy":"p","shadow":true,"decision":"deny","ms":1`), 0, protocol.FlagGuards},
		{"a loosening that is held back", event(`"policy":"p","held":["packs"],"decision":"none","ms":1`), 0, ""},
		{"paused", report(protocol.Report{Wiring: protocol.Wiring{Accounts: []protocol.AccountState{{User: "dev", Weakened: []string{"paused"}}}}}), 0, protocol.FlagGuards},
		{"an account that cannot be checked", report(protocol.Report{Wiring: protocol.Wiring{Accounts: []protocol.AccountState{{User: "dev", Fault: "no home"}}}}), 0, protocol.FlagWiring},
		{"wired and proven", report(agent(protocol.AgentState{User: "dev", Agent: "claude", Wired: true, Proven: time.Now()})), 0, ""},
		{"vanished", report(agent(protocol.AgentState{User: "dev", Agent: "claude", Vanished: true})), 0, protocol.FlagWiring},
		{"put back", report(agent(protocol.AgentState{Agent: "claude", Wired: true, Restored: time.Now()})), 0, protocol.FlagWiring},
		{"works without asking", report(agent(protocol.AgentState{User: "dev", Agent: "claude", Wired: true, Silent: true})), 0, protocol.FlagSilence},
		{"a stale proof", report(agent(protocol.AgentState{User: "dev", Agent: "claude", Wired: true, Stale: true})), 0, protocol.FlagProof},
		{"a bundle that is refused", report(protocol.Report{Refused: "targets.json was refused"}), 0, protocol.FlagBundle},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			h := hubtest.Start(t)
			m := h.Join("one")
			m.Record(3)
			tt.do(t, h, m)
			known, _ := h.Server.Machines.Get(m.Machine)
			flags := known.Flags(time.Now().Add(tt.wait))
			if tt.want == "" && len(flags) > 0 || tt.want != "" && (len(flags) != 1 || flags[0].Kind != tt.want || flags[0].Text == "") {
				t.Errorf("flags %+v, want one of kind %q", flags, tt.want)
			}
			for _, f := range known.Flags(time.Now().Add(8 * 24 * time.Hour)) {
				if f.Kind == protocol.FlagGap && known.Report.Ledgers == nil {
					t.Errorf("a week later: %+v", f)
				}
			}
			hubtest.Must(t, h.Server.Machines.Revoke(context.Background(), m.Machine, "test", time.Now()))
			if known, _ = h.Server.Machines.Get(m.Machine); len(known.Flags(time.Now())) > 0 {
				t.Error("a machine that was revoked is flagged")
			}
		})
	}
}
