// Package wrap connects the hook that judges a shell command with the wrapper that runs it.
//
// The hook issues a [Ticket] for each command that may run. The agent then starts the command through
// the wrapper, a program of its own, which takes the ticket and replaces itself with the command, in the
// jail of the ticket. A ticket is used once. The wrapper contains a command without a ticket.
package wrap

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/checkrein/checkrein/internal/sys/sandbox"
	"github.com/checkrein/checkrein/internal/sys/state"
)

// Directories and files of the state directory.
const (
	Folder   = "walls"
	keyFile  = Folder + "/key"
	tickets  = Folder + "/tickets"
	receipts = Folder + "/receipts"
	sessions = Folder + "/sessions"
	// Runs is the directory of files about contained commands that have not ended.
	Runs = Folder + "/runs"
	// ProgramFile holds the path of the checkrein program.
	ProgramFile = Folder + "/program"
	// Missed exists if a command did not run through the wrapper.
	Missed = Folder + "/missed"
)

// Program returns the name of the wrapper of the host.
func Program(host string) string { return Folder + "/" + host + "/checkrein-shell" }

// NextFile returns the name of the file with the program that started the commands of the host before,
// and that the wrapper starts in turn.
func NextFile(host string) string { return Folder + "/next." + host }

// HostFile returns the name of the file that exists if the settings of the host start commands with the
// wrapper.
func HostFile(host string) string { return Folder + "/on." + host }

// Lifetime is how long a ticket is valid: as long as a person may take to answer the agent's question
// about the call.
const Lifetime = 2 * time.Hour

// maxSame is how many tickets for the same command there can be at a time.
const maxSame = 16

// maxTicket is the size limit of a ticket in bytes.
const maxTicket = 1 << 20

// A Ticket permits one run of a command.
type Ticket struct {
	Session string // the agent's name for it
	Dir     string // where the command runs, without symlinks
	Command string
	CallID  string
	Bound   string        // the CallID, if the wrapper knows it; "" = it does not
	Jail    *sandbox.Jail // nil = the command runs as it is
}

// A Receipt is what the wrapper reports about a run.
type Receipt struct {
	Contained bool
}

// A Store holds the tickets of a state directory.
type Store struct {
	dir    state.Dir
	secret *state.Secret
	now    func() time.Time
}

// Open returns the store in the state directory dir.
func Open(dir state.Dir, now func() time.Time) *Store { return &Store{dir: dir, now: now} }

// loadKey reads the key of the store. With create, it makes a missing one.
func (s *Store) loadKey(create bool) error {
	if s.secret != nil {
		return nil
	}
	read := func(name string) ([]byte, error) { return s.dir.Read(name, state.KeySize) }
	if create {
		read = s.dir.ReadOrCreateKey
	}
	key, err := read(keyFile)
	if err == nil && len(key) != state.KeySize {
		err = errors.New("the key of tickets is incomplete")
	}
	if err == nil {
		s.secret = (*state.Secret)(key)
	}
	return err
}

// mac returns the authentication code of body as the item name. The key must have been loaded.
func (s *Store) mac(name, body string) string {
	sum := s.secret.MAC(name, []byte(body))
	return hex.EncodeToString(sum[:])
}

// ticketName returns the name of tickets like t, without their number.
func (s *Store) ticketName(t *Ticket) string {
	return tickets + "/" + s.mac("ticket", strings.Join([]string{t.Session, t.Bound, t.Dir, t.Command}, "\x00"))
}

// receiptName returns the name of the receipt of a call.
func (s *Store) receiptName(session, callID string) string {
	return receipts + "/" + s.mac("receipt", session+"\x00"+callID)
}

// seal returns the fields as the content of the file name.
func (s *Store) seal(name string, fields ...string) []byte {
	body := strings.Join(fields, "\n")
	return []byte(s.mac(name, body) + "\n" + body)
}

// unseal returns n fields in the file name, or false if seal did not write it.
func (s *Store) unseal(name string, n int) ([]string, bool) {
	data, err := s.dir.Read(name, maxTicket)
	if err != nil {
		return nil, false
	}
	sum, body, _ := strings.Cut(string(data), "\n")
	fields := strings.SplitN(body, "\n", n)
	return fields, sum == s.mac(name, body) && len(fields) == n
}

// Issue stores the ticket t.
func (s *Store) Issue(t *Ticket) error {
	if err := s.loadKey(true); err != nil {
		return err
	}
	jail := ""
	if t.Jail != nil {
		text, err := json.Marshal(t.Jail)
		if err != nil {
			return err
		}
		jail = string(text)
	}
	name, receipt := s.ticketName(t), s.receiptName(t.Session, t.CallID)
	expires := strconv.FormatInt(s.now().Add(Lifetime).Unix(), 10)
	for n := range maxSame {
		numbered := name + "." + strconv.Itoa(n)
		if err := s.dir.Create(numbered, s.seal(numbered, expires, receipt, jail)); !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	first := name + ".0" // so many are left of questions that a person answered with no
	return s.dir.WriteFast(first, s.seal(first, expires, receipt, jail))
}

// ErrNoTicket is the error if there is no valid ticket for a command.
var ErrNoTicket = errors.New("checkrein did not judge this command")

// Take uses up a ticket for the session, directory, command and call of t. It returns the jail for the
// command, or nil if it runs as it is. If contained is set, the receipt says that it is contained anyway.
func (s *Store) Take(t *Ticket, contained bool) (*sandbox.Jail, error) {
	if err := s.loadKey(false); err != nil {
		return nil, err
	}
	name := s.ticketName(t)
	for n := range maxSame {
		numbered := name + "." + strconv.Itoa(n)
		fields, ok := s.unseal(numbered, 3)
		if !ok {
			continue
		}
		expires, err := strconv.ParseInt(fields[0], 10, 64)
		if err != nil || s.now().Unix() > expires {
			continue
		}
		var jail *sandbox.Jail
		if fields[2] != "" {
			jail = new(sandbox.Jail)
			if err := json.Unmarshal([]byte(fields[2]), jail); err != nil {
				return nil, err
			}
		}
		// The receipt is created first and stays, so that a copy of the ticket is worth nothing.
		if err := s.dir.Create(fields[1], s.seal(fields[1], strconv.FormatBool(contained || jail != nil))); err != nil {
			continue
		}
		_ = s.dir.Remove(numbered) // its receipt has used it up
		return jail, nil
	}
	return nil, ErrNoTicket
}

// FindReceipt returns what the wrapper reported about the call, and whether it did.
func (s *Store) FindReceipt(session, callID string) (Receipt, bool) {
	if err := s.loadKey(false); err != nil {
		return Receipt{}, false
	}
	fields, ok := s.unseal(s.receiptName(session, callID), 1)
	return Receipt{ok && fields[0] == "true"}, ok
}

// Sweep removes tickets, receipts and files about runs that are no longer valid.
func (s *Store) Sweep() {
	for _, sub := range []string{tickets, receipts, sessions, Runs} {
		limit := Lifetime
		if sub == sessions {
			limit = 30 * 24 * time.Hour
		}
		names, _ := s.dir.Names(sub)
		for _, name := range names {
			info, err := os.Stat(s.dir.Path(filepath.FromSlash(sub), name))
			if err == nil && s.now().Sub(info.ModTime()) > limit+time.Minute {
				_ = s.dir.Remove(sub + "/" + name) // the next sweep tries again
			}
		}
	}
}

// Pin records what precedes the commands of a session, which runs before each of them, and reports
// whether it is still the same as the first time.
func (s *Store) Pin(session, before string) bool {
	if err := s.loadKey(false); err != nil {
		return false
	}
	name, sum := s.pinName(session), s.mac("before", before)
	switch err := s.dir.Create(name, s.seal(name, sum)); {
	case err == nil:
		return true
	case !errors.Is(err, fs.ErrExist):
		return false
	}
	fields, ok := s.unseal(name, 1)
	return ok && fields[0] == sum
}

// Unpin forgets what Pin recorded, because the agent starts the session anew.
func (s *Store) Unpin(session string) {
	if s.loadKey(false) == nil {
		_ = s.dir.Remove(s.pinName(session)) // then the commands are contained
	}
}

// pinName returns the name of the file of a session.
func (s *Store) pinName(session string) string { return sessions + "/" + s.mac("session", session) }
