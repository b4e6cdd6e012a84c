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

// maxConcurrent limits how many events are judged at the same time. An event that waits too long is
// denied by its plugin.
const maxConcurrent = 64

// maxStuck is how many events may be stuck after their time limit before the plugin must start another
// process.
const maxStuck = 64

// serve answers events for a plugin inside a host, until stdin ends:
//
//	→ {"id":7,"within":300,"hook":"tool.execute.before",…}
//	← {"id":7,"deny":"…"}
//
// The id is a number or text that the plugin chose; the answer begins with it. The optional within is
// the number of seconds after which the plugin stops waiting. The rest is the host's payload, and its
// reply. Events are judged concurrently, each with the configuration of its time, and answered as soon
// as they are ready. An unreadable line is answered too: with a denial if it may be a gate, and with
// the id null if it has none. So is an event that gets stuck, while the others go on.
func serve(ctx context.Context, env console.Env, f *hookFlags) int {
	if env.Interrupts != nil {
		ctx, env.Interrupts = env.Interrupts(ctx), nil
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s := server{env: env, flags: f, slots: make(chan struct{}, maxConcurrent)}
	ended := make(chan struct{})
	go func() { // a signal does not interrupt reading
		defer close(ended)
		s.listen(ctx)
	}()
	select {
	case <-ended:
	case <-ctx.Done():
	}
	s.mu.Lock() // from here on no event is accepted
	s.closed = true
	s.mu.Unlock()
	s.busy.Wait()
	if s.writeErr != nil {
		return fail(env, console.Bug, "hook: %v", s.writeErr)
	}
	return console.Done
}

// A server answers the events of a plugin.
type server struct {
	env   console.Env
	flags *hookFlags
	slots chan struct{}
	busy  sync.WaitGroup
	stuck atomic.Int32 // events that are stuck and were answered

	mu       sync.Mutex // guards the fields below, and writes of lines
	closed   bool
	writeErr error // why answers cannot be written
}

// listen reads lines until the input ends, answers cannot be written, too many events are stuck, or
// the program was replaced by another, which the plugin then starts.
func (s *server) listen(ctx context.Context) {
	in := bufio.NewReaderSize(s.env.Stdin, 64<<10)
	mine := identity(s.env.Program)
	for {
		line, lineErr, err := readLine(in)
		if len(bytes.TrimSpace(line)) > 0 && !s.startEvent(ctx, line, lineErr) {
			return
		}
		if err != nil || s.stuck.Load() >= maxStuck || identity(s.env.Program) != mine {
			return
		}
	}
}

// startEvent starts to answer a line; false = the server is about to end.
func (s *server) startEvent(ctx context.Context, line []byte, lineErr error) bool {
	s.slots <- struct{}{}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || s.writeErr != nil {
		return false
	}
	s.busy.Add(1)
	a := s.newEventAlarm(line)
	go func() {
		r := s.reply(ctx, a, line, lineErr)
		if !a.claim() {
			s.stuck.Add(-1) // it ended after all
			return
		}
		if a.timer != nil {
			a.timer.Stop()
		}
		s.finishEvent(line, r)
	}()
	return true
}

// newEventAlarm sets the alarm for one event.
func (s *server) newEventAlarm(line []byte) *alarm {
	f := *s.flags
	if within, ok := parseSeconds(string(member(line, "within"))); ok {
		f.within = within
	}
	a := (&alarm{flags: &f, began: s.env.Now()}).withLimit()
	a.body.Store(&line)
	a.set(func() {
		if a.claim() {
			c := a.partialCall()
			s.stuck.Add(1)
			s.finishEvent(line, a.lateReply(&c))
		}
	})
	return a
}

// finishEvent writes the answer to an event and frees its slot.
func (s *server) finishEvent(line []byte, r wire.Reply) {
	s.write(idOf(line), r)
	<-s.slots
	s.busy.Done()
}

// reply judges one event. It recovers from panics, so that other events go on.
func (s *server) reply(ctx context.Context, a *alarm, line []byte, lineErr error) (r wire.Reply) {
	defer func() {
		if bug := recover(); bug != nil {
			c := a.flags.readCall(line, lineErr)
			r = c.encoder()(c.faultOutcomes(fmt.Errorf("bug in checkrein: %v", bug)))
		}
	}()
	return a.answer(ctx, s.env, line, lineErr)
}

// write writes a reply with its id in front.
func (s *server) write(id []byte, r wire.Reply) {
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

// readLine returns the next line. If the line is too long, it returns the beginning, which has the id,
// and skips the rest. The last error is set at the end of input.
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

// idOf returns the id of a line, which may be broken after it; null if it has none.
func idOf(line []byte) []byte {
	id := member(line, "id")
	if k := rawjson.Kind(id); k != '0' && k != '"' || len(id) > 64 || rawjson.Check(id) != nil {
		return []byte("null")
	}
	return id
}

// member returns a member of a line that may be broken: only what comes before the break counts.
func member(line []byte, name string) (val []byte) {
	rawjson.EachRaw(line, func(key, v []byte) bool {
		if string(key) != name {
			return true
		}
		val = v
		return false
	})
	return val
}

// A fileID distinguishes a program from one that replaced it.
type fileID struct {
	size int64
	at   time.Time
}

// identity returns the fileID of a program, or the zero value if there is none.
func identity(program string) fileID {
	info, err := os.Stat(program)
	if err != nil {
		return fileID{}
	}
	return fileID{info.Size(), info.ModTime()}
}
