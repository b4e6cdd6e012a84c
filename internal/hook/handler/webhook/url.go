package webhook

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
)

// parseURL parses the URL raw. It returns an error if the URL itself shows that it may not be called;
// the addresses of its host are checked at each call. IP addresses must be in standard form, because
// programs interpret other forms differently.
func parseURL(raw string, allowLocal bool) (*url.URL, error) {
	u, err := url.Parse(raw)
	if err != nil {
		return nil, fmt.Errorf("url: %w", withoutURL(err))
	}
	switch {
	case u.Scheme == "":
		return nil, errors.New("url has no scheme: write https://… or http://…")
	case u.Scheme != "http" && u.Scheme != "https":
		return nil, fmt.Errorf("url: the scheme is %q: write https://… or http://…", u.Scheme)
	case u.User != nil:
		return nil, errors.New("url contains a user name: put credentials into headers")
	case u.Hostname() == "":
		return nil, errors.New("url has no host")
	}
	if p := u.Port(); p != "" {
		if n, err := strconv.ParseUint(p, 10, 16); err != nil || n == 0 {
			return nil, fmt.Errorf("url: port %s is not valid", p)
		}
	}
	if strings.HasPrefix(u.Host, "[") {
		err = checkIPv6(u.Hostname(), allowLocal)
	} else {
		err = checkHost(strings.ToLower(u.Hostname()), allowLocal)
	}
	if err != nil {
		return nil, fmt.Errorf("url: %w", err)
	}
	return u, nil
}

// checkEncrypted returns an error if u is not encrypted, because others could then read the event and
// answer in place of the server. URLs of this machine are exempt.
func checkEncrypted(u *url.URL) error {
	if u.Scheme == "https" || isLoopback(u.Hostname()) {
		return nil
	}
	return fmt.Errorf("url: http://%s is not encrypted: write https://; plain http is only for this machine (127.0.0.1, [::1], localhost)", u.Host)
}

func isLoopback(host string) bool {
	addr, err := netip.ParseAddr(host)
	return err == nil && addr.IsLoopback() || strings.EqualFold(host, "localhost")
}

// withoutURL returns err without the URL, which may contain a secret.
func withoutURL(err error) error {
	var e *url.Error
	if errors.As(err, &e) {
		return e.Err
	}
	return err
}

// origin returns the scheme, host and port of u. A hook's headers are sent to one origin only.
func origin(u *url.URL) string {
	port := u.Port()
	switch {
	case port != "":
	case u.Scheme == "https":
		port = "443"
	default:
		port = "80"
	}
	return u.Scheme + "://" + net.JoinHostPort(strings.ToLower(u.Hostname()), port)
}

func checkIPv6(host string, allowLocal bool) error {
	addr, err := netip.ParseAddr(host)
	if err != nil || !addr.Is6() {
		return fmt.Errorf("the host [%s] is not an IPv6 address", host)
	}
	if addr.Zone() != "" {
		return fmt.Errorf("the host [%s] has a zone: link-local addresses cannot be called", host)
	}
	return checkAddr(addr, allowLocal)
}

// checkHost returns an error if host, a name or an IPv4 address, is malformed or may not be called.
func checkHost(host string, allowLocal bool) error {
	if i := strings.IndexFunc(host, func(r rune) bool { return !isHostRune(r) }); i >= 0 {
		return fmt.Errorf("the host %q has characters that host names cannot have: write international names as xn--…", host)
	}
	if strings.HasSuffix(host, ".") {
		return fmt.Errorf("the host %q ends in a dot: remove it", host)
	}
	if isNumericLabel(host[strings.LastIndexByte(host, '.')+1:]) {
		return checkIPv4(host, allowLocal)
	}
	for _, n := range localNames {
		if host == n.name || strings.HasSuffix(host, "."+n.name) {
			return n.checkAllowed("the host "+host, allowLocal)
		}
	}
	return nil
}

func isHostRune(r rune) bool {
	return r == '.' || r == '-' || r == '_' || 'a' <= r && r <= 'z' || '0' <= r && r <= '9'
}

// checkIPv4 checks a host that ends in a number, as no name does. It returns an error for anything but
// four plain decimal numbers, even if it is a public address, because programs disagree on its
// meaning.
func checkIPv4(host string, allowLocal bool) error {
	if addr, err := netip.ParseAddr(host); err == nil {
		return checkAddr(addr, allowLocal)
	}
	addr, ok := parseAton(host)
	if !ok {
		return fmt.Errorf("the host %q is neither a host name nor an IP address", host)
	}
	if err := checkAddr(addr, allowLocal); err != nil {
		return fmt.Errorf("the host %q is an unusual spelling of an IP address: %w", host, err)
	}
	return fmt.Errorf("the host %q is an unusual spelling of an IP address: write %s", host, addr)
}

// isNumericLabel reports whether some programs read label, a part of a host name, as a number.
func isNumericLabel(label string) bool {
	digits := "0123456789"
	rest, hex := strings.CutPrefix(label, "0x")
	if hex {
		digits += "abcdef"
	}
	return label != "" && strings.Trim(rest, digits) == ""
}

// parseAton parses an IPv4 address as C's inet_aton does: up to four numbers, the last of which fills
// the remaining bytes, in hexadecimal after 0x and in octal after 0. It returns false if host is not
// such an address.
func parseAton(host string) (netip.Addr, bool) {
	parts := strings.Split(host, ".")
	if len(parts) > 4 {
		return netip.Addr{}, false
	}
	var sum uint64
	for i, p := range parts {
		base := 10
		switch {
		case strings.HasPrefix(p, "0x"):
			p, base = p[2:], 16
		case len(p) > 1 && p[0] == '0':
			base = 8
		}
		bits := 8
		if i == len(parts)-1 {
			bits = 32 - 8*i
		}
		n, err := strconv.ParseUint(p, base, bits)
		if err != nil {
			return netip.Addr{}, false
		}
		sum = sum<<bits | n
	}
	return netip.AddrFrom4([4]byte{byte(sum >> 24), byte(sum >> 16), byte(sum >> 8), byte(sum)}), true
}
