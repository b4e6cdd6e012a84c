package seal

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"time"

	"github.com/checkrein/checkrein/internal/evidence/ledger"
	"github.com/checkrein/checkrein/internal/sys/state"
)

// VerifyOptions hold what is known about a ledger from other sources. In the zero value nothing is
// known.
type VerifyOptions struct {
	Ledger     string     // the id that it must have; "" means that of its key
	Public     *PublicKey // the key that it must be signed with; required for a copy without the private key
	Witnesses  []Witness  // checkpoints that were stored elsewhere
	AllowClock bool       // a clock that was set back is only a notice
	// AllowMissed reports unrecorded calls as notices instead of findings.
	AllowMissed bool
	Progress    func(done, total int64) // called with numbers of bytes; may be nil
}

// maxTries limits how many times a ledger is read while it is being pruned, and
// retryPause is the pause after the first try; it grows.
const (
	maxTries   = 10
	retryPause = 10 * time.Millisecond
)

// errVanished means that a segment was removed while the ledger was read.
var errVanished = errors.New("segments are being removed: try again")

// Verify reads the whole ledger in dir and reports how it differs from what writers wrote, and what
// cannot be determined. It changes nothing, needs no lock and may be used while the ledger is written
// to. An error means that the ledger could not be read.
func Verify(ctx context.Context, dir string, o VerifyOptions) (*Report, error) {
	v, err := retryVanished(ctx, func() (*verifier, error) {
		v := newVerifier(dir, o)
		return v, v.run(ctx)
	})
	if err != nil {
		return nil, err
	}
	return v.report, nil
}

// retryVanished calls read until it succeeds, as long as its error is errVanished and up to maxTries
// times.
func retryVanished(ctx context.Context, read func() (*verifier, error)) (*verifier, error) {
	for try := 1; ; try++ {
		v, err := read()
		if err == nil {
			return v, nil
		}
		if !errors.Is(err, errVanished) || try == maxTries {
			return nil, fmt.Errorf("verifying the ledger: %w", err)
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(time.Duration(try) * retryPause):
		}
	}
}

// A verifier reads a ledger once. It reads claims about the ledger before the ledger itself, which
// only grows, so that no claim can be newer than what is read.
type verifier struct {
	dir    string
	o      VerifyOptions
	report *Report

	id     string       // of the ledger; "" means not yet known
	key    *ledger.Key  // nil means not available
	public *PublicKey   // nil means that signatures cannot be checked
	head   *ledger.Head // nil means that it does not exist or cannot be authenticated
	forged bool         // the head exists and was not written with the key
	claims []claim
	got    map[uint64]ledger.Hash // hashes of the records that head and claims name; zero means not found

	walk
}

func newVerifier(dir string, o VerifyOptions) *verifier {
	return &verifier{dir: dir, o: o, report: newReport(), got: map[uint64]ledger.Hash{}}
}

// A claim is a checkpoint with its source.
type claim struct {
	Checkpoint
	kind, by string
}

// run reads and checks the whole ledger.
func (v *verifier) run(ctx context.Context) error {
	v.readKey()
	if err := v.readClaims(); err != nil {
		return err
	}
	if err := v.readHead(); err != nil {
		return err
	}
	if err := v.readSegments(ctx); err != nil {
		return err
	}
	if v.key == nil && len(v.listed) == 0 && len(v.claims) == 0 {
		return fmt.Errorf("there is no ledger in %s", v.dir)
	}
	v.checkStart()
	v.checkHead()
	v.checkClaims()
	v.checkMissedCount()
	v.report.Ledger = v.id
	v.report.addCannotKnow(v.key != nil)
	return nil
}

// readKey sets the ledger's id and keys, and reports a key that is missing or does not match.
func (v *verifier) readKey() {
	v.id, v.public = v.o.Ledger, v.o.Public
	key, err := ReadKey(v.dir)
	switch {
	case err == nil:
	case errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission):
		if v.public == nil {
			v.addFinding(Finding{Kind: FindKey}, "the key cannot be read, so neither the head nor the signatures can be checked; to verify a copy that has no key, pass the public key")
		}
		return
	default:
		v.addFinding(Finding{Kind: FindKey}, "the key is damaged: %v", err)
		return
	}
	v.key = &key
	public := NewSigner(key).Public()
	if v.public == nil {
		v.public = &public
	} else if *v.public != public {
		v.addFinding(Finding{Kind: FindKey}, "the ledger's key does not match the public key that you passed")
	}
	if v.id == "" {
		v.id = key.ID()
	} else if v.id != key.ID() {
		v.addFinding(Finding{Kind: FindKey}, "the key here belongs to ledger %s, not to %s", key.ID(), v.id)
	}
}

// readHead sets the head, and reports one that is damaged or forged.
func (v *verifier) readHead() error {
	if v.key == nil {
		return nil
	}
	head, err := readHead(v.dir, *v.key)
	switch {
	case errors.Is(err, fs.ErrNotExist) || errors.Is(err, ledger.ErrNoHead):
		return nil // whether it should exist is checked later
	case errors.Is(err, ledger.ErrHead):
		v.forged = true
		v.addFinding(Finding{Kind: FindHead}, "the head is damaged or forged: its seal does not match")
		return nil
	case err != nil:
		return err
	}
	v.head = &head
	v.wantHash(head.Seq)
	return nil
}

// wantHash makes the verifier store the hash of record seq in v.got when it reads it.
func (v *verifier) wantHash(seq uint64) { v.got[seq] = ledger.Hash{} }

// readClaims adds the ledger's own checkpoints and those of witnesses to v.claims.
func (v *verifier) readClaims() error {
	own, err := state.ReadRegular(filepath.Join(v.dir, CheckpointsFile), maxCheckpoints)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	v.addClaims(FindCheckpoint, Witness{Name: CheckpointsFile, Data: own})
	for _, w := range v.o.Witnesses {
		v.addClaims(FindWitness, w)
	}
	return nil
}

// addClaims adds the checkpoints in w to v.claims. kind is that of findings about them.
func (v *verifier) addClaims(kind string, w Witness) {
	eachCheckpoint(w.Data, func(number int, c Checkpoint, err error) {
		by := fmt.Sprintf("%s, line %d", w.Name, number)
		switch {
		case err == nil:
			v.claims = append(v.claims, claim{Checkpoint: c, kind: kind, by: by})
			v.wantHash(c.Seq)
		case kind == FindWitness:
			// Another program may have written it, or its writer died in the middle of the line.
			v.addNotice(Finding{Kind: kind}, "%s is not a checkpoint and was skipped", by)
		default:
			v.addFinding(Finding{Kind: kind}, "%s is not a valid checkpoint: it was changed or damaged", by)
		}
	})
}

// readSegments reads and checks all records.
func (v *verifier) readSegments(ctx context.Context) error {
	listed, err := ledger.Segments(v.dir)
	if err != nil {
		return err
	}
	v.listed = listed
	progress := v.newProgress(ctx)
	r := ledger.NewReader(v.dir, ledger.Position{})
	defer r.Close()
	for {
		e, err := r.Next()
		if err == io.EOF {
			return v.checkEnd(r)
		}
		if errors.Is(err, fs.ErrPermission) {
			v.endSegment()
			v.addFinding(Finding{Kind: FindSegment}, "%v: make the file readable (chmod 600); nothing after it was verified", err)
			return nil
		}
		if err == nil {
			err = progress(e.Size)
		}
		if err == nil && e.At.Segment != v.current.Segment {
			err = v.enterSegment(e.At.Segment)
		}
		if err != nil {
			return err
		}
		v.checkEntry(&e)
		if v.stop > 0 && v.current.Segment >= v.stop && v.current.First > 0 {
			v.next = newFirstRecord(&e)
			return nil
		}
	}
}

// newProgress returns a function that adds size to the bytes read. About once per megabyte it reports
// the progress and returns the error of ctx.
func (v *verifier) newProgress(ctx context.Context) func(size int) error {
	var done, told, total int64
	for _, s := range v.listed {
		total += s.Size
	}
	return func(size int) error {
		done += int64(size)
		if told > 0 && done-told < 1<<20 {
			return nil
		}
		told = done
		if v.o.Progress != nil {
			v.o.Progress(done, max(done, total))
		}
		return ctx.Err()
	}
}

func (v *verifier) addFinding(f Finding, text string, args ...any) {
	v.report.addFinding(f, text, args...)
}
func (v *verifier) addNotice(f Finding, text string, args ...any) {
	v.report.addNotice(f, text, args...)
}

// A link is the state of the chain after a record.
type link struct {
	count   uint64 // number of records so far
	seq     uint64 // 0 means that there is no record yet
	hash    ledger.Hash
	kind    string
	time    time.Time
	boot    string
	mono    int64
	segment int
	end     int64          // offset after the record, in its segment
	missed  reportedMissed // calls that were not recorded
	stores  state.Generations
}
