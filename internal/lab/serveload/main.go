//go:build linux

// Command serveload measures checkrein serve under a steady load of events, in turns with a server of
// net/http that only sends back what it receives. It prints the table of docs/benchmarks.md.
//
//	go run ./internal/lab/serveload -programs bin
package main

import (
	"bufio"
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/checkrein/checkrein/internal/evidence/ledger"
)

// A load is what the servers get.
type load struct {
	rate, conns, viewers, rounds int
	length                       time.Duration
	distinct                     bool
}

func main() {
	var l load
	programs := flag.String("programs", "bin", "directory of the built programs")
	flag.IntVar(&l.rate, "rate", 5000, "events a second")
	flag.DurationVar(&l.length, "for", time.Minute, "length of a run")
	flag.IntVar(&l.conns, "conns", 32, "connections that send events")
	flag.IntVar(&l.viewers, "viewers", 50, "streams that follow the events in the last round")
	flag.IntVar(&l.rounds, "rounds", 3, "rounds of both servers")
	flag.BoolVar(&l.distinct, "distinct", false, "send no command twice, so that no judgement is used again")
	echo := flag.Bool("echo", false, "be the server that sends back what it receives")
	home := flag.String("home", "", "execute the arguments with this home directory of the account")
	flag.Parse()
	run := func() error { return l.run(*programs) }
	switch {
	case *echo:
		run = serveEcho
	case *home != "":
		run = func() error { return becomeServer(*home, flag.Args()) }
	}
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "serveload:", err)
		os.Exit(1)
	}
}

// serveEcho sends back what it receives, until it is killed.
func serveEcho() error {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Println("serving on http://" + ln.Addr().String())
	return http.Serve(ln, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(body)
	}))
}

// run measures both servers in turns and prints the results.
func (l *load) run(programs string) error {
	home, err := os.MkdirTemp("", "checkrein-serveload")
	if err != nil {
		return err
	}
	defer os.RemoveAll(home)
	if programs, err = filepath.Abs(programs); err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	before, _ := os.ReadFile("/proc/loadavg")
	fmt.Printf("%s, %d processors, load before: %s", runtime.Version(), runtime.NumCPU(), before)
	fmt.Printf("%d events/s for %v over %d connections\n\n", l.rate, l.length, l.conns)
	fmt.Println("| server | answered | p50 | p99 | p99.9 | worst | cores used, and by the senders | of an event | memory after 10 s → at the end |\n|---|---|---|---|---|---|---|---|---|")
	for round := range l.rounds {
		floor, err := startServer(home, self, "-echo")
		if err != nil {
			return err
		}
		at := &target{addr: floor.addr}
		r, err := l.drive(at, floor)
		floor.stop(os.Kill)
		if err != nil {
			return err
		}
		r.print("net/http echo")
		floorP50, floorP99 := r.quantile(.5), r.quantile(.99)
		viewers := 0
		if round == l.rounds-1 {
			viewers = l.viewers
		}
		if r, err = l.measureServe(home, programs, viewers); err != nil {
			return err
		}
		fmt.Printf("| ratio | | %.1f | %.1f | | | | | |\n", float64(r.quantile(.5))/float64(floorP50), float64(r.quantile(.99))/float64(floorP99))
	}
	return nil
}

// measureServe measures checkrein serve with a new home below dir, and counts its ledger.
func (l *load) measureServe(dir, programs string, viewers int) (*result, error) {
	home, err := os.MkdirTemp(dir, "home")
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Join(home, "project", ".git"), 0o700); err != nil {
		return nil, err
	}
	s, err := startServer(home, filepath.Join(programs, "checkrein"), "serve")
	if err != nil {
		return nil, err
	}
	state := filepath.Join(home, ".local/state/checkrein")
	token, err := os.ReadFile(filepath.Join(state, "serve-token"))
	if err != nil {
		return nil, err
	}
	at := &target{addr: s.addr, token: strings.TrimSpace(string(token)), dir: filepath.Join(home, "project"), distinct: l.distinct}
	var seen []*viewer
	for range viewers {
		v, err := at.view()
		if err != nil {
			return nil, err
		}
		seen = append(seen, v)
	}
	r, err := l.drive(at, s)
	if err != nil {
		return nil, err
	}
	time.Sleep(time.Second) // the viewers get the last batch
	s.stop(os.Interrupt)
	name := "checkrein serve"
	if viewers > 0 {
		name += fmt.Sprintf(", %d viewers", viewers)
	}
	r.print(name)
	recorded, err := countEvents(filepath.Join(state, ledger.Folder))
	if err != nil {
		return nil, err
	}
	if acknowledged := len(r.times); recorded != acknowledged {
		return nil, fmt.Errorf("%d events are in the ledger, but %d were acknowledged", recorded, acknowledged)
	}
	for i, v := range seen {
		if err := v.check(len(r.times)); err != nil {
			return nil, fmt.Errorf("viewer %d: %w", i, err)
		}
	}
	if viewers > 0 {
		fmt.Printf("| viewers | | | | | | | | at most %.1f batches/s; every event is a row or counted: %d rows and %d left out |\n", fastest(seen), seen[0].rows, seen[0].dropped)
	}
	return r, nil
}

// countEvents returns how many events the ledger in dir has.
func countEvents(dir string) (n int, err error) {
	r := ledger.NewReader(dir, ledger.Position{})
	defer r.Close()
	for {
		e, err := r.Next()
		switch {
		case errors.Is(err, io.EOF):
			return n, nil
		case err != nil:
			return n, err
		case e.Damaged:
			return n, errors.New("the ledger is damaged")
		case e.Line.Kind == ledger.KindEvent:
			n++
		}
	}
}

// A server is a process that serves.
type server struct {
	cmd  *exec.Cmd
	addr string
}

// startServer starts program, which prints its address, with home as its home directory.
func startServer(home, program string, args ...string) (*server, error) {
	cmd := exec.Command(program, args...)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	cmd.Dir, cmd.Env = home, []string{"HOME=" + home, "PATH=" + filepath.Dir(program) + ":" + os.Getenv("PATH")}
	if args[0] == "serve" {
		self, err := os.Executable()
		if err != nil {
			return nil, err
		}
		cmd.Path, cmd.Args = self, append([]string{self, "-home", home, program}, args...)
		cmd.Dir, cmd.SysProcAttr = filepath.Join(home, "project"), namespaces()
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	_, addr, ok := strings.Cut(strings.TrimSpace(line), "http://")
	if err != nil || !ok {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		return nil, fmt.Errorf("%s did not start: %q%s", program, line, errs.Bytes())
	}
	return &server{cmd, addr}, nil
}

// stop sends sig and waits for the end of the process.
func (s *server) stop(sig os.Signal) {
	_ = s.cmd.Process.Signal(sig)
	_ = s.cmd.Wait()
}

// memory returns the resident memory of the process in bytes.
func (s *server) memory() int64 {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.cmd.Process.Pid))
	_, rest, _ := strings.Cut(string(text), "VmRSS:")
	kb, _, _ := strings.Cut(strings.TrimSpace(rest), " ")
	n, _ := strconv.ParseInt(kb, 10, 64)
	return n << 10
}

// processor returns the processor time that the process used.
func (s *server) processor() time.Duration {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", s.cmd.Process.Pid))
	_, rest, _ := strings.Cut(string(text), ") ")
	f := strings.Fields(rest)
	if len(f) < 13 {
		return 0
	}
	user, _ := strconv.Atoi(f[11])
	system, _ := strconv.Atoi(f[12])
	return time.Duration(user+system) * 10 * time.Millisecond
}

// ownProcessor returns the processor time that this process used.
func ownProcessor() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// A viewer is a stream of events and what came through it.
type viewer struct {
	rows, dropped int
	batches       []time.Time
	ended         chan struct{}
}

// view opens a stream.
func (t *target) view() (*viewer, error) {
	r, err := http.NewRequest(http.MethodGet, "http://"+t.addr+"/v1/events/stream", nil)
	if err != nil {
		return nil, err
	}
	r.Header.Set("Authorization", "Bearer "+t.token)
	resp, err := (&http.Client{Transport: &http.Transport{}}).Do(r)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode != http.StatusOK {
		return nil, errors.New("stream: " + resp.Status)
	}
	v := &viewer{ended: make(chan struct{})}
	go func() {
		defer close(v.ended)
		defer resp.Body.Close()
		v.read(bufio.NewReaderSize(resp.Body, 1<<20))
	}()
	return v, nil
}

// read counts what comes through r until it ends.
func (v *viewer) read(r *bufio.Reader) {
	for {
		line, err := r.ReadString('\n')
		if err != nil {
			return
		}
		data, ok := strings.CutPrefix(line, "data: ")
		if !ok {
			continue
		}
		// The whole batch is not decoded, because that would take more of the two processors than the server.
		rows, end, ok := cutLast(data, `],"dropped":`)
		var dropped int
		var last uint64
		if n, _ := fmt.Sscanf(end, `%d,"last":%d}`, &dropped, &last); !ok || n != 2 {
			continue
		}
		v.rows, v.dropped = v.rows+strings.Count(rows, `{"record":`), v.dropped+dropped
		v.batches = append(v.batches, time.Now())
	}
}

// cutLast is [strings.Cut] around the last sep.
func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}

// check returns an error unless v accounts for n events.
func (v *viewer) check(n int) error {
	<-v.ended
	if v.rows+v.dropped != n {
		return fmt.Errorf("%d rows and %d left out, of %d events", v.rows, v.dropped, n)
	}
	return nil
}

// fastest returns the most batches a second that one of all got, on average of a hundred. Fewer would
// show how they bunch on their way.
func fastest(all []*viewer) (most float64) {
	for _, v := range all {
		for i := range v.batches {
			j := min(i+100, len(v.batches)-1)
			if d := v.batches[j].Sub(v.batches[i]).Seconds(); j-i == 100 {
				most = max(most, float64(j-i)/d)
			}
		}
	}
	return most
}
