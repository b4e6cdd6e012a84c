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

// VerifyOptions are what is known about a ledger from elsewhere. The zero value
// means nothing.
type VerifyOptions struct {
	Ledger     string     // the id that it must have; "" = that of its key
	Public     *PublicKey // what it must be signed with; needed for a copy without the key
	Witnesses  []Witness  // checkpoints that were kept outside
	AllowClock bool       // a clock that was set back is worth a notice only
	// AllowMissed is the same for calls that could not be recorded.
	AllowMissed bool
	Progress    func(done, total int64) // bytes; nil = nobody wants to know
}

// maxTries bounds how often a ledger is read that is being pruned meanwhile, and
// retryPause is how long to wait after the first time; it grows.
const (
	maxTries   = 10
	retryPause = 10 * time.Millisecond
)

// errVanished reports that a segment was removed while the ledger was read.
var errVanished = errors.New("segments are being removed: try again")

// Verify reads the whole ledger in a directory and reports what is not as
// writers left it, and what it cannot know. It changes nothing, needs no lock
// and may be used while the ledger is written to. An error means that it could
// not be read.
func Verify(ctx context.Context, dir string, o VerifyOptions) (*Report, error) {
	v, err := retry(ctx, func() (*verifier, error) {
		v := newVerifier(dir, o)
		return v, v.run(ctx)
	})
	if err != nil {
		return nil, err
	}
	return v.report, nil
}

// retry reads a ledger again when segments vanished meanwhile.
func retry(ctx context.Context, read func() (*verifier, error)) (*verifier, error) {
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

// A verifier reads a ledger once. What others say about the ledger is read
// before the ledger itself, which only grows: so nothing that is said can be
// newer than what is read.
type verifier struct {
	dir    string
	o      VerifyOptions
	report *Report

	id     string       // of the ledger; "" = not yet known
	key    *ledger.Key  // nil = it is not here
	public *PublicKey   // nil = signatures cannot be checked
	head   *ledger.Head // nil = it is not there, or nobody can tell who wrote it
	forged bool         // it is there and was not written with the key
	claims []claim
	got    map[uint64]ledger.Hash // of the records that head and claims name; zero = not seen

	walk
}

func newVerifier(dir string, o VerifyOptions) *verifier {
	return &verifier{dir: dir, o: o, report: newReport(), got: map[uint64]ledger.Hash{}}
}

// A claim is a checkpoint, and where it stands.
type claim struct {
	Checkpoint
	kind, by string
}

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
	v.checkCount()
	v.report.Ledger = v.id
	v.report.cannotKnow(v.key != nil)
	return nil
}

// readKey finds out which ledger this is, and what it is signed with.
func (v *verifier) readKey() {
	v.id, v.public = v.o.Ledger, v.o.Public
	key, err := ReadKey(v.dir)
	switch {
	case err == nil:
	case errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission):
		if v.public == nil {
			v.find(Finding{Kind: FindKey}, "the key cannot be read, so neither the head nor signatures can be checked; for a copy without the key, give the public key")
		}
		return
	default:
		v.find(Finding{Kind: FindKey}, "the key is damaged: %v", err)
		return
	}
	v.key = &key
	public := NewSigner(key).Public()
	if v.public == nil {
		v.public = &public
	} else if *v.public != public {
		v.find(Finding{Kind: FindKey}, "the key here does not match the given public key")
	}
	if v.id == "" {
		v.id = key.ID()
	} else if v.id != key.ID() {
		v.find(Finding{Kind: FindKey}, "the key here belongs to ledger %s, not to %s", key.ID(), v.id)
	}
}

// readHead notes what the head says.
func (v *verifier) readHead() error {
	if v.key == nil {
		return nil
	}
	head, err := readHead(v.dir, *v.key)
	switch {
	case errors.Is(err, fs.ErrNotExist) || errors.Is(err, ledger.ErrNoHead):
		return nil // whether it should be there is seen later
	case errors.Is(err, ledger.ErrHead):
		v.forged = true
		v.find(Finding{Kind: FindHead}, "the head is damaged or forged: its seal does not match")
		return nil
	case err != nil:
		return err
	}
	v.head = &head
	v.want(head.Seq)
	return nil
}

func (v *verifier) want(seq uint64) { v.got[seq] = ledger.Hash{} }

// readClaims notes what checkpoints say, the ledger's own and those outside.
func (v *verifier) readClaims() error {
	own, err := state.ReadRegular(filepath.Join(v.dir, CheckpointsFile), maxCheckpoints)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	v.readCheckpoints(FindCheckpoint, Witness{Name: CheckpointsFile, Data: own})
	for _, w := range v.o.Witnesses {
		v.readCheckpoints(FindWitness, w)
	}
	return nil
}

func (v *verifier) readCheckpoints(kind string, w Witness) {
	eachCheckpoint(w.Data, func(number int, c Checkpoint, err error) {
		by := fmt.Sprintf("%s, line %d", w.Name, number)
		switch {
		case err == nil:
			v.claims = append(v.claims, claim{Checkpoint: c, kind: kind, by: by})
			v.want(c.Seq)
		case kind == FindWitness:
			// It may be anybody's, and half of a line that somebody was
			// writing who died.
			v.notice(Finding{Kind: kind}, "%s is not a checkpoint and was skipped", by)
		default:
			v.find(Finding{Kind: kind}, "%s is not a valid checkpoint: it was changed or damaged", by)
		}
	})
}

// readSegments walks through the ledger.
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
			return v.end(r)
		}
		if errors.Is(err, fs.ErrPermission) {
			v.endSegment()
			v.find(Finding{Kind: FindSegment}, "%v: make it readable for yourself (chmod 600); nothing after it was verified", err)
			return nil
		}
		if err == nil {
			err = progress(e.Size)
		}
		if err == nil && e.At.Segment != v.current.Segment {
			err = v.turn(e.At.Segment)
		}
		if err != nil {
			return err
		}
		v.entry(&e)
		if v.stop > 0 && v.current.Segment >= v.stop && v.current.First > 0 {
			v.next = newFirst(&e)
			return nil
		}
	}
}

// newProgress returns what counts bytes, and now and then tells the caller and
// asks whether to go on.
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

func (v *verifier) find(f Finding, text string, args ...any)   { v.report.find(f, text, args...) }
func (v *verifier) notice(f Finding, text string, args ...any) { v.report.notice(f, text, args...) }

// A link is where the chain stands after a record.
type link struct {
	count   uint64 // of records up to here
	seq     uint64 // 0 = there was no record yet
	hash    ledger.Hash
	kind    string
	time    time.Time
	boot    string
	mono    int64
	segment int
	end     int64 // of the record, in its segment
	told    told  // of calls that were not recorded
	stores  state.Generations
}
