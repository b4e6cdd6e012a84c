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

// maxAtOnce bounds how many events are judged at the same time. Whoever waits
// longer than it can closes its gate.
const maxAtOnce = 64

// maxLeft is how many events may be stuck after their time before the plugin has
// to start another process.
const maxLeft = 64

// serve answers events for a plugin inside a host, until stdin ends:
//
//	→ {"id":7,"within":300,"hook":"tool.execute.before",…}
//	← {"id":7,"deny":"…"}
//
// id is a number or a text of the plugin's, with which the answer begins; within,
// if given, are the seconds after which nobody waits for it any more. The rest is
// the host's payload, and its reply. Events are judged side by side, each with
// the configuration as it is then; answers come as they are ready. A line that
// cannot be read is answered, too: with a denial if it may be a gate, and with
// the id null if nobody can tell it. So is an event that gets stuck, and the rest
// goes on without it.
func serve(ctx context.Context, env console.Env, f *hookFlags) int {
	if env.Interrupts != nil {
		ctx, env.Interrupts = env.Interrupts(ctx), nil
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s := server{env: env, flags: f, slots: make(chan struct{}, maxAtOnce)}
	ended := make(chan struct{})
	go func() { // which a signal does not wake up
		defer close(ended)
		s.listen(ctx)
	}()
	select {
	case <-ended:
	case <-ctx.Done():
	}
	s.mu.Lock() // from here on nobody is let in
	s.closed = true
	s.mu.Unlock()
	s.busy.Wait()
	if s.failed != nil {
		return fail(env, console.Bug, "hook: %v", s.failed)
	}
	return console.Done
}

// A server is one that answers.
type server struct {
	env   console.Env
	flags *hookFlags
	slots chan struct{}
	busy  sync.WaitGroup
	left  atomic.Int32 // events that are stuck and were answered

	mu     sync.Mutex // guards what follows, and that one line is written at a time
	closed bool
	failed error // why answers cannot be written
}

// listen reads lines until there are no more, until nobody reads the answers,
// until too much is stuck, or until the program was replaced by another: the plugin
// then starts that one.
func (s *server) listen(ctx context.Context) {
	in := bufio.NewReaderSize(s.env.Stdin, 64<<10)
	mine := identity(s.env.Program)
	for {
		line, lineErr, err := readLine(in)
		if len(bytes.TrimSpace(line)) > 0 && !s.begin(ctx, line, lineErr) {
			return
		}
		if err != nil || s.left.Load() >= maxLeft || identity(s.env.Program) != mine {
			return
		}
	}
}

// begin has a line answered; false when the server is about to end.
func (s *server) begin(ctx context.Context, line []byte, lineErr error) bool {
	s.slots <- struct{}{}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || s.failed != nil {
		return false
	}
	s.busy.Add(1)
	a := s.alarm(line)
	go func() {
		r := s.reply(ctx, a, line, lineErr)
		if !a.claim() {
			s.left.Add(-1) // it came back after all
			return
		}
		if a.timer != nil {
			a.timer.Stop()
		}
		s.done(line, r)
	}()
	return true
}

// alarm sets the alarm for one event.
func (s *server) alarm(line []byte) *alarm {
	f := *s.flags
	if within, ok := duration(string(member(line, "within"))); ok {
		f.within = within
	}
	a := (&alarm{flags: &f, began: s.env.Now()}).limited()
	a.body.Store(&line)
	a.set(func() {
		if a.claim() {
			c := a.call()
			s.left.Add(1)
			s.done(line, a.late(&c))
		}
	})
	return a
}

// done gives the answer to an event and makes room for another.
func (s *server) done(line []byte, r wire.Reply) {
	s.write(idOf(line), r)
	<-s.slots
	s.busy.Done()
}

// reply judges one event. A bug of ours must not take the other events down.
func (s *server) reply(ctx context.Context, a *alarm, line []byte, lineErr error) (r wire.Reply) {
	defer func() {
		if bug := recover(); bug != nil {
			c := a.flags.read(line, lineErr)
			r = c.encoder()(c.faulted(fmt.Errorf("bug in checkrein: %v", bug)))
		}
	}()
	return a.answer(ctx, s.env, line, lineErr)
}

// write puts the id before what the reply says.
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
	if s.failed == nil {
		_, s.failed = s.env.Stdout.Write(append(o, '\n'))
	}
}

// readLine returns the next line. Of one that is too long it returns the
// beginning, where the id is, and reads past the rest. The last error says that
// there are no more lines.
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

// idOf returns the id of a line, which may be broken behind it; null if it has
// none.
func idOf(line []byte) []byte {
	id := member(line, "id")
	if k := rawjson.Kind(id); k != '0' && k != '"' || len(id) > 64 || rawjson.Check(id) != nil {
		return []byte("null")
	}
	return id
}

// member finds a member of a line that may be broken: only what comes before the
// break counts.
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

// A fileID tells a program from one that took its place.
type fileID struct {
	size int64
	at   time.Time
}

func identity(program string) fileID {
	info, err := os.Stat(program)
	if err != nil {
		return fileID{}
	}
	return fileID{info.Size(), info.ModTime()}
}
