package machine

import (
	"encoding/json"
	"path/filepath"
	"time"

	"github.com/checkrein/checkrein/internal/fleet/protocol"
	"github.com/checkrein/checkrein/internal/sys/state"
)

// A Status is what the agent of a machine did last. Everybody on the machine can read it.
type Status struct {
	Contact time.Time      `json:"contact,omitzero"`  // when the hub last answered a report
	Problem string         `json:"problem,omitempty"` // why it has not answered since
	Bundle  string         `json:"bundle,omitempty"`  // the target path of the bundle that is enforced
	Trial   string         `json:"trial,omitempty"`   // the one in shadow mode
	Checked time.Time      `json:"checked,omitzero"`  // when the policy was last verified
	Expires time.Time      `json:"expires,omitzero"`  // until when what was verified counts as fresh
	Frozen  time.Time      `json:"frozen,omitzero"`   // until when all tools are denied
	Refused string         `json:"refused,omitempty"` // why the hub's newest policy is not active
	Ledgers []LedgerStatus `json:"ledgers,omitempty"`
	protocol.Wiring
}

// A LedgerStatus says up to where a ledger was uploaded.
type LedgerStatus struct {
	Dir  string `json:"dir"`
	User string `json:"user"`
	cursor
	Fault string `json:"fault,omitempty"` // why it is not uploaded
}

// Status returns what the agent did last. A file that is missing or damaged counts as nothing, since
// the hub knows up to where it has the ledgers.
func (e *Enrollment) Status() (s Status) { return readStatus(e.dir) }

func readStatus(dir string) (s Status) {
	data, err := state.ReadRegular(filepath.Join(dir, statusFile), 4<<20)
	if err != nil || json.Unmarshal(data, &s) != nil {
		return Status{}
	}
	return s
}

func (s *Status) save(dir string) error {
	data, err := json.Marshal(s)
	if err != nil {
		return err
	}
	return state.ReplaceFile(filepath.Join(dir, statusFile), append(data, '\n'), 0o644)
}

// set stores the state of a ledger.
func (s *Status) set(l Ledger, c cursor, fault string) {
	for i := range s.Ledgers {
		if s.Ledgers[i].Dir == l.Dir {
			s.Ledgers[i] = LedgerStatus{l.Dir, l.User, c, fault}
			return
		}
	}
	s.Ledgers = append(s.Ledgers, LedgerStatus{l.Dir, l.User, c, fault})
}

// cursorOf returns up to where the ledger in dir was uploaded.
func (s *Status) cursorOf(dir string) cursor {
	for i := range s.Ledgers {
		if s.Ledgers[i].Dir == dir {
			return s.Ledgers[i].cursor
		}
	}
	return cursor{}
}
