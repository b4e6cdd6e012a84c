package workloads

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/checkrein/checkrein/internal/catalog/walls"
	"github.com/checkrein/checkrein/internal/lab/built"
	"github.com/checkrein/checkrein/internal/sys/state"
	"github.com/checkrein/checkrein/internal/sys/wrap"
)

const (
	sessionID = "0b5e"
	ordinary  = 65534            // the ID of the ordinary user, nobody, for tests that run as root
	timeLimit = 4 * time.Minute  // of a run
	patience  = 20 * time.Second // for processes in the background
)

// A user is whom workloads run as.
type user struct {
	name  string
	id    int
	base  string // a directory of the user, outside of those for temporary files
	shell string // the wrapper to copy

	mu    sync.Mutex
	tools map[string]*sync.Once
}

// newUsers returns the users for which workloads can run: the present one, and an ordinary one beside
// root.
func newUsers(t *testing.T) []*user {
	t.Helper()
	users := []*user{{name: "user", id: os.Getuid()}}
	root := "/var/lib"
	if os.Getuid() == 0 {
		users = []*user{{name: "user", id: ordinary}, {name: "root"}}
	} else {
		home, err := os.UserHomeDir()
		if err != nil {
			t.Fatal(err)
		}
		root = home
	}
	top, err := os.MkdirTemp(root, "cw-") // short, because sockets have short paths
	if err != nil {
		t.Skip("SKIPPED, NOTHING WAS PROVEN: no place for home directories: ", err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(top) }) // caches may be read-only; the test is over anyway
	if err := os.Chmod(top, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := built.Put(top, "checkrein-shell"); err != nil {
		t.Fatal(err)
	}
	for _, u := range users {
		u.base, u.shell, u.tools = filepath.Join(top, u.name), filepath.Join(top, "checkrein-shell"), map[string]*sync.Once{}
		if err := os.Mkdir(u.base, 0o755); err != nil {
			t.Fatal(err)
		}
		u.own(t, u.base)
	}
	return users
}

// own gives dir and what is in it to u.
func (u *user) own(t testing.TB, dir string) {
	t.Helper()
	chown(t, u.id, dir)
}

// chown gives dir and what is in it to the user with the ID.
func chown(t testing.TB, id int, dir string) {
	t.Helper()
	if os.Getuid() != 0 {
		return
	}
	if out, err := exec.Command("chown", "-hR", fmt.Sprintf("%d:%d", id, id), dir).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
}

// attributes returns how processes of u start.
func (u *user) attributes() *syscall.SysProcAttr {
	a := &syscall.SysProcAttr{Setsid: true}
	if os.Getuid() != u.id {
		a.Credential = &syscall.Credential{Uid: uint32(u.id), Gid: uint32(u.id)}
	}
	return a
}

// A world is a home directory with a project in it.
type world struct {
	user                 *user
	home, project, state string
	shell                string // the wrapper
	env                  []string
}

// programPath is the search path of workloads: the system's programs alone.
const programPath = "/usr/local/go/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

// usedDirs lists what package managers keep in a home directory in which they were used before. Walls let
// no new directory be made there.
var usedDirs = []string{
	".cache", ".npm", "go/pkg/mod", ".config/go/telemetry/local", ".cargo/registry", ".cargo/git", ".local/share/pnpm/store", ".yarn/berry", ".bun/install/cache",
	".gradle/caches", ".gradle/daemon", ".gradle/native", ".gradle/notifications", ".gradle/workers", ".gradle/.tmp", ".m2/repository",
}

// newWorld makes the home directory dir of u, in place of what is there, with files.
func newWorld(t testing.TB, u *user, dir string, files map[string]string) *world {
	t.Helper()
	w := &world{user: u, home: dir, project: dir + "/project", state: dir + "/.local/state/checkrein"}
	w.shell = filepath.Join(w.state, wrap.Program("claude"))
	removeAll(dir)
	dirs := []string{w.project, filepath.Dir(w.shell), dir + "/.config", dir + "/other", dir + "/.local/share"}
	for _, name := range usedDirs {
		dirs = append(dirs, filepath.Join(dir, name))
	}
	for _, d := range dirs {
		if err := os.MkdirAll(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	write := func(path, text string) {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		mode := os.FileMode(0o644)
		if strings.HasPrefix(text, "#!") {
			mode = 0o755
		}
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range map[string]string{
		".gitconfig":       "[user]\n\tname = Ann\n\temail = ann@example.com\n[init]\n\tdefaultBranch = main\n[advice]\n\tdetachedHead = false\n",
		".netrc":           "machine example.com login ann password hidden\n",
		".aws/credentials": "[default]\naws_access_key_id = hidden\n",
		".ssh/id_ed25519":  "hidden\n",
		".ssh/config":      "Host example\n",
		".npmrc":           "//registry.example.com/:_authToken=hidden\n", ".yarnrc.yml": "npmScopes: {example: {npmAuthToken: hidden}}\nenableTelemetry: false\nnodeLinker: node-modules\n",
		".cargo/.package-cache": "", ".cargo/.global-cache": "", ".cargo/credentials.toml": "[registries.example]\ntoken = \"hidden\"\n", ".m2/settings.xml": "<settings><servers><server><id>e</id><password>hidden</password></server></servers></settings>\n",
		".gradle/gradle.properties": "exampleToken=hidden\n", ".docker/config.json": `{"auths": {}}`, ".pypirc": "[pypi]\npassword = hidden\n",
		".config/composer/auth.json": `{"http-basic": {"e.example.com": {"username": "a", "password": "hidden"}}}`, ".my.cnf": "[client]\npassword=hidden\n", ".gem/credentials": "---\n:rubygems_api_key: hidden\n",
		".git-credentials": "https://ann:hidden@git.example.com\n", ".config/git/credentials": "https://ann:hidden@git.example.com\n", ".config/gh/hosts.yml": "github.com:\n    oauth_token: hidden\n",
		".bash_history": "export TOKEN=hidden\n", ".python_history": "hidden\n", ".kube/config": "apiVersion: v1\n",
		".local/state/checkrein/walls/program": "/bin/sh\n",
	} {
		write(filepath.Join(dir, name), text)
	}
	for name, text := range files {
		if rest, ok := strings.CutPrefix(name, "~/"); ok {
			write(filepath.Join(dir, rest), text)
		} else {
			write(filepath.Join(w.project, name), text)
		}
	}
	if err := built.Copy(u.shell, w.shell, nil); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.Chmod(w.shell, 0o755), os.Chmod(w.state, 0o700), os.Chmod(dir+"/.ssh", 0o700)); err != nil {
		t.Fatal(err)
	}
	w.env = []string{"HOME=" + dir, "USER=" + u.name, "LOGNAME=" + u.name, "SHELL=/bin/bash", "TERM=dumb", "LANG=C.UTF-8", "PATH=" + programPath,
		"CLAUDE_CODE_SESSION_ID=" + sessionID, "GOTOOLCHAIN=local", "GOFLAGS=-buildvcs=false", "NO_COLOR=1", "LESSHISTFILE=-", "npm_config_update_notifier=false", "npm_config_fund=false", "npm_config_audit=false"}
	for _, name := range []string{"NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE", "SSL_CERT_DIR", "CURL_CA_BUNDLE", "GIT_SSL_CAINFO", "GOPROXY"} { // how this machine reaches registries
		if value, ok := os.LookupEnv(name); ok {
			w.env = append(w.env, name+"="+value)
		}
	}
	return w
}

// removeAll removes dir, also if directories in it cannot be written.
func removeAll(dir string) {
	if os.RemoveAll(dir) == nil {
		return
	}
	_ = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err == nil && e.IsDir() {
			_ = os.Chmod(path, 0o700)
		}
		return nil
	})
	_ = os.RemoveAll(dir)
}

// line returns the line with which Claude Code runs command.
func (w *world) line(command string) string {
	return `{ \builtin shopt -u extglob; } >/dev/null 2>&1 || true && eval '` + strings.ReplaceAll(command, "'", `'"'"'`) + `' < /dev/null && pwd -P >| /tmp/claude-` + strconv.Itoa(w.user.id) + `-cwd`
}

// issue issues a ticket that contains command in the place of the default profile, which change may
// change.
func (w *world) issue(t testing.TB, command string, change func(*walls.Place)) {
	t.Helper()
	place := walls.Place{Homes: []string{w.home}, Dirs: walls.ProjectDirs(w.project), Own: []string{w.state}, Network: true}
	if change != nil {
		change(&place)
	}
	jail, err := place.Jail()
	if err != nil {
		t.Fatal(err)
	}
	ticket := wrap.Ticket{Session: sessionID, Dir: w.project, Command: strings.TrimSpace(command), CallID: strconv.FormatInt(time.Now().UnixNano(), 36), Jail: &jail}
	chown(t, os.Getuid(), w.state) // the store refuses a directory of another user
	if err := wrap.Open(state.NewDir(w.state), time.Now).Issue(&ticket); err != nil {
		t.Fatal(err)
	}
	w.user.own(t, w.state)
}

// A result is how a command ended.
type result struct {
	exit        int
	out, errors string
	took        time.Duration
}

// run runs argv in the project. What it leaves running is ended.
func (w *world) run(t testing.TB, argv ...string) result {
	t.Helper()
	return w.runWith(t, nil, argv...)
}

// runWith is run with further open files.
func (w *world) runWith(t testing.TB, files []*os.File, argv ...string) result {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), timeLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Dir, cmd.Env = w.project, w.env
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	cmd.ExtraFiles, cmd.SysProcAttr = files, w.user.attributes()
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = patience
	start := time.Now()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // the exit code says how it ended
	took := time.Since(start)
	w.endProcesses()
	r := result{cmd.ProcessState.ExitCode(), out.String(), errs.String(), took}
	if ctx.Err() != nil {
		r.errors += "\ntime limit\n"
	}
	return r
}

// endProcesses ends the processes that a run left in the home directory of w.
func (w *world) endProcesses() {
	mark := []byte("HOME=" + w.home + "\x00")
	files, _ := filepath.Glob("/proc/[0-9]*/environ") // the pattern is valid
	for _, file := range files {
		data, err := os.ReadFile(file)
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(file)))
		if err == nil && pid > 1 && bytes.Contains(data, mark) {
			_ = syscall.Kill(pid, syscall.SIGKILL) // it may be gone already
		}
	}
}

// installTool makes the tool name available in w. A name with an @ is an npm package, which is installed
// once for each user and then copied as the project's node_modules, "gocache" the compiled standard library
// of Go.
func (w *world) installTool(t testing.TB, name string) {
	t.Helper()
	u := w.user
	dir := filepath.Join(u.base, "tools", strings.NewReplacer("/", "+", ",", "+").Replace(name))
	u.mu.Lock()
	once := u.tools[name]
	if once == nil {
		once = new(sync.Once)
		u.tools[name] = once
	}
	u.mu.Unlock()
	once.Do(func() {
		tw := newWorld(t, u, dir, map[string]string{"package.json": `{"private":true}`, "x.go": "package x\n", "go.mod": "module x\n\ngo 1.21\n"})
		u.own(t, filepath.Dir(dir))
		script := "npm install --no-package-lock " + strings.ReplaceAll(name, ",", " ")
		if name == "gocache" {
			script = "go build net/http encoding/json testing flag os/exec && go vet fmt testing && go test -run x fmt sync && go build -race fmt; true"
		}
		if r := tw.run(t, "/bin/bash", "-c", script); r.exit != 0 {
			t.Logf("installing %s: %+v", name, r)
		}
	})
	from, to := dir+"/project/node_modules", w.project+"/node_modules"
	if name == "gocache" {
		from, to = dir+"/.cache/go-build", w.home+"/.cache/go-build"
	}
	if _, err := os.Stat(from); err != nil {
		t.Skip("SKIPPED, NOTHING WAS PROVEN: no ", name)
	}
	if out, err := exec.Command("cp", "-al", from, to).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
}
