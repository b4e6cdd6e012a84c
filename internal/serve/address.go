package serve

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"time"
)

// An Address is where a server listens: a loopback address with a port, or the path of
// a unix socket. [ParseAddress] and [Socket] are the only ways to one.
type Address struct {
	at   netip.AddrPort
	path string
}

// ParseAddress reads HOST:PORT. The host is localhost or a loopback address; port 0 is
// any that is free.
func ParseAddress(text string) (Address, error) {
	const say = "say 127.0.0.1:PORT, [::1]:PORT or --socket PATH"
	host, port, err := net.SplitHostPort(text)
	if err != nil {
		return Address{}, fmt.Errorf("%q is no HOST:PORT: %s", text, say)
	}
	n, err := strconv.ParseUint(port, 10, 16)
	if err != nil {
		return Address{}, fmt.Errorf("%q: the port is no number from 0 to 65535: %s", text, say)
	}
	if host == "localhost" {
		host = "127.0.0.1" // whatever a hosts file makes of the name
	}
	ip, err := netip.ParseAddr(host)
	if err != nil || !ip.IsLoopback() || ip.Zone() != "" {
		return Address{}, fmt.Errorf("%q can be reached from other machines, or may be: checkrein serves this machine alone: %s", text, say)
	}
	return Address{at: netip.AddrPortFrom(ip, uint16(n))}, nil
}

// maxSocket is how long the path of a unix socket may be on every system.
const maxSocket = 103

// Socket is the address of a unix socket.
func Socket(path string) (Address, error) {
	if !filepath.IsAbs(path) {
		return Address{}, fmt.Errorf("%q is no absolute path", path)
	}
	if len(path) > maxSocket {
		return Address{}, fmt.Errorf("the path of the socket is longer than %d bytes, which systems do not take: name a shorter one", maxSocket)
	}
	return Address{path: path}, nil
}

// Listen begins to listen. A socket is its owner's alone; one that a server left
// behind is replaced.
func (a Address) Listen() (net.Listener, error) {
	switch {
	case a.path != "":
		return a.listenUnix()
	case a.at.IsValid():
		ln, err := net.Listen("tcp", a.at.String())
		if errors.Is(err, syscall.EADDRINUSE) {
			err = fmt.Errorf("%s is taken by another program: name another port, or 0 for any that is free", a.at)
		}
		return ln, err
	}
	return nil, errors.New("there is no address to listen at")
}

func (a Address) listenUnix() (net.Listener, error) {
	if dir := filepath.Dir(a.path); othersWrite(dir) {
		return nil, fmt.Errorf("other users may write to %s, and could put a socket of their own in this one's place: name a path in a directory of yours (chmod 700), such as $XDG_RUNTIME_DIR", dir)
	}
	info, err := os.Lstat(a.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, err
	case info.Mode()&fs.ModeSocket == 0:
		return nil, fmt.Errorf("%s is there already and is no socket: name another path", a.path)
	default:
		c, err := net.DialTimeout("unix", a.path, time.Second)
		if err == nil {
			c.Close()
			return nil, fmt.Errorf("a server listens at %s already: end it, or name another path", a.path)
		}
		if !errors.Is(err, syscall.ECONNREFUSED) {
			return nil, err
		}
		if err := os.Remove(a.path); err != nil {
			return nil, err
		}
	}
	restore := private()
	ln, err := net.Listen("unix", a.path)
	restore()
	return ln, err
}

// URL is how clients name what a listener listens at; curl takes --unix-socket for the
// second.
func URL(ln net.Listener) (url, socket string) {
	if ln.Addr().Network() == "unix" {
		return "http://localhost", ln.Addr().String()
	}
	return "http://" + ln.Addr().String(), ""
}
