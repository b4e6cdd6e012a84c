package person

import (
	"net/netip"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/approval/liveagents"
	"github.com/checkrein/checkrein/internal/sys/process"
)

func TestTables(t *testing.T) {
	t.Parallel()
	if !slices.IsSorted(terminals[:]) {
		t.Error("terminals are not sorted")
	}
}

func TestParseSSHConnection(t *testing.T) {
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
		peer, own, ok := parseSSHConnection(tt.in)
		if ok != (tt.peer != "") {
			t.Errorf("%q: %v", tt.in, ok)
			continue
		}
		if ok && (peer.String() != tt.peer || own.String() != tt.own || isOwnAddr(peer.Addr()) != tt.local) {
			t.Errorf("%q: %v %v, own %v", tt.in, peer, own, isOwnAddr(peer.Addr()))
		}
	}
}

func TestParseKernelAddr(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"0100007F:0016":                         "127.0.0.1:22",
		"00000000000000000000000001000000:1F90": "[::1]:8080",
		"0000000000000000FFFF00000100007F:0016": "127.0.0.1:22",
	} {
		if got, ok := parseKernelAddr(in); !ok || got != netip.MustParseAddrPort(want) {
			t.Errorf("%s: %v, want %s", in, got, want)
		}
	}
	for _, in := range []string{"", "xx:1", "0100007F", "01:0016"} {
		if got, ok := parseKernelAddr(in); ok {
			t.Errorf("%q: %v", in, got)
		}
	}
}

// A login from this machine, or one whose origin is missing or not confirmed, may be an agent's.
func TestLogin(t *testing.T) {
	t.Parallel()
	sleep, err := exec.LookPath("sleep")
	if err != nil {
		t.Skip("SKIPPED: there is no sleep")
	}
	for value, want := range map[string]string{
		"127.0.0.1 50000 127.0.0.1 22":    "a login from this machine",
		"::1 50000 ::1 22":                "a login from this machine",
		"":                                "a login of unknown origin",
		"UNKNOWN 65535 UNKNOWN 65535":     "a login of unknown origin",
		"192.0.2.7 50000 198.51.100.1 22": "which is not connected",
	} {
		shell := exec.Command(sleep, "600")
		shell.Env = []string{"SSH_CONNECTION=" + value}
		if err := shell.Start(); err != nil {
			t.Fatal(err)
		}
		for runtime.GOOS == "linux" && process.EnvironOf(shell.Process.Pid) == nil { // for a moment after it started
			runtime.Gosched()
		}
		l := ancestry{up: []process.Ancestor{{ID: process.ID{PID: shell.Process.Pid}}, {ID: process.ID{PID: 1 << 30}, Args: []string{"sshd: ann [priv]"}}}}
		c := Situation{Hosts: []liveagents.Host{{Name: "claude"}}}
		if err := c.checkLogin(&l, 1); (err == nil || !strings.Contains(err.Error(), want)) && runtime.GOOS == "linux" {
			t.Errorf("%s: %v, want %s", value, err, want)
		}
		_ = shell.Process.Kill()
		_ = shell.Wait()
	}
}
