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

// Folder is where the ledgers lie in the state directory.
const Folder = "caps"

// maxFile bounds a host's file.
const maxFile = 256 << 10

// ErrBroken reports that a host's file is not as checkrein wrote it: somebody changed it,
// it came from another machine, or it is damaged. Nothing in it counts then.
var ErrBroken = errors.New("it is not as checkrein wrote it on this machine")

// A Book is where the ledgers of hosts are kept. The zero Book has none.
//
// Nothing in a file counts without the sum of a secret of this machine: a row that is
// not honoured changes what hosts are told, and one that was taken back must not come
// back by a copied file: a Witness has the time of the newest proof.
type Book struct {
	Dir state.Dir
	// Secret vouches for the files, and is made first if a writer asks. Without one
	// nothing is read or written.
	Secret func(make bool) (*state.Secret, error)
	// Witness, if set, knows what was proven besides: a file that is missing, or that is
	// an older one, is told by it.
	Witness Witness
}

// A Witness knows the proofs that this machine signed.
type Witness interface {
	// Latest is when the newest proof of a host was made, as far as names tell; zero =
	// there is none.
	Latest(host string) time.Time
	// After returns the newest proof of a host that was made after a time; nil = there is
	// none.
	After(host string, t time.Time) (*Build, error)
}

func name(host string) string { return Folder + "/" + host + ".json" }

// Path is a host's file, for messages.
func (b *Book) Path(host string) string { return b.Dir.Path(filepath.FromSlash(name(host))) }

// Has reports whether there is a file of a host, at the price of one look.
func (b *Book) Has(host string) bool { return b.Dir.Has(name(host)) }

// Load reads what is known of a host. Without a file nothing is. A file that does not
// count is an [ErrBroken], and nothing is known then either.
func (b *Book) Load(host string) (Ledger, error) {
	l, err := b.load(host)
	b.recall(&l)
	return l, err
}

func (b *Book) load(host string) (Ledger, error) {
	body, err := b.body(host)
	if err != nil || body == nil {
		return Ledger{Host: host}, err
	}
	return b.parse(host, body)
}

// recall adds to what a file says what this machine signed after that.
func (b *Book) recall(l *Ledger) {
	if b.Witness == nil {
		return
	}
	lost, err := b.Witness.After(l.Host, l.newest())
	if l.unread = err; lost != nil {
		l.recall(*lost)
	}
}

// LostProof returns the message that a proof is lost, or does not count; nil = none is.
func (b *Book) LostProof(l *Ledger) *message.Message {
	var m message.Message
	switch {
	case l.unread != nil:
		m = message.New(fmt.Sprintf("a proof of %s does not count: %v", l.Host, l.unread), message.Run("checkrein prove "+l.Host, ""))
	case l.Lost != nil:
		m = message.New(fmt.Sprintf("%s does not have the proof of %s that this machine signed on %s: the file was removed, or an older one was put back. What the proof takes away counts all the same",
			b.Path(l.Host), l.Host, l.Lost.Proven.Local().Format(time.DateOnly)), message.Run("checkrein prove "+l.Host, "to have all of it again"))
	default:
		return nil
	}
	return &m
}

// recent reports whether a host's file has the newest proof, without parsing it.
func (b *Book) recent(host string, body []byte) bool {
	if b.Witness == nil {
		return true
	}
	t := b.Witness.Latest(host)
	return t.IsZero() || bytes.Contains(body, []byte(`"proven":"`+t.UTC().Format(time.RFC3339)+`"`))
}

// Doubtful is Load for who only wants to know what a host was seen not to honour. It
// reads the file and, unless that says something of the kind, does not even parse it.
func (b *Book) Doubtful(host string) (Ledger, error) {
	if !b.Has(host) && b.recent(host, nil) {
		return Ledger{Host: host}, nil
	}
	body, err := b.body(host)
	if !b.recent(host, body) {
		return b.Load(host)
	}
	if err != nil || !bytes.Contains(body, []byte(`:"`+NotHonoured+`"`)) && !bytes.Contains(body, []byte(`"downgraded"`)) {
		return Ledger{Host: host}, err
	}
	return b.parse(host, body)
}

// body is what a host's file says, if it counts; nil = there is no file.
func (b *Book) body(host string) ([]byte, error) {
	data, err := b.Dir.Read(name(host), maxFile)
	if state.IsMissing(err) {
		return nil, nil
	}
	if err != nil {
		return nil, b.broken(host, err)
	}
	if err := rawjson.CheckObject(data); err != nil {
		return nil, b.broken(host, err)
	}
	secret, err := b.secret(false)
	if err != nil {
		return nil, b.broken(host, err)
	}
	if _, body, ok := secret.Unseal(name(host), data); ok {
		return body, nil
	}
	// An older build wrote the sum of the body beside it.
	body, _ := rawjson.Get(data, "body")
	sum, err := hex.DecodeString(rawjson.GetText(data, "sum"))
	if err != nil || !secret.Verify(name(host), body, sum) {
		return nil, b.broken(host, err)
	}
	return body, nil
}

func (b *Book) secret(make bool) (*state.Secret, error) {
	if b.Secret == nil {
		return nil, errors.New("there is no key to check it with")
	}
	secret, err := b.Secret(make)
	if err == nil && secret == nil {
		err = errors.New("there is no key to check it with")
	}
	return secret, err
}

// broken returns the error that a file does not count.
func (b *Book) broken(host string, cause error) error {
	err := ErrBroken
	if cause != nil {
		err = fmt.Errorf("%w (%w)", ErrBroken, cause)
	}
	return message.Wrap(fmt.Errorf("%s is not used: %w", b.Path(host), err), message.Do("remove it"), message.Run("checkrein prove "+host, message.Then))
}

func (b *Book) parse(host string, body []byte) (Ledger, error) {
	var l Ledger
	if err := json.Unmarshal(body, &l); err != nil {
		return Ledger{Host: host}, b.broken(host, err)
	}
	if l.Host != host {
		return Ledger{Host: host}, b.broken(host, nil)
	}
	return l, nil
}

// Change changes what is known of a host, under a lock. A file that does not count is
// an [ErrBroken] and stays; [Book.Anew] does not look at it.
func (b *Book) Change(host string, change func(*Ledger)) error {
	return b.change(host, false, change)
}

// Anew is Change, and begins with nothing where the file does not count.
func (b *Book) Anew(host string, change func(*Ledger)) error { return b.change(host, true, change) }

func (b *Book) change(host string, anew bool, change func(*Ledger)) error {
	unlock, err := b.Dir.Lock(name(host))
	if err != nil {
		return err
	}
	defer unlock()
	l, err := b.load(host)
	if err != nil && !(anew && errors.Is(err, ErrBroken)) {
		return err
	}
	change(&l)
	l.Host = host
	body, err := json.Marshal(l)
	if err != nil {
		return err
	}
	secret, err := b.secret(true)
	if err != nil {
		return err
	}
	data := secret.Seal(name(host), 0, body)
	if len(data) > maxFile {
		return fmt.Errorf("what is known of %s is larger than %d bytes: %w", host, maxFile, state.ErrTooLarge)
	}
	if err := b.Dir.Write(name(host), data); err != nil {
		return err
	}
	return b.flag(&l)
}

// shown names the file that is there while a build of a host is known that gave the model
// what was replaced: one look tells that there is nothing to read.
func shown(host string) string { return Folder + "/" + host + ".shown" }

// flag makes or removes that file.
func (b *Book) flag(l *Ledger) error {
	is := slices.ContainsFunc(l.Builds, func(o Build) bool {
		_, down := o.Downgraded[OutputReplaced]
		return down || o.Rows[OutputReplaced] == NotHonoured
	})
	switch has := b.Dir.Has(shown(l.Host)); {
	case is && !has:
		return b.Dir.Write(shown(l.Host), []byte("see "+l.Host+".json\n"))
	case !is && has:
		return b.Dir.Remove(shown(l.Host))
	}
	return nil
}

// MayShow reports whether a build of a host may be one that gives the model what was
// replaced, at the price of one look. [Ledger.Of] tells which.
func (b *Book) MayShow(host string) bool { return b.Dir.Has(shown(host)) }
