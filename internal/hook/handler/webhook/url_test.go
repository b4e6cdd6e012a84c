package webhook

import (
	"fmt"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/hook/dialect"
)

func checkURL(raw string, allowLocal bool) error {
	_, err := parseURL(raw, allowLocal)
	return err
}

func TestParseURL(t *testing.T) {
	t.Parallel()
	const permitted, hint = "", "allow_local: true"
	for _, tt := range []struct{ name, url, want, withLocal string }{
		{"https", "https://guard.example.com/hook?x=1#y", permitted, permitted},
		{"http", "http://guard.example.com", permitted, permitted},
		{"a port", "https://guard.example.com:8443/", permitted, permitted},
		{"an empty port", "https://guard.example.com:/", permitted, permitted},
		{"capitals", "HTTPS://GUARD.EXAMPLE.COM/", permitted, permitted},
		{"punycode", "https://xn--bcher-kva.example/", permitted, permitted},
		{"an underscore", "https://my_guard.example.com/", permitted, permitted},
		{"a public address", "https://8.8.8.8/", permitted, permitted},
		{"a public IPv6 address", "https://[2606:4700::1111]:443/", permitted, permitted},
		{"digits inside a name", "https://127.0.0.1.example.com/", permitted, permitted},
		{"localhost inside a name", "https://localhost.example.com/", permitted, permitted},
		{"hexadecimal that is a name", "https://0xfe.example/", permitted, permitted},

		{"empty", "", "scheme", "scheme"},
		{"no scheme", "guard.example.com/hook", "scheme", "scheme"},
		{"ftp", "ftp://guard.example.com/", `the scheme is "ftp"`, "scheme"},
		{"file", "file:///etc/passwd", "scheme", "scheme"},
		{"unix", "unix:///run/docker.sock", "scheme", "scheme"},
		{"no host", "https:///hook", "has no host", "has no host"},
		{"only a port", "https://:80/", "has no host", "has no host"},
		{"opaque", "http:guard.example.com", "has no host", "has no host"},
		{"a user", "https://joe@guard.example.com/", "credentials into headers", "credentials"},
		{"a user and password", "https://joe:secret@guard.example.com/", "credentials", "credentials"},
		{"an empty user", "https://@guard.example.com/", "credentials", "credentials"},
		{"a host as user", "https://guard.example.com@127.0.0.1/", "credentials", "credentials"},
		{"port 0", "https://guard.example.com:0/", "port 0 is not valid", "port 0 is not valid"},
		{"a large port", "https://guard.example.com:65536/", "port 65536 is not valid", "port 65536 is not valid"},
		{"a port in words", "https://guard.example.com:https/", "url: ", "url: "},
		{"a control character", "https://guard.example.com/\r\nX: y", "url: ", "url: "},
		{"a blank", "https://guard .example.com/", "url: ", "url: "},
		{"a backslash", `https://guard.example.com\@127.0.0.1/`, "url: ", "url: "},
		{"a percent sign", "https://127.0.0.1%2f.example.com/", "url: ", "url: "},
		{"a template", "https://${env.HOST}/", "url: ", "url: "},
		{"a semicolon", "https://a;b/", "characters that host names cannot have", "characters that host names"},

		{"loopback", "http://127.0.0.1:8080/", "127.0.0.1 is this machine: set " + hint, permitted},
		{"private", "http://10.0.0.1/", hint, permitted},
		{"metadata", "http://169.254.169.254/latest/", "metadata service: hooks may not call it", "hooks may not call"},
		{"decimal", "http://2130706433/", hint, "write 127.0.0.1"},
		{"octal", "http://0177.0.0.1/", hint, "write 127.0.0.1"},
		{"octal in one", "http://017700000001/", hint, "write 127.0.0.1"},
		{"hexadecimal", "http://0x7f.1/", hint, "write 127.0.0.1"},
		{"hexadecimal in one", "http://0X7F000001/", hint, "write 127.0.0.1"},
		{"hexadecimal in four", "http://0x7f.0x0.0x0.0x1/", hint, "write 127.0.0.1"},
		{"mixed notations", "http://0x7f.0.1/", hint, "write 127.0.0.1"},
		{"two parts", "http://127.1/", hint, "write 127.0.0.1"},
		{"three parts", "http://127.0.1/", hint, "write 127.0.0.1"},
		{"zero", "http://0/", "not a valid server address", "not a valid server address"},
		{"leading zeros", "http://127.0.0.01/", hint, "write 127.0.0.1"},
		{"zeros that make it octal", "http://010.0.0.1/", "write 8.0.0.1", "write 8.0.0.1"},
		{"metadata in decimal", "http://2852039166/", "hooks may not call", "hooks may not call"},
		{"metadata in hexadecimal", "http://0xa9.0xfe.0xa9.0xfe/", "hooks may not call", "hooks may not call"},
		{"metadata in short", "http://169.254.43518/", "hooks may not call", "hooks may not call"},
		{"public in decimal", "http://134744072/", "write 8.8.8.8", "write 8.8.8.8"},
		{"too many parts", "http://1.2.3.4.5/", "neither a host name nor an IP address", "neither"},
		{"too large", "http://4294967296/", "neither", "neither"},
		{"a large part", "http://256.1.1.1/", "neither", "neither"},
		{"no octal digits", "http://08.1.1.1/", "neither", "neither"},
		{"an empty hexadecimal", "http://127.0.0.0x/", "neither", "neither"},
		{"a name that ends in a number", "http://example.0x1/", "neither", "neither"},
		{"an empty part", "http://127..1/", "neither", "neither"},
		{"wide digits", "http://１２７.０.０.１/", "xn--", "xn--"},
		{"wide digits, escaped", "http://%EF%BC%91%EF%BC%92%EF%BC%97.1/", "xn--", "xn--"},
		{"an ideographic dot", "http://127。0。0。1/", "xn--", "xn--"},
		{"a circled digit", "http://①27.0.0.1/", "xn--", "xn--"},
		{"a trailing dot", "http://127.0.0.1./", "ends in a dot", "ends in a dot"},
		{"a name with a trailing dot", "http://example.com./", "ends in a dot", "ends in a dot"},
		{"only a dot", "http://./", "ends in a dot", "ends in a dot"},
		{"IPv6 loopback", "http://[::1]/", hint, permitted},
		{"IPv6 loopback in full", "http://[0:0:0:0:0:0:0:1]/", hint, permitted},
		{"IPv6 metadata", "http://[fd00:ec2::254]/", "hooks may not call", "hooks may not call"},
		{"a zone", "http://[fe80::1%25eth0]/", "has a zone", "has a zone"},
		{"a zone at a public address", "http://[2606:4700::1111%25eth0]/", "has a zone", "has a zone"},
		{"IPv4 in brackets", "http://[127.0.0.1]/", "url: ", "url: "},
		{"IPv6 without brackets", "http://::1/", "url: ", "url: "},

		{"localhost", "http://localhost:3000/", "the host localhost is this machine: set " + hint, permitted},
		{"LOCALHOST", "http://LocalHost/", hint, permitted},
		{"below localhost", "http://api.localhost/", hint, permitted},
		{"localhost with a dot", "http://localhost./", "ends in a dot", "ends in a dot"},
		{"localdomain", "http://localhost.localdomain/", hint, permitted},
		{"ip6-localhost", "http://ip6-localhost/", hint, permitted},
		{"local", "http://printer.local/", hint, permitted},
		{"internal", "http://host.docker.internal/", hint, permitted},
		{"home", "http://nas.home.arpa/", hint, permitted},
		{"Google's metadata", "http://metadata.google.internal/", "hooks may not call", "hooks may not call"},
		{"Google's metadata in capitals", "http://Metadata.Google.Internal/", "hooks may not call", "hooks may not call"},
		{"metadata by a short name", "http://metadata/", "hooks may not call", "hooks may not call"},
		{"AWS's metadata", "http://instance-data.ec2.internal/", "hooks may not call", "hooks may not call"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for allowLocal, want := range map[bool]string{false: tt.want, true: tt.withLocal} {
				err := checkURL(tt.url, allowLocal)
				if want == permitted && err != nil || want != permitted && (err == nil || !strings.Contains(err.Error(), want)) {
					t.Errorf("%s, allow_local %v: got %v, want %q", tt.url, allowLocal, err, want)
				}
				if err != nil && strings.Contains(err.Error(), "secret") {
					t.Errorf("the error tells a password: %v", err)
				}
			}
		})
	}
}

func TestOrigin(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, url, want string }{
		{"https", "https://A.example/x?token=y", "https://a.example:443"},
		{"http", "http://a.example", "http://a.example:80"},
		{"a port", "http://a.example:81", "http://a.example:81"},
		{"an empty port", "http://a.example:", "http://a.example:80"},
		{"IPv6", "http://[2606:4700::1111]:81/", "http://[2606:4700::1111]:81"},
	} {
		u, err := url.Parse(tt.url)
		if err != nil {
			t.Fatal(err)
		}
		if got := origin(u); got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.name, got, tt.want)
		}
	}
}

// lenientAddress parses host as the most lenient program would: without trailing dots and zones, with
// C's notations, in any case. It is independent of the code that it checks.
func lenientAddress(host string) (netip.Addr, bool) {
	host, _, _ = strings.Cut(strings.TrimRight(host, "."), "%")
	if addr, err := netip.ParseAddr(host); err == nil {
		return addr, true
	}
	fields := strings.Split(host, ".")
	if len(fields) > 4 {
		return netip.Addr{}, false
	}
	var sum, room uint64 = 0, 1 << 32
	for i, f := range fields {
		n, err := strconv.ParseUint(f, 8, 64) // as C would, or those that know no octal
		if hex, ok := strings.CutPrefix(f, "0x"); ok {
			n, err = strconv.ParseUint(hex, 16, 64)
		} else if !strings.HasPrefix(f, "0") || err != nil {
			n, err = strconv.ParseUint(f, 10, 64)
		}
		if err != nil || n >= room || i < len(fields)-1 && n > 255 {
			return netip.Addr{}, false
		}
		room >>= 8
		if i == len(fields)-1 {
			sum += n
		} else {
			sum += n << (24 - 8*i)
		}
	}
	return netip.AddrFrom4([4]byte{byte(sum >> 24), byte(sum >> 16), byte(sum >> 8), byte(sum)}), true
}

func FuzzParseURL(f *testing.F) {
	for _, row := range forbiddenRanges {
		for _, addr := range row.addrs {
			if strings.Contains(addr, ":") {
				addr = "[" + addr + "]"
			}
			f.Add("https://"+addr+":443/x", row.local)
		}
	}
	for _, s := range []string{"https://guard.example.com/x", "http://2130706433", "http://0x7f.1", "http://0177.1/", "http://127.1", "http://[fe80::1%25eth0]/",
		"http://a@b", "http://localhost.", "http:x", "http://１２７.1/", "http://[::ffff:7f00:1]"} {
		f.Add(s, false)
	}
	f.Fuzz(func(t *testing.T, raw string, allowLocal bool) {
		if checkURL(raw, allowLocal) != nil {
			return
		}
		u, err := url.Parse(raw)
		if err != nil {
			t.Fatalf("accepted, but %v", err)
		}
		if u.Scheme != "http" && u.Scheme != "https" || u.User != nil || u.Host == "" {
			t.Errorf("%q was accepted", raw)
		}
		addr, literal := lenientAddress(strings.ToLower(u.Hostname()))
		if !literal {
			return
		}
		longest, permitted := -1, true
		for _, row := range forbiddenRanges {
			if p := netip.MustParsePrefix(row.prefix); p.Contains(addr) && p.Bits() > longest {
				longest, permitted = p.Bits(), row.local && allowLocal
			}
		}
		if !permitted {
			t.Errorf("%q was accepted with allow_local %v, but %s is forbidden", raw, allowLocal, addr)
		}
	})
}

// TestUnencryptedURLsAreRejected checks that only this machine is called without encryption.
func TestUnencryptedURLsAreRejected(t *testing.T) {
	t.Parallel()
	for url, want := range map[string]bool{
		"https://guard.example/": true, "https://10.0.0.1/": true, "http://127.0.0.1:8080/": true, "http://127.9.9.9/": true,
		"http://[::1]:80/": true, "http://localhost:3000/x": true, "HTTP://LocalHost/": true,
		"http://guard.example/": false, "http://10.0.0.1/": false, "http://8.8.8.8/": false, "http://[fd00::1]/": false,
		"http://localhost.example/": false, "http://x.localhost/": false, "http://printer.local/": false,
	} {
		_, err := Type(Options{Dialect: dialect.Lookup}).New(checkrein.Hook{On: checkrein.SessionStart, With: fmt.Appendf(nil, `{"url":%q,"allow_local":true}`, url)})
		if (err == nil) != want || err != nil && !strings.Contains(err.Error(), "write https://") {
			t.Errorf("%s: %v", url, err)
		}
	}
}
