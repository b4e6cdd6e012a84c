package facts

import (
	"encoding/binary"
	"net/netip"
	"strings"
)

// IsNumber reports whether the name of a host is a number.
func IsNumber(name string) bool {
	_, ok := numbered(name)
	return ok
}

// numbered returns the zone of a host that is a number. A part with a zero before
// it is octal for some clients and decimal for others: the farther reading counts.
func numbered(name string) (Zone, bool) {
	if strings.Count(name, ":") > 1 {
		return six(name)
	}
	if name == "" || !digit(name[0]) {
		return NoZone, false
	}
	a, octal := four(name, true)
	b, decimal := four(name, false)
	switch {
	case octal && decimal:
		return max(zoneOf(a), zoneOf(b)), true
	case octal:
		return zoneOf(a), true
	case decimal:
		return zoneOf(b), true
	}
	return NoZone, false
}

// usual reports whether a number is written as people write it: 127.0.0.1, ::1.
func usual(name string) bool {
	return strings.Count(name, ".") == 3 && strings.Trim(name, "0123456789.") == "" && !strings.HasPrefix(name, "00") && !strings.Contains(name, ".00") || strings.IndexByte(name, ':') >= 0 || name == "0" || name == "127.1"
}

// zoneOf returns the zone of an IPv4 address.
func zoneOf(addr uint32) Zone {
	a, b := addr>>24, addr>>16&255
	switch {
	case a == 127 || addr == 0:
		return Here
	case a == 10 || a == 172 && b >= 16 && b <= 31 || a == 192 && b == 168 || a == 169 && b == 254 || a == 100 && b >= 64 && b <= 127:
		return Private
	}
	return Away
}

// four reads an IPv4 address as systems do: 127.0.0.1, 127.1, 2130706433, 0x7f.1.
// The last part fills what is left.
func four(s string, octal bool) (addr uint32, ok bool) {
	for part := range 4 {
		one, rest, more := strings.Cut(s, ".")
		n, ok := number(one, octal)
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

// number reads one part of an address.
func number(s string, octal bool) (n uint64, ok bool) {
	base := uint64(10)
	switch {
	case len(s) > 2 && s[0] == '0' && s[1] == 'x':
		base, s = 16, s[2:]
	case len(s) > 1 && s[0] == '0' && octal:
		base, s = 8, s[1:]
	}
	for i := range len(s) {
		d := hex(s[i])
		if d < 0 || uint64(d) >= base || n >= 1<<32 {
			return 0, false
		}
		n = n*base + uint64(d)
	}
	return n, s != "" && n < 1<<32
}

func hex(c byte) int {
	switch {
	case digit(c):
		return int(c - '0')
	case c >= 'a' && c <= 'f':
		return int(c-'a') + 10
	case c >= 'A' && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}

// six returns the zone of an IPv6 address.
func six(s string) (Zone, bool) {
	addr, err := netip.ParseAddr(s)
	switch addr = addr.WithZone("").Unmap(); {
	case err != nil:
		return NoZone, false
	case addr.IsLoopback() || addr.IsUnspecified():
		return Here, true
	case addr.Is4():
		b := addr.As4()
		return zoneOf(binary.BigEndian.Uint32(b[:])), true
	case addr.IsPrivate() || addr.IsLinkLocalUnicast():
		return Private, true
	}
	return Away, true
}
