package hot

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/host/wire"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// maxConcurrent is how many events are judged at the same time. If an event waits too long for its
// turn, its plugin denies it.
const maxConcurrent = 64

// maxStuck is how many events may be stuck beyond their time limit before this process ends and the
// plugin starts another.
const maxStuck = 64

// serve answers events for a plugin inside a host, until stdin ends:
//
//	→ {"id":7,"within":300,"hook":"tool.execute.before",…}
//	← {"id":7,"deny":"…"}
//
// The id is a number or a string that the plugin chose; the answer begins with it. The optional within
// is the number of seconds after which the plugin stops waiting. The rest of the line is the host's
// payload, and the rest of the answer is the reply. Events are judged concurrently, each with the
// configuration in force when it arrives, and answered as soon as they are ready. A line that cannot
// be read is answered too: with a denial if it may be a gate, and with the id null if it has none. An
// event that gets stuck is answered when its time is up, while the others go on.
func serve(ctx context.Context, env console.Env, f *hookFlags) int {
	if env.Interrupts != nil {
		ctx, env.Interrupts = env.Interrupts(ctx), nil
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s := server{env: env, flags: f, slots: make(chan struct{}, maxConcurrent)}
	ended := make(chan struct{})
	go func() { // in a goroutine, because a signal does not interrupt reading
		defer close(ended)
		s.readEvents(ctx)
	}()
	select {
	case <-ended:
	case <-ctx.Done():
	}
	s.mu.Lock() // from here on no more events are accepted
	s.closed = true
	s.mu.Unlock()
	s.busy.Wait()
	if s.writeErr != nil {
		return printError(env, console.Bug, "hook: %v", s.writeErr)
	}
	return console.Done
}

// A server answers the events of a plugin.
type server struct {
	env   console.Env
	flags *hookFlags
	slots chan struct{}
	busy  sync.WaitGroup
	stuck atomic.Int32 // number of events that were answered by their alarm but are still running

	mu       sync.Mutex // guards the fields below, and writes of lines
	closed   bool
	writeErr error // why answers cannot be written
}

// readEvents reads lines and starts to answer them, until the input ends, answers cannot be written,
// too many events are stuck, or the file of the program was replaced. The plugin then starts the new
// program.
func (s *server) readEvents(ctx context.Context) {
	in := bufio.NewReaderSize(s.env.Stdin, 64<<10)
	mine := statFileID(s.env.Program)
	for {
		line, lineErr, err := readLine(in)
		if len(bytes.TrimSpace(line)) > 0 && !s.startEvent(ctx, line, lineErr) {
			return
		}
		if err != nil || s.stuck.Load() >= maxStuck || statFileID(s.env.Program) != mine {
			return
		}
	}
}

// startEvent starts to answer a line as soon as there is a free slot. It returns false if the server
// is about to end.
func (s *server) startEvent(ctx context.Context, line []byte, lineErr error) bool {
	s.slots <- struct{}{}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || s.writeErr != nil {
		return false
	}
	s.busy.Add(1)
	a := s.startAlarm(line)
	go func() {
		r := s.reply(ctx, a, line, lineErr)
		if !a.claim() {
			s.stuck.Add(-1) // the event ended after all
			return
		}
		if a.timer != nil {
			a.timer.Stop()
		}
		s.finishEvent(line, r)
	}()
	return true
}

// startAlarm starts the alarm for the event in line and returns it.
func (s *server) startAlarm(line []byte) *alarm {
	f := *s.flags
	if within, ok := parseSeconds(string(getMember(line, "within"))); ok {
		f.within = within
	}
	a := (&alarm{flags: &f, began: s.env.Now()}).withLimit()
	a.body.Store(&line)
	a.start(func() {
		if a.claim() {
			c := a.partialCall()
			s.stuck.Add(1)
			s.finishEvent(line, a.lateReply(&c))
		}
	})
	return a
}

// finishEvent writes the answer to the event in line and frees its slot.
func (s *server) finishEvent(line []byte, r wire.Reply) {
	s.writeReply(eventIDOrNull(line), r)
	<-s.slots
	s.busy.Done()
}

// reply judges one event and returns the reply. A panic becomes a fault, so that other events go on.
func (s *server) reply(ctx context.Context, a *alarm, line []byte, lineErr error) (r wire.Reply) {
	defer func() {
		if bug := recover(); bug != nil {
			c := a.flags.readCall(line, lineErr)
			r = c.encoder()(c.faultOutcomes(fmt.Errorf("bug in checkrein: %v", bug)))
		}
	}()
	return a.answerCall(ctx, s.env, line, lineErr)
}

// writeReply writes r as a line that begins with id.
func (s *server) writeReply(id []byte, r wire.Reply) {
	o := rawjson.Object{'{'}
	o.Raw("id", id)
	rawjson.EachRaw(bytes.TrimSpace(r.Stdout), func(key, val []byte) bool {
		o.Raw(string(key), val)
		return true
	})
	o.Close()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.writeErr == nil {
		_, s.writeErr = s.env.Stdout.Write(append(o, '\n'))
	}
}

// readLine returns the next line. If the line is too long, it returns its beginning, which has the id,
// with errTooLarge as lineErr, and skips the rest. err is set at the end of input.
func readLine(in *bufio.Reader) (line []byte, lineErr, err error) {
	for {
		piece, err := in.ReadSlice('\n')
		switch {
		case lineErr != nil:
		case len(line)+len(piece) > maxPayload:
			lineErr = errTooLarge
			line = bytes.Clone(line[:min(len(line), 4<<10)])
		default:
			line = append(line, piece...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, lineErr, err
		}
	}
}

// eventIDOrNull returns the id member of a line, even if the line is not valid JSON after it. It
// returns null if there is no usable id.
func eventIDOrNull(line []byte) []byte {
	id := getMember(line, "id")
	if k := rawjson.Kind(id); k != '0' && k != '"' || len(id) > 64 || rawjson.Check(id) != nil {
		return []byte("null")
	}
	return id
}

// getMember returns the member name of the JSON object in line, or nil if there is none. If line is
// not valid JSON, it finds the members before the mistake.
func getMember(line []byte, name string) (val []byte) {
	rawjson.EachRaw(line, func(key, v []byte) bool {
		if string(key) != name {
			return true
		}
		val = v
		return false
	})
	return val
}

// A fileID distinguishes a program file from one that replaced it.
type fileID struct {
	size int64
	at   time.Time
}

// statFileID returns the fileID of the file program, or the zero fileID if it cannot be read.
func statFileID(program string) fileID {
	info, err := os.Stat(program)
	if err != nil {
		return fileID{}
	}
	return fileID{info.Size(), info.ModTime()}
}
