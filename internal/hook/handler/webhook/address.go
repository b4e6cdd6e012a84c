package webhook

import (
	"errors"
	"fmt"
	"net/netip"
)

// A restriction describes a kind of address that hooks may not call.
type restriction struct {
	what  string
	local bool // allow_local permits it
}

// checkAllowed returns an error if who, an address or a host with this restriction, may not be called.
// If the restriction is local, allowLocal permits it.
func (p restriction) checkAllowed(who string, allowLocal bool) error {
	switch {
	case !p.local:
		return &restrictedError{fmt.Sprintf("%s is %s", who, p.what), ": hooks may not call it"}
	case !allowLocal:
		return &restrictedError{fmt.Sprintf("%s is %s", who, p.what), ": set allow_local: true to permit it"}
	}
	return nil
}

// A restrictedError explains why an address may not be called, and how to permit it if that is
// possible.
type restrictedError struct{ why, remedy string }

func (b *restrictedError) Error() string { return b.why + b.remedy }

// Descriptions of restricted addresses. The setting allow_local permits this machine, private
// networks and link-local addresses only. It does not permit a carrier's network (100.64.0.0/10) or
// the services that issue a machine's credentials, although most of those have a link-local
// address.
const (
	metadata = "a cloud metadata service"
	machine  = "this machine"
	private  = "in a private network"
	link     = "a link-local address"
	examples = "reserved for examples"
	reserved = "reserved"
)

// ranges lists the addresses that are not public. The first range that contains an address counts.
// checkAddr has already extracted IPv4 addresses embedded in IPv6 ones.
var ranges = []struct {
	netip.Prefix
	restriction
}{
	newRange("169.254.169.254/32", metadata, false), // most clouds
	newRange("169.254.170.2/32", metadata, false),   // AWS, containers
	newRange("169.254.170.23/32", metadata, false),  // AWS, pods
	newRange("169.254.0.23/32", metadata, false),    // Tencent
	newRange("169.254.42.42/32", metadata, false),   // Scaleway
	newRange("100.100.100.200/32", metadata, false), // Alibaba
	newRange("192.0.0.192/32", metadata, false),     // Oracle
	newRange("168.63.129.16/32", metadata, false),   // Azure
	newRange("fd00:ec2::/32", metadata, false),      // AWS
	newRange("fd20:ce::254/128", metadata, false),   // Google
	newRange("fd00:42::42/128", metadata, false),    // Scaleway
	newRange("fe80::a9fe:a9fe/128", metadata, false),

	newRange("127.0.0.0/8", machine, true),
	newRange("10.0.0.0/8", private, true),
	newRange("172.16.0.0/12", private, true),
	newRange("192.168.0.0/16", private, true),
	newRange("169.254.0.0/16", link, true),
	newRange("0.0.0.0/8", "not a valid server address", false),
	newRange("100.64.0.0/10", "in a carrier's network", false),
	newRange("192.0.0.0/24", reserved, false),
	newRange("192.88.99.0/24", "an IPv6 relay", false),
	newRange("198.18.0.0/15", "reserved for benchmarks", false),
	newRange("192.0.2.0/24", examples, false),
	newRange("198.51.100.0/24", examples, false),
	newRange("203.0.113.0/24", examples, false),
	newRange("224.0.0.0/4", "multicast", false),
	newRange("255.255.255.255/32", "broadcast", false),
	newRange("240.0.0.0/4", reserved, false),

	newRange("::1/128", machine, true),
	newRange("fc00::/7", private, true),
	newRange("fe80::/10", link, true),
	newRange("::/128", "not a valid server address", false),
	newRange("::/96", "an IPv4 address written as IPv6", false),
	newRange("ff00::/8", "multicast", false),
	newRange("100::/64", "an address that discards packets", false),
	newRange("2001::/32", "a Teredo tunnel address", false),
	newRange("2001::/23", reserved, false), // includes addresses for benchmarks and identifiers
	newRange("2001:db8::/32", examples, false),
	newRange("3fff::/20", examples, false),
	newRange("2002::/16", "a 6to4 tunnel address", false),
}

var (
	nat64  = netip.MustParsePrefix("64:ff9b::/96")
	global = netip.MustParsePrefix("2000::/3") // all public IPv6 addresses
)

func newRange(prefix, what string, local bool) (row struct {
	netip.Prefix
	restriction
}) {
	row.Prefix, row.restriction = netip.MustParsePrefix(prefix), restriction{what, local}
	return row
}

// checkAddr returns an error if hooks may not call addr.
func checkAddr(addr netip.Addr, allowLocal bool) error {
	if !addr.IsValid() {
		return errors.New("the kind of address is unknown")
	}
	who := addr.String()
	addr = addr.WithZone("").Unmap() // ranges contain no zones and no mapped addresses
	if nat64.Contains(addr) {
		b := addr.As16()
		addr = netip.AddrFrom4([4]byte(b[12:]))
	}
	if s := addr.String(); s != who {
		who += " (" + s + ")"
	}
	for _, r := range ranges {
		if r.Contains(addr) {
			return r.checkAllowed(who, allowLocal)
		}
	}
	if addr.Is6() && !global.Contains(addr) {
		return restriction{what: reserved}.checkAllowed(who, allowLocal)
	}
	return nil
}

// localNames lists host names, and suffixes of them, that resolve to restricted addresses.
var localNames = []struct {
	name string
	restriction
}{
	{"metadata.google.internal", restriction{metadata, false}},
	{"metadata.goog", restriction{metadata, false}},
	{"metadata.tencentyun.com", restriction{metadata, false}},
	{"metadata", restriction{metadata, false}},
	{"instance-data.ec2.internal", restriction{metadata, false}},
	{"instance-data", restriction{metadata, false}},
	{"localhost", restriction{machine, true}},
	{"localdomain", restriction{machine, true}},
	{"ip6-localhost", restriction{machine, true}},
	{"ip6-loopback", restriction{machine, true}},
	{"local", restriction{private, true}},
	{"internal", restriction{private, true}},
	{"home.arpa", restriction{private, true}},
}
