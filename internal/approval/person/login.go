package person

import (
	"encoding/hex"
	"net"
	"net/netip"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/checkrein/checkrein/internal/sys/process"
)

// checkLogin returns a doubt if the login server at index at of l accepted a login from this machine,
// or of unknown origin, since that may be the agent's.
func (c *Situation) checkLogin(l *ancestry, at int) error {
	server := &l.up[at]
	from := func(why string) error {
		return newDoubt(c.mainHost(), "%s (process %d) allowed %s", programName(server), server.PID, why)
	}
	peer, port, found := netip.AddrPort{}, uint16(22), false
	for i := at - 1; i >= 0 && !found; i-- {
		for _, v := range process.EnvironOf(l.up[i].PID) {
			if rest, ok := strings.CutPrefix(v, "SSH_CONNECTION="); ok {
				var own netip.AddrPort
				if peer, own, ok = parseSSHConnection(rest); !ok {
					return from("a login of unknown origin")
				}
				port, found = own.Port(), true
				break
			}
		}
	}
	if !found && len(process.EnvironOf(l.up[at-1].PID)) > 0 {
		return from("a login of unknown origin") // a server sets SSH_CONNECTION by itself
	}
	if found && isOwnAddr(peer.Addr()) {
		return from("a login from this machine")
	}
	if runtime.GOOS != "linux" {
		return nil
	}
	known := !found
	for _, t := range tcpConnections() {
		if t.own.Port() != port {
			continue
		}
		if isOwnAddr(t.peer.Addr()) {
			return from("a login from this machine")
		}
		known = known || t.peer == peer
	}
	if !known {
		return from("a login from " + peer.String() + ", which is not connected")
	}
	return nil
}

// parseSSHConnection parses s, the value of SSH_CONNECTION. It reports false if s is invalid.
func parseSSHConnection(s string) (peer, own netip.AddrPort, ok bool) {
	f := strings.Fields(s)
	if len(f) != 4 {
		return peer, own, false
	}
	read := func(addr, port string) (netip.AddrPort, error) {
		a, err := netip.ParseAddr(addr)
		p, perr := strconv.ParseUint(port, 10, 16)
		if err == nil {
			err = perr
		}
		return netip.AddrPortFrom(a.Unmap().WithZone(""), uint16(p)), err
	}
	peer, err := read(f[0], f[1])
	own, oerr := read(f[2], f[3])
	return peer, own, err == nil && oerr == nil
}

// isOwnAddr reports whether a is an address of this machine.
func isOwnAddr(a netip.Addr) bool {
	if a.IsLoopback() || a.IsUnspecified() {
		return true
	}
	list, _ := net.InterfaceAddrs()
	return slices.ContainsFunc(list, func(n net.Addr) bool {
		p, err := netip.ParsePrefix(n.String())
		return err == nil && p.Addr().Unmap().WithZone("") == a
	})
}

// A tcpConnection is an established TCP connection of this machine.
type tcpConnection struct{ own, peer netip.AddrPort }

// tcpConnections returns the established TCP connections that the kernel lists.
func tcpConnections() []tcpConnection {
	var out []tcpConnection
	for _, name := range [...]string{"/proc/self/net/tcp", "/proc/self/net/tcp6"} {
		text, _ := os.ReadFile(name)
		for row := range strings.Lines(string(text)) {
			f := strings.Fields(row)
			if len(f) < 4 || f[3] != "01" { // established
				continue
			}
			own, ok := parseKernelAddr(f[1])
			peer, also := parseKernelAddr(f[2])
			if ok && also {
				out = append(out, tcpConnection{own, peer})
			}
		}
	}
	return out
}

// parseKernelAddr parses s, an address in the format of /proc/net/tcp: words of four bytes in host
// byte order, which is little-endian on all supported systems.
func parseKernelAddr(s string) (netip.AddrPort, bool) {
	addr, port, _ := strings.Cut(s, ":")
	b, err := hex.DecodeString(addr)
	p, perr := strconv.ParseUint(port, 16, 16)
	if err != nil || perr != nil {
		return netip.AddrPort{}, false
	}
	for i := 0; i+4 <= len(b); i += 4 {
		slices.Reverse(b[i : i+4])
	}
	a, ok := netip.AddrFromSlice(b)
	return netip.AddrPortFrom(a.Unmap(), uint16(p)), ok
}
