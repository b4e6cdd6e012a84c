package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/checkrein/checkrein/internal/evidence/ledger"
	"github.com/checkrein/checkrein/internal/lab/full"
	"github.com/checkrein/checkrein/internal/sys/environ"
	"github.com/rogpeppe/go-internal/txtar"
)

// TestUpgrade has the programs of today work in the homes of earlier builds.
func TestUpgrade(t *testing.T) {
	t.Parallel()
	samples, err := filepath.Glob(upgradeData + "/*/home.tar.gz")
	if err != nil || len(samples) == 0 {
		t.Fatal("no samples", err)
	}
	for i, file := range samples {
		dir := filepath.Dir(file)
		t.Run(filepath.Base(dir), func(t *testing.T) {
			if i < len(samples)-1 {
				full.Skip(t)
			}
			h := newUpgradeHome(t, programs)
			for _, part := range []struct {
				name string
				test func(*upgradeHome, string)
			}{
				{"found", testUpgradeFound}, {"approvals", testUpgradeApprovals}, {"grants", testUpgradeGrants},
				{"snapshots", testUpgradeSnapshots}, {"lines", testUpgradeLines}, {"git", testUpgradeGit},
				{"uninstall", testUpgradeUninstall}, {"renew", testUpgradeRenew}, {"off", testUpgradeOff},
				{"pause", testUpgradePause}, {"shadow", testUpgradeShadow}, {"agent", testUpgradeAgent},
				{"saves", testUpgradeSaves}, {"walls", testUpgradeWalls},
			} {
				t.Run(part.name, func(t *testing.T) {
					h := *h
					h.t = t
					home := filepath.Join(dir, part.name+".tar.gz")
					if !fileExists(home) {
						home = file
					}
					h.unpack(home)
					part.test(&h, dir)
					if code, out := h.run("audit", "verify"); code != 0 {
						t.Errorf("audit verify: exit code %d\n%s", code, out)
					}
				})
			}
		})
	}
}

// upgradeMeant are findings of doctor that an upgrade may bring: what to do is up to the
// person.
var upgradeMeant = []string{
	"warn host-drift", // lines of today are others, and install renews them
}

// testUpgradeFound compares what is found in the home: configuration, approvals, which
// hooks run, what doctor and status report.
func testUpgradeFound(h *upgradeHome, dir string) {
	var want upgradeFound
	text, err := os.ReadFile(filepath.Join(dir, "expect.json"))
	if err == nil {
		err = json.Unmarshal(text, &want)
	}
	if err != nil {
		h.t.Fatal(err)
	}
	if code, out := h.run("validate"); code != 0 {
		h.t.Errorf("validate: exit code %d\n%s", code, out)
	}
	if code, out := h.run("audit", "verify"); code != 0 {
		h.t.Errorf("audit verify, before anything: exit code %d\n%s", code, out)
	}
	if !h.isSealed() { // before the person is there, a hook that was disabled runs; then it does not
		got := h.findings()
		if !maps.Equal(got.Hooks, want.Hooks) || !slices.Contains(got.Doctor, "warn state-unsealed") || !slices.Contains(got.Ran, "disabled") {
			h.t.Errorf("before the files are sealed: %+v", got)
		}
		if code, out := h.person("status"); !strings.Contains(out, "approvals; 1 hook disabled") {
			h.t.Errorf("sealing: exit code %d\n%s", code, out)
		}
	}
	got := h.findings()
	if !maps.Equal(got.Hooks, want.Hooks) {
		h.t.Errorf("hooks: %v, want %v", got.Hooks, want.Hooks)
	}
	if !slices.Equal(got.Ran, want.Ran) {
		h.t.Errorf("hooks that ran: %q, want %q", got.Ran, want.Ran)
	}
	for _, finding := range got.Doctor {
		if !slices.Contains(want.Doctor, finding) && !slices.Contains(upgradeMeant, finding) {
			_, out := h.run("doctor", "--no-run")
			h.t.Errorf("doctor finds %q, which the build did not\n%s", finding, out)
		}
	}
	if list := foreignFiles(h.state("")); list != nil {
		h.t.Errorf("files of the state directory that are in no table of internal/cli/rebuild: %q", list)
	}
	if got.Status > want.Status {
		h.t.Errorf("status: exit code %d, want %d", got.Status, want.Status)
	}
}

// testUpgradeApprovals changes a script that is approved: its hook does not run, and the
// gate closes, until the person approves it again.
func testUpgradeApprovals(h *upgradeHome, _ string) {
	if decision, ran := h.decide("make changed"); decision != "none" || !slices.Contains(ran, "changed") {
		h.t.Errorf("as approved: %s, %q", decision, ran)
	}
	script := filepath.Join(h.project, "scripts", "changed.sh")
	h.write(script, "cat >/dev/null\necho other >>"+upgradeTop+"/ran\n")
	decision, ran := h.decide("make changed")
	if decision != "deny" || slices.Contains(ran, "changed") || slices.Contains(ran, "other") {
		h.t.Errorf("changed: %s, %q", decision, ran)
	}
	if code, out := h.person("hooks", "approve", "changed"); code != 0 {
		h.t.Errorf("approve: exit code %d\n%s", code, out)
	}
	if decision, ran := h.decide("make changed"); decision != "none" || !slices.Contains(ran, "other") {
		h.t.Errorf("approved again: %s, %q", decision, ran)
	}
	if code, out := h.person("hooks", "revoke", "approved"); code != 0 {
		h.t.Errorf("revoke: exit code %d\n%s", code, out)
	}
	if _, ran := h.decide("ls"); slices.Contains(ran, "approved") || !slices.Contains(ran, "starchild") {
		h.t.Errorf("revoked: %q", ran)
	}
}

// testUpgradeGrants has the calls made again that the person allowed: grants that last
// count, others do not.
func testUpgradeGrants(h *upgradeHome, _ string) {
	for volume, grant := range upgradeGrants {
		want := map[bool]string{true: "none", false: "deny"}[strings.HasSuffix(grant, " passes")]
		h.checkDecisions(grant, map[string]string{"docker volume rm " + volume: want})
	}
	if code, out := h.person("allow", "--revoke", "all"); code != 0 {
		h.t.Errorf("allow --revoke: exit code %d\n%s", code, out)
	}
	h.checkDecisions("revoked", map[string]string{upgradeGranted: "deny"})
}

// checkDecisions compares the decisions about commands with the expected ones.
func (h *upgradeHome) checkDecisions(when string, want map[string]string) {
	h.t.Helper()
	for command, want := range want {
		if got, _ := h.decide(command); got != want {
			h.t.Errorf("%s: %s: %s, want %s", when, command, got, want)
		}
	}
}

const (
	upgradeDenied  = "docker volume rm data"
	upgradeGranted = "docker volume rm always"
	upgradeSelf    = "rm -rf ~/.local/state/checkrein"
)

// testUpgradeOff has hooks that an earlier build switched off. In a file without a seal,
// they are on until the person adopts the file. Self-protection is on in any case.
func testUpgradeOff(h *upgradeHome, _ string) {
	if !h.isSealed() {
		h.checkUnsealedOff()
	}
	h.checkDecisions("off", map[string]string{upgradeDenied: "none", upgradeSelf: "deny"})
	if code, out := h.person("hooks", "on"); code != 0 {
		h.t.Errorf("hooks on: exit code %d\n%s", code, out)
	}
	h.checkDecisions("switched on", map[string]string{upgradeDenied: "deny", upgradeGranted: "none"})
}

// checkUnsealedOff checks that a switch in a file without a seal does not count, and adopts it.
func (h *upgradeHome) checkUnsealedOff() {
	h.t.Helper()
	h.checkDecisions("before adoption", map[string]string{upgradeDenied: "deny", upgradeSelf: "deny", upgradeGranted: "none"})
	if _, ran := h.decide("ls"); !slices.Contains(ran, "approved") || slices.Contains(ran, "revoked") {
		h.t.Errorf("before adoption: %q ran", ran)
	}
	if list := h.doctor(); !slices.Contains(list, "warn state-unsealed") {
		h.t.Errorf("doctor does not report the file: %q", list)
	}
	h.person("status")
}

// isSealed reports whether the build sealed its files.
func (h *upgradeHome) isSealed() bool {
	h.t.Helper()
	text, err := os.ReadFile(h.state("trust.json"))
	if err != nil {
		h.t.Fatal(err)
	}
	return strings.Contains(string(text), `,"generation":`)
}

// testUpgradePause has a pause that an earlier build began. Without a seal it does not
// count; a pause of today does.
func testUpgradePause(h *upgradeHome, _ string) {
	if !h.isSealed() {
		h.renewPause()
	} else if code, out := h.person("pause", "off"); code != 0 {
		h.t.Errorf("pause off: exit code %d\n%s", code, out)
	}
	h.checkDecisions("before a pause of today", map[string]string{upgradeDenied: "deny", upgradeSelf: "deny"})
	h.person("status")
	if code, out := h.person("pause", "10m"); code != 0 {
		h.t.Errorf("pause: exit code %d\n%s", code, out)
	}
	h.checkDecisions("paused", map[string]string{upgradeDenied: "none", upgradeSelf: "deny"})
}

// renewPause begins the pause of the sample anew, as its build would have: it is over
// after eight hours.
func (h *upgradeHome) renewPause() {
	h.t.Helper()
	secret, err := ledger.ReadSecret(h.state("ledger"), ledger.LabelHandles)
	if err != nil {
		h.t.Fatal(err)
	}
	now := time.Now()
	body, err := json.Marshal(map[string]any{"made": map[string]any{"wall": now}, "until": now.Add(time.Hour)})
	if err != nil {
		h.t.Fatal(err)
	}
	mac := hmac.New(sha256.New, secret[:])
	mac.Write([]byte("pause.json\x00"))
	mac.Write(body)
	h.write(h.state("pause.json"), fmt.Sprintf(`{"seal":"%x","body":%s}`, mac.Sum(nil), body))
}

// testUpgradeShadow has a week of shadow by the person's own file: calls pass
// until it is over, those that self-protection denies excepted.
func testUpgradeShadow(h *upgradeHome, _ string) {
	own := filepath.Join(h.home, ".config", "checkrein", "checkrein.yaml")
	text, err := os.ReadFile(own)
	day := regexp.MustCompile(`(?m)^shadow: .*$`)
	if err != nil || !day.Match(text) {
		h.t.Fatalf("%v: no shadow in %s", err, text)
	}
	h.write(own, day.ReplaceAllString(string(text), "shadow: "+time.Now().AddDate(0, 0, 5).Format(time.DateOnly)))
	h.checkDecisions("in shadow", map[string]string{upgradeDenied: "none", upgradeSelf: "deny"})
	h.write(own, day.ReplaceAllString(string(text), "shadow: 2026-11-16"))
	h.checkDecisions("afterwards", map[string]string{upgradeDenied: "deny"})
}

// testUpgradeAgent has an agent that was running when the programs were replaced: the
// earlier build noted it, without a seal. Its events are answered, and what it starts may
// not switch anything.
func testUpgradeAgent(h *upgradeHome, _ string) {
	script := func(text string) upgradeCall {
		return upgradeCall{Host: "codex", Dir: h.project, Run: []string{"sh", "-c", text}}
	}
	for _, c := range h.answer([]upgradeCall{script("checkrein hooks off"), script("checkrein hooks on")}) {
		if c.Exit != 0 {
			h.t.Errorf("below no agent: %s: exit code %d", c.Run[2], c.Exit)
		}
	}
	space := `$(readlink /proc/self/ns/`
	note := `{"host":"codex","config":"` + h.home + `/.config/checkrein","space":"` + space + `pid)",` +
		`"mnt":"` + space + `mnt)","user":"` + space + `user)","time":"` + space + `time)","way":"old|pipe|in"}`
	calls := h.answer([]upgradeCall{
		script(`cat >` + h.state("hosts") + `/$PPID-$(cut -d' ' -f22 /proc/$PPID/stat) <<X` + "\n" + note + "\nX\n"),
		script("checkrein hooks off"), script("checkrein pause 1h"), script("checkrein allow --revoke all"),
		h.shell(upgradeDenied), h.shell(upgradeGranted), script("checkrein hooks off"),
	})
	for i, want := range []int{0, 4, 4, 4, 0, 0, 4} {
		if calls[i].Exit != want {
			h.t.Errorf("%s: exit code %d, want %d", calls[i].Run[2], calls[i].Exit, want)
		}
	}
	if a, b := heardIn([]byte(calls[4].Reply)), heardIn([]byte(calls[5].Reply)); a != "deny" || b != "none" {
		h.t.Errorf("its events: %s and %s", a, b)
	}
}

// testUpgradeSnapshots undoes what an agent changed.
func testUpgradeSnapshots(h *upgradeHome, _ string) {
	var steps []struct{ Files []struct{ Path string } }
	h.decode(&steps, "snapshots", "list", "--json")
	if len(steps) != 1 || len(steps[0].Files) != 1 || steps[0].Files[0].Path != "README.md" {
		h.t.Errorf("steps: %+v", steps)
	}
	if code, out := h.run("snapshots", "undo"); code != 0 {
		h.t.Errorf("undo: exit code %d\n%s", code, out)
	}
	if text, err := os.ReadFile(filepath.Join(h.project, "README.md")); err != nil || string(text) != "A shop.\n" {
		h.t.Errorf("README.md: %q, %v", text, err)
	}
}

// testUpgradeGit commits with the hooks of git that are installed.
func testUpgradeGit(h *upgradeHome, _ string) {
	if program := filepath.Join(environ.AccountHome(), ".local/state/checkrein/git-program"); fileExists(program) {
		h.t.Skipf("SKIPPED: git's hooks would run the program that %s names", program)
	}
	h.write(filepath.Join(h.project, "clean.txt"), "nothing\n")
	h.git("add", "clean.txt")
	h.git("commit", "-q", "-m", "clean")
	h.write(filepath.Join(h.project, "planted.txt"), "token = "+upgradeToken+"\n")
	h.git("add", "planted.txt")
	out, err := h.command("git", "commit", "-m", "planted").CombinedOutput()
	if err == nil || !strings.Contains(string(out), "planted.txt") {
		h.t.Errorf("a secret is committed: %v\n%s", err, out)
	}
	if !strings.Contains(string(out), "written by claude, session s-2") {
		h.t.Errorf("the call that wrote it is not named: %s", out)
	}
	h.git("rm", "-q", "--cached", "planted.txt")
	hooks := h.gitHooks()
	h.write(filepath.Join(h.project, "address.txt"), "server = 10.20.30.40\n")
	h.git("add", "address.txt")
	for _, when := range []string{"as installed", "installed again"} { // the policy stays what it was
		if _, err := h.command("git", "commit", "-m", "address").Output(); (err != nil) != (hooks == "hooks") { // that of a public repository
			h.t.Errorf("%s: a private address: %v", when, err)
		}
		if code, out := h.run("git", "install", "--program", upgradeTop+"/bin/checkrein"); code != 0 {
			h.t.Errorf("git install: exit code %d\n%s", code, out)
		}
		h.write(filepath.Join(h.project, "address.txt"), "server = 10.20.30.41\n")
		h.git("add", "address.txt")
	}
	if dir := h.gitHooks(); dir != hooks {
		h.t.Errorf("core.hooksPath: %s, want %s", dir, hooks)
	}
	if code, out := h.run("git", "uninstall"); code != 0 {
		h.t.Errorf("git uninstall: exit code %d\n%s", code, out)
	}
	if out, err := h.command("git", "config", "core.hooksPath").Output(); err == nil {
		h.t.Errorf("core.hooksPath is still %s", out)
	}
	if fileExists(filepath.Join(h.project, hooks, "pre-commit")) {
		_, out := h.run("git", "status")
		h.t.Error("the script is still there", out)
	}
}

// gitHooks returns the directory of git's hooks in the project.
func (h *upgradeHome) gitHooks() string {
	h.t.Helper()
	dir, err := h.command("git", "config", "core.hooksPath").Output()
	if err != nil {
		h.t.Fatal(err)
	}
	return strings.TrimSpace(string(dir))
}

func fileExists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// testUpgradeUninstall removes what is installed, byte for byte; then it installs again:
// lines of today have no options that the program of the sample lacked.
func testUpgradeUninstall(h *upgradeHome, dir string) {
	known := h.options()
	h.eachScope("uninstall", "--all")
	h.checkAsBefore(filepath.Join(dir, "before.txtar"))
	if left := h.options(); len(left) > 0 {
		h.t.Errorf("lines are left: %v", left)
	}
	h.eachScope("install", "--all", "--program", upgradeTop+"/bin/checkrein", "--force")
	for option, file := range h.options() {
		if known[option] == "" {
			h.t.Errorf("%s: older programs do not know %s", file, option)
		}
	}
}

// checkAsBefore compares the files of hosts with those that were there before anything was
// installed.
func (h *upgradeHome) checkAsBefore(archive string) {
	h.t.Helper()
	before, err := txtar.ParseFile(archive)
	if err != nil {
		h.t.Fatal(err)
	}
	files := map[string]string{}
	for _, f := range before.Files {
		files[filepath.Join(upgradeTop, f.Name)] = strings.ReplaceAll(string(f.Data), "$TOP", upgradeTop)
	}
	err = filepath.WalkDir(h.home, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || h.isOwn(path) {
			return err
		}
		text, err := os.ReadFile(path)
		if want, ok := files[path]; !ok || string(text) != want {
			h.t.Errorf("%s is not as it was before:\n%s", path, text)
		}
		delete(files, path)
		return err
	})
	if err != nil {
		h.t.Fatal(err)
	}
	for path := range files {
		if !h.isOwn(path) {
			h.t.Errorf("%s is gone", path)
		}
	}
}

// isOwn reports whether a file is not a host's.
func (h *upgradeHome) isOwn(path string) bool {
	own := []string{h.project + "/", h.home + "/.local/", h.home + "/.config/checkrein/", h.home + "/ahp.json"}
	return slices.ContainsFunc(own, func(prefix string) bool { return strings.HasPrefix(path, prefix) })
}

// testUpgradeRenew installs over what is installed: each event has one line, as this build
// writes it, and uninstall still leaves what was there before.
func testUpgradeRenew(h *upgradeHome, dir string) {
	h.eachScope("install", "--all", "--program", upgradeTop+"/bin/checkrein", "--force")
	if list := h.doctor(); slices.Contains(list, "warn host-drift") {
		h.t.Errorf("lines are not renewed: %q", list)
	}
	seen := map[string]bool{}
	for _, c := range h.calls() {
		if key := c.name() + c.Input; seen[key] {
			h.t.Errorf("%s has two lines", c.name())
		} else {
			seen[key] = true
		}
	}
	h.eachScope("uninstall", "--all")
	h.checkAsBefore(filepath.Join(dir, "before.txtar"))
}

// eachScope runs a command in both scopes of hosts, in the project where they are used.
func (h *upgradeHome) eachScope(args ...string) {
	h.t.Helper()
	h.inProject("wired", func() {
		for _, scope := range []string{"user", "project"} {
			if code, out := h.run(append(args, "--scope", scope)...); code != 0 {
				h.t.Errorf("%q --scope %s: exit code %d\n%s", args, scope, code, out)
			}
		}
	})
}

// options returns the options of lines in hosts' files, with a file that has each.
func (h *upgradeHome) options() map[string]string {
	h.t.Helper()
	out := map[string]string{}
	line := regexp.MustCompile(`checkrein hook [^&|;\n]*`)
	err := filepath.WalkDir(h.home, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || h.isOwn(path) {
			return err
		}
		text, err := os.ReadFile(path)
		for _, l := range line.FindAllString(string(text), -1) {
			for _, w := range strings.Fields(l) {
				if strings.HasPrefix(w, "--") {
					out[w] = path
				}
			}
		}
		return err
	})
	if err != nil {
		h.t.Fatal(err)
	}
	return out
}
