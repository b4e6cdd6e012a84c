package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// systemScript runs a shell script as root where /usr/local and /etc/passwd are its own,
// and "as CMD…" is the person's own terminal.
func systemScript(t *testing.T, script string) string {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("SKIPPED: only root can put programs in a place of the system")
	}
	if out, err := exec.Command("unshare", "-m", "mount", "-t", "tmpfs", "none", t.TempDir()).CombinedOutput(); err != nil {
		t.Skipf("SKIPPED: no file system can be mounted here, so /usr/local would be the machine's: %v %s", err, out)
	}
	top, err := os.MkdirTemp("", "system")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(top) })
	const uid = "71500"
	home := filepath.Join(top, "home")
	setup := fmt.Sprintf(`chmod 755 %[1]s
mount -t tmpfs -o mode=755 none /usr/local/lib; mount -t tmpfs -o mode=755 none /usr/local/bin
printf 'root:x:0:0::/root:/bin/sh\npat:x:%[2]s:%[2]s::%[3]s:/bin/sh\n' >%[1]s/passwd; mount --bind %[1]s/passwd /etc/passwd
mkdir -p %[3]s/.local/bin %[3]s/.claude %[3]s/.gemini %[3]s/.qwen %[3]s/work
cp %[4]s/checkrein %[4]s/checkreind %[3]s/.local/bin/
chown -R %[2]s:%[2]s %[3]s
home=%[3]s; old=$home/.local/bin/checkrein; new=/usr/local/lib/checkrein/checkrein
as() { (cd $home/work; exec setpriv --reuid %[2]s --regid %[2]s --clear-groups env -i HOME=$home PATH=$home/.local/bin:/usr/local/bin:/usr/bin:/bin "$@"); }
sudo() { env -i HOME=/root PATH=/usr/bin:/bin SUDO_UID=%[2]s SUDO_GID=%[2]s SUDO_USER=pat "$@"; }
event() { printf '{"session_id":"s","cwd":"%%s","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"%%s"}}' $home/work "$1"; }
`, top, uid, home, programs)
	cmd := exec.Command("unshare", "-m", "sh", "-euc", setup+script)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + top}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return string(out)
}

func TestInstallSystem(t *testing.T) {
	t.Parallel()
	out := systemScript(t, `
for h in claude gemini qwen; do as checkrein install $h --program $old >/dev/null; done
as git init -q .; as checkrein git install --program $old >/dev/null 2>&1
echo "== without root"; as checkrein install --system && echo PASSED || echo "code $?"
as checkrein install --system --dry-run | grep -v '^[-+ @]'; [ ! -e $new ] && grep -q "$old hook" $home/.claude/settings.json && echo unchanged
as checkrein doctor --no-run --json >/usr/local/lib/doctor.json || true; grep -c programs-writable /usr/local/lib/doctor.json
as checkrein install --system claude && echo PASSED || echo "usage $?"

echo "== root"; sudo $old install --system --dry-run | grep -v '^[-+ @]'; [ ! -e $new ] && echo unchanged
sudo SUDO_USER=other $old install --system && echo PASSED || echo "other $?"
sudo $old install --system
stat -c '%n %u %a' $new ${new}d /usr/local/lib/checkrein; readlink /usr/local/bin/checkrein
for h in claude gemini qwen; do grep -q "$old hook" $home/.$h/settings.json && echo "old line in $h"; grep -q "$new hook" $home/.$h/settings.json && echo "new line in $h"; done
echo "foreign: $(find $home ! -user 71500 | head -3)"
cat $home/.local/state/checkrein/git-program
[ -x $old ] && echo old stays
echo "== again"; sudo $new install --system
sudo $new install --system --dry-run | head -1; echo "== dry"
as $new doctor --no-run --json >/usr/local/lib/doctor.json || true; grep -q programs-writable /usr/local/lib/doctor.json || echo not writable
as $new status claude >/usr/local/lib/status || true; grep -i 'missing\|differ' /usr/local/lib/status || echo fine

echo "== back"; sudo $new uninstall --system && echo PASSED || echo "code $?"; [ -x $new ] && echo kept
as $new uninstall --all >/dev/null; as $new uninstall --system && echo PASSED || echo "code $?"
sudo $new uninstall --system --dry-run; sudo $new uninstall --system; [ ! -e /usr/local/lib/checkrein ] && [ ! -L /usr/local/bin/checkrein ] && echo gone
[ ! -e $home/.claude/settings.json ] && echo as before

echo "== open place"; mkdir /usr/local/lib/checkrein; chmod 777 /usr/local/lib/checkrein; sudo $old install --system && echo PASSED || echo "code $?"; [ ! -e $new ] && echo refused
chmod 755 /usr/local/lib/checkrein; sudo $old install --system >/dev/null
echo "== agent"
event 'rm -rf ~/.claude' | as $new hook claude | grep -o '"deny"'
event 'cp /bin/true '$new | as $new hook claude | grep -o '"deny"'
sudo $old install --system && echo PASSED || echo "agent $?"; sudo $new uninstall --system && echo PASSED || echo "agent $?"; [ -x $new ] && echo stays
`)
	for _, want := range []string{
		"Run: sudo ", "code 4", "would be copied to /usr/local/lib/checkrein\n", "/usr/local/bin/checkrein would be a symlink to /usr/local/lib/checkrein/checkrein\n", "already in /usr/local/lib/checkrein\n== dry\n", "/usr/local/lib/checkrein/checkreind, /usr/local/bin/checkrein would be removed\n", "unchanged\n1\n", "usage 2", "other 4", "/usr/local/lib/checkrein/checkrein 0 755", "/usr/local/lib/checkrein/checkreind 0 755", "/usr/local/lib/checkrein 0 755",
		"\n/usr/local/lib/checkrein/checkrein\n", "new line in claude\nnew line in gemini\nnew line in qwen\nforeign: \n/usr/local/lib/checkrein/checkrein\nold stays\n", "already in /usr/local/lib/checkrein", "not writable\nfine\n", "== agent\n\"deny\"\n\"deny\"\n", "agent 4\n", "an agent is running this command", "\nstays\n", "still call /usr/local/lib/checkrein/checkrein", "\nkept\n", "\ngone\nas before\n", "refused\n",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is missing", want)
		}
	}
	if strings.Contains(out, "PASSED") || t.Failed() {
		t.Errorf("output:\n%s", out)
	}
}
