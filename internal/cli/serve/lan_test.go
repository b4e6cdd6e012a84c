package serve

import (
	"io"
	"net"
	"testing"

	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/desk/approvals"
)

// TestFewConns checks that one client cannot take all connections, and that closed ones are free again.
func TestFewConns(t *testing.T) {
	t.Parallel()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l := &fewConns{Listener: ln, open: map[string]int{}}
	defer l.Close()
	accepted := make(chan net.Conn, 99)
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			_, _ = c.Write([]byte{1})
			accepted <- c
		}
	}()
	// try reports whether a connection from a loopback address is accepted.
	try := func(from string) bool {
		t.Helper()
		d := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}}
		c, err := d.Dial("tcp", ln.Addr().String())
		if err != nil {
			t.Skip(err) // only some systems have more than one loopback address
		}
		t.Cleanup(func() { c.Close() })
		_, err = io.ReadFull(c, make([]byte, 1))
		return err == nil
	}
	for i := range maxPhoneConns + 2 {
		if got := try("127.0.0.1"); got != (i < maxPhoneConns) {
			t.Errorf("connection %d of one client: %v", i, got)
		}
	}
	if !try("127.0.0.2") {
		t.Error("another client finds no connection")
	}
	(<-accepted).Close()
	if !try("127.0.0.1") {
		t.Error("a closed connection is not free")
	}
	for i := range maxLANConns {
		try(net.IPv4(127, 0, 1, byte(i+1)).String())
	}
	if try("127.0.2.1") {
		t.Errorf("there are more than %d connections", maxLANConns)
	}
}

// TestPhoneURL checks that a phone is enrolled by an address with TLS only, and not by one of this machine,
// whose browsers keep keys where agents can read them.
func TestPhoneURL(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{"https://desk.example:8443/": "https://desk.example:8443", "": "", "http://desk.example": "", "https://desk.example/x": "", "https://": "", "desk.example:8443": ""} {
		if got, err := enrolmentURL(&console.Env{}, approvals.Phone, address); got != want || (err == nil) != (want != "") {
			t.Errorf("%q: %q, %v", address, got, err)
		}
	}
}
