package localhttp

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestFindPeer checks that the peer is found for both kinds of loopback addresses and for a unix
// socket.
func TestFindPeer(t *testing.T) {
	t.Parallel()
	for network, at := range map[string]string{"tcp4": "127.0.0.1:0", "tcp6": "[::1]:0", "unix": filepath.Join(t.TempDir(), "s")} {
		ln, err := net.Listen(network, at)
		if err != nil {
			t.Logf("%s: %v", network, err)
			continue
		}
		client, err := net.Dial(network, ln.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		c, err := ln.Accept()
		if err != nil {
			t.Fatal(err)
		}
		p := findPeer(c)
		if !p.IsSameUser() || p.UID != os.Getuid() || !slices.Contains(p.Processes(), os.Getpid()) || !p.MayDescendFrom(os.Getpid()) || p.MayDescendFrom(1<<30) {
			t.Errorf("%s: %+v, %v", network, p, p.Processes())
		}
		client.Close()
		c.Close()
		ln.Close()
	}
}

// TestFindProcesses checks that one search finds the processes of several peers, and none for a socket
// that two processes hold.
func TestFindProcesses(t *testing.T) {
	t.Parallel()
	var all []*Peer
	dial := func(network, at string) (client net.Conn) {
		ln, err := net.Listen(network, at)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { ln.Close() })
		if client, err = net.Dial(network, ln.Addr().String()); err != nil {
			t.Fatal(err)
		}
		c, err := ln.Accept()
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { client.Close(); c.Close() })
		all = append(all, findPeer(c))
		return client
	}
	dial("tcp4", "127.0.0.1:0")
	dial("unix", filepath.Join(t.TempDir(), "s"))
	shared, err := dial("tcp4", "127.0.0.1:0").(*net.TCPConn).File()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("sleep", "60")
	cmd.ExtraFiles = []*os.File{shared}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Wait()
	defer cmd.Process.Kill()
	if _, found := all[0].Process(); found {
		t.Error("a process is known before the search")
	}
	FindProcesses(all)
	for i, want := range []int{os.Getpid(), os.Getpid(), 0} {
		if id, found := all[i].Process(); !found || id.PID != want {
			t.Errorf("peer %d: process %d, want %d", i, id.PID, want)
		}
	}
}

// TestPeerOfClosedSocketIsUnknown checks that the user of a socket that no process holds any more is
// unknown.
func TestPeerOfClosedSocketIsUnknown(t *testing.T) {
	t.Parallel()
	own, other := netip.MustParseAddrPort("127.0.0.1:4096"), netip.MustParseAddrPort("127.0.0.1:80")
	const head = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n"
	const line = "   0: 0100007F:1000 0100007F:0050 01 00000000:00000000 00:00000000 00000000  1000        0 4711 1\n"
	for text, want := range map[string]*Peer{
		head + line: {Known: true, UID: 1000, inode: 4711},
		head + strings.Replace(line, " 4711 ", " 0 ", 1):                                                               {},
		head + "0: 0000000000000000FFFF00000100007F:1000 0000000000000000FFFF00000100007F:0050 01 0:0 0:0 0 7 0 9 1\n": {Known: true, UID: 7, inode: 9},
	} {
		if got := findSocket(bufio.NewScanner(strings.NewReader(text)), own, other); got == nil || got.Known != want.Known || got.UID != want.UID || got.inode != want.inode {
			t.Errorf("%s: %+v", text, got)
		}
	}
	for _, text := range []string{head, head + strings.Replace(line, ":1000", ":1001", 1), head + strings.Replace(line, "0100007F:0050", "0200007F:0050", 1)} {
		if got := findSocket(bufio.NewScanner(strings.NewReader(text)), own, other); got != nil {
			t.Errorf("%s: %+v", text, got)
		}
	}
}

// TestOrphansAreAdopted checks that an orphan of a process that this one started is still its
// descendant.
func TestOrphansAreAdopted(t *testing.T) {
	if err := AdoptOrphans(); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("sh", "-c", "setsid sleep 60 >/dev/null 2>&1 & echo $!").Output()
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(out)))
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Kill(pid, syscall.SIGKILL)
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		t.Fatal(err)
	}
	if f := strings.Fields(string(stat)); f[3] != strconv.Itoa(os.Getpid()) {
		t.Errorf("its parent is %s, we are %d", f[3], os.Getpid())
	}
}

// TestSocketInUnsafeDirectory checks that a socket is refused where other users could replace it.
func TestSocketInUnsafeDirectory(t *testing.T) {
	t.Parallel()
	for mode, ok := range map[os.FileMode]bool{0o700: true, 0o755: true, 0o777: false, 0o770: false, 0o777 | os.ModeSticky: true} {
		dir := filepath.Join(t.TempDir(), "d")
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(dir, mode); err != nil {
			t.Fatal(err)
		}
		at, err := SocketAddress(filepath.Join(dir, "s"))
		if err != nil {
			t.Fatal(err)
		}
		ln, err := at.Listen()
		if err == nil {
			ln.Close()
		}
		if (err == nil) != ok {
			t.Errorf("%v: %v", mode, err)
		}
	}
}

// eventTo is the environment variable with the network and the address to which this test's own program
// sends an event.
const eventTo = "CHECKREIN_TEST_EVENT_TO"

// sendEvent sends an event, and prints the status of the answer.
func sendEvent(to string) {
	network, address, _ := strings.Cut(to, " ")
	client := http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, address)
	}}}
	resp, err := client.Post("http://localhost/v1/events", "application/json", strings.NewReader("{}"))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer resp.Body.Close()
	fmt.Println(resp.Status)
}

// TestOneProcessCannotTakeAllConnections opens connections until none is accepted, and lets another
// process send an event.
func TestOneProcessCannotTakeAllConnections(t *testing.T) {
	if to := os.Getenv(eventTo); to != "" {
		sendEvent(to)
		return
	}
	route := Route{Method: http.MethodPost, Path: "/v1/events", Do: func(context.Context, *Request) Answer { return Answer{Body: []byte(`{}`)} }}
	for network, address := range map[string]string{"tcp": "127.0.0.1:0", "unix": filepath.Join(t.TempDir(), "s")} {
		ln, err := net.Listen(network, address)
		if err != nil {
			t.Fatal(err)
		}
		address = ln.Addr().String()
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() {
			ended <- New(Options{Routes: []Route{route}, Limits: Limits{Conns: 16, Header: time.Hour, Grace: time.Nanosecond}}).Serve(ctx, ln)
		}()
		var kept []net.Conn
		for { // the server answers only connections that it does not take
			c, err := net.Dial(network, address)
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			if len(kept) >= 12 {
				text, err := io.ReadAll(c)
				if err != nil || !strings.HasPrefix(string(text), "HTTP/1.1 503 ") {
					t.Errorf("%s: connection %d gets %q, %v", network, len(kept)+1, text, err)
				}
				if len(kept) == 40 {
					break
				}
			}
			kept = append(kept, c)
		}
		cmd := exec.Command(os.Args[0], "-test.run=^TestOneProcessCannotTakeAllConnections$")
		cmd.Env = append(os.Environ(), eventTo+"="+network+" "+address)
		out, err := cmd.Output()
		if err != nil || !strings.HasPrefix(string(out), "200 OK\n") {
			t.Errorf("%s: the event of another process: %q, %v", network, out, err)
		}
		cancel()
		<-ended // with an error, because the connections are still open
	}
}

// TestOnlyLargeHoldersAreRead checks that a new connection is looked for only in the processes that may
// have their share of the connections.
func TestOnlyLargeHoldersAreRead(t *testing.T) {
	t.Parallel()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	client, err := net.Dial("tcp", ln.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	c, err := ln.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	own, other := os.Getpid(), os.Getppid()
	for _, tt := range []struct {
		open   []int // the holders of open connections
		holder int   // of the new one, as found
		want   bool
	}{
		{[]int{own, own}, 0, false},
		{[]int{own, own, other}, 0, false},
		{[]int{other, other, other}, 0, false},
		{[]int{own, own, own}, own, true},
		{[]int{own, own, 0}, own, false},
		{[]int{0, 0, 0}, own, false},
	} {
		l := &limiter{share: 3, open: map[*conn]bool{}}
		for _, pid := range tt.open {
			l.open[&conn{peer: &Peer{holder: pid}}] = true
		}
		peer := findPeer(c)
		if got := l.hasItsShare(peer); got != tt.want || peer.holder != tt.holder {
			t.Errorf("%v: %v and %d, want %v and %d", tt.open, got, peer.holder, tt.want, tt.holder)
		}
	}
}
