package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// unshareFlags returns the flags with which this user can create namespaces: root needs no user
// namespace.
func unshareFlags(t *testing.T) string {
	t.Helper()
	needs(t, "unshare", "mount")
	how := "unshare"
	if os.Getuid() != 0 {
		how = "unshare -r"
	}
	if out, err := exec.Command("sh", "-c", how+" -mpf true").CombinedOutput(); err != nil {
		t.Skipf("SKIPPED: the kernel gives nobody here namespaces: %s", out)
	}
	return how
}

// A prefix that gives a command other processes, files, users or another clock does
// not make it a person's, whatever it covers or holds under another name.
func TestNamespacesCannotApprove(t *testing.T) {
	t.Parallel()
	how := unshareFlags(t)
	const (
		approve = "checkrein hooks approve --all"
		notes   = "$HOME/.local/state/checkrein/hosts"
	)
	for name, line := range map[string]string{
		"processes":                        "UNSHARE -pf --mount-proc " + approve,
		"users and processes":              "unshare -Urpf --mount-proc " + approve,
		"numbers":                          "UNSHARE -pf " + approve,
		"users":                            "unshare -U " + approve,
		"users, as root":                   "unshare -Ur " + approve,
		"files":                            "UNSHARE -m " + approve,
		"a clock that is behind":           "UNSHARE -T --boottime -5 " + approve,
		"a clock that is ahead":            "UNSHARE -T --boottime 1000 " + approve,
		"a host with another clock":        "UNSHARE -T --boottime -5 awkhost 'BEGIN { system(\"checkrein hook claude <ls.json; true\") }'; " + approve,
		"notes that are covered":           "UNSHARE -m sh -c 'mount -t tmpfs none " + notes + " && " + approve + "'",
		"processes, notes that are hidden": "UNSHARE -mpf --mount-proc sh -c 'mount -t tmpfs none " + notes + " && " + approve + "'",
		"processes, an empty note":         "UNSHARE -mpf --mount-proc sh -c 'for f in " + notes + "/*; do mount --bind /dev/null $f; done; " + approve + "'",
		"processes, another way in":        "mkdir -p x/.local/state x/t; UNSHARE -mpf --mount-proc sh -c 'mount --bind $HOME/.local/state x/t && mount -t tmpfs none $HOME/.local && ln -s $PWD/x/t/checkrein x/.local/state/checkrein && HOME=$PWD/x " + approve + "'",
		"a host that is covered":           "UNSHARE -m sh -c 'mount --bind ls.json /proc/$PPID/stat; for p in $(ls /proc | grep \"^[0-9]\"); do case $(cat /proc/$p/comm) in awk|*awk) mount --bind ls.json /proc/$p/stat;; esac; done; " + approve + "'",
		"no processes at all":              "UNSHARE -m sh -c 'mount -t tmpfs none /proc; " + approve + "'",
		"a file of one's own":              "mkdir c; printf 'version: 1\\nself_approve: true\\n' >c/checkrein.yaml; UNSHARE -m sh -c 'mount --bind c $HOME/.config/checkrein && " + approve + "'",
		"what it left behind":              "UNSHARE -mpf --mount-proc sh -c 'mount -t tmpfs none " + notes + "; setsid sh -c \"" + approve + "\"'",
		"entered":                          "UNSHARE -mpf --mount-proc sleep 600 >/dev/null 2>&1 & until p=$(pgrep -P $! sleep); do :; done; nsenter -t $p -m -p sh -c 'mount -t tmpfs none " + notes + "; " + approve + "'; code=$?; kill -9 $p; (exit $code)",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if strings.Contains(line, "nsenter") {
				needs(t, "nsenter", "pgrep")
				if os.Getuid() != 0 {
					t.Skip("SKIPPED: only root enters another's namespace")
				}
			}
			if strings.Contains(line, "-T") {
				if out, err := exec.Command("sh", "-c", how+" -T --boottime 5 true").CombinedOutput(); err != nil {
					t.Skipf("SKIPPED: there are no clocks of one's own here: %s", out)
				}
			}
			d := newDesk(t, "version: 1\npacks: []\n", guarded)
			d.write(filepath.Join(d.project, "ls.json"), event("ls"))
			said := d.asHost("checkrein hook claude <ls.json >/dev/null\n" + strings.ReplaceAll(line, "UNSHARE", how) + "; echo \"approve $?\"\n")
			if !strings.Contains(said, "approve ") || strings.Contains(said, "approve 0\n") {
				t.Errorf("an agent approves: %s", said)
			}
			if name != "no processes at all" && !strings.Contains(said, "your own terminal") {
				t.Errorf("no remedy: %s", said)
			}
			if _, err := os.Stat(filepath.Join(d.home, ".local", "state", "checkrein", "trust.json")); err == nil {
				t.Errorf("it is approved: %s", said)
			}
		})
	}
}

// Nor does a hook that is called with other processes, files or another clock take
// what an agent put into the person's file for the person's.
func TestNamespacesCannotLoosen(t *testing.T) {
	t.Parallel()
	how := unshareFlags(t)
	for name, prefix := range map[string]string{
		"processes":                        "UNSHARE -pf --mount-proc",
		"a clock":                          "UNSHARE -T --boottime -5",
		"processes, notes that are hidden": "UNSHARE -mpf --mount-proc sh -c 'mount -t tmpfs none $HOME/.local/state/checkrein/hosts; exec \"$@\"' x",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t, "version: 1\n", "version: 1\n")
			d.write(filepath.Join(d.project, "volume.json"), event("docker volume rm data"))
			said := d.asHost("checkrein hook claude <volume.json\nprintf 'version: 1\\npacks: []\\n' >$HOME/.config/checkrein/checkrein.yaml\n" +
				strings.ReplaceAll(prefix, "UNSHARE", how) + " checkrein hook claude <volume.json\ncheckrein hook claude <volume.json\n")
			if strings.Count(said, `"deny"`) != 3 {
				t.Errorf("it counts: %s", said)
			}
		})
	}
}

// Without a host, other namespaces are as good as any place: containers, and
// terminals that are packed with files of their own.
func TestPersonInANamespace(t *testing.T) {
	t.Parallel()
	how := unshareFlags(t)
	for name, prefix := range map[string]string{
		"processes":     how + " -mpf --mount-proc",
		"files":         how + " -m",
		"users":         "unshare -Urpf --mount-proc", // so that the agents of other tests are not seen
		"a volume":      how + " -mpf --mount-proc sh -c 'mount -t tmpfs -o mode=700 none $HOME/.local/state; exec \"$@\"' x",
		"a home of its": how + " -mpf --mount-proc sh -c 'mkdir x; cp -r $HOME/.config x; mount --bind x $HOME; exec \"$@\"' x",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t, "version: 1\npacks: []\n", guarded)
			d.write(filepath.Join(d.home, ".local", "state", "x"), "")
			if out, err := d.command("sh", "-c", prefix+" checkrein hooks approve --all").CombinedOutput(); err != nil || !strings.Contains(string(out), "approved  pre_tool_use  guard") {
				t.Errorf("%v %s", err, out)
			}
		})
	}
}
