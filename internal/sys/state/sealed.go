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

// The sealed files of a state directory. They switch guards off, let calls pass or let
// hooks run, so an older copy of one of them must be rejected too.
const (
	TrustFile     = "trust.json"
	PauseFile     = "pause.json"
	LoosenedFile  = "loosened.json"
	GrantsFile    = "grants.json"
	ApproversFile = "approvers.json"
)

// SealedFiles returns the names of all sealed files.
func SealedFiles() []string {
	return []string{TrustFile, PauseFile, LoosenedFile, GrantsFile, ApproversFile}
}

// maxSealed is the size limit of a sealed file.
const maxSealed = 8<<20 + sealRoom

// sealRoom is an upper bound for the number of bytes that a seal adds to a file.
const sealRoom = 1 << 10

var (
	// ErrTampered is the error for a sealed file that is not as checkrein wrote it. Its content
	// must not be used.
	ErrTampered = errors.New("it is not as checkrein left it")
	// ErrNotRecorded is the error if the ledger could not record the new generation of a sealed file.
	ErrNotRecorded = errors.New("the change could not be recorded in the ledger")
)

// ResealCommand is the command with which a person seals files again.
const ResealCommand = "checkrein doctor --reseal"

// A Sealer authenticates the sealed files of a state directory.
type Sealer interface {
	// Secret returns the secret of the seals. If create is set, it creates a missing key.
	Secret(create bool) (*Secret, error)
	// Generations returns the generations that the ledger has recorded. Unless fresh is set, the
	// result may come from a cache that is slightly out of date.
	Generations(fresh bool) (Generations, error)
	// SetGeneration records g as the generation of the file name.
	SetGeneration(name string, g Generation) error
}

// WithSealer returns d with s as the sealer of its sealed files.
func (d Dir) WithSealer(s Sealer) Dir {
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

// Seal returns the content of the sealed file name with the given generation and JSON body.
func (s *Secret) Seal(name string, generation uint64, body []byte) []byte {
	body = bytes.TrimSuffix(body, []byte("\n"))
	number := strconv.FormatUint(generation, 10)
	sum := s.MAC(name+"\x00"+number, body)
	out := make([]byte, 0, len(body)+sealRoom)
	out = hex.AppendEncode(append(out, sealStart...), sum[:])
	out = append(append(out, genStart...), number...)
	out = append(append(out, bodyStart...), body...)
	return append(out, sealEnd...)
}

// parseSealed splits data, the content of a sealed file, into its parts. It reports false if data has
// another form.
func parseSealed(data []byte) (sum []byte, generation uint64, body []byte, ok bool) {
	data, ok = bytes.CutPrefix(data, []byte(sealStart))
	if !ok || len(data) < 2*MACSize {
		return nil, 0, nil, false
	}
	sum, err := hex.DecodeString(string(data[:2*MACSize]))
	data, ok = bytes.CutPrefix(data[2*MACSize:], []byte(genStart))
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

// UncheckedBody returns the body of data, the content of a sealed file, without checking its seal, for
// display only. For an unsealed file it returns data.
func UncheckedBody(data []byte) []byte {
	if _, _, body, ok := parseSealed(data); ok {
		return body
	}
	return data
}

// Unseal returns the generation and the body of data, the content of the file name that [Secret.Seal]
// returned. It reports false if the seal is wrong or missing.
func (s *Secret) Unseal(name string, data []byte) (generation uint64, body []byte, ok bool) {
	sum, generation, body, ok := parseSealed(data)
	if !ok || !s.Verify(name+"\x00"+strconv.FormatUint(generation, 10), body, sum) {
		return 0, nil, false
	}
	return generation, body, true
}

// SealNote returns body as the content of the file name, sealed but without a generation. It is for
// files of which an older copy does no harm.
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

// UnsealNote returns the body of data, which SealNote returned for name, and reports whether its seal
// is right.
func (d Dir) UnsealNote(name string, data []byte) ([]byte, bool) {
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

// ReadSealed returns the body of the sealed file name. If it is missing, the error is an
// [fs.ErrNotExist]. If it is not as checkrein wrote it, the error is an [ErrTampered]: its seal is
// wrong or missing, it is an older copy, or it was removed. The result unsealed reports whether it is
// the file of an older build, which a person has yet to adopt.
func (d Dir) ReadSealed(name string, limit int64) (body []byte, unsealed bool, err error) {
	if d.path == "" {
		return nil, false, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	body, unsealed, err = d.readSealed(name, limit, false)
	if errors.Is(err, ErrTampered) { // another process may be writing or removing it, so read again
		body, unsealed, err = d.readSealed(name, limit, true)
	}
	return body, unsealed, err
}

// readSealed is one attempt of ReadSealed. If fresh is set, it bypasses the cache of generations.
func (d Dir) readSealed(name string, limit int64, fresh bool) (body []byte, unsealed bool, err error) {
	// Read the generation first, because a file that is written meanwhile is newer.
	all, err := d.generations(fresh)
	if err != nil {
		return nil, false, d.tamperedError(name, "its generation cannot be read: "+err.Error())
	}
	want, known := all.Lookup(name)
	if whyMissingIsError(all, name) == "" && !d.Has(name) {
		return nil, false, &fs.PathError{Op: "open", Path: name, Err: syscall.ENOENT}
	}
	data, err := d.Read(name, limit+sealRoom)
	_, _, _, sealed := parseSealed(data)
	switch {
	case IsMissing(err):
		if why := whyMissingIsError(all, name); why != "" {
			err = d.tamperedError(name, why)
		}
		return nil, false, err
	case err != nil:
		return nil, false, d.tamperedError(name, err.Error())
	case !sealed && (all == "" || want.Unsealed != "" && want.Unsealed == unsealedDigest(data)):
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

// whyMissingIsError returns why it is an error if the sealed file name is missing, or "" if it is
// none. If generations were lost, only a missing approvals file is an error, because approvals close
// gates while the other files only permit.
func whyMissingIsError(all Generations, name string) string {
	g, known := all.Lookup(name)
	switch {
	case known && !g.Gone:
		return "it was removed"
	case !known && all.AreLost() && name == TrustFile:
		return "the ledger's key or its head was removed or replaced, so it is unknown whether there were approvals"
	}
	return ""
}

// unseal returns the body of data, the content of the sealed file name, or why it is rejected. The
// generation want comes from the ledger; known is false if it has none.
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

// generations returns the generations that the sealer has recorded. It fails if there is no sealer.
func (d Dir) generations(fresh bool) (Generations, error) {
	if d.sealer == nil {
		return "", errors.New("no ledger is open")
	}
	return d.sealer.Generations(fresh)
}

// tamperedError returns an ErrTampered for the file name, with the reason why and the remedy.
func (d Dir) tamperedError(name, why string) error {
	return message.WrapSentences(fmt.Errorf("%s does not count: %w (%s)", d.Path(name), ErrTampered, why),
		message.RunYourself(ResealCommand, "to see what is in it and to seal it again"))
}

// WriteSealed replaces the body of the sealed file name with the JSON body, as its next generation. A
// caller that reads, changes and writes must hold the [Dir.Lock] of the name. If the ledger cannot
// record the generation, the error is an [ErrNotRecorded]. In that case the old file is restored if
// loosens is set; otherwise the new one stays.
//
// The file is written before its generation is recorded. A crash in between leaves the new file, whose
// generation is not older than that in the ledger.
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
	last, known := all.Lookup(name)
	if !known { // a sealed file without a record in the ledger would be rejected
		if err := d.sealer.SetGeneration(name, Generation{Gone: true}); err != nil {
			return fmt.Errorf("%w: %w", ErrNotRecorded, err)
		}
	}
	old, readErr := d.Read(name, maxSealed)
	n := max(last.N+1, uint64(time.Now().UnixMicro())) // newer than any generation whose record was lost
	if have, _, ok := secret.Unseal(name, old); ok {
		n = max(n, have+1)
	}
	if err := d.writeSynced(name, secret.Seal(name, n, body)); err != nil {
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

// RemoveSealed removes the sealed file name in such a way that no copy of it is accepted later.
func (d Dir) RemoveSealed(name string) error {
	if d.path == "" {
		return nil
	}
	all, err := d.generations(false)
	if err != nil {
		return err
	}
	if !d.Has(name) && whyMissingIsError(all, name) == "" {
		return nil
	}
	if err := d.WriteSealed(name, []byte("null"), false); err != nil {
		return err
	}
	if all, err = d.generations(false); err != nil {
		return err
	}
	last, _ := all.Lookup(name)
	if err := d.sealer.SetGeneration(name, Generation{N: last.N, Gone: true}); err != nil {
		return fmt.Errorf("%w: %w", ErrNotRecorded, err)
	}
	return d.Remove(name)
}

// RemovedSealedErrors returns an [ErrTampered] for each sealed file that was removed.
func (d Dir) RemovedSealedErrors() []error {
	if d.path == "" || d.sealer == nil {
		return nil
	}
	all, err := d.generations(false)
	if err != nil || len(all) <= 1 && !all.AreLost() {
		return nil
	}
	var out []error
	for _, name := range SealedFiles() {
		if why := whyMissingIsError(all, name); why != "" && !d.Has(name) {
			out = append(out, d.tamperedError(name, why))
		}
	}
	return out
}

// CheckSealed reads all sealed files. It returns an [ErrTampered] for each that is rejected, and the
// names of those that an older build wrote and a person has yet to adopt.
func (d Dir) CheckSealed() (tampered []error, unsealed []string) {
	for _, name := range SealedFiles() {
		_, older, err := d.ReadSealed(name, maxSealed)
		switch {
		case older:
			unsealed = append(unsealed, name)
		case err != nil && !IsMissing(err):
			tampered = append(tampered, err)
		}
	}
	return tampered, unsealed
}
