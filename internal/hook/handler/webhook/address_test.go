package webhook

import (
	"context"
	"net/netip"
	"strings"
	"testing"
)

// forbiddenRanges are the ranges that may not be called, with their first and last addresses. They are
// the reference for the table in the code.
var forbiddenRanges = []struct {
	name   string
	prefix string
	local  bool // allow_local permits it
	addrs  []string
}{
	{"this network", "0.0.0.0/8", false, []string{"0.0.0.0", "0.0.0.1", "0.255.255.255"}},
	{"private 10", "10.0.0.0/8", true, []string{"10.0.0.0", "10.1.2.3", "10.255.255.255"}},
	{"carrier", "100.64.0.0/10", false, []string{"100.64.0.0", "100.127.255.255"}},
	{"Alibaba's metadata", "100.100.100.200/32", false, []string{"100.100.100.200"}},
	{"loopback", "127.0.0.0/8", true, []string{"127.0.0.0", "127.0.0.1", "127.8.8.8", "127.255.255.255"}},
	{"link-local", "169.254.0.0/16", true, []string{"169.254.0.0", "169.254.1.1", "169.254.255.255"}},
	{"metadata", "169.254.169.254/32", false, []string{"169.254.169.254"}},
	{"metadata of containers", "169.254.170.2/32", false, []string{"169.254.170.2"}},
	{"metadata of pods", "169.254.170.23/32", false, []string{"169.254.170.23"}},
	{"Azure's metadata", "168.63.129.16/32", false, []string{"168.63.129.16"}},
	{"private 172", "172.16.0.0/12", true, []string{"172.16.0.0", "172.31.255.255"}},
	{"protocol assignments", "192.0.0.0/24", false, []string{"192.0.0.0", "192.0.0.192", "192.0.0.255"}},
	{"documentation 1", "192.0.2.0/24", false, []string{"192.0.2.0", "192.0.2.255"}},
	{"6to4 relays", "192.88.99.0/24", false, []string{"192.88.99.0", "192.88.99.255"}},
	{"private 192", "192.168.0.0/16", true, []string{"192.168.0.0", "192.168.255.255"}},
	{"benchmarks", "198.18.0.0/15", false, []string{"198.18.0.0", "198.19.255.255"}},
	{"documentation 2", "198.51.100.0/24", false, []string{"198.51.100.0", "198.51.100.255"}},
	{"documentation 3", "203.0.113.0/24", false, []string{"203.0.113.0", "203.0.113.255"}},
	{"multicast", "224.0.0.0/4", false, []string{"224.0.0.0", "239.255.255.255"}},
	{"reserved", "240.0.0.0/4", false, []string{"240.0.0.0", "255.255.255.254"}},
	{"broadcast", "255.255.255.255/32", false, []string{"255.255.255.255"}},

	{"IPv6 unspecified", "::/128", false, []string{"::"}},
	{"IPv6 loopback", "::1/128", true, []string{"::1"}},
	{"IPv4-compatible", "::/96", false, []string{"::2", "::7f00:1", "::a00:1", "::808:808", "::ffff:ffff"}},
	{"IPv4-mapped loopback", "::ffff:127.0.0.0/104", true, []string{"::ffff:127.0.0.1", "::ffff:7f00:1"}},
	{"IPv4-mapped private", "::ffff:10.0.0.0/104", true, []string{"::ffff:10.0.0.1"}},
	{"IPv4-mapped metadata", "::ffff:169.254.169.254/128", false, []string{"::ffff:169.254.169.254", "::ffff:a9fe:a9fe"}},
	{"IPv4-mapped reserved", "::ffff:240.0.0.0/100", false, []string{"::ffff:255.255.255.255"}},
	{"IPv4-translated", "::ffff:0:0:0/96", false, []string{"::ffff:0:7f00:1", "::ffff:0:808:808"}},
	{"NAT64 of loopback", "64:ff9b::7f00:0/104", true, []string{"64:ff9b::7f00:1", "64:ff9b::127.0.0.1"}},
	{"NAT64 of private", "64:ff9b::a00:0/104", true, []string{"64:ff9b::a01:203"}},
	{"NAT64 of metadata", "64:ff9b::a9fe:a9fe/128", false, []string{"64:ff9b::a9fe:a9fe"}},
	{"NAT64 of a carrier's", "64:ff9b::6440:0/106", false, []string{"64:ff9b::6440:1"}},
	{"NAT64 of one's own", "64:ff9b:1::/48", false, []string{"64:ff9b:1::", "64:ff9b:1::808:808"}},
	{"discard", "100::/64", false, []string{"100::", "100::ffff:ffff:ffff:ffff"}},
	{"beyond discard", "100:0:0:1::/64", false, []string{"100:0:0:1::1"}},
	{"Teredo", "2001::/32", false, []string{"2001::", "2001:0:ffff:ffff:ffff:ffff:ffff:ffff"}},
	{"IPv6 benchmarks", "2001:2::/48", false, []string{"2001:2::1"}},
	{"identifiers", "2001:20::/28", false, []string{"2001:20::1", "2001:2f:ffff::"}},
	{"IPv6 documentation", "2001:db8::/32", false, []string{"2001:db8::", "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff"}},
	{"IPv6 documentation, large", "3fff::/20", false, []string{"3fff::", "3fff:fff:ffff::"}},
	{"6to4", "2002::/16", false, []string{"2002::", "2002:7f00:1::", "2002:808:808::1"}},
	{"outside of what is given out", "4000::/3", false, []string{"4000::1", "5fff::1"}},
	{"unique local", "fc00::/7", true, []string{"fc00::", "fd12:3456::1", "fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"}},
	{"metadata in unique local", "fd00:ec2::/32", false, []string{"fd00:ec2::254", "fd00:ec2::23"}},
	{"Google's metadata", "fd20:ce::254/128", false, []string{"fd20:ce::254"}},
	{"IPv6 link-local", "fe80::/10", true, []string{"fe80::", "fe80::1", "febf:ffff::1"}},
	{"site-local", "fec0::/10", false, []string{"fec0::1", "feff::1"}},
	{"IPv6 multicast", "ff00::/8", false, []string{"ff00::", "ff02::1", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"}},
}

// publicAddresses may be called. Most of them are next to one that may not.
var publicAddresses = []string{
	"1.0.0.0", "8.8.8.8", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255", "128.0.0.0",
	"168.63.129.15", "169.253.255.255", "169.255.0.0", "172.15.255.255", "172.32.0.0", "191.255.255.255", "192.0.1.0", "192.0.3.0",
	"192.88.98.255", "192.88.100.0", "192.167.255.255", "192.169.0.0", "198.17.255.255", "198.20.0.0", "198.51.99.255",
	"198.51.101.0", "203.0.112.255", "203.0.114.0", "223.255.255.255",
	"::ffff:8.8.8.8", "64:ff9b::808:808", "2000::1", "2001:200::1", "2001:4860:4860::8888", "2001:db7:ffff::1", "2001:db9::",
	"2003::1", "2606:4700:4700::1111", "3ffe::1", "3fff:1000::1",
}

// checkEverywhere returns the errors of all checks of an address: of URLs when they are loaded, of
// resolved names, and of a socket that is about to connect.
func checkEverywhere(ctx context.Context, addr string, allowLocal bool) map[string]error {
	a := netip.MustParseAddr(addr)
	url := "http://" + addr + "/"
	if a.Is6() {
		url = "http://[" + addr + "]:8080/"
	}
	g := newGuard(names{"hook.example": {addr}, "mixed.example": {"8.8.8.8", addr, "1.1.1.1"}}, allowLocal)
	got := map[string]error{
		"url":     checkURL(url, allowLocal),
		"control": g.checkSocket(ctx, "tcp", netip.AddrPortFrom(a, 80).String(), nil),
	}
	_, got["resolve"] = g.resolve(ctx, "hook.example")
	_, got["mixed"] = g.resolve(ctx, "mixed.example")
	_, got["literal"] = g.resolve(ctx, addr)
	return got
}

func TestForbiddenAddresses(t *testing.T) {
	t.Parallel()
	for _, row := range forbiddenRanges {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			for _, addr := range row.addrs {
				if !netip.MustParsePrefix(row.prefix).Contains(netip.MustParseAddr(addr)) {
					t.Errorf("%s is not in %s", addr, row.prefix)
				}
				for door, err := range checkEverywhere(t.Context(), addr, false) {
					if err == nil {
						t.Errorf("%s: %s is let through", door, addr)
					} else if hint := strings.Contains(err.Error(), "allow_local: true"); hint != row.local {
						t.Errorf("%s: %v: hint at allow_local is %v, want %v", door, err, hint, row.local)
					}
				}
				for door, err := range checkEverywhere(t.Context(), addr, true) {
					if permitted := err == nil; permitted != row.local {
						t.Errorf("%s: with allow_local %s gets %v", door, addr, err)
					}
				}
			}
		})
	}
}

func TestPublicAddresses(t *testing.T) {
	t.Parallel()
	for _, addr := range publicAddresses {
		t.Run(addr, func(t *testing.T) {
			t.Parallel()
			for _, allowLocal := range []bool{false, true} {
				for door, err := range checkEverywhere(t.Context(), addr, allowLocal) {
					if err != nil {
						t.Errorf("%s: %v", door, err)
					}
				}
			}
		})
	}
}

// TestZones checks that a zone does not hide an address from its range.
func TestZones(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		addr       string
		allowLocal bool
		ok         bool
	}{
		{"fe80::1%eth0", false, false},
		{"fe80::1%eth0", true, true},
		{"::1%lo", false, false},
		{"fd00:ec2::254%eth0", true, false},
		{"fe80::a9fe:a9fe%eth0", true, false},
		{"2001:db8::1%x", true, false},
		{"64:ff9b::a9fe:a9fe%x", true, false},
	} {
		if err := checkAddr(netip.MustParseAddr(tt.addr), tt.allowLocal); (err == nil) != tt.ok {
			t.Errorf("%s with allow_local %v: %v", tt.addr, tt.allowLocal, err)
		}
	}
	if checkAddr(netip.Addr{}, true) == nil {
		t.Error("no address at all is let through")
	}
}
