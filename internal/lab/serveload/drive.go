//go:build linux

package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// A target is a server that gets events.
type target struct {
	addr, token, dir string
	distinct         bool // no command is sent twice
}

// commands are what the events are about. One call in a hundred is denied.
var commands = [...]string{"git status --short", "go test ./...", "ls -la internal", "sed -n 1,80p main.go", "npm run lint", "grep -rn TODO src", "make build", "python3 -m pytest -q"}

// request returns the request of event n, as bytes. Two in three are calls before they run.
func (t *target) request(n int) []byte {
	command := commands[n%len(commands)]
	if t.distinct {
		command += fmt.Sprintf(" # %d", n)
	}
	body := fmt.Sprintf(`{"hook_event_name":"PreToolUse","session_id":"s%d","cwd":%q,"tool_name":"Bash","tool_input":{"command":%q}}`, n%20, t.dir, command)
	switch {
	case n%100 == 99:
		body = fmt.Sprintf(`{"hook_event_name":"PreToolUse","session_id":"s%d","cwd":%q,"tool_name":"Bash","tool_input":{"command":"mkfs.ext4 /dev/sd%c"}}`, n%20, t.dir, 'a'+rune(n/100%20))
	case n%3 == 2:
		body = fmt.Sprintf(`{"hook_event_name":"PostToolUse","session_id":"s%d","cwd":%q,"tool_name":"Bash","tool_input":{"command":%q},"tool_response":{"stdout":"ok"}}`, n%20, t.dir, command)
	}
	return fmt.Appendf(nil, "POST /v1/events HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", t.addr, t.token, len(body), body)
}

// A result is what a run measured.
type result struct {
	times      []time.Duration // from when an event was due to its answer, sorted
	took       time.Duration
	processor  time.Duration // of the server
	own        time.Duration // of this process, which sends and views
	early, end int64         // memory
}

// quantile returns the q-quantile of the times.
func (r *result) quantile(q float64) time.Duration { return r.times[int(float64(len(r.times)-1)*q)] }

func (r *result) print(name string) {
	ms := func(d time.Duration) string { return strconv.FormatFloat(float64(d)/1e6, 'f', 2, 64) + " ms" }
	fmt.Printf("| %s | %d, %.0f/s | %s | %s | %s | %s | %.2f, %.2f | %s | %.0f MB → %.0f MB |\n", name, len(r.times), float64(len(r.times))/r.took.Seconds(),
		ms(r.quantile(.5)), ms(r.quantile(.99)), ms(r.quantile(.999)), ms(r.times[len(r.times)-1]), r.processor.Seconds()/r.took.Seconds(), r.own.Seconds()/r.took.Seconds(), ms(r.processor/time.Duration(len(r.times))), float64(r.early)/1e6, float64(r.end)/1e6)
}

// drive sends events at the rate of l. Each has a time at which it is due, and its time counts from
// then on, so that a server that stalls is not sent less.
func (l *load) drive(t *target, s *server) (*result, error) {
	r := &result{}
	total := int(float64(l.rate) * l.length.Seconds())
	began, used, own := time.Now(), s.processor(), ownProcessor()
	var mu sync.Mutex
	var failed error
	var all sync.WaitGroup
	for c := range l.conns {
		all.Go(func() {
			times, err := l.send(t, began, c, total)
			mu.Lock()
			defer mu.Unlock()
			r.times, failed = append(r.times, times...), errors.Join(failed, err)
		})
	}
	early := time.AfterFunc(min(10*time.Second, l.length/2), func() { r.early = s.memory() })
	all.Wait()
	early.Stop()
	r.took, r.processor, r.own, r.end = time.Since(began), s.processor()-used, ownProcessor()-own, s.memory()
	slices.Sort(r.times)
	return r, failed
}

// send sends every l.conns-th event beginning with the one numbered c, over one connection.
func (l *load) send(t *target, began time.Time, c, total int) (times []time.Duration, err error) {
	conn, err := net.Dial("tcp", t.addr)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	in := bufio.NewReaderSize(conn, 64<<10)
	for n := c; n < total; n += l.conns {
		request := t.request(n)
		due := began.Add(time.Duration(n) * time.Second / time.Duration(l.rate))
		time.Sleep(time.Until(due))
		if _, err := conn.Write(request); err != nil {
			return times, err
		}
		if err := readAnswer(in); err != nil {
			return times, err
		}
		times = append(times, time.Since(due))
	}
	return times, nil
}

// readAnswer reads a response with the status 200.
func readAnswer(in *bufio.Reader) error {
	status, err := in.ReadString('\n')
	if err != nil {
		return err
	}
	length := -1
	for {
		line, err := in.ReadSlice('\n')
		if err != nil {
			return err
		}
		if len(bytes.TrimSpace(line)) == 0 {
			break
		}
		if name, value, _ := strings.Cut(string(line), ":"); strings.EqualFold(name, "Content-Length") {
			length, _ = strconv.Atoi(strings.TrimSpace(value))
		}
	}
	if length < 0 {
		return errors.New("a response without a length")
	}
	body, err := in.Peek(min(length, in.Size()))
	if !strings.Contains(status, " 200 ") {
		return fmt.Errorf("%s: %s", strings.TrimSpace(status), body)
	}
	if err == nil {
		_, err = in.Discard(length)
	}
	return err
}
