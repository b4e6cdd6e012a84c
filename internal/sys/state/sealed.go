package state

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"syscall"
	"time"

	"github.com/checkrein/checkrein/internal/text/message"
)

// The sealed files of a state directory. What stands in them switches guards off, lets
// calls pass or lets hooks run, so that an older copy of one must not count either.
const (
	TrustFile    = "trust.json"
	PauseFile    = "pause.json"
	LoosenedFile = "loosened.json"
	GrantsFile   = "grants.json"
)

// SealedFiles are all of them.
func SealedFiles() []string { return []string{TrustFile, PauseFile, LoosenedFile, GrantsFile} }

// maxSealed bounds a sealed file.
const maxSealed = 8<<20 + sealRoom

// sealRoom is more than a seal adds to a file.
const sealRoom = 1 << 10

var (
	// ErrTampered is the error about a sealed file that is not as checkrein left it.
	// Nothing in it counts.
	ErrTampered = errors.New("it is not as checkrein left it")
	// ErrNotRecorded is the error if the ledger lacks the new generation of a sealed file.
	ErrNotRecorded = errors.New("the change could not be recorded in the ledger")
)

// ResealCommand is the command by which a person seals files again.
const ResealCommand = "checkrein doctor --reseal"

// A Sealer vouches for the sealed files of a state directory.
type Sealer interface {
	// Secret returns the secret of the seals; create makes the key if there is none.
	Secret(create bool) (*Secret, error)
	// Generations returns those that the ledger has. Unless fresh, they may be those of a
	// moment ago.
	Generations(fresh bool) (Generations, error)
	// SetGeneration records the generation of a file.
	SetGeneration(name string, g Generation) error
}

// SealedBy returns the directory with a sealer of its sealed files.
func (d Dir) SealedBy(s Sealer) Dir {
	if d.path != "" {
		d.sealer = s
	}
	return d
}

const (
	sealStart = `{"seal":"`
	genStart  = `","generation":`
	bodyStart = `,"body":`
	sealEnd   = "}\n"
)

// Seal returns the content of a sealed file whose body is JSON.
func (s *Secret) Seal(name string, generation uint64, body []byte) []byte {
	body = bytes.TrimSuffix(body, []byte("\n"))
	number := strconv.FormatUint(generation, 10)
	sum := s.Sum(name+"\x00"+number, body)
	out := make([]byte, 0, len(body)+sealRoom)
	out = hex.AppendEncode(append(out, sealStart...), sum[:])
	out = append(append(out, genStart...), number...)
	out = append(append(out, bodyStart...), body...)
	return append(out, sealEnd...)
}

// cutSeal takes a sealed file apart; false = data has another form.
func cutSeal(data []byte) (sum []byte, generation uint64, body []byte, ok bool) {
	data, ok = bytes.CutPrefix(data, []byte(sealStart))
	if !ok || len(data) < 2*SumSize {
		return nil, 0, nil, false
	}
	sum, err := hex.DecodeString(string(data[:2*SumSize]))
	data, ok = bytes.CutPrefix(data[2*SumSize:], []byte(genStart))
	if err != nil || !ok {
		return nil, 0, nil, false
	}
	number, body, ok := bytes.Cut(data, []byte(bodyStart))
	generation, err = strconv.ParseUint(string(number), 10, 64)
	if err != nil || !ok {
		return nil, 0, nil, false
	}
	body, ok = bytes.CutSuffix(body, []byte(sealEnd))
	return sum, generation, body, ok
}

// Body returns what stands in a sealed file without a look at its seal, for people to
// see; of an unsealed file that is all of it.
func Body(data []byte) []byte {
	if _, _, body, ok := cutSeal(data); ok {
		return body
	}
	return data
}

// Unseal returns the generation and body of what Seal made; false = it is something else.
func (s *Secret) Unseal(name string, data []byte) (generation uint64, body []byte, ok bool) {
	sum, generation, body, ok := cutSeal(data)
	if !ok || !s.Vouches(name+"\x00"+strconv.FormatUint(generation, 10), body, sum) {
		return 0, nil, false
	}
	return generation, body, true
}

// SealNote returns the content of a file that is sealed and has no generations: an older
// copy of it does no harm.
func (d Dir) SealNote(name string, body []byte) ([]byte, error) {
	if d.sealer == nil {
		return nil, ErrNoState
	}
	secret, err := d.sealer.Secret(true)
	if err != nil {
		return nil, err
	}
	return secret.Seal(name, 0, body), nil
}

// OpenNote returns the body of what SealNote made; false = it is something else.
func (d Dir) OpenNote(name string, data []byte) ([]byte, bool) {
	if d.sealer == nil {
		return nil, false
	}
	secret, err := d.sealer.Secret(false)
	if err != nil {
		return nil, false
	}
	n, body, ok := secret.Unseal(name, data)
	return body, ok && n == 0
}

// ReadSealed returns the body of a sealed file. A missing one is an [fs.ErrNotExist].
// One that is not as checkrein left it is an [ErrTampered]: its seal is wrong, it is an
// older copy, it was removed, or it has no seal. Unsealed reports that it is the file of
// an older build, which a person has yet to adopt.
func (d Dir) ReadSealed(name string, limit int64) (body []byte, unsealed bool, err error) {
	if d.path == "" {
		return nil, false, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	body, unsealed, err = d.readSealed(name, limit, false)
	if errors.Is(err, ErrTampered) { // unless another process was about to write or remove it
		body, unsealed, err = d.readSealed(name, limit, true)
	}
	return body, unsealed, err
}

func (d Dir) readSealed(name string, limit int64, fresh bool) (body []byte, unsealed bool, err error) {
	// The generation comes first: a file that is written meanwhile is newer.
	all, err := d.generations(fresh)
	if err != nil {
		return nil, false, d.tamperedError(name, "its generation cannot be read: "+err.Error())
	}
	want, known := all.Of(name)
	if whyExpected(all, name) == "" && !d.Has(name) {
		return nil, false, &fs.PathError{Op: "open", Path: name, Err: syscall.ENOENT}
	}
	data, err := d.Read(name, limit+sealRoom)
	_, _, _, sealed := cutSeal(data)
	switch {
	case Missing(err):
		if why := whyExpected(all, name); why != "" {
			err = d.tamperedError(name, why)
		}
		return nil, false, err
	case err != nil:
		return nil, false, d.tamperedError(name, err.Error())
	case !sealed && (all == "" || want.Unsealed != "" && want.Unsealed == digestOf(data)):
		return data, true, nil
	case !sealed:
		return nil, false, d.tamperedError(name, "it has no seal")
	}
	body, why := d.unseal(name, data, want, known)
	if why != "" {
		return nil, false, d.tamperedError(name, why)
	}
	return body, false, nil
}

// whyExpected returns why a sealed file should be there, if it is missing; "" = it need
// not be. Where generations were lost, only approvals matter: they close gates, and the
// other files only loosen.
func whyExpected(all Generations, name string) string {
	g, known := all.Of(name)
	switch {
	case known && !g.Gone:
		return "it was removed"
	case !known && all.AreLost() && name == TrustFile:
		return "the ledger's key or its head was removed or replaced, so it is unknown whether there were approvals"
	}
	return ""
}

// unseal returns the body of a sealed file, or why it does not count.
func (d Dir) unseal(name string, data []byte, want Generation, known bool) (body []byte, why string) {
	secret, err := d.sealer.Secret(false)
	if err != nil {
		return nil, "the key of its seal cannot be read: " + err.Error()
	}
	n, body, ok := secret.Unseal(name, data)
	switch {
	case !ok:
		return nil, "its seal is wrong: the file or the ledger's key was changed"
	case !known, want.Lost:
		return nil, "the ledger has no record of it"
	case n < want.N:
		return nil, fmt.Sprintf("it is an older copy, of %s", time.UnixMicro(int64(n)).Format(time.DateTime))
	}
	return body, ""
}

func (d Dir) generations(fresh bool) (Generations, error) {
	if d.sealer == nil {
		return "", errors.New("no ledger is open")
	}
	return d.sealer.Generations(fresh)
}

func (d Dir) tamperedError(name, why string) error {
	return message.WrapSentences(fmt.Errorf("%s does not count: %w (%s)", d.Path(name), ErrTampered, why),
		message.RunYourself(ResealCommand, "to see what is in it and to seal it again"))
}

// WriteSealed makes JSON the body of a sealed file, as its next generation. A caller that
// reads, changes and writes holds the [Dir.Lock] of the name. If the ledger cannot record
// the generation, that is an [ErrNotRecorded]: with loosens the old file is put back,
// else the new one stands.
//
// The file is written before its generation is recorded. A crash in between leaves the
// new file, whose generation is not older than the ledger's.
func (d Dir) WriteSealed(name string, body []byte, loosens bool) error {
	if d.path == "" {
		return fmt.Errorf("write %s: %w", name, ErrNoState)
	}
	all, err := d.generations(false)
	if err != nil {
		return err
	}
	secret, err := d.sealer.Secret(true)
	if err != nil {
		return err
	}
	last, known := all.Of(name)
	if !known { // no sealed file counts that the ledger has no record of
		if err := d.sealer.SetGeneration(name, Generation{Gone: true}); err != nil {
			return fmt.Errorf("%w: %w", ErrNotRecorded, err)
		}
	}
	old, readErr := d.Read(name, maxSealed)
	n := max(last.N+1, uint64(time.Now().UnixMicro())) // newer than any whose record was lost
	if have, _, ok := secret.Unseal(name, old); ok {
		n = max(n, have+1)
	}
	if err := d.writeLasting(name, secret.Seal(name, n, body)); err != nil {
		return err
	}
	err = d.sealer.SetGeneration(name, Generation{N: n})
	if err == nil {
		return nil
	}
	err = fmt.Errorf("%w: %w", ErrNotRecorded, err)
	switch {
	case !loosens:
		return err
	case readErr == nil:
		return errors.Join(err, d.Write(name, old))
	}
	return errors.Join(err, d.Remove(name))
}

// RemoveSealed removes a sealed file so that no copy of it counts.
func (d Dir) RemoveSealed(name string) error {
	if d.path == "" {
		return nil
	}
	all, err := d.generations(false)
	if err != nil {
		return err
	}
	if !d.Has(name) && whyExpected(all, name) == "" {
		return nil
	}
	if err := d.WriteSealed(name, []byte("null"), false); err != nil {
		return err
	}
	if all, err = d.generations(false); err != nil {
		return err
	}
	last, _ := all.Of(name)
	if err := d.sealer.SetGeneration(name, Generation{N: last.N, Gone: true}); err != nil {
		return fmt.Errorf("%w: %w", ErrNotRecorded, err)
	}
	return d.Remove(name)
}

// CheckRemoved returns an [ErrTampered] for each sealed file that was removed.
func (d Dir) CheckRemoved() []error {
	if d.path == "" || d.sealer == nil {
		return nil
	}
	all, err := d.generations(false)
	if err != nil || len(all) <= 1 && !all.AreLost() {
		return nil
	}
	var out []error
	for _, name := range SealedFiles() {
		if why := whyExpected(all, name); why != "" && !d.Has(name) {
			out = append(out, d.tamperedError(name, why))
		}
	}
	return out
}

// CheckSealed reads all sealed files. It returns an [ErrTampered] for each that does not
// count, and the names of those that an older build left and a person has yet to adopt.
func (d Dir) CheckSealed() (tampered []error, unsealed []string) {
	for _, name := range SealedFiles() {
		_, older, err := d.ReadSealed(name, maxSealed)
		switch {
		case older:
			unsealed = append(unsealed, name)
		case err != nil && !Missing(err):
			tampered = append(tampered, err)
		}
	}
	return tampered, unsealed
}
