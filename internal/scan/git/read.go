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

// ErrMismatch means that the content of an object does not match its id: the id is the digest of the
// content, which git does not verify when reading.
var ErrMismatch = errors.New("the object's content does not match its hash")

// A Content is the content of an entry, readable until the next one is reported. If it does not match
// the entry's id, it ends with [ErrMismatch]: a caller that caches results by id must read to the end.
type Content struct {
	io.Reader
	Size int64 // of a message including its header, which Reader does not return
	// Header is the text in the header of a commit or tag; see header.
	Header string
	// Missing is set if the repository is damaged: it names the object but does not contain it.
	Missing bool
}

// Read calls report with the contents of entries in order. Contents are requested while earlier ones
// are processed. A content is never held in memory as a whole, and its unread part is skipped.
func (r *Repo) Read(ctx context.Context, entries iter.Seq[Entry], report func(Entry, Content) error) error {
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

// requestEntries writes the ids of the entries. Git reads them no faster than its output is read, so
// that few entries wait.
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
	out.Flush() // on error, git's output ends early
	_ = git.CloseWrite()
	q.close()
}

// readContents reads one content for each entry.
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

// readContent reports a content and skips to its end.
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
	if _, err := io.CopyN(io.Discard, in, body.N+1); err != nil { // with the line end behind it
		return fmt.Errorf("reading object %s: %w", e.ID, unexpectedEOF(err))
	}
	return nil
}

func unexpectedEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// A queue holds the entries that were requested and not read yet.
type queue struct {
	mu      sync.Mutex
	more    sync.Cond
	list    []Entry
	at      int
	closed  bool // there are no more
	stopped bool // no more are taken
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

// runStreaming runs git with lines as input, and calls read with its output while it runs.
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
