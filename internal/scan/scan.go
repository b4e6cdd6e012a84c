package scan

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"runtime"
	"sync"

	"github.com/checkrein/checkrein/internal/scan/git"
	"github.com/checkrein/checkrein/internal/scan/policy"
	"github.com/checkrein/checkrein/internal/text/visible"
)

// A Scan holds texts against a policy. The zero value with a policy works.
type Scan struct {
	Policy  *policy.Policy
	Workers int // 0 = as many as there are processors
	// Unpack, when set, reads what is in an archive.
	Unpack Unpack
	// Baseline, when set, gets all that is found.
	Baseline *policy.Baseline
	// Added limits the findings in git's files to lines that were not there before.
	Added bool
	// Digests gives each finding the digest of what was found, by which a policy can
	// allow it.
	Digests bool
	// Excerpts is set if findings are to have their line, with a mask for what was found.
	Excerpts bool
	// Mark, when set, is asked about the lines of each finding that counts.
	Mark func(lines string) uint64
	// Report is called with each finding, in order, by one goroutine at a time.
	Report func(*Finding)
	// Progress is called after each text, by the goroutine that reports.
	Progress func(*Totals)

	seed  maphash.Seed
	first map[uint64]string // the content in which a finding was first, by its sum
}

const (
	whole       = 4 << 20 // a text up to this size is held in memory
	leastBuffer = 64 << 10
	mostQueued  = 32 // texts that wait or are being looked at
	mostErrors  = 20 // that are told
)

// Run looks at all texts of a source. What cannot be read is an error, after the
// rest was looked at: a scan that missed something must not look clean. Totals
// are right also beside an error.
func (s *Scan) Run(ctx context.Context, source Source) (Totals, error) {
	s.seed, s.first = maphash.MakeSeed(), map[uint64]string{}
	workers := s.Workers
	if workers == 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	r := run{scan: s, ctx: ctx, workers: workers}
	queued := min(4*workers, mostQueued)
	r.work, r.order = make(chan *job, queued), make(chan *job, queued)
	r.free = make(chan []byte, queued)
	var group sync.WaitGroup
	for range workers {
		group.Go(r.worker)
	}
	var collector sync.WaitGroup
	collector.Go(r.collect)
	own := newScanner(s)
	err := source(func(it Item, c Content) error { return r.put(own, it, c) })
	close(r.work)
	close(r.order)
	group.Wait()
	collector.Wait()
	if err == nil {
		err = ctx.Err()
	}
	return r.totals, errors.Join(append(r.errs, err)...)
}

// A run is one scan under way.
type run struct {
	scan    *Scan
	ctx     context.Context
	workers int
	work    chan *job   // to the workers
	order   chan *job   // the same, to the collector
	free    chan []byte // buffers to read into

	totals Totals // of the collector
	errs   []error
	more   int // errors that are not told
}

// A job is one text and what came of it.
type job struct {
	item Item
	data []byte
	open func() (io.ReadCloser, error)
	done chan struct{}
	out  outcome
	err  error

	other bool // the content is not that of the object's name
}

// put hands a text to the workers. One that is too large for memory is looked
// at here, while it is being read.
func (r *run) put(own *scanner, it Item, c Content) error {
	if err := r.ctx.Err(); err != nil {
		return err
	}
	j := &job{item: it, open: c.Open, done: make(chan struct{})}
	if c.Open == nil {
		data, rest, err := readSome(r.buffer(), c.Reader, c.Size)
		if errors.Is(err, git.ErrOther) { // what is there is looked at all the same
			j.other, err = true, nil
		}
		if err != nil || rest {
			j.err = err
			if rest {
				j.out, j.err = own.all(it, io.MultiReader(bytes.NewReader(data), c.Reader))
			}
			if errors.Is(j.err, git.ErrOther) {
				j.other, j.err = true, nil
			}
			r.release(data)
			close(j.done)
			return r.send(j, false)
		}
		j.data = data
	}
	return r.send(j, true)
}

// all is stream to the end, where git's objects say whether they are what they should be.
func (s *scanner) all(it Item, r io.Reader) (outcome, error) {
	out, err := s.stream(it, r)
	if err == nil {
		_, err = io.Copy(io.Discard, r)
	}
	return out, err
}

func (r *run) send(j *job, work bool) error {
	select {
	case r.order <- j:
	case <-r.ctx.Done():
		return r.ctx.Err()
	}
	if work {
		r.work <- j // has room whenever order had
	}
	return nil
}

func (r *run) buffer() []byte {
	select {
	case b := <-r.free:
		return b[:0]
	default:
		return nil
	}
}

func (r *run) release(b []byte) {
	if cap(b) == 0 {
		return
	}
	select {
	case r.free <- b:
	default:
	}
}

// readSome reads up to what is held in memory, and reports whether there is more.
// The size is a guess.
func readSome(buf []byte, in io.Reader, size int64) (data []byte, rest bool, err error) {
	if size = min(size, whole-1) + 1; int64(cap(buf)) < max(size, leastBuffer) {
		buf = make([]byte, 0, max(size+size/4, leastBuffer))
	}
	for {
		if len(buf) == cap(buf) {
			if cap(buf) >= whole {
				return buf, true, nil
			}
			buf = append(buf, 0)[:len(buf)]
		}
		n, err := in.Read(buf[len(buf):min(cap(buf), whole)])
		buf = buf[:len(buf)+n]
		switch {
		case errors.Is(err, io.EOF):
			return buf, false, nil
		case err != nil:
			return buf, false, err
		case len(buf) >= whole:
			return buf, true, nil
		}
	}
}

// worker looks at texts until there are no more.
func (r *run) worker() {
	s := newScanner(r.scan)
	for j := range r.work {
		if j.err = r.ctx.Err(); j.err == nil {
			j.out, j.err = s.job(j)
			r.release(j.data)
			j.data = nil
		}
		close(j.done)
	}
}

func (s *scanner) job(j *job) (outcome, error) {
	if j.open != nil {
		return s.opened(j.item, j.open)
	}
	return s.look(j.item, j.data)
}

// collect takes what came of the texts, in their order.
func (r *run) collect() {
	for j := range r.order {
		<-j.done
		t := &r.totals
		t.add(j)
		if j.err != nil {
			r.fail(fmt.Errorf("%s: %w", visible.Line(j.item.Name()), j.err))
		}
		r.settle(j)
		if r.scan.Progress != nil {
			r.scan.Progress(t)
		}
	}
	if r.more > 0 {
		r.errs = append(r.errs, fmt.Errorf("and %d more that could not be read", r.more))
	}
}

func (r *run) fail(err error) {
	if errors.Is(err, context.Canceled) {
		return
	}
	if len(r.errs) == mostErrors {
		r.more++
		return
	}
	r.errs = append(r.errs, err)
}

func (t *Totals) add(j *job) {
	t.Bytes += j.out.bytes
	switch {
	case j.out.form == isText || j.out.form == isDense:
		if j.item.Message {
			t.Messages++
		} else {
			t.Files++
		}
	case j.out.form == isPieces:
		t.Binary++
	case j.out.form == isSealed:
		t.Sealed++
	case j.out.form == isLeft:
		t.Left++
	}
	if j.out.form == isDense {
		t.Dense++
	}
	t.Files += j.out.members
	t.Binary += j.out.binaries
	t.Sealed += j.out.sealed
}

// settle reports what was found in a text. What stays in a file from one commit to the
// next is reported once, with the first.
func (r *run) settle(j *job) {
	s := r.scan
	if j.other {
		j.out.found = append(j.out.found, s.otherContent(j.item))
	}
	for i := range j.out.found {
		f := &j.out.found[i]
		if f.Commit != "" {
			sum := f.sum
			if !f.Counts() {
				sum = ^sum // what is allowed here does not hide the same where it is not
			}
			object, known := s.first[sum]
			if known && object != f.Object {
				r.totals.Repeated++
				continue
			}
			s.first[sum] = f.Object
		}
		if s.Report != nil {
			s.Report(f)
		}
	}
}

// otherContent is the finding that an object is not what its name says. No policy allows it.
func (s *Scan) otherContent(it Item) Finding {
	id := sha256.Sum256([]byte(policy.ObjectRule + "\x00" + it.Path + "\x00" + it.Object))
	return Finding{Item: it, ID: hex.EncodeToString(id[:16]), Char: 1, EndLine: 1, EndChar: 1,
		Finding: policy.Finding{Rule: policy.ObjectRule, Kind: "integrity", Severity: policy.Block, Line: 1, Column: 1},
		sum:     s.sum(policy.ObjectRule, it.Path, []byte(it.Object))}
}

// sum distinguishes findings of one scan.
func (s *Scan) sum(rule, path string, found []byte) uint64 {
	var h maphash.Hash
	h.SetSeed(s.seed)
	h.WriteString(rule)
	h.WriteByte(0)
	h.WriteString(path)
	h.WriteByte(0)
	h.Write(found)
	return h.Sum64()
}
