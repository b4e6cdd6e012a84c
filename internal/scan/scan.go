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

// A Scan checks texts against a policy. Only Policy is required.
type Scan struct {
	Policy  *policy.Policy
	Workers int // 0 means the number of processors
	// Unpack, if not nil, unpacks archives.
	Unpack Unpack
	// Baseline, if not nil, collects all findings.
	Baseline *policy.Baseline
	// Added limits the findings in files from git to added lines.
	Added bool
	// Digests adds the digest of the found text, by which a policy can allow it, to each finding.
	Digests bool
	// Excerpts adds the masked line of each finding to it.
	Excerpts bool
	// Mark, if not nil, returns a fingerprint of the lines of a finding. It is called for each
	// finding that is not allowed.
	Mark func(lines string) uint64
	// Report is called with each finding in order, by one goroutine at a time.
	Report func(*Finding)
	// Progress is called after each text, by the goroutine that calls Report.
	Progress func(*Totals)

	seed  maphash.Seed
	first map[uint64]string // the object in which a finding occurred first, by the hash of the finding
}

const (
	whole       = 4 << 20 // maximum size of a text that is held in memory
	leastBuffer = 64 << 10
	mostQueued  = 32 // maximum number of texts that wait or are being scanned
	mostErrors  = 20 // maximum number of errors that are reported
)

// Run scans all texts of source. If a text cannot be read, Run scans the rest and then returns an
// error, because an incomplete scan must not look clean. The totals are valid even if there is an
// error.
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
		group.Go(r.runWorker)
	}
	var collector sync.WaitGroup
	collector.Go(r.collectResults)
	own := newScanner(s)
	err := source(func(it Item, c Content) error { return r.enqueue(own, it, c) })
	close(r.work)
	close(r.order)
	group.Wait()
	collector.Wait()
	if err == nil {
		err = ctx.Err()
	}
	return r.totals, errors.Join(append(r.errs, err)...)
}

// A run is a scan in progress.
type run struct {
	scan    *Scan
	ctx     context.Context
	workers int
	work    chan *job   // jobs for the workers
	order   chan *job   // the same jobs, for the collector
	free    chan []byte // buffers to read into

	totals Totals // owned by the collector
	errs   []error
	more   int // number of further errors, which are not reported
}

// A job is one text with its result.
type job struct {
	item Item
	data []byte
	open func() (io.ReadCloser, error)
	done chan struct{}
	out  outcome
	err  error

	mismatch bool // the content does not match the object's id
}

// enqueue passes the text it with the content c to the workers. It scans a text that is too large for
// memory itself, with own, while it is read.
func (r *run) enqueue(own *scanner, it Item, c Content) error {
	if err := r.ctx.Err(); err != nil {
		return err
	}
	j := &job{item: it, open: c.Open, done: make(chan struct{})}
	if c.Open == nil {
		data, rest, err := readUpToLimit(r.takeBuffer(), c.Reader, c.Size)
		if errors.Is(err, git.ErrMismatch) { // the content is scanned all the same
			j.mismatch, err = true, nil
		}
		if err != nil || rest {
			j.err = err
			if rest {
				j.out, j.err = own.scanToEnd(it, io.MultiReader(bytes.NewReader(data), c.Reader))
			}
			if errors.Is(j.err, git.ErrMismatch) {
				j.mismatch, j.err = true, nil
			}
			r.releaseBuffer(data)
			close(j.done)
			return r.sendJob(j, false)
		}
		j.data = data
	}
	return r.sendJob(j, true)
}

// scanToEnd is scanStream that reads r to its end, where objects of git are verified.
func (s *scanner) scanToEnd(it Item, r io.Reader) (outcome, error) {
	out, err := s.scanStream(it, r)
	if err == nil {
		_, err = io.Copy(io.Discard, r)
	}
	return out, err
}

// sendJob sends j to the collector and, if work is set, to the workers.
func (r *run) sendJob(j *job, work bool) error {
	select {
	case r.order <- j:
	case <-r.ctx.Done():
		return r.ctx.Err()
	}
	if work {
		r.work <- j // work has room whenever order has
	}
	return nil
}

// takeBuffer returns an empty buffer that was released, or nil.
func (r *run) takeBuffer() []byte {
	select {
	case b := <-r.free:
		return b[:0]
	default:
		return nil
	}
}

// releaseBuffer makes b available to takeBuffer.
func (r *run) releaseBuffer(b []byte) {
	if cap(b) == 0 {
		return
	}
	select {
	case r.free <- b:
	default:
	}
}

// readUpToLimit reads in into buf, up to the size that is held in memory, and reports whether there is
// more. The parameter size is an estimate of the size of in.
func readUpToLimit(buf []byte, in io.Reader, size int64) (data []byte, rest bool, err error) {
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

// runWorker scans the texts in r.work until there are no more.
func (r *run) runWorker() {
	s := newScanner(r.scan)
	for j := range r.work {
		if j.err = r.ctx.Err(); j.err == nil {
			j.out, j.err = s.scanJob(j)
			r.releaseBuffer(j.data)
			j.data = nil
		}
		close(j.done)
	}
}

// scanJob scans the text of j.
func (s *scanner) scanJob(j *job) (outcome, error) {
	if j.open != nil {
		return s.scanFile(j.item, j.open)
	}
	return s.scanText(j.item, j.data)
}

// collectResults adds up and reports the results in the order of the texts.
func (r *run) collectResults() {
	for j := range r.order {
		<-j.done
		t := &r.totals
		t.add(j)
		if j.err != nil {
			r.addError(fmt.Errorf("%s: %w", visible.EscapeLine(j.item.DisplayName()), j.err))
		}
		r.reportFindings(j)
		if r.scan.Progress != nil {
			r.scan.Progress(t)
		}
	}
	if r.more > 0 {
		r.errs = append(r.errs, fmt.Errorf("%d more could not be read", r.more))
	}
}

// addError records err, or only counts it if there are mostErrors already.
func (r *run) addError(err error) {
	if errors.Is(err, context.Canceled) {
		return
	}
	if len(r.errs) == mostErrors {
		r.more++
		return
	}
	r.errs = append(r.errs, err)
}

// add adds the counts of j to t.
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
	case j.out.form == isUnopened:
		t.Compressed++
	case j.out.form == isExcluded:
		t.Excluded++
	}
	if j.out.form == isDense {
		t.Dense++
	}
	t.Files += j.out.members
	t.Binary += j.out.binaries
	t.Compressed += j.out.sealed
}

// reportFindings reports the findings of j. A finding that stays in a file across commits is reported
// once, with the first commit.
func (r *run) reportFindings(j *job) {
	s := r.scan
	if j.mismatch {
		j.out.found = append(j.out.found, s.mismatchFinding(j.item))
	}
	for i := range j.out.found {
		f := &j.out.found[i]
		if f.Commit != "" {
			sum := f.hash
			if !f.Counts() {
				sum = ^sum // an allowed finding must not hide the same one where it is not allowed
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

// mismatchFinding returns the finding that the object of it does not match its id. No policy can allow
// it.
func (s *Scan) mismatchFinding(it Item) Finding {
	id := sha256.Sum256([]byte(policy.ObjectRule + "\x00" + it.Path + "\x00" + it.Object))
	return Finding{Item: it, ID: hex.EncodeToString(id[:16]), Char: 1, EndLine: 1, EndChar: 1,
		Finding: policy.Finding{Rule: policy.ObjectRule, Kind: "integrity", Severity: policy.Block, Line: 1, Column: 1},
		hash:    s.findingHash(policy.ObjectRule, it.Path, []byte(it.Object))}
}

// findingHash returns a hash that identifies the finding found of rule in path within one scan.
func (s *Scan) findingHash(rule, path string, found []byte) uint64 {
	var h maphash.Hash
	h.SetSeed(s.seed)
	h.WriteString(rule)
	h.WriteByte(0)
	h.WriteString(path)
	h.WriteByte(0)
	h.Write(found)
	return h.Sum64()
}
