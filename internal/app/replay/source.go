package replay

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/evidence/ledger"
	"github.com/checkrein/checkrein/internal/host"
	"github.com/checkrein/checkrein/internal/host/transcript"
	"github.com/checkrein/checkrein/internal/sys/build"
	"github.com/checkrein/checkrein/internal/text/rawjson"
	"github.com/checkrein/checkrein/internal/text/term"
)

// A Source is where past calls are read from: one of Ledger, File and Transcript.
type Source struct {
	Ledger     string           // the directory of a ledger
	File       string           // a file with records or events, one a line
	Name       string           // of the ledger that File has chosen records of; "" = File has all
	Transcript *transcript.File // a transcript of a host
	Dir        string           // the directory of calls that have none
}

// batchSize is how many calls a worker gets at once.
const batchSize = 64

// A feed reads sources and passes their calls to the workers.
type feed struct {
	*run
	ctx   context.Context
	batch []item
	order uint64

	done, total int64 // bytes
	damage      []string
	skipped     []string
	window      window
}

// newFeed returns a feed for the sources in list.
func newFeed(ctx context.Context, r *run, list []Source) *feed {
	f := &feed{run: r, ctx: ctx}
	for _, s := range list {
		switch {
		case s.Ledger != "":
			segments, _ := ledger.Segments(s.Ledger) // reading it returns the error
			for _, one := range segments {
				f.total += one.Size
			}
		case s.Transcript != nil:
			f.total += s.Transcript.Size
		default:
			if info, err := os.Stat(s.File); err == nil {
				f.total += info.Size()
			}
		}
	}
	return f
}

// readAll reads all sources.
func (f *feed) readAll(list []Source) error {
	for i := range list {
		f.window = window{}
		var err error
		switch s := &list[i]; {
		case s.Ledger != "":
			err = f.readLedger(s.Ledger)
		case s.Transcript != nil:
			err = f.readTranscript(s)
		default:
			err = f.readFile(s)
		}
		if err != nil && f.ctx.Err() == nil {
			return err
		}
	}
	f.flush()
	return nil
}

// add passes a call on.
func (f *feed) add(it item) {
	f.order++
	if it.order = f.order; !f.Full && build.Version != "dev" { // which is any build
		it.build = build.Version
	}
	if f.batch = append(f.batch, it); len(f.batch) == batchSize {
		f.flush()
	}
}

// flush passes the calls of the batch on.
func (f *feed) flush() {
	select {
	case f.work <- f.batch:
	case <-f.ctx.Done():
	}
	f.batch = make([]item, 0, batchSize)
}

// advance adds n bytes to what is done.
func (f *feed) advance(n int) {
	before := f.done >> 20
	if f.done += int64(n); f.Progress != nil && f.done>>20 != before {
		f.Progress(f.done, f.total)
	}
}

// readLedger reads the ledger in dir, which was verified before.
func (f *feed) readLedger(dir string) error {
	var key *[32]byte
	if secret, err := ledger.ReadSecret(dir, ledger.LabelDigests); err == nil {
		key = (*[32]byte)(secret)
	}
	r := ledger.NewReader(dir, ledger.Position{})
	defer r.Close()
	segment := 0
	for f.ctx.Err() == nil {
		e, err := r.Next()
		if errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return fmt.Errorf("reading the ledger: %w", err)
		}
		f.advance(e.Size)
		if e.At.Segment != segment {
			segment, f.window = e.At.Segment, window{}
		}
		if !e.Damaged { // a torn record, which the verification accepted
			f.addRecord(&e.Line, e.At.Offset, key, "")
		}
	}
	return nil
}

// addRecord passes on the call of a record, if it is about one.
func (f *feed) addRecord(line *ledger.Line, offset int64, key *[32]byte, place string) {
	if line.Kind != ledger.KindEvent {
		return
	}
	raw := bytes.Clone(line.Raw) // the reader reuses its buffer
	earlier := f.window.enter(raw, offset)
	if f.Fits == nil || f.Fits(line) {
		f.add(item{line: raw, seq: line.Seq, key: key, place: place, earlier: earlier})
	}
}

// A window has the records of tool calls that hooks could read when the next call was decided: those in
// the last bytes of the segment, by session.
type window struct {
	sessions map[string][][]byte
	queue    []placed
}

// placed is the place of a record in a window.
type placed struct {
	offset  int64
	session string
}

// maxEarlier is how many bytes of the ledger hooks read; see [app.Kit].
const maxEarlier = 2 << 20

// enter adds the record raw at an offset, and returns the earlier ones of its session, oldest first.
func (w *window) enter(raw []byte, offset int64) [][]byte {
	session := sessionOf(raw)
	if session == "" {
		return nil
	}
	for len(w.queue) > 0 && offset > maxEarlier && w.queue[0].offset <= offset-maxEarlier {
		key := w.queue[0].session
		if w.sessions[key] = w.sessions[key][1:]; len(w.sessions[key]) == 0 {
			delete(w.sessions, key)
		}
		w.queue = w.queue[1:]
	}
	earlier := w.sessions[session]
	if bytes.Contains(raw, []byte(`"event":"pre_tool_use"`)) {
		if w.sessions == nil {
			w.sessions = map[string][][]byte{}
		}
		w.sessions[session] = append(earlier, raw)
		w.queue = append(w.queue, placed{offset, session})
	}
	return earlier
}

// sessionOf returns a key for the host and session of a record; "" = it has no session.
func sessionOf(raw []byte) (key string) {
	host := ""
	rawjson.EachRaw(raw, func(name, val []byte) bool {
		switch string(name) {
		case "host":
			host = string(val)
		case "session":
			key = host + string(val)
			return false
		case "dir", "decision":
			return false
		}
		return true
	})
	return key
}

// maxLine limits the length of a line of a file.
const maxLine = 32 << 20

// readFile reads a file with one record or event a line. A record that was changed, or does not continue
// the one before it, is damage.
func (f *feed) readFile(s *Source) error {
	file, err := os.Open(s.File)
	if err != nil {
		return err
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(make([]byte, 64<<10), maxLine)
	var last ledger.Line
	missing := uint64(0)
	offset := int64(0)
	for n := 1; lines.Scan() && f.ctx.Err() == nil; n++ {
		raw, place := lines.Bytes(), fmt.Sprintf("%s:%d", s.File, n)
		f.advance(len(raw) + 1)
		switch {
		case len(bytes.TrimSpace(raw)) == 0:
		case bytes.HasPrefix(raw, []byte(`{"v":1,"seq":`)):
			line, err := ledger.ParseLine(raw)
			if err != nil {
				f.damage = append(f.damage, place+": "+err.Error())
				return nil
			}
			if last.Seq > 0 && (line.Seq == last.Seq+1 && line.Prev != last.Hash || line.Seq <= last.Seq) {
				f.damage = append(f.damage, fmt.Sprintf("%s: record %d does not continue record %d before it", place, line.Seq, last.Seq))
				return nil
			}
			if last.Seq > 0 {
				missing += line.Seq - last.Seq - 1
			}
			if s.Name != "" {
				place = fmt.Sprintf("%s:%d", s.Name, line.Seq)
			}
			if last = line; line.Kind == ledger.KindSegment {
				offset, f.window = 0, window{}
			}
			f.addRecord(&line, offset, nil, place)
			offset += int64(len(raw) + 1)
		default:
			f.addEvent(bytes.Clone(raw), place, s.Dir)
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("%s: %w", s.File, err)
	}
	if missing > 0 && s.Name == "" {
		f.skipped = append(f.skipped, fmt.Sprintf("%s: %s between those in it, because the export was filtered or cut", s.File, term.FormatCount(int(missing), "record")))
	}
	return nil
}

// addEvent passes on the events of a payload.
func (f *feed) addEvent(raw []byte, place, dir string) {
	if rawjson.CheckObject(raw) != nil {
		f.add(item{past: &past{why: Reason{Kind: Unreadable}}, place: place})
		return
	}
	events, err := host.ReadAny(raw, "")
	for i := range events {
		ev := &events[i]
		if f.FitsCall != nil && !f.FitsCall(ev.Host, ev.Session.ID) {
			continue
		}
		p := &past{event: *ev}
		if err != nil {
			p.why = Reason{Kind: Unreadable}
		}
		if p.event.Session.Dir == "" {
			p.event.Session.Dir = dir
		}
		f.add(item{past: p, place: place})
	}
}

// readTranscript reads the calls of a transcript. Transcripts do not have the directories of calls.
func (f *feed) readTranscript(s *Source) error {
	n := 0
	_, err := s.Transcript.Read(transcript.Options{Digest: func(input []byte) string { return string(input) }}, func(c *transcript.Call) error {
		if n++; c.Orphan || f.FitsCall != nil && !f.FitsCall(c.Host, c.Session) {
			return nil
		}
		p := &past{at: c.At, event: checkrein.Event{Kind: checkrein.PreToolUse, Host: c.Host,
			Session: checkrein.Session{ID: c.Session, Agent: c.Agent, Dir: s.Dir}, Tool: &checkrein.Tool{Name: c.Tool, CallID: c.ID}}}
		if p.event.Host == "native" {
			p.event.Host = ""
		}
		if input := json.RawMessage(c.OptionDigest); rawjson.CheckObject(input) == nil {
			p.event.Tool.Input = input
		} else {
			p.why = Reason{Kind: Unreadable}
		}
		f.add(item{past: p, place: fmt.Sprintf("%s#%d", s.Transcript.Path, n)})
		return f.ctx.Err()
	})
	f.advance(int(s.Transcript.Size))
	var foreign *transcript.ForeignError
	var skipped *transcript.SkipError
	if errors.As(err, &foreign) || errors.As(err, &skipped) {
		f.skipped = append(f.skipped, s.Transcript.Path+": "+err.Error())
		return nil
	}
	return err
}
