package webhook

import (
	"errors"
	"fmt"
	"net/netip"
)

// A place is somewhere that hooks do not call.
type place struct {
	what  string
	local bool // allow_local permits it
}

// refuse returns why something is not called, nil where it may be.
func (p place) refuse(who string, allowLocal bool) error {
	switch {
	case !p.local:
		return &barred{fmt.Sprintf("%s is %s", who, p.what), ": hooks may not call it"}
	case !allowLocal:
		return &barred{fmt.Sprintf("%s is %s", who, p.what), ": set allow_local: true to permit it"}
	}
	return nil
}

// barred describes why a place is not called, and what a hook can do about it.
type barred struct{ why, remedy string }

func (b *barred) Error() string { return b.why + b.remedy }

// What places are. allow_local permits this machine, private networks and the
// link, and nothing else: not a carrier's network (100.64.0.0/10), and not the
// services that hand out a machine's credentials, though most have an address
// on the link.
const (
	metadata = "a cloud metadata service"
	machine  = "this machine"
	private  = "in a private network"
	link     = "a link-local address"
	examples = "reserved for examples"
	reserved = "reserved"
)

// ranges are the addresses that are not public; the first that holds an
// address counts. IPv4 within IPv6 is taken out before, see [refuse].
var ranges = []struct {
	netip.Prefix
	place
}{
	in("169.254.169.254/32", metadata, false), // most clouds
	in("169.254.170.2/32", metadata, false),   // AWS, containers
	in("169.254.170.23/32", metadata, false),  // AWS, pods
	in("169.254.0.23/32", metadata, false),    // Tencent
	in("169.254.42.42/32", metadata, false),   // Scaleway
	in("100.100.100.200/32", metadata, false), // Alibaba
	in("192.0.0.192/32", metadata, false),     // Oracle
	in("168.63.129.16/32", metadata, false),   // Azure
	in("fd00:ec2::/32", metadata, false),      // AWS
	in("fd20:ce::254/128", metadata, false),   // Google
	in("fd00:42::42/128", metadata, false),    // Scaleway
	in("fe80::a9fe:a9fe/128", metadata, false),

	in("127.0.0.0/8", machine, true),
	in("10.0.0.0/8", private, true),
	in("172.16.0.0/12", private, true),
	in("192.168.0.0/16", private, true),
	in("169.254.0.0/16", link, true),
	in("0.0.0.0/8", "not a valid server address", false),
	in("100.64.0.0/10", "in a carrier's network", false),
	in("192.0.0.0/24", reserved, false),
	in("192.88.99.0/24", "an IPv6 relay", false),
	in("198.18.0.0/15", "reserved for benchmarks", false),
	in("192.0.2.0/24", examples, false),
	in("198.51.100.0/24", examples, false),
	in("203.0.113.0/24", examples, false),
	in("224.0.0.0/4", "multicast", false),
	in("255.255.255.255/32", "broadcast", false),
	in("240.0.0.0/4", reserved, false),

	in("::1/128", machine, true),
	in("fc00::/7", private, true),
	in("fe80::/10", link, true),
	in("::/128", "not a valid server address", false),
	in("::/96", "an IPv4 address written as IPv6", false),
	in("ff00::/8", "multicast", false),
	in("100::/64", "an address that discards packets", false),
	in("2001::/32", "a Teredo tunnel address", false),
	in("2001::/23", reserved, false), // benchmarks and identifiers among them
	in("2001:db8::/32", examples, false),
	in("3fff::/20", examples, false),
	in("2002::/16", "a 6to4 tunnel address", false),
}

var (
	nat64  = netip.MustParsePrefix("64:ff9b::/96")
	global = netip.MustParsePrefix("2000::/3") // all public IPv6 that there is
)

func in(prefix, what string, local bool) (row struct {
	netip.Prefix
	place
}) {
	row.Prefix, row.place = netip.MustParsePrefix(prefix), place{what, local}
	return row
}

// refuse returns why an address is not called, nil where it may be.
func refuse(addr netip.Addr, allowLocal bool) error {
	if !addr.IsValid() {
		return errors.New("the kind of address is unknown")
	}
	who := addr.String()
	addr = addr.WithZone("").Unmap() // a range holds no zones and no mapped addresses
	if nat64.Contains(addr) {
		b := addr.As16()
		addr = netip.AddrFrom4([4]byte(b[12:]))
	}
	if s := addr.String(); s != who {
		who += " (" + s + ")"
	}
	for _, r := range ranges {
		if r.Contains(addr) {
			return r.refuse(who, allowLocal)
		}
	}
	if addr.Is6() && !global.Contains(addr) {
		return place{what: reserved}.refuse(who, allowLocal)
	}
	return nil
}

// localNames are names, and the ends of names, that lead to such places.
var localNames = []struct {
	name string
	place
}{
	{"metadata.google.internal", place{metadata, false}},
	{"metadata.goog", place{metadata, false}},
	{"metadata.tencentyun.com", place{metadata, false}},
	{"metadata", place{metadata, false}},
	{"instance-data.ec2.internal", place{metadata, false}},
	{"instance-data", place{metadata, false}},
	{"localhost", place{machine, true}},
	{"localdomain", place{machine, true}},
	{"ip6-localhost", place{machine, true}},
	{"ip6-loopback", place{machine, true}},
	{"local", place{private, true}},
	{"internal", place{private, true}},
	{"home.arpa", place{private, true}},
}
