package caps

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/checkrein/checkrein/internal/rawjson"
	"github.com/checkrein/checkrein/internal/state"
)

// Folder is where the ledgers lie in the state directory.
const Folder = "caps"

// maxFile bounds a host's file.
const maxFile = 256 << 10

// ErrBroken says that a host's file is not as checkrein wrote it: somebody changed it,
// it came from another machine, or it is damaged. Nothing in it counts then.
var ErrBroken = errors.New("it is not as checkrein wrote it on this machine")

// A Book is where the ledgers of hosts are kept. The zero Book has none.
//
// Nothing in a file counts without the sum of a secret of this machine: a row that is
// not honoured changes what hosts are told, and one that was taken back must not come
// back by a copied file.
type Book struct {
	Dir state.Dir
	// Secret vouches for the files, and is made first if a writer asks. Without one
	// nothing is read or written.
	Secret func(make bool) (*state.Secret, error)
}

// sealed is a file of which the bytes of the body are vouched for.
type sealed struct {
	Sum  string          `json:"sum"`
	Body json.RawMessage `json:"body"`
}

func name(host string) string { return Folder + "/" + host + ".json" }

// Path is a host's file, for messages.
func (b *Book) Path(host string) string { return b.Dir.Path(filepath.FromSlash(name(host))) }

// Has reports whether there is a file of a host, at the price of one look.
func (b *Book) Has(host string) bool { return b.Dir.Has(name(host)) }

// Load reads what is known of a host. Without a file nothing is. A file that does not
// count is an [ErrBroken], and nothing is known then either.
func (b *Book) Load(host string) (Ledger, error) {
	body, err := b.body(host)
	if err != nil || body == nil {
		return Ledger{Host: host}, err
	}
	return b.parse(host, body)
}

// Doubtful is Load for who only wants to know what a host was seen not to honour. It
// reads the file and, unless that says something of the kind, does not even parse it.
func (b *Book) Doubtful(host string) (Ledger, error) {
	if !b.Has(host) {
		return Ledger{Host: host}, nil
	}
	body, err := b.body(host)
	if err != nil || !bytes.Contains(body, []byte(`:"`+NotHonoured+`"`)) && !bytes.Contains(body, []byte(`"downgraded"`)) {
		return Ledger{Host: host}, err
	}
	return b.parse(host, body)
}

// body is what a host's file says, if it counts; nil = there is no file.
func (b *Book) body(host string) ([]byte, error) {
	data, err := b.Dir.Read(name(host), maxFile)
	if state.Missing(err) {
		return nil, nil
	}
	if err != nil {
		return nil, b.broken(host, err)
	}
	if err := rawjson.CheckObject(data); err != nil {
		return nil, b.broken(host, err)
	}
	body, _ := rawjson.Get(data, "body")
	sum, err := hex.DecodeString(rawjson.GetText(data, "sum"))
	if err != nil {
		return nil, b.broken(host, err)
	}
	secret, err := b.secret(false)
	if err != nil {
		return nil, b.broken(host, err)
	}
	if !secret.Vouches(name(host), body, sum) {
		return nil, b.broken(host, nil)
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

// broken says that a file does not count, and the way out.
func (b *Book) broken(host string, cause error) error {
	err := ErrBroken
	if cause != nil {
		err = fmt.Errorf("%w (%w)", ErrBroken, cause)
	}
	return fmt.Errorf("%s is not used: %w: remove it, then run checkrein prove %s", b.Path(host), err, host)
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
	l, err := b.Load(host)
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
	sum := secret.Sum(name(host), body)
	data, err := json.Marshal(sealed{hex.EncodeToString(sum[:]), body})
	if err != nil {
		return err
	}
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
