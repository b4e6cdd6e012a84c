package git

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"strconv"
	"strings"
	"sync"

	"github.com/checkrein/checkrein/internal/sys/process"
)

// ErrOther reports that an object has another content than its name says: the name is
// the digest of the content, and git does not look when it reads one.
var ErrOther = errors.New("the object's content does not match its hash")

// A Content is what an entry holds, readable until the next one is reported. Where
// others end, one that does not belong to the entry's id ends with [ErrOther]: who
// remembers anything of a content by its id reads to the end.
type Content struct {
	io.Reader
	Size int64 // of a message with its header, which Reader does not have
	// Header is what people wrote into the header of a commit or tag; see header.
	Header string
	// Missing is set if the repository is damaged: it names the object and does
	// not have it.
	Missing bool
}

// Read reports the contents of entries in their order. They are asked for as
// they come, while those before are looked at; a content of any size is never
// held in memory, and what was not read of it is skipped.
func (r *Repo) Read(ctx context.Context, entries iter.Seq[Entry], report func(Entry, Content) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	spec := r.spec("cat-file", "--batch", "--buffer")
	git, err := process.Open(ctx, spec)
	if err != nil {
		return r.problem("cat-file", process.Result{}, err)
	}
	var q queue
	q.more.L = &q.mu
	var writer sync.WaitGroup
	writer.Go(func() { ask(git, &q, entries) })
	err = answers(bufio.NewReaderSize(git, 256<<10), &q, report)
	if err != nil {
		git.Stop()
	}
	q.stop()
	writer.Wait()
	res, waitErr := git.Wait()
	if err != nil {
		if waitErr == nil && errors.Is(err, io.ErrUnexpectedEOF) && res.Exit != 0 {
			return r.problem("cat-file", res, nil)
		}
		return err
	}
	return r.problem("cat-file", res, waitErr)
}

// ask writes the ids of the entries. Git reads them no faster than its answers
// are read, so that few entries wait.
func ask(git *process.Stream, q *queue, entries iter.Seq[Entry]) {
	out := bufio.NewWriterSize(git, 4<<10)
	for e := range entries {
		if !q.put(e) {
			break
		}
		out.WriteString(e.ID)
		if out.WriteByte('\n') != nil {
			break
		}
	}
	out.Flush() // an error of it shows in the answers, which then end early
	_ = git.CloseWrite()
	q.close()
}

// answers reads one answer for each entry.
func answers(in *bufio.Reader, q *queue, report func(Entry, Content) error) error {
	for {
		e, ok := q.take()
		if !ok {
			return nil
		}
		head, err := in.ReadString('\n')
		if err != nil {
			return fmt.Errorf("reading object %s: %w", e.ID, early(err))
		}
		words := strings.Fields(head)
		if len(words) == 2 && words[1] == "missing" {
			if err := report(e, Content{Reader: strings.NewReader(""), Missing: true}); err != nil {
				return err
			}
			continue
		}
		var size int64 = -1
		if len(words) == 3 && words[0] == e.ID {
			size, err = strconv.ParseInt(words[2], 10, 64)
		}
		if size < 0 || err != nil {
			return fmt.Errorf("reading object %s: cannot parse git's answer: %q", e.ID, head)
		}
		sum := newSum(e.ID, words[1], size)
		if err := one(in, e, size, sum, report); err != nil {
			return err
		}
	}
}

// one reports a content and goes behind it.
func one(in *bufio.Reader, e Entry, size int64, sum *sum, report func(Entry, Content) error) error {
	body := &io.LimitedReader{R: in, N: size}
	content := Content{Reader: &checked{body: body, sum: sum}, Size: size}
	if e.Kind == Message || e.Kind == Tag {
		var h header
		if err := h.read(in, body, sum); err != nil {
			return fmt.Errorf("reading object %s: %w", e.ID, early(err))
		}
		content.Header = h.text.String()
	}
	if err := report(e, content); err != nil {
		return err
	}
	if _, err := io.CopyN(io.Discard, in, body.N+1); err != nil { // with the line end behind it
		return fmt.Errorf("reading object %s: %w", e.ID, early(err))
	}
	return nil
}

func early(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// A queue holds the entries that were asked for and not answered.
type queue struct {
	mu      sync.Mutex
	more    sync.Cond
	list    []Entry
	at      int
	closed  bool // there are no more
	stopped bool // nobody takes any more
}

func (q *queue) put(e Entry) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.at > 0 && q.at == len(q.list) {
		q.list, q.at = q.list[:0], 0
	}
	q.list = append(q.list, e)
	q.more.Signal()
	return !q.stopped
}

func (q *queue) take() (Entry, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for q.at == len(q.list) && !q.closed {
		q.more.Wait()
	}
	if q.at == len(q.list) {
		return Entry{}, false
	}
	e := q.list[q.at]
	q.at++
	if q.at > 4096 && q.at*2 > len(q.list) { // or it would never end to grow
		q.list, q.at = append(q.list[:0], q.list[q.at:]...), 0
	}
	return e, true
}

func (q *queue) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	q.more.Signal()
}

func (q *queue) stop() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.stopped = true
}

// stream runs git with lines to read, and has its output read while it runs.
func (r *Repo) stream(ctx context.Context, lines []string, read func(io.Reader) error, args ...string) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	git, err := process.Open(ctx, r.spec(args...))
	if err != nil {
		return r.problem(args[0], process.Result{}, err)
	}
	var writer sync.WaitGroup
	writer.Go(func() {
		out := bufio.NewWriterSize(git, 16<<10)
		for _, s := range lines {
			out.WriteString(s)
			if out.WriteByte('\n') != nil {
				break
			}
		}
		out.Flush()
		_ = git.CloseWrite()
	})
	err = read(git)
	if err != nil {
		git.Stop()
	}
	writer.Wait()
	res, waitErr := git.Wait()
	if err != nil {
		return err
	}
	return r.problem(args[0], res, waitErr)
}
