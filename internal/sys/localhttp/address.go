package localhttp

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
	const say = "use 127.0.0.1:PORT, [::1]:PORT or --socket PATH"
	host, port, err := net.SplitHostPort(text)
	if err != nil {
		return Address{}, fmt.Errorf("%q is not HOST:PORT: %s", text, say)
	}
	n, err := strconv.ParseUint(port, 10, 16)
	if err != nil {
		return Address{}, fmt.Errorf("%q: the port is not a number from 0 to 65535: %s", text, say)
	}
	if host == "localhost" {
		host = "127.0.0.1" // whatever a hosts file makes of the name
	}
	ip, err := netip.ParseAddr(host)
	if err != nil || !ip.IsLoopback() || ip.Zone() != "" {
		return Address{}, fmt.Errorf("other machines could reach %q, but checkrein serves only this machine: %s", text, say)
	}
	return Address{at: netip.AddrPortFrom(ip, uint16(n))}, nil
}

// maxSocket is how long the path of a unix socket may be on every system.
const maxSocket = 103

// Socket is the address of a unix socket.
func Socket(path string) (Address, error) {
	if !filepath.IsAbs(path) {
		return Address{}, fmt.Errorf("%q is not an absolute path", path)
	}
	if len(path) > maxSocket {
		return Address{}, fmt.Errorf("the socket path is longer than %d bytes, the most that systems allow: choose a shorter one", maxSocket)
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
			err = fmt.Errorf("another program uses %s: choose another port, or 0 for any free one", a.at)
		}
		return ln, err
	}
	return nil, errors.New("no address to listen on")
}

func (a Address) listenUnix() (net.Listener, error) {
	if dir := filepath.Dir(a.path); othersWrite(dir) {
		return nil, fmt.Errorf("other users may write to %s and could replace this socket with their own: choose a path in your own directory (chmod 700), such as $XDG_RUNTIME_DIR", dir)
	}
	info, err := os.Lstat(a.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, err
	case info.Mode()&fs.ModeSocket == 0:
		return nil, fmt.Errorf("%s already exists and is not a socket: choose another path", a.path)
	default:
		c, err := net.DialTimeout("unix", a.path, time.Second)
		if err == nil {
			c.Close()
			return nil, fmt.Errorf("a server is already listening on %s: stop it, or choose another path", a.path)
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
