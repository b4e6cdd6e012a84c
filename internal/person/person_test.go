package person

import (
	"net/netip"
	"slices"
	"testing"
)

func TestTables(t *testing.T) {
	t.Parallel()
	if !slices.IsSorted(terminals[:]) {
		t.Error("terminals are not sorted")
	}
}

func TestConnection(t *testing.T) {
	t.Parallel()
	tests := []struct {
		in        string
		peer, own string // "" = it does not say
		local     bool
	}{
		{"192.0.2.7 50000 198.51.100.1 22", "192.0.2.7:50000", "198.51.100.1:22", false},
		{"127.0.0.1 50000 127.0.0.1 2222", "127.0.0.1:50000", "127.0.0.1:2222", true},
		{"::1 50000 ::1 22", "[::1]:50000", "[::1]:22", true},
		{"::ffff:127.0.0.1 5 ::ffff:127.0.0.1 22", "127.0.0.1:5", "127.0.0.1:22", true},
		{"fe80::1%eth0 5 fe80::2%eth0 22", "[fe80::1]:5", "[fe80::2]:22", false},
		{"UNKNOWN 65535 UNKNOWN 65535", "", "", false},
		{"", "", "", false},
		{"192.0.2.7 99999 198.51.100.1 22", "", "", false},
	}
	for _, tt := range tests {
		peer, own, ok := connection(tt.in)
		if ok != (tt.peer != "") {
			t.Errorf("%q: %v", tt.in, ok)
			continue
		}
		if ok && (peer.String() != tt.peer || own.String() != tt.own || isOwn(peer.Addr()) != tt.local) {
			t.Errorf("%q: %v %v, own %v", tt.in, peer, own, isOwn(peer.Addr()))
		}
	}
}

func TestKernelAddr(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"0100007F:0016":                         "127.0.0.1:22",
		"00000000000000000000000001000000:1F90": "[::1]:8080",
		"0000000000000000FFFF00000100007F:0016": "127.0.0.1:22",
	} {
		if got, ok := kernelAddr(in); !ok || got != netip.MustParseAddrPort(want) {
			t.Errorf("%s: %v, want %s", in, got, want)
		}
	}
	for _, in := range []string{"", "xx:1", "0100007F", "01:0016"} {
		if got, ok := kernelAddr(in); ok {
			t.Errorf("%q: %v", in, got)
		}
	}
}
