//go:build amd64 || arm64

package workloads

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/checkrein/checkrein/internal/catalog/walls"
	"github.com/checkrein/checkrein/internal/lab/built"
)

// hiddenFiles lists files that contained commands may not read, by path in the home directory.
var hiddenFiles = []string{
	".ssh/id_rsa", ".ssh/id_ed25519", ".ssh/work.pem", ".ssh/host_key", ".aws/credentials", ".azure/accessTokens.json", ".kube/config", ".kube/cache/token",
	".config/gh/hosts.yml", ".config/gcloud/credentials.db", ".docker/config.json", ".netrc", ".git-credentials", ".pypirc", ".gnupg/private-keys-v1.d/a.key",
	".npmrc", ".bash_history", ".local/state/checkrein/walls/key", ".local/state/checkrein/ledger/a", "vault/moved",
}

// An attempt tries to leave the walls. HOME, OUT and TRY in the script are the home directory, the ID of
// a process outside and the helper, see tryOperation.
type attempt struct{ name, script string }

// stoppedAttempts lists what walls must stop. It must fail and print nothing of what is hidden.
var stoppedAttempts = []attempt{
	{"symlink", "ln -s HOME/.netrc way && cat way"},
	{"symlink to a directory", "ln -s HOME/.aws way && cat way/credentials"},
	{"symlink that was there", "cat HOME/project/planted"},
	{"a secret that is a symlink", "cat HOME/.my.cnf"},
	{"dots", "cat ../.netrc || cat HOME/project/../.aws/../.netrc || cat src/../../.netrc"},
	{"root of this process", "cat /proc/self/root/HOME/.netrc || cat /proc/thread-self/root/HOME/.netrc"},
	{"root of another process", "cat /proc/OUT/root/HOME/.netrc || cat /proc/OUT/cwd/.netrc || cat /proc/1/root/HOME/.netrc"},
	{"variables of another process", "cat /proc/OUT/environ"},
	{"memory and files of another process", "cat /proc/OUT/fd/3 || head -c1 /proc/OUT/mem || cat /proc/OUT/maps"},
	{"relative to a directory", "TRY openat HOME .netrc"},
	{"through a path descriptor", "TRY reopen HOME/.netrc"},
	{"by handle", "TRY handle HOME/.netrc"},
	{"io_uring", "TRY ring"},
	{"hard link", "ln HOME/.netrc l && cat l"},
	{"moved inside", "mv HOME/.netrc m && cat m"},
	{"exchanged", "echo >x && TRY exchange HOME/.netrc x && cat x"},
	{"copied", "cp HOME/.netrc c || tar cf tar HOME/.netrc || sort HOME/.netrc || dd if=HOME/.netrc || head HOME/.netrc"},
	{"mapped", "TRY map HOME/.netrc"},
	{"executed", "HOME/.ssh/run"},
	{"sourced", ". HOME/.netrc"},
	{"mounted elsewhere", "TRY mount HOME project || unshare -rm mount --bind HOME HOME/project || unshare -Urm sh -c 'mount -t tmpfs x HOME'"},
	{"changed root", "TRY chroot HOME .netrc || unshare -r chroot HOME cat /.netrc"},
	{"namespaces of another process", "nsenter -t OUT -m cat HOME/.netrc || nsenter -t OUT -U -m true"},
	{"disks", "TRY disks"},
	{"inherited descriptor", "cat <&3 || cat /proc/self/fd/3 || cat <&4 || cat /dev/fd/9"},

	{"write a new file", "echo x >HOME/new"},
	{"write a start-up file", "echo x >>HOME/.bashrc || echo x >>HOME/.profile"},
	{"write the settings of git", "git config --global a.b c || echo x >>HOME/.gitconfig"},
	{"write a program", "echo x >HOME/.local/bin/tool || echo x >HOME/.cargo/bin/tool || echo x >HOME/go/bin/tool"},
	{"write a start-up file of gradle", "mkdir -p HOME/.gradle/init.d && echo x >HOME/.gradle/init.d/a.gradle || echo x >HOME/.gradle/init.gradle || echo x >>HOME/.gradle/gradle.properties"},
	{"write a start-up file among caches", "echo x >HOME/.cache/p10k-dump-ann.zsh || rm HOME/.cache/p10k-dump-ann.zsh || mv HOME/.cache/p10k-dump-ann.zsh x || ln -sf x HOME/.cache/p10k-dump-ann.zsh || echo x >HOME/.cache/pre-commit/a/hook"},
	{"write the settings of go", "echo x >HOME/.config/go/env || go env -w CC=x"},
	{"write the host's settings", "echo x >HOME/.claude/settings.json || mkdir HOME/.codex"},
	{"write checkrein's files", "echo x >HOME/.local/state/checkrein/walls/program || rm -rf HOME/.local/state/checkrein || mv HOME/.local/state HOME/.local/s || echo x >HOME/.config/checkrein/checkrein.yaml"},
	{"rename outside", "mv HOME/notes HOME/n2 || TRY rename HOME/notes HOME/n2"},
	{"rename out", "echo x >x; TRY rename x HOME/new"},
	{"rename over", "echo x >x; TRY rename x HOME/notes"},
	{"link out", "echo x >x; TRY link x HOME/new"},
	{"exchange", "echo x >x; TRY exchange x HOME/notes"},
	{"truncate", "TRY truncate HOME/notes || truncate -s0 HOME/notes"},
	{"open to write", "TRY append HOME/notes || : >>HOME/notes"},
	{"unnamed file", "TRY tmpfile HOME/new"},
	{"special files", "mkfifo HOME/f || mknod HOME/n p || ln -s x HOME/l || mkdir HOME/d || TRY socket HOME/s"},
	{"remove", "rm -f HOME/notes && test ! -e HOME/notes || rmdir HOME/empty"},
	{"through a symlink", "ln -s HOME/notes l && echo x >l"},
	{"through a process", "echo x >/proc/OUT/cwd/new || echo x >/proc/self/root/HOME/new"},
	{"the kernel's settings", "echo x >/proc/sys/kernel/core_pattern || echo x >/proc/sys/kernel/hostname || echo 1 >/proc/sysrq-trigger || echo x >/sys/kernel/uevent_helper"},
	{"a device file", "mknod b b 254 0 || mknod c c 1 1"},

	{"socket by path", "TRY dial unix HOME/s0 || TRY dial unix HOME/project/s1"},
	{"socket among temporary files", "TRY dial unix TMP/agent"},
	{"abstract socket", "TRY dial unix @ABSTRACT"},
	{"datagram socket", "TRY dial unixgram TMP/gram || TRY pair"},
	{"tmux", "tmux -S TMP/agent ls"},
	{"docker", "curl -s --unix-socket TMP/agent http://x/"},
	{"ssh agent", "SSH_AUTH_SOCK=TMP/agent ssh-add -l"},
	{"socket of another family", "TRY vsock"},

	{"signal", "kill -0 OUT || kill -9 OUT || TRY pidfd OUT"},
	{"all processes", "TRY killall"},
	{"trace", "TRY trace OUT || strace -p OUT || gdb -batch -p OUT -ex quit 2>&1 | grep -q Inferior"},
	{"read memory", "TRY peek OUT"},
	{"take a descriptor", "TRY steal OUT"},
	{"limits of another", "prlimit --pid OUT --nofile=64"},
	{"priority of another", "renice -n 5 -p OUT || TRY renice process OUT"},
	{"priority of all", "TRY renice user 0"},
	{"disk priority of another", "TRY ioprio process OUT || TRY ioprio user 0"},
	{"keys", "TRY keys || keyctl show"},
	{"typing into the terminal", "TRY type"},
	{"another user", "sudo -n true || su nobody -s /bin/true </dev/null && test $(id -u) != 0"},
}

// openAttempts lists what walls do not stop, as docs/walls.md says.
var openAttempts = []attempt{
	{"a hard link that was there", "cat HOME/project/linked"},
	{"mode of a file outside", "chmod 640 HOME/notes"},
	{"owner of a file outside", "chown $(id -u) HOME/notes"},
	{"times of a file outside", "touch -d 2020-01-01 HOME/notes"},
	{"names of files outside", "ls HOME HOME/.ssh && stat HOME/.netrc"},
	{"size of a hidden file", "stat -c %s HOME/.netrc"},
	{"arguments of other processes", "grep -q . /proc/OUT/cmdline"},
	{"locks on files outside", "flock HOME/notes true"},
	{"servers on this machine", "TRY dial tcp LOOPBACK"},
	{"shared memory of System V", "ipcmk -M 64 >id && ipcrm -m $(grep -o '[0-9]*' id)"},
	{"programs in memory, which are contained too", "TRY memfd"},
	{"a namespace of its own, in which it may mount nothing", "unshare -U true"},
	{"numbers of another's open files", "ls /proc/OUT/fd/"},
	{"processors of another of the same user, but root's", "test $(id -u) = 0 || TRY affinity OUT"},
}

// TestEscapes tries to leave the walls, for each user.
func TestEscapes(t *testing.T) {
	t.Parallel()
	for _, u := range newUsers(t) {
		t.Run(u.name, func(t *testing.T) {
			skipWithoutWalls(t, u)
			e := newEscape(t, u)
			for _, name := range hiddenFiles {
				e.try(t, attempt{"read " + name, "cat HOME/" + name}, true)
			}
			for _, a := range stoppedAttempts {
				e.try(t, a, true)
			}
			for _, a := range openAttempts {
				e.try(t, a, false)
			}
		})
	}
}

// An escape is a world with things outside of the walls.
type escape struct {
	*world
	words *strings.Replacer
	files []*os.File
	out   *exec.Cmd
}

func newEscape(t *testing.T, u *user) *escape {
	t.Helper()
	w := newWorld(t, u, filepath.Join(u.base, "escape"), map[string]string{"src/a": "a\n"})
	write := func(name, text string) {
		path := filepath.Join(w.home, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range hiddenFiles {
		if !strings.HasSuffix(name, "walls/key") {
			write(name, "hidden\n")
		}
	}
	for _, name := range []string{"notes", ".bashrc", ".profile", ".local/bin/tool", ".cargo/bin/tool", "go/bin/tool", ".cache/p10k-dump-ann.zsh", ".cache/pre-commit/a/hook", ".config/go/env", ".claude/settings.json", ".config/checkrein/checkrein.yaml", "empty/x"} {
		write(name, "outside\n")
	}
	write(".ssh/run", "#!/bin/sh\necho hidden\n")
	if err := os.Rename(w.home+"/.ssh/run", w.home+"/.ssh/id_run"); err != nil {
		t.Fatal(err)
	}
	tmp, err := os.MkdirTemp("", "s")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(tmp) })
	self := filepath.Join(w.project, "try")
	for _, err := range []error{
		os.Remove(w.home + "/empty/x"), os.Chmod(tmp, 0o755), built.Copy("/proc/self/exe", self, nil), os.Chmod(self, 0o755),
		os.Remove(w.home + "/.my.cnf"), os.Symlink(w.home+"/vault/moved", w.home+"/.my.cnf"),
		os.Symlink(w.home+"/.netrc", w.project+"/planted"), os.Link(w.home+"/.netrc", w.project+"/linked"),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	e := &escape{world: w}
	abstract := fmt.Sprintf("checkrein%d", os.Getpid())
	loopback := ""
	for _, at := range []string{w.home + "/s0", w.project + "/s1", tmp + "/agent", "@" + abstract, "127.0.0.1:0"} {
		network := "unix"
		if strings.Contains(at, ":") {
			network = "tcp"
		}
		l, err := net.Listen(network, at)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { l.Close() })
		loopback = l.Addr().String()
		if network == "unix" && at[0] != '@' {
			_ = os.Chmod(at, 0o777) // the attempts fail otherwise, and must fail anyway
		}
	}
	gram, err := net.ListenPacket("unixgram", tmp+"/gram")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { gram.Close() })
	_ = os.Chmod(tmp+"/gram", 0o777)
	held, err := os.Open(w.home + "/.netrc")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { held.Close() })
	e.files = []*os.File{held}
	u.own(t, w.home)
	e.out = exec.Command("/bin/sleep", "600")
	e.out.Dir, e.out.Env, e.out.ExtraFiles = w.home, []string{"SECRET=hidden"}, e.files
	e.out.SysProcAttr = u.attributes()
	if err := e.out.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.out.Process.Kill(); _ = e.out.Wait() })
	e.words = strings.NewReplacer("HOME", w.home, "OUT", fmt.Sprint(e.out.Process.Pid), "TRY", self+" _try", "TMP", tmp, "ABSTRACT", abstract, "LOOPBACK", loopback)
	return e
}

// try runs the attempt a, which must be stopped or not.
func (e *escape) try(t *testing.T, a attempt, stopped bool) {
	t.Run(a.name, func(t *testing.T) {
		script := e.words.Replace(a.script)
		if a.name == "executed" {
			script += " || " + e.home + "/.ssh/id_run"
		}
		before := e.outside(t)
		e.issue(t, script, func(p *walls.Place) {
			p.Own = append(p.Own, e.home+"/.config/checkrein")
			p.Hide = append(p.Hide, "~/vault")
		})
		r := e.runWith(t, e.files, e.shell, e.line(script))
		ended := r.exit == 0
		if ended == stopped {
			t.Errorf("exit %d: %s%s", r.exit, r.out, r.errors)
		}
		if stopped && strings.Contains(r.out+r.errors, "hidden") {
			t.Errorf("it read what is hidden: %s%s", r.out, r.errors)
		}
		if after := e.outside(t); stopped && after != before {
			t.Errorf("it changed what is outside:\n%s\nbefore:\n%s", after, before)
		}
		if e.out.Process.Signal(syscall.Signal(0)) != nil {
			t.Fatal("the process outside has ended")
		}
	})
}

// outside returns the names and contents of what lies outside of the walls.
func (e *escape) outside(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	_ = filepath.WalkDir(e.home, func(path string, d os.DirEntry, err error) error {
		if err != nil || path == e.project || path == e.home+"/.config/go/telemetry" || strings.Contains(path, "/walls/") && !strings.HasSuffix(path, "/program") {
			if d != nil && d.IsDir() {
				return filepath.SkipDir
			}
			return nil
		}
		data, _ := os.ReadFile(path) // empty for directories and sockets
		if len(data) > 1<<10 {
			data = nil
		}
		fmt.Fprintf(&b, "%s %s %q\n", path, d.Type(), data)
		return nil
	})
	return b.String()
}

// TestVariables checks that contained commands do not get variables with secrets.
func TestVariables(t *testing.T) {
	t.Parallel()
	u := newUsers(t)[0]
	skipWithoutWalls(t, u)
	w := newWorld(t, u, filepath.Join(u.base, "variables"), nil)
	for _, r := range walls.Rules() {
		if r.Verb == "drop" {
			w.env = append(w.env, r.What+"=hidden")
		}
	}
	for _, name := range []string{"GITHUB_TOKEN", "GH_TOKEN", "NPM_TOKEN", "NODE_AUTH_TOKEN", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "ANTHROPIC_API_KEY", "OPENAI_API_KEY", "DB_PASSWORD", "PGPASSWORD", "MYSQL_PWD", "CARGO_REGISTRY_TOKEN", "TWINE_PASSWORD", "VAULT_TOKEN", "SECRET_KEY_BASE", "STRIPE_SECRET_KEY", "HF_TOKEN", "GITLAB_PRIVATE_TOKEN", "SLACK_BOT_TOKEN", "AZURE_CLIENT_SECRET", "GPG_PASSPHRASE", "GOOGLE_API_KEY"} {
		w.env = append(w.env, name+"=hidden")
	}
	w.env = append(w.env, "MAX_TOKENS=5", "EDITOR=vi")
	u.own(t, w.home)
	const script = `env; tr '\0' '\n' </proc/self/environ; tr '\0' '\n' </proc/$$/environ`
	w.issue(t, script, nil)
	r := w.run(t, w.shell, w.line(script))
	for line := range strings.Lines(r.out) {
		if strings.Contains(line, "hidden") {
			t.Errorf("it gets %s", line)
		}
	}
	if r.exit != 0 || !strings.Contains(r.out, "MAX_TOKENS=5") || !strings.Contains(r.out, "EDITOR=vi") {
		t.Errorf("%d %s%s", r.exit, r.out, r.errors)
	}
}
