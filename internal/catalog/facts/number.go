package facts

import "strings"

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
	s, _, _ = strings.Cut(s, "%") // the interface
	var g [8]uint32
	head, tail, short := strings.Cut(s, "::")
	n, ok := groups(head, g[:])
	if !ok || !short && n != 8 {
		return NoZone, false
	}
	if short {
		var t [8]uint32
		m, ok := groups(tail, t[:])
		if !ok || n+m > 7 {
			return NoZone, false
		}
		copy(g[8-m:], t[:m])
	}
	high := g[0] | g[1] | g[2] | g[3] | g[4]
	switch {
	case high|g[5]|g[6] == 0 && g[7] <= 1:
		return Here, true
	case high == 0 && g[5] == 0xffff:
		return zoneOf(g[6]<<16 | g[7]), true
	case g[0]&0xfe00 == 0xfc00 || g[0]&0xffc0 == 0xfe80:
		return Private, true
	}
	return Away, true
}

// groups reads the parts of an IPv6 address between its colons.
func groups(s string, out []uint32) (n int, ok bool) {
	for s != "" {
		one, rest, more := strings.Cut(s, ":")
		if !more && strings.IndexByte(one, '.') > 0 && n <= 6 {
			v, ok := four(one, false)
			out[n], out[n+1] = v>>16, v&0xffff
			return n + 2, ok && strings.Count(one, ".") == 3
		}
		v := uint32(0)
		for i := range len(one) {
			d := hex(one[i])
			if d < 0 {
				return 0, false
			}
			v = v<<4 | uint32(d)
		}
		if one == "" || len(one) > 4 || n == 8 || more && rest == "" {
			return 0, false
		}
		out[n], n, s = v, n+1, rest
	}
	return n, true
}
