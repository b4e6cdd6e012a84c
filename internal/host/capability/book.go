package capability

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/checkrein/checkrein/internal/sys/state"
	"github.com/checkrein/checkrein/internal/text/message"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// Folder is the directory of the ledgers in the state directory.
const Folder = "caps"

// maxFile limits the size of the file of one host.
const maxFile = 256 << 10

// ErrBroken means that the file of a host is not as checkrein wrote it, because another program
// changed it, it came from another machine, or it is damaged. Nothing in such a file counts.
var ErrBroken = errors.New("it is not as checkrein wrote it on this machine")

// A Book stores the ledgers of hosts. The zero Book is empty.
//
// A file counts only if it is sealed with a secret of this machine, because a row that is not honoured
// changes the verdicts that hosts get. Restoring an older file must not bring such a row back, so the
// Witness has the time of the newest proof.
type Book struct {
	Dir state.Dir
	// Secret returns the secret that seals the files; if make is set, it creates a missing one. Without
	// a secret, nothing is read or written.
	Secret func(make bool) (*state.Secret, error)
	// Witness, if set, has the signed proofs. It is used to detect a missing or older file.
	Witness Witness
}

// A Witness returns the proofs that this machine signed.
type Witness interface {
	// LatestTime returns the time of the newest proof of a host according to the file names, or zero
	// if there is none.
	LatestTime(host string) time.Time
	// NewestAfter returns the newest proof of a host that was made after t, or nil if there is none.
	NewestAfter(host string, t time.Time) (*Build, error)
}

// fileName returns the name of a host's file in the state directory.
func fileName(host string) string { return Folder + "/" + host + ".json" }

// Path returns the path of a host's file, for messages.
func (b *Book) Path(host string) string { return b.Dir.Path(filepath.FromSlash(fileName(host))) }

// HasFile reports whether a host has a file, with a single system call.
func (b *Book) HasFile(host string) bool { return b.Dir.Has(fileName(host)) }

// Load reads the ledger of a host. It is empty if there is no file. If the file does not count, it is
// empty and the error is [ErrBroken].
func (b *Book) Load(host string) (Ledger, error) {
	l, err := b.loadFile(host)
	b.addLostProof(&l)
	return l, err
}

// loadFile reads the ledger of a host without adding lost proofs.
func (b *Book) loadFile(host string) (Ledger, error) {
	body, err := b.readBody(host)
	if err != nil || body == nil {
		return Ledger{Host: host}, err
	}
	return b.parseLedger(host, body)
}

// addLostProof adds to l a proof that this machine signed later than the newest one in the file.
func (b *Book) addLostProof(l *Ledger) {
	if b.Witness == nil {
		return
	}
	lost, err := b.Witness.NewestAfter(l.Host, l.newestTime())
	if l.unread = err; lost != nil {
		l.mergeLostProof(*lost)
	}
}

// LostProof returns a message if a proof in l was lost or does not count, and nil otherwise.
func (b *Book) LostProof(l *Ledger) *message.Message {
	var m message.Message
	switch {
	case l.unread != nil:
		m = message.New(fmt.Sprintf("a proof of %s does not count: %v", l.Host, l.unread), message.Run("checkrein prove "+l.Host, ""))
	case l.Lost != nil:
		m = message.New(fmt.Sprintf("%s does not have the proof of %s that this machine signed on %s: the file was removed or replaced by an older one. What the proof showed to be ignored still counts",
			b.Path(l.Host), l.Host, l.Lost.Proven.Local().Format(time.DateOnly)), message.Run("checkrein prove "+l.Host, "to prove it again"))
	default:
		return nil
	}
	return &m
}

// hasNewestProof reports whether body, the contents of a host's file, has the newest proof. It does
// not parse body.
func (b *Book) hasNewestProof(host string, body []byte) bool {
	if b.Witness == nil {
		return true
	}
	t := b.Witness.LatestTime(host)
	return t.IsZero() || bytes.Contains(body, []byte(`"proven":"`+t.UTC().Format(time.RFC3339)+`"`))
}

// LoadDoubts is Load for callers that only need the rows that a host was seen to ignore. It parses the
// file only if it has such a row.
func (b *Book) LoadDoubts(host string) (Ledger, error) {
	if !b.HasFile(host) && b.hasNewestProof(host, nil) {
		return Ledger{Host: host}, nil
	}
	body, err := b.readBody(host)
	if !b.hasNewestProof(host, body) {
		return b.Load(host)
	}
	if err != nil || !bytes.Contains(body, []byte(`:"`+NotHonoured+`"`)) && !bytes.Contains(body, []byte(`"downgraded"`)) {
		return Ledger{Host: host}, err
	}
	return b.parseLedger(host, body)
}

// readBody returns the unsealed contents of a host's file, or nil if there is no file. The error is
// [ErrBroken] if the file does not count.
func (b *Book) readBody(host string) ([]byte, error) {
	data, err := b.Dir.Read(fileName(host), maxFile)
	if state.IsMissing(err) {
		return nil, nil
	}
	if err != nil {
		return nil, b.brokenError(host, err)
	}
	if err := rawjson.CheckObject(data); err != nil {
		return nil, b.brokenError(host, err)
	}
	secret, err := b.loadSecret(false)
	if err != nil {
		return nil, b.brokenError(host, err)
	}
	if _, body, ok := secret.Unseal(fileName(host), data); ok {
		return body, nil
	}
	// An older build wrote the body with its MAC in "sum".
	body, _ := rawjson.Get(data, "body")
	sum, err := hex.DecodeString(rawjson.GetText(data, "sum"))
	if err != nil || !secret.Verify(fileName(host), body, sum) {
		return nil, b.brokenError(host, err)
	}
	return body, nil
}

// loadSecret returns the secret that seals the files, or an error if there is none.
func (b *Book) loadSecret(make bool) (*state.Secret, error) {
	if b.Secret == nil {
		return nil, errors.New("the key to verify it is missing")
	}
	secret, err := b.Secret(make)
	if err == nil && secret == nil {
		err = errors.New("the key to verify it is missing")
	}
	return secret, err
}

// brokenError returns an [ErrBroken] for a host's file, with its cause, if any, and remedies.
func (b *Book) brokenError(host string, cause error) error {
	err := ErrBroken
	if cause != nil {
		err = fmt.Errorf("%w (%w)", ErrBroken, cause)
	}
	return message.Wrap(fmt.Errorf("%s is not used: %w", b.Path(host), err), message.Do("remove it"), message.Run("checkrein prove "+host, message.Then))
}

// parseLedger decodes the ledger of a host. The error is [ErrBroken] if body is not one.
func (b *Book) parseLedger(host string, body []byte) (Ledger, error) {
	var l Ledger
	if err := json.Unmarshal(body, &l); err != nil {
		return Ledger{Host: host}, b.brokenError(host, err)
	}
	if l.Host != host {
		return Ledger{Host: host}, b.brokenError(host, nil)
	}
	return l, nil
}

// Change calls change with the ledger of a host and writes it back, under a lock. If the file does not
// count, it returns [ErrBroken] and leaves the file unchanged; [Book.Replace] replaces such a file.
func (b *Book) Change(host string, change func(*Ledger)) error {
	return b.changeLedger(host, false, change)
}

// Replace is Change, except that it starts with an empty ledger if the file does not count.
func (b *Book) Replace(host string, change func(*Ledger)) error {
	return b.changeLedger(host, true, change)
}

// changeLedger is Change or, if replace is set, Replace.
func (b *Book) changeLedger(host string, replace bool, change func(*Ledger)) error {
	unlock, err := b.Dir.Lock(fileName(host))
	if err != nil {
		return err
	}
	defer unlock()
	l, err := b.loadFile(host)
	if err != nil && !(replace && errors.Is(err, ErrBroken)) {
		return err
	}
	change(&l)
	l.Host = host
	body, err := json.Marshal(l)
	if err != nil {
		return err
	}
	secret, err := b.loadSecret(true)
	if err != nil {
		return err
	}
	data := secret.Seal(fileName(host), 0, body)
	if len(data) > maxFile {
		return fmt.Errorf("the proofs of %s are larger than %d bytes: %w", host, maxFile, state.ErrTooLarge)
	}
	if err := b.Dir.Write(fileName(host), data); err != nil {
		return err
	}
	return b.updateShownFlag(&l)
}

// shownFlagFile returns the name of a file that exists while a build of a host is known to show the
// model outputs that were replaced. Without it, a single system call shows that there is nothing to
// read.
func shownFlagFile(host string) string { return Folder + "/" + host + ".shown" }

// updateShownFlag creates or removes the file [shownFlagFile] of a host.
func (b *Book) updateShownFlag(l *Ledger) error {
	is := slices.ContainsFunc(l.Builds, func(o Build) bool {
		_, down := o.Downgraded[OutputReplaced]
		return down || o.Rows[OutputReplaced] == NotHonoured
	})
	switch has := b.Dir.Has(shownFlagFile(l.Host)); {
	case is && !has:
		return b.Dir.Write(shownFlagFile(l.Host), []byte("see "+l.Host+".json\n"))
	case !is && has:
		return b.Dir.Remove(shownFlagFile(l.Host))
	}
	return nil
}

// MayShowReplaced reports, with a single system call, whether a build of a host may show the model
// outputs that were replaced. [Ledger.StandingOf] returns whether the installed build does.
func (b *Book) MayShowReplaced(host string) bool { return b.Dir.Has(shownFlagFile(host)) }
