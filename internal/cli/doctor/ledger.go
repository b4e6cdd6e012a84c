package doctor

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/checkrein/checkrein/internal/evidence/ledger"
	"github.com/checkrein/checkrein/internal/evidence/ledger/seal"
	"github.com/checkrein/checkrein/internal/sys/state"
	"github.com/checkrein/checkrein/internal/text/message"
)

// Ledger looks at the end of a ledger: whether it can be written to, and whether
// the records of its newest segment hang together up to its head. All of it is
// what audit verify reads.
func (r *Report) Ledger(dir string) {
	lost := ledger.Lost(dir)
	if lost != nil {
		r.Find("ledger-damaged", Finding{Message: message.Of(lost)})
	}
	segments, err := ledger.Segments(dir)
	switch {
	case lost != nil && (err != nil || len(segments) == 0):
		r.missed(dir, nil)
		return
	case errors.Is(err, fs.ErrNotExist) || err == nil && len(segments) == 0:
		r.Find("ledger-empty", Finding{})
		return
	case err != nil:
		r.Find("ledger-damaged", Finding{Message: message.Of(err)})
		return
	}
	if err := writable(dir); err != nil && lost == nil {
		r.Find("ledger-not-writable", Finding{Message: message.New("nothing can be recorded: " + err.Error())})
	}
	end, err := r.tail(dir, segments[len(segments)-1].Number)
	switch {
	case err != nil && lost == nil:
		r.Find("ledger-damaged", Finding{Message: message.Of(err)})
		return
	case lost == nil:
		r.head(dir, end)
	}
	for _, why := range end.lost {
		r.Find("ledger-damaged", Finding{Message: message.New("records were lost: " + why)})
	}
	r.missed(dir, end.missed)
}

// missed tells of calls that could not be recorded: those that the newest segment tells,
// and those that no record tells yet.
func (r *Report) missed(dir string, told []string) {
	for _, why := range told {
		r.Find("ledger-missed", Finding{Message: message.New(why)})
	}
	key, err := seal.ReadKey(dir)
	if err != nil {
		return // which head says
	}
	m, err := ledger.ReadMissed(dir, key)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		r.Find("ledger-damaged", Finding{Message: message.New("the number of unrecorded calls cannot be read: " + err.Error())})
	case m.Forged || len(m.Odd) > 0 || m.Lowered(0):
		r.Find("ledger-damaged", Finding{Message: message.New("the stored number of unrecorded calls was changed or damaged")})
	default:
		if loss := m.Since(0); loss.Count > 0 {
			r.Find("ledger-missed", Finding{Message: message.New(loss.String() + "; the next record will say so")})
		}
	}
}

// writable tries whether a file can be made in a directory, and those in it be written.
func writable(dir string) error {
	if _, err := state.At(dir).Read(ledger.HeadFile, 1<<20); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err // such as a directory that others may write to
	}
	for _, name := range []string{ledger.HeadFile, ledger.CurrentFile, ledger.MissedFile} {
		f, err := state.At(dir).Existing(name)
		if err != nil {
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			return err
		}
		f.Close()
	}
	f, err := os.CreateTemp(dir, ".checkrein-doctor-*.tmp") // a name that is tidied up if we die
	if err != nil {
		return err
	}
	_, err = f.WriteString("checkrein doctor\n")
	return errors.Join(err, f.Close(), os.Remove(f.Name()))
}

// tail reads a segment and returns its last record.
func (r *Report) tail(dir string, segment int) (mark, error) {
	in := ledger.NewReader(dir, ledger.Position{Segment: segment})
	defer in.Close()
	var last mark
	for {
		e, err := in.Next()
		switch {
		case err == io.EOF:
			if len(in.Rest()) > 0 {
				r.Find("ledger-torn", Finding{})
			}
			return last, nil
		case err != nil:
			return last, err
		case e.Forged:
			return last, fmt.Errorf("segment %d, offset %d: record %d was not written by a genuine writer of this ledger", e.At.Segment, e.At.Offset, e.Line.Seq)
		case e.Damaged:
			return last, fmt.Errorf("segment %d, offset %d: this line is not a record, or was changed", e.At.Segment, e.At.Offset)
		case last.Seq > 0 && (e.Line.Seq != last.Seq+1 || e.Line.Prev != last.Hash):
			return last, fmt.Errorf("segment %d, offset %d: record %d does not follow record %d", e.At.Segment, e.At.Offset, e.Line.Seq, last.Seq)
		}
		last.Seq, last.Hash = e.Line.Seq, e.Line.Hash
		if e.Line.Kind == ledger.KindGap {
			if _, ok := e.Line.MissedTotal(); ok {
				last.missed = append(last.missed, e.Line.Text("why"))
			} else {
				last.lost = append(last.lost, e.Line.Text("why"))
			}
		}
	}
}

// head compares the last record with what the sealed head says.
func (r *Report) head(dir string, end mark) {
	key, err := seal.ReadKey(dir)
	var data []byte
	if err == nil {
		data, err = state.ReadHead(filepath.Join(dir, ledger.HeadFile), 4<<10)
	}
	var head ledger.Head
	if err == nil {
		head, err = ledger.ParseHead(data, key)
	}
	switch {
	case err != nil:
		r.Find("ledger-damaged", Finding{Message: message.New("the ledger's head: " + err.Error())})
	case head.Seq > end.Seq:
		r.Find("ledger-damaged", Finding{Message: message.New(fmt.Sprintf("record %d was written, but the ledger now ends with record %d", head.Seq, end.Seq))})
	case head.Seq == end.Seq && head.Hash != end.Hash:
		r.Find("ledger-damaged", Finding{Message: message.New(fmt.Sprintf("record %d was replaced: it differs from the one that was written", end.Seq))})
	}
}

// A mark is a record's place in the chain.
type mark struct {
	Seq  uint64
	Hash ledger.Hash

	missed []string // what records of the segment tell of calls that could not be recorded
	lost   []string // and of records that are gone
}
