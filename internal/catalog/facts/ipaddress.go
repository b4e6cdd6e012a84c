package facts

import (
	"encoding/binary"
	"net/netip"
	"strings"
)

// IsIPAddress reports whether the name of a host is an IP address in any notation.
func IsIPAddress(name string) bool {
	_, ok := ipZone(name)
	return ok
}

// ipZone returns the zone of an IP address. It reports false if name is not one. Some clients read a
// number with a leading zero as octal and others as decimal; the more remote result counts.
func ipZone(name string) (Zone, bool) {
	if strings.Count(name, ":") > 1 {
		return ipv6Zone(name)
	}
	if name == "" || !isDigit(name[0]) {
		return NoZone, false
	}
	a, octal := parseIPv4(name, true)
	b, decimal := parseIPv4(name, false)
	switch {
	case octal && decimal:
		return max(ipv4Zone(a), ipv4Zone(b)), true
	case octal:
		return ipv4Zone(a), true
	case decimal:
		return ipv4Zone(b), true
	}
	return NoZone, false
}

// isUsualIP reports whether an IP address has a usual notation, such as 127.0.0.1 or ::1.
func isUsualIP(name string) bool {
	return strings.Count(name, ".") == 3 && strings.Trim(name, "0123456789.") == "" && !strings.HasPrefix(name, "00") && !strings.Contains(name, ".00") || strings.IndexByte(name, ':') >= 0 || name == "0" || name == "127.1"
}

// ipv4Zone returns the zone of an IPv4 address.
func ipv4Zone(addr uint32) Zone {
	a, b := addr>>24, addr>>16&255
	switch {
	case a == 127 || addr == 0:
		return Here
	case a == 10 || a == 172 && b >= 16 && b <= 31 || a == 192 && b == 168 || a == 169 && b == 254 || a == 100 && b >= 64 && b <= 127:
		return Private
	}
	return Away
}

// parseIPv4 parses an IPv4 address in the notations that systems accept: 127.0.0.1, 127.1, 2130706433,
// 0x7f.1. The last number fills the remaining bytes. If octal is set, a number with a leading zero is
// octal.
func parseIPv4(s string, octal bool) (addr uint32, ok bool) {
	for part := range 4 {
		one, rest, more := strings.Cut(s, ".")
		n, ok := parseIPv4Part(one, octal)
		if !ok {
			return 0, false
		}
		if !more {
			return addr | uint32(n), n < 1<<(8*(4-part))
		}
		if n > 255 {
			return 0, false
		}
		addr |= uint32(n) << (8 * (3 - part))
		s = rest
	}
	return 0, false
}

// parseIPv4Part parses one number of an IPv4 address.
func parseIPv4Part(s string, octal bool) (n uint64, ok bool) {
	base := uint64(10)
	switch {
	case len(s) > 2 && s[0] == '0' && s[1] == 'x':
		base, s = 16, s[2:]
	case len(s) > 1 && s[0] == '0' && octal:
		base, s = 8, s[1:]
	}
	for i := range len(s) {
		d := hexValue(s[i])
		if d < 0 || uint64(d) >= base || n >= 1<<32 {
			return 0, false
		}
		n = n*base + uint64(d)
	}
	return n, s != "" && n < 1<<32
}

// hexValue returns the value of a hexadecimal digit, or -1 if c is not one.
func hexValue(c byte) int {
	switch {
	case isDigit(c):
		return int(c - '0')
	case c >= 'a' && c <= 'f':
		return int(c-'a') + 10
	case c >= 'A' && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}

// ipv6Zone returns the zone of an IPv6 address. It reports false if s is not one.
func ipv6Zone(s string) (Zone, bool) {
	addr, err := netip.ParseAddr(s)
	switch addr = addr.WithZone("").Unmap(); {
	case err != nil:
		return NoZone, false
	case addr.IsLoopback() || addr.IsUnspecified():
		return Here, true
	case addr.Is4():
		b := addr.As4()
		return ipv4Zone(binary.BigEndian.Uint32(b[:])), true
	case addr.IsPrivate() || addr.IsLinkLocalUnicast():
		return Private, true
	}
	return Away, true
}
