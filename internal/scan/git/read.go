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

// ErrMismatch means that the content of an object does not match its id. The id is the digest of the
// content, which git does not verify when it reads an object.
var ErrMismatch = errors.New("the object's content does not match its hash")

// A Content is the content of an entry, which can be read until the next entry is reported. If it does
// not match the id of the entry, it ends with [ErrMismatch]. So a caller that caches results by id
// must read to the end.
type Content struct {
	io.Reader
	Size int64 // includes the header of a message, which Reader does not return
	// Header is the text of the header of a commit or tag, without ids and signatures.
	Header string
	// Missing is set if the repository is damaged, because it does not contain the object.
	Missing bool
}

// ReadEntries calls report with the contents of entries, in order. It requests contents while earlier
// ones are processed. It never holds a content in memory as a whole, and skips the part that report
// does not read.
func (r *Repo) ReadEntries(ctx context.Context, entries iter.Seq[Entry], report func(Entry, Content) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	spec := r.gitSpec("cat-file", "--batch", "--buffer")
	git, err := process.OpenStream(ctx, spec)
	if err != nil {
		return r.runError("cat-file", process.Result{}, err)
	}
	var q queue
	q.more.L = &q.mu
	var writer sync.WaitGroup
	writer.Go(func() { requestEntries(git, &q, entries) })
	err = readContents(bufio.NewReaderSize(git, 256<<10), &q, report)
	if err != nil {
		git.Stop()
	}
	q.stop()
	writer.Wait()
	res, waitErr := git.Wait()
	if err != nil {
		if waitErr == nil && errors.Is(err, io.ErrUnexpectedEOF) && res.Exit != 0 {
			return r.runError("cat-file", res, nil)
		}
		return err
	}
	return r.runError("cat-file", res, waitErr)
}

// requestEntries writes the ids of entries to git. Git reads them no faster than its output is read,
// so that few entries wait in q.
func requestEntries(git *process.Stream, q *queue, entries iter.Seq[Entry]) {
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
	out.Flush() // if that fails, git's output ends early
	_ = git.CloseWrite()
	q.close()
}

// readContents reads one content for each entry in q, and calls report with it.
func readContents(in *bufio.Reader, q *queue, report func(Entry, Content) error) error {
	for {
		e, ok := q.take()
		if !ok {
			return nil
		}
		head, err := in.ReadString('\n')
		if err != nil {
			return fmt.Errorf("reading object %s: %w", e.ID, unexpectedEOF(err))
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
		sum := newObjectHash(e.ID, words[1], size)
		if err := readContent(in, e, size, sum, report); err != nil {
			return err
		}
	}
}

// readContent calls report with the content of e, which has size bytes, and skips to its end.
func readContent(in *bufio.Reader, e Entry, size int64, sum *objectHash, report func(Entry, Content) error) error {
	body := &io.LimitedReader{R: in, N: size}
	content := Content{Reader: &verifyingReader{body: body, sum: sum}, Size: size}
	if e.Kind == Message || e.Kind == Tag {
		var h header
		if err := h.readHeader(in, body, sum); err != nil {
			return fmt.Errorf("reading object %s: %w", e.ID, unexpectedEOF(err))
		}
		content.Header = h.text.String()
	}
	if err := report(e, content); err != nil {
		return err
	}
	if _, err := io.CopyN(io.Discard, in, body.N+1); err != nil { // a newline follows the content
		return fmt.Errorf("reading object %s: %w", e.ID, unexpectedEOF(err))
	}
	return nil
}

// unexpectedEOF returns io.ErrUnexpectedEOF if err is io.EOF, otherwise err.
func unexpectedEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// A queue holds the entries that were requested but not read yet.
type queue struct {
	mu      sync.Mutex
	more    sync.Cond
	list    []Entry
	at      int
	closed  bool // no more entries will be put
	stopped bool // no more entries will be taken
}

// put adds e. It reports false if no more entries will be taken.
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

// take removes and returns the first entry. It waits for one, and reports false if the queue is closed
// and empty.
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
	if q.at > 4096 && q.at*2 > len(q.list) { // otherwise the list would grow forever
		q.list, q.at = append(q.list[:0], q.list[q.at:]...), 0
	}
	return e, true
}

// close records that no more entries will be put.
func (q *queue) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	q.more.Signal()
}

// stop records that no more entries will be taken.
func (q *queue) stop() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.stopped = true
}

// runStreaming runs git with args and lines as its input, and calls read with its output while it
// runs.
func (r *Repo) runStreaming(ctx context.Context, lines []string, read func(io.Reader) error, args ...string) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	git, err := process.OpenStream(ctx, r.gitSpec(args...))
	if err != nil {
		return r.runError(args[0], process.Result{}, err)
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
	return r.runError(args[0], res, waitErr)
}
