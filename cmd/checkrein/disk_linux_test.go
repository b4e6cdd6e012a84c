package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// onMount runs a shell script in a mount namespace of its own, with a small file
// system on $HOME.
func onMount(t *testing.T, script string) string {
	t.Helper()
	if out, err := exec.Command("unshare", "-rm", "mount", "-t", "tmpfs", "none", t.TempDir()).CombinedOutput(); err != nil {
		t.Skipf("SKIPPED: no file system can be mounted here, so a full disk was not tried: %v %s", err, out)
	}
	home := filepath.Join(t.TempDir(), "home")
	if err := os.Mkdir(home, 0o700); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("unshare", "-rm", "sh", "-euc", "mount -t tmpfs -o size=256k,mode=700 none \"$HOME\"\n"+script)
	cmd.Env = []string{"HOME=" + home, "PATH=" + programs + ":" + os.Getenv("PATH")}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return string(out)
}

const guardOnMount = `mkdir -p "$HOME/.config/checkrein"
cat >"$HOME/.config/checkrein/checkrein.yaml" <<'END'
version: 1
packs: []
hooks:
  pre_tool_use:
    - {type: rule, name: guard, if: {command: {contains: rm}}, decision: deny, reason: 'no rm'}
END
say() { printf '{"session_id":"s","cwd":"/","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"%s"}}' "$1" | checkrein hook native; }
`

func TestFullDisk(t *testing.T) {
	t.Parallel()
	out := onMount(t, guardOnMount+`
say ls
cat /dev/zero >"$HOME/ballast" 2>/dev/null || true
for i in 1 2 3 4 5 6 7 8; do say "ls $i" >/dev/null; done # the last page has room for some
echo FULL; say 'rm x'; say ls
rm "$HOME/ballast"
echo FREE; say 'rm x'
checkreind audit verify || echo EXIT $?
checkreind audit verify --allow-missed
checkreind audit query --kind gap
checkreind doctor --no-run || true
`)
	_, full, _ := strings.Cut(out, "FULL")
	full, free, _ := strings.Cut(full, "FREE")
	lines := strings.Split(strings.TrimSpace(full), "\n")
	if len(lines) != 2 || !strings.Contains(lines[0], `"reason":"no rm"`) || strings.Contains(lines[1], `"decision"`) {
		t.Errorf("on a full disk: %q", lines)
	}
	if !strings.Contains(full, "decisions are not being recorded") || !strings.Contains(full, "no space left") {
		t.Errorf("nobody was told: %s", full)
	}
	if strings.Contains(free, "not being recorded") || !strings.Contains(free, "EXIT 1") || !strings.Contains(free, "✓ intact: ") {
		t.Errorf("after there was room again: %s", free)
	}
	// What could not be recorded is told: the two above, and those of the eight for which
	// the last page had no room.
	told := regexp.MustCompile(`gap: segment 1, record \d+: (\d+) calls were not recorded between .*: the disk was full \((\d+)\)`).FindStringSubmatch(free)
	if told == nil || told[1] != told[2] || strings.Count(free, told[1]+" calls") < 4 || !strings.Contains(free, "ledger-missed") {
		t.Errorf("what was not recorded: %v in %s", told, free)
	}
}

// A lock that another process holds keeps calls from being recorded, but not from being counted.
func TestHeldLock(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("flock"); err != nil {
		t.Skip("SKIPPED: no flock, so a held lock was not tried")
	}
	home := filepath.Join(t.TempDir(), "home")
	if err := os.Mkdir(home, 0o700); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("sh", "-euc", guardOnMount+`
say ls
ledger="$HOME/.local/state/checkrein/ledger"
mkfifo "$HOME/held" "$HOME/go"
flock "$ledger/head" sh -c 'echo >"$HOME/held"; read x <"$HOME/go"' &
read x <"$HOME/held"
waiting=
for i in 1 2 3; do say "ls $i" >"$HOME/out$i" & waiting="$waiting $!"; done
say 'rm x' # which is denied all the same
wait $waiting
checkreind status | grep 'ledger: '
echo >"$HOME/go"; wait
echo FREE; say ls >/dev/null; say ls >/dev/null
checkreind audit query --json --kind gap
checkreind audit query --count
checkreind audit verify || echo EXIT $?
`)
	cmd.Env = []string{"HOME=" + home, "PATH=" + programs + ":" + os.Getenv("PATH")}
	raw, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, raw)
	}
	held, free, _ := strings.Cut(string(raw), "FREE")
	if !strings.Contains(held, `"reason":"no rm"`) && !strings.Contains(held, "no rm [guard]") || !strings.Contains(held, "ledger: 4 calls were not recorded") {
		t.Errorf("while it is held: %s", held)
	}
	if !strings.Contains(free, `"missed":4,"total":4,`) || !strings.Contains(free, `"busy":4`) || strings.Count(free, `"kind":"gap"`) != 1 || !strings.Contains(free, "\n3\n") || !strings.Contains(free, "EXIT 1") ||
		!strings.Contains(free, "missing from this list: 4 calls were not recorded between ") {
		t.Errorf("once it is free: %s", free)
	}
}

func TestReadOnlyState(t *testing.T) {
	t.Parallel()
	out := onMount(t, guardOnMount+`
say ls
mount -o remount,ro "$HOME"
echo READONLY; say 'rm x'; say ls
`)
	_, ro, _ := strings.Cut(out, "READONLY")
	lines := strings.Split(strings.TrimSpace(ro), "\n")
	if len(lines) != 2 || !strings.Contains(lines[0], `"reason":"no rm"`) || strings.Contains(lines[1], `"decision"`) {
		t.Errorf("on a read-only file system: %q", lines)
	}
	if !strings.Contains(ro, "decisions are not being recorded") || !strings.Contains(ro, "read-only") {
		t.Errorf("nobody was told: %s", ro)
	}
}

// A full disk leaves the verdicts of the default guards as they are; on_full: block
// denies what cannot be recorded. A temporary directory that is full changes nothing.
func TestFullDiskVerdicts(t *testing.T) {
	t.Parallel()
	const script = `mkdir -p "$HOME/Documents" "$HOME/work" "$HOME/.config/checkrein"
echo x >"$HOME/Documents/mine.txt"
printf 'version: 1\n%s\n' "$SETTING" >"$HOME/.config/checkrein/checkrein.yaml"
cd "$HOME/work"
say() { printf '{"session_id":"s","cwd":"%s","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"%s"}}' "$PWD" "$1" | TMPDIR="$HOME" checkrein hook claude; echo; }
say ls
cat /dev/zero >"$HOME/ballast" 2>/dev/null || true
for i in 1 2 3 4 5 6 7 8; do say "ls $i" >/dev/null; done # the last page has room for some
echo FULL; say 'rm -rf ~/Documents'; say 'git status'
`
	for setting, passes := range map[string]bool{"": true, "on_full: block": false} {
		out := onMount(t, "SETTING='"+setting+"'\n"+script)
		_, full, _ := strings.Cut(out, "FULL\n")
		lines := strings.Split(strings.TrimSpace(full), "\n")
		if len(lines) < 2 || !strings.Contains(lines[0], `"permissionDecision":"deny"`) || strings.Contains(lines[len(lines)-1], `"permissionDecision":"deny"`) == passes || !strings.Contains(full, "no space left") {
			t.Errorf("%q: %s", setting, out)
		}
	}
}
