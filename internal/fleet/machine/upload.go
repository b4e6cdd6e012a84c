package machine

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"github.com/checkrein/checkrein/internal/evidence/ledger"
	"github.com/checkrein/checkrein/internal/evidence/ledger/seal"
	"github.com/checkrein/checkrein/internal/fleet/protocol"
)

// A Ledger is a ledger on this machine.
type Ledger struct {
	Dir  string
	User string // whose it is
}

// A cursor says up to where a ledger was uploaded.
type cursor struct {
	protocol.Head
	At ledger.Position `json:"at"` // of that record; without one, where to begin
}

// A hub takes batches of records.
type hub interface {
	// Ends returns what the hub has of a ledger.
	Ends(ctx context.Context, ledger string) (protocol.Ends, error)
	// Send sends a batch. When it returns without an error, the records are durable at the hub. If the
	// batch does not continue what the hub has, the error is [protocol.ErrNotNext].
	Send(ctx context.Context, text []byte) (protocol.Head, error)
}

// An uploader uploads the records of one ledger in order. It keeps no queue: the ledger is the queue,
// and the hub says what it has.
type uploader struct {
	ledger  Ledger
	hub     hub
	exclude func(root string) bool // whether records of the project are withheld
	saved   cursor                 // where it stopped, as far as it knows
	save    func(cursor) error
	agreed  bool // saved is what the hub has
}

// Upload uploads what the ledger has and the hub has not. It returns how many records it uploaded.
func (u *uploader) Upload(ctx context.Context) (sent uint64, err error) {
	key, err := seal.ReadKey(u.ledger.Dir)
	if err != nil {
		return 0, err
	}
	signer := seal.NewSigner(key)
	public := signer.Public()
	head := protocol.BatchHeader{Ledger: signer.Ledger(), Key: hex.EncodeToString(public[:]), User: u.ledger.User}
	if u.saved.Ledger != head.Ledger {
		u.saved, u.agreed = cursor{Head: protocol.Head{Ledger: head.Ledger}}, false
	}
	checkpoints := readCheckpoints(u.ledger.Dir, u.saved.Seq)
	for more := true; more; {
		if !u.agreed || !u.isAnchored() {
			if head.Break, err = u.agree(ctx); err != nil {
				return sent, err
			}
			u.agreed = true
		}
		b := batch{header: head, at: u.saved, checkpoints: checkpoints}
		if more, err = b.fill(u.ledger.Dir, u.exclude); err != nil || b.at.Seq == u.saved.Seq {
			return sent, err
		}
		got, err := u.hub.Send(ctx, b.text)
		if err == nil && got != b.at.Head {
			err = fmt.Errorf("the hub has record %d after a batch that ends with record %d", got.Seq, b.at.Seq)
		}
		if err != nil {
			u.agreed = false
			return sent, err
		}
		sent += b.at.Seq - b.header.After
		u.saved, head.Break = b.at, ""
		if err := u.save(u.saved); err != nil {
			return sent, err
		}
	}
	return sent, nil
}

// isAnchored reports whether the ledger still has the record that u.saved names where it was.
func (u *uploader) isAnchored() bool {
	if u.saved.Seq == 0 {
		return true
	}
	r := ledger.NewReader(u.ledger.Dir, u.saved.At)
	defer r.Close()
	e, err := r.Next()
	return err == nil && !e.Damaged && e.Line.Seq == u.saved.Seq && e.Line.Hash == u.saved.Hash
}

// agree sets u.saved to the last record that both this machine and the hub have. If that is not the
// last one of the hub, it returns why.
func (u *uploader) agree(ctx context.Context) (broken string, err error) {
	ends, err := u.hub.Ends(ctx, u.saved.Ledger)
	if err != nil || ends.Head == u.saved.Head && u.isAnchored() {
		return "", err
	}
	first, last := ledger.Stamp{}, ledger.Stamp{}
	found := cursor{Head: protocol.Head{Ledger: u.saved.Ledger}}
	err = u.each(func(e *ledger.Entry) bool {
		if last = e.Line.Stamp; first.Seq == 0 {
			first = last
		}
		here := protocol.Head{Ledger: u.saved.Ledger, Seq: last.Seq, Hash: e.Line.Hash}
		if here == ends.Head || slices.Contains(ends.Earlier, here) {
			found = cursor{here, e.At}
		}
		return here != ends.Head
	})
	if err != nil {
		return "", err
	}
	if found.Seq == 0 && first.Seq > 1 { // older records were removed
		found.Seq, found.Hash = first.Seq-1, first.Prev
		found.At = ledger.Position{}
	}
	u.saved = found
	switch {
	case found.Head == ends.Head:
		return "", nil
	case ends.Head.Seq == 0:
		return fmt.Sprintf("the ledger begins with record %d: older ones were removed before the machine joined", first.Seq), nil
	case last.Seq < ends.Head.Seq:
		return fmt.Sprintf("the ledger ends with record %d, but the hub has record %d", last.Seq, ends.Head.Seq), nil
	}
	return fmt.Sprintf("record %d of the ledger differs from the hub's copy", ends.Head.Seq), nil
}

// each calls fn for each valid record until it returns false.
func (u *uploader) each(fn func(*ledger.Entry) bool) error {
	r := ledger.NewReader(u.ledger.Dir, ledger.Position{})
	defer r.Close()
	for {
		e, err := r.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if !e.Damaged && !fn(&e) {
			return nil
		}
	}
}

// A batch collects records.
type batch struct {
	header      protocol.BatchHeader
	at          cursor // after the last record
	text        []byte
	checkpoints map[uint64][]byte
}

// fill adds the records of the ledger in dir that follow b.at, up to the limit of a batch. It reports
// whether there may be more. A batch ends before a record that does not follow the one before it, and
// the next batch, which begins with that record, says so.
func (b *batch) fill(dir string, exclude func(root string) bool) (more bool, err error) {
	r := ledger.NewReader(dir, b.at.At)
	defer r.Close()
	var lines []byte
	for len(lines) < protocol.MaxBatch {
		e, err := r.Next()
		if err == io.EOF {
			return false, b.end(lines)
		}
		if err != nil {
			return false, err
		}
		if e.Damaged || e.At == b.at.At && e.Line.Hash == b.at.Hash { // the last one that was uploaded
			continue
		}
		if line := &e.Line; line.Seq != b.at.Seq+1 || line.Prev != b.at.Hash {
			if len(lines) > 0 {
				break
			}
			b.header.Break = fmt.Sprintf("record %d does not follow record %d in the ledger of the machine", line.Seq, b.at.Seq)
			b.at.Seq, b.at.Hash = line.Seq-1, line.Prev
		}
		if len(lines) == 0 {
			b.header.After, b.header.Hash = b.at.Seq, b.at.Hash
		}
		lines = b.add(lines, &e, exclude)
	}
	return true, b.end(lines)
}

// add appends the line of e to lines, or its place if the policy excludes its project, and the
// checkpoint that confirms it.
func (b *batch) add(lines []byte, e *ledger.Entry, exclude func(root string) bool) []byte {
	if line := &e.Line; exclude != nil && exclude(line.Text("root")) {
		lines = protocol.AppendWithheld(lines, line)
	} else {
		lines = append(append(lines, line.Raw...), '\n')
	}
	b.at.Seq, b.at.Hash, b.at.At = e.Line.Seq, e.Line.Hash, e.At
	return append(lines, b.checkpoints[e.Line.Seq]...)
}

// end sets the text of the batch.
func (b *batch) end(lines []byte) error {
	header, err := json.Marshal(&b.header)
	b.text = append(append(header, '\n'), lines...)
	return err
}

// readCheckpoints returns the checkpoints of the ledger in dir for records after the one with number
// after, by number. It returns none if they cannot be read: the hub is a witness without them.
func readCheckpoints(dir string, after uint64) map[uint64][]byte {
	out := map[uint64][]byte{}
	w, err := seal.ReadWitness(filepath.Join(dir, seal.CheckpointsFile))
	if err != nil {
		return out
	}
	for line := range bytes.Lines(w.Data) {
		if c, err := seal.ParseCheckpoint(line); err == nil && c.Seq > after {
			out[c.Seq] = c.Line()
		}
	}
	return out
}
