package dist

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A machine is a directory with nothing but Debian's base system and sudo, in which commands run as if it
// were a machine of its own. Only the network is that of the real one.
type machine struct {
	t    *testing.T
	root string
}

// user is the person of the machine, who may use sudo without a password.
const user = "ann"

// newMachine returns a new machine. It skips the test where none can be made.
func newMachine(t *testing.T) *machine {
	t.Helper()
	if os.Getuid() != 0 {
		skipOrFail(t, "only root can make a clean root")
	}
	base := baseSystem(t)
	m := &machine{t: t, root: filepath.Join(t.TempDir(), "root")}
	run(t, "/", "cp", "-a", base, m.root)
	return m
}

// baseSystem returns the directory of the base system. It is made once and kept in the user's cache.
func baseSystem(t *testing.T) string {
	t.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	const release = "bookworm"
	dir := filepath.Join(cache, "checkrein", "roots", release)
	if _, err := os.Stat(dir); err == nil {
		return dir
	}
	need(t, "debootstrap")
	stage := dir + ".new"
	if err := os.RemoveAll(stage); err != nil {
		t.Fatal(err)
	}
	argv := []string{"debootstrap", "--variant=minbase", "--include=sudo", release, stage}
	if mirror := debianMirror(t); mirror != "" {
		argv = append(argv, mirror)
	}
	if out, err := try(t, "/", nil, argv...); err != nil {
		skipOrFail(t, "debootstrap: %v\n%s", err, out)
	}
	run(t, "/", "chroot", stage, "sh", "-euc", "useradd -m -s /bin/bash "+user+"; echo '"+user+" ALL=(ALL) NOPASSWD: ALL' >/etc/sudoers.d/"+user+"; rm -rf /var/cache/apt/archives/*.deb")
	if err := os.Rename(stage, dir); err != nil {
		t.Fatal(err)
	}
	return dir
}

// debianMirror returns the mirror of Debian that this machine uses, or "" if that is debootstrap's own.
func debianMirror(t *testing.T) string {
	out, err := exec.CommandContext(t.Context(), "apt-get", "indextargets", "--format", "$(SITE)").Output()
	if err != nil {
		return ""
	}
	for site := range strings.Lines(string(out)) {
		if site = strings.TrimSpace(site); strings.HasSuffix(site, "/debian") {
			return site
		}
	}
	return ""
}

// put copies a file or directory of the real machine to the path to.
func (m *machine) put(from, to string) {
	m.t.Helper()
	to = filepath.Join(m.root, to)
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		m.t.Fatal(err)
	}
	run(m.t, "/", "cp", "-aL", from, to)
}

// start returns the command that runs a shell script as an account, in namespaces of its own.
func (m *machine) start(account, script string, env ...string) *exec.Cmd {
	home := "/home/" + account
	if account == "root" {
		home = "/root"
	}
	const setup = `hostname localhost; mount -t proc proc "$1/proc"; mount -t devpts -o newinstance,ptmxmode=0666 devpts "$1/dev/pts"; mount --bind "$1/dev/pts/ptmx" "$1/dev/ptmx"
exec chroot --userspec="$2" --groups= "$1" /usr/bin/env -i -C "$3" HOME="$3" USER="$2" LOGNAME="$2" SHELL=/bin/bash LANG=C.UTF-8 TERM=dumb \
	PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "${@:5}" /bin/bash -euc "$4"`
	argv := []string{"--uts", "--mount", "--pid", "--fork", "--kill-child", "bash", "-euc", setup, "machine", m.root, account, home, script}
	return exec.CommandContext(m.t.Context(), "unshare", append(argv, env...)...)
}

// run runs a shell script as an account and returns its output. The test fails if the script does.
func (m *machine) run(account, script string, env ...string) string {
	m.t.Helper()
	out, err := m.start(account, script, env...).CombinedOutput()
	if err != nil {
		m.t.Fatalf("%s as %s: %v\n%s", script, account, err, out)
	}
	return string(out)
}

// has reports whether the machine has a file.
func (m *machine) has(path string) bool {
	_, err := os.Lstat(filepath.Join(m.root, path))
	return err == nil
}

// bookkeeping are the directories in which the system's package manager and the agents keep notes about
// everything that ever happened.
var bookkeeping = []string{"var/log", "var/cache", "var/lib/dpkg", "var/lib/apt", "var/lib/rpm", "var/lib/sudo", "run", "tmp", "proc", "dev"}

// files returns the files of the machine, with what an uninstall must not change in them.
func (m *machine) files(except ...string) map[string]string {
	m.t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(m.root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, _ := filepath.Rel(m.root, path)
		if slices.Contains(bookkeeping, name) || slices.Contains(except, name) {
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		all[name] = info.Mode().String()
		if info.Mode().IsRegular() {
			all[name] += info.ModTime().String()
		}
		return nil
	})
	if err != nil {
		m.t.Fatal(err)
	}
	return all
}
