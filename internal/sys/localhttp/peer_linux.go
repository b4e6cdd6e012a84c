package localhttp

import (
	"bufio"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"net"
	"net/netip"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// findPeer returns the peer of c, or the zero Peer if it is unknown.
func findPeer(c net.Conn) *Peer {
	switch c := c.(type) {
	case *net.UnixConn:
		return unixPeer(c)
	case *net.TCPConn:
		remote, ok := c.RemoteAddr().(*net.TCPAddr)
		local, ok2 := c.LocalAddr().(*net.TCPAddr)
		if ok && ok2 {
			return tcpPeer(remote.AddrPort(), local.AddrPort())
		}
	}
	return &Peer{}
}

// unixPeer returns the peer of a unix socket, which the kernel reports.
func unixPeer(c *net.UnixConn) *Peer {
	raw, err := c.SyscallConn()
	if err != nil {
		return &Peer{}
	}
	var cred *syscall.Ucred
	if raw.Control(func(fd uintptr) {
		cred, err = syscall.GetsockoptUcred(int(fd), syscall.SOL_SOCKET, syscall.SO_PEERCRED)
	}) != nil || err != nil {
		return &Peer{}
	}
	return &Peer{Known: true, UID: int(cred.Uid), pid: int(cred.Pid), holder: int(cred.Pid)}
}

// tcpPeer returns the peer whose socket has the address own and is connected to other, or the zero
// Peer.
func tcpPeer(own, other netip.AddrPort) *Peer {
	for _, table := range []string{"/proc/net/tcp", "/proc/net/tcp6"} {
		f, err := os.Open(table)
		if err != nil {
			continue
		}
		p := findSocket(bufio.NewScanner(f), own, other)
		f.Close()
		if p != nil {
			return p
		}
	}
	return &Peer{}
}

// findSocket returns the peer whose socket in the table lines has the addresses own and other, or nil
// if there is none. A socket that no process holds any more has no inode; its peer is unknown.
func findSocket(lines *bufio.Scanner, own, other netip.AddrPort) *Peer {
	for lines.Scan() {
		f := strings.Fields(lines.Text())
		if len(f) < 10 || !matchesAddr(f[1], own) || !matchesAddr(f[2], other) {
			continue
		}
		user, err := strconv.Atoi(f[7])
		inode, err2 := strconv.ParseUint(f[9], 10, 64)
		if err != nil || err2 != nil || inode == 0 {
			return &Peer{}
		}
		return &Peer{Known: true, UID: user, inode: inode}
	}
	return nil
}

// matchesAddr reports whether text, an address in /proc/net/tcp, denotes is. The host in text is
// hexadecimal, in words of native byte order.
func matchesAddr(text string, is netip.AddrPort) bool {
	host, port, ok := strings.Cut(text, ":")
	n, err := strconv.ParseUint(port, 16, 16)
	if !ok || err != nil || uint16(n) != is.Port() {
		return false
	}
	b, err := hex.DecodeString(host)
	if err != nil || len(b)%4 != 0 {
		return false
	}
	for i := 0; i < len(b); i += 4 {
		binary.BigEndian.PutUint32(b[i:], swapToNative(b[i:]))
	}
	ip, ok := netip.AddrFromSlice(b)
	return ok && ip.Unmap() == is.Addr().Unmap()
}

// swapToNative returns the first four bytes of b, which were printed as one number in native byte
// order, as a big-endian number.
func swapToNative(b []byte) uint32 {
	var word [4]byte
	binary.NativeEndian.PutUint32(word[:], binary.BigEndian.Uint32(b))
	return binary.BigEndian.Uint32(word[:])
}

// socketHolders returns the ids of the processes that have the sockets of peers open, by inode. It does
// not find processes that cannot be read.
func socketHolders(peers ...*Peer) map[uint64][]int {
	links, holders := peersByLink(peers), map[uint64][]int{}
	if len(links) == 0 {
		return nil
	}
	eachDescriptor(allProcesses(), func(pid int, link string) {
		if p := links[link]; p != nil && !slices.Contains(holders[p.inode], pid) {
			holders[p.inode] = append(holders[p.inode], pid)
		}
	})
	return holders
}

// findHolders sets the holder of each of peers that one of the processes pids has open.
func findHolders(peers []*Peer, pids ...int) {
	links := peersByLink(peers)
	eachDescriptor(pids, func(pid int, link string) {
		if p := links[link]; p != nil {
			p.holder = pid
		}
	})
}

// peersByLink returns those of peers that are at sockets, by what the links of /proc/PID/fd to their
// sockets say.
func peersByLink(peers []*Peer) map[string]*Peer {
	links := map[string]*Peer{}
	for _, p := range peers {
		if p.inode > 0 {
			links[fmt.Sprintf("socket:[%d]", p.inode)] = p
		}
	}
	return links
}

// findHoldersAnywhere sets the holder of each of peers, to -1 if it cannot be found.
func findHoldersAnywhere(peers []*Peer) {
	findHolders(peers, allProcesses()...)
	for _, p := range peers {
		if p.holder == 0 {
			p.holder = -1
		}
	}
}

// allProcesses returns the ids of all processes that are visible.
func allProcesses() (pids []int) {
	procs, _ := os.ReadDir("/proc")
	for _, e := range procs {
		if pid, err := strconv.Atoi(e.Name()); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids
}

// eachDescriptor calls do with each descriptor of each of pids that can be read, as its link says.
func eachDescriptor(pids []int, do func(pid int, link string)) {
	for _, pid := range pids {
		dir := fmt.Sprintf("/proc/%d/fd/", pid)
		fds, _ := os.ReadDir(dir)
		for _, fd := range fds {
			if link, err := os.Readlink(dir + fd.Name()); err == nil {
				do(pid, link)
			}
		}
	}
}
