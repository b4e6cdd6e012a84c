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

// An Address is where a server listens: a loopback address with a port, or the path of a unix socket.
// Only [ParseAddress] and [Socket] return a valid one.
type Address struct {
	at   netip.AddrPort
	path string
}

// ParseAddress parses text as HOST:PORT. The host must be localhost or a loopback address; port 0
// means any free one.
func ParseAddress(text string) (Address, error) {
	const remedy = "use 127.0.0.1:PORT, [::1]:PORT or --socket PATH"
	host, port, err := net.SplitHostPort(text)
	if err != nil {
		return Address{}, fmt.Errorf("%q is not HOST:PORT: %s", text, remedy)
	}
	n, err := strconv.ParseUint(port, 10, 16)
	if err != nil {
		return Address{}, fmt.Errorf("%q: the port is not a number from 0 to 65535: %s", text, remedy)
	}
	if host == "localhost" {
		host = "127.0.0.1" // the hosts file is ignored
	}
	ip, err := netip.ParseAddr(host)
	if err != nil || !ip.IsLoopback() || ip.Zone() != "" {
		return Address{}, fmt.Errorf("other machines could reach %q, but checkrein serves only this machine: %s", text, remedy)
	}
	return Address{at: netip.AddrPortFrom(ip, uint16(n))}, nil
}

// maxSocket is the maximum length of a unix socket path that every system supports.
const maxSocket = 103

// SocketAddress returns the address of the unix socket path, which must be absolute.
func SocketAddress(path string) (Address, error) {
	if !filepath.IsAbs(path) {
		return Address{}, fmt.Errorf("%q is not an absolute path", path)
	}
	if len(path) > maxSocket {
		return Address{}, fmt.Errorf("the socket path is longer than %d bytes, the most that systems allow: choose a shorter one", maxSocket)
	}
	return Address{path: path}, nil
}

// Listen starts to listen on a. Only the owner of a unix socket may use it. A socket that a dead
// server left behind is replaced.
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

// listenUnix is Listen for a unix socket. It fails if other users could replace the socket, or if a
// server is listening on it.
func (a Address) listenUnix() (net.Listener, error) {
	if dir := filepath.Dir(a.path); othersCanReplace(dir) {
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
	restore := setPrivateUmask()
	ln, err := net.Listen("unix", a.path)
	restore()
	return ln, err
}

// ListenerURL returns the URL of ln and, for a unix socket, its path, which is the argument of curl's
// --unix-socket.
func ListenerURL(ln net.Listener) (url, socket string) {
	if ln.Addr().Network() == "unix" {
		return "http://localhost", ln.Addr().String()
	}
	return "http://" + ln.Addr().String(), ""
}
