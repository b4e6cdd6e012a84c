//go:build linux

package endtoend

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/checkrein/checkrein/internal/evidence/ledger"
)

// programs builds the programs of a fleet once, and returns their directory.
var programs = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "checkrein-fleet-programs")
	if err != nil {
		return "", err
	}
	for _, args := range [][]string{
		{"build", "-C", "../../..", "-o", dir + "/", "./cmd/checkrein", "./cmd/checkreind"},
		{"build", "-C", "../..", "-o", dir + "/", "./cmd/checkrein-hub", "github.com/nats-io/nats-server/v2"},
	} {
		if out, err := exec.Command("go", args...).CombinedOutput(); err != nil {
			return dir, fmt.Errorf("go %v: %w\n%s", args, err, out)
		}
	}
	return dir, nil
})

// agentEnv is set for a process that only runs its arguments, as an agent runs hooks.
const agentEnv = "CHECKREIN_TEST_AGENT"

func TestMain(m *testing.M) {
	if os.Getenv(agentEnv) != "" {
		cmd := exec.Command(os.Args[1], os.Args[2:]...)
		cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
		_ = cmd.Run()
		os.Exit(cmd.ProcessState.ExitCode())
	}
	code := m.Run()
	if os.Getenv("CHECKREIN_FLEET") != "" {
		dir, _ := programs()
		os.RemoveAll(dir)
	}
	os.Exit(code)
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// A process is a program that runs until the test ends, or until it is killed and started again.
type process struct {
	t    testing.TB
	args []string
	env  []string
	log  string // file

	cmd *exec.Cmd
}

func (p *process) start() {
	p.t.Helper()
	log, err := os.OpenFile(p.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	must(p.t, err)
	defer log.Close()
	p.cmd = exec.Command(p.args[0], p.args[1:]...)
	p.cmd.Env, p.cmd.Stdout, p.cmd.Stderr = p.env, log, log
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	must(p.t, p.cmd.Start())
}

// kill ends the process without a warning.
func (p *process) kill() {
	if p.cmd != nil {
		_ = p.cmd.Process.Kill()
		_ = p.cmd.Wait()
		p.cmd = nil
	}
}

func newProcess(t testing.TB, log string, env []string, args ...string) *process {
	p := &process{t: t, args: args, env: env, log: log}
	t.Cleanup(p.kill)
	p.start()
	return p
}

// freePort returns a port that nobody listens on.
func freePort(t testing.TB) int {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	defer ln.Close()
	return ln.Addr().(*net.TCPAddr).Port
}

// A fleet is a hub and its machines.
type fleet struct {
	t        testing.TB
	dir      string
	bin      string
	url      string
	hub      *process
	admin    []string // environment
	machines []*member
}

// newFleet starts a hub with these further arguments, and creates the administrator's keys.
func newFleet(t testing.TB, hubArgs ...string) *fleet {
	f := startHub(t, hubArgs...)
	f.run(f.admin, "checkrein", "fleet", "keys")
	return f
}

// startHub starts a hub with these further arguments, and logs the administrator in.
func startHub(t testing.TB, hubArgs ...string) *fleet {
	bin, err := programs()
	must(t, err)
	f := &fleet{t: t, dir: t.TempDir(), bin: bin, url: fmt.Sprintf("https://127.0.0.1:%d", freePort(t))}
	writeCertificate(t, f.dir)
	f.run(nil, append([]string{"checkrein-hub", "init", "--dir", f.dir + "/hub"}, hubArgs...)...)
	f.hub = newProcess(t, f.dir+"/hub.log", os.Environ(), append([]string{bin + "/checkrein-hub", "serve", "--dir", f.dir + "/hub",
		"--addr", strings.TrimPrefix(f.url, "https://"), "--tls-cert", f.dir + "/tls.crt", "--tls-key", f.dir + "/tls.key"}, hubArgs...)...)
	t.Cleanup(func() {
		if log, _ := os.ReadFile(f.dir + "/hub.log"); t.Failed() {
			t.Logf("the hub's log ends with\n%s", log[max(0, len(log)-4000):])
		}
	})
	f.admin = f.home("admin")
	f.eventually("the hub serves", func() bool {
		_, err := f.try(f.admin, "checkrein", "fleet", "login", f.url, "--ca", f.dir+"/tls.crt", "--token-file", f.dir+"/hub/admin.token")
		return err == nil
	})
	return f
}

// proxiedName is a name of the hub that only a proxy can resolve.
const proxiedName = "hub.invalid"

// writeCertificate writes a certificate of this machine, which is its own authority, and its key to dir.
func writeCertificate(t testing.TB, dir string) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must(t, err)
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "hub"}, NotBefore: time.Now().Add(-24 * time.Hour), NotAfter: time.Now().Add(48 * time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, DNSNames: []string{proxiedName}, IsCA: true, BasicConstraintsValid: true}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	must(t, err)
	keyDER, err := x509.MarshalPKCS8PrivateKey(key)
	must(t, err)
	must(t, os.WriteFile(dir+"/tls.crt", pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600))
	must(t, os.WriteFile(dir+"/tls.key", pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: keyDER}), 0o600))
}

// home creates a home directory and returns the environment of a user who lives there.
func (f *fleet) home(name string) []string {
	dir := filepath.Join(f.dir, name)
	must(f.t, os.MkdirAll(filepath.Join(dir, "project", ".git"), 0o700))
	return []string{"HOME=" + dir, "PATH=/usr/bin:/bin", "USER=" + name}
}

// try runs a program of the fleet.
func (f *fleet) try(env []string, args ...string) (string, error) { return f.tryIn("", env, args...) }

// tryIn runs a program of the fleet in a directory.
func (f *fleet) tryIn(dir string, env []string, args ...string) (string, error) {
	cmd := exec.Command(filepath.Join(f.bin, args[0]), args[1:]...)
	cmd.Env, cmd.Dir = env, dir
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		return out.String(), fmt.Errorf("%v: %w: %s", args, err, errs.String())
	}
	return out.String(), nil
}

// run runs a program of the fleet, which must succeed.
func (f *fleet) run(env []string, args ...string) string {
	f.t.Helper()
	out, err := f.try(env, args...)
	must(f.t, err)
	return out
}

// eventually waits until done returns true.
func (f *fleet) eventually(what string, done func() bool) {
	f.t.Helper()
	for end := time.Now().Add(3 * time.Minute); time.Now().Before(end); time.Sleep(200 * time.Millisecond) {
		if done() {
			return
		}
	}
	f.t.Fatalf("this never happened: %s", what)
}

// A member is a machine of the fleet.
type member struct {
	name  string
	home  string
	env   []string
	agent *process
}

// join adds n machines at once, and starts their agents.
func (f *fleet) join(n int) {
	token := filepath.Join(f.dir, "token")
	must(f.t, os.WriteFile(token, []byte(f.run(f.admin, "checkrein", "fleet", "token", "--uses", fmt.Sprint(n))), 0o600))
	var wg sync.WaitGroup
	errs := make([]error, n)
	for i := range n {
		name := fmt.Sprintf("m%02d", len(f.machines))
		m := &member{name: name, home: filepath.Join(f.dir, name), env: f.home(name)}
		f.machines = append(f.machines, m)
		wg.Go(func() {
			_, errs[i] = f.try(m.env, "checkrein", "fleet", "join", f.url, "--ca", f.dir+"/tls.crt", "--token-file", token, "--advisory", "--name", name)
		})
	}
	wg.Wait()
	for i, err := range errs {
		must(f.t, err)
		m := f.machines[len(f.machines)-n+i]
		m.agent = newProcess(f.t, m.home+"/agent.log", m.env, f.bin+"/checkreind", "fleet-agent", "--advisory")
	}
}

// hook lets an agent on the machine call a tool.
func (f *fleet) hook(m *member, n int) error {
	commands := []string{"go test ./...", "git status", "rm -rf node_modules", "git push --force origin main", "cat README.md", "mkfs.ext4 /dev/sda"}
	return f.call(m, commands[n%len(commands)], fmt.Sprintf("toolu_%d", n))
}

// call lets an agent on the machine call a shell command.
func (f *fleet) call(m *member, command, id string) error {
	event, err := json.Marshal(map[string]any{
		"hook_event_name": "PreToolUse", "session_id": "5b0f9c0e-7f1b-4c55-9d1e-" + m.name, "cwd": m.home + "/project",
		"tool_name": "Bash", "tool_use_id": id, "tool_input": map[string]any{"command": command},
	})
	if err != nil {
		return err
	}
	cmd := exec.Command(f.bin+"/checkrein", "hook", "claude")
	cmd.Env, cmd.Dir, cmd.Stdin = m.env, m.home+"/project", bytes.NewReader(event)
	return cmd.Run()
}

// work lets agents call tools on machines until stop is called, which returns how many calls there were.
func (f *fleet) work(machines []*member) (stop func() int64) {
	ctx, cancel := context.WithCancel(context.Background())
	var calls atomic.Int64
	var wg sync.WaitGroup
	for w := range 3 {
		wg.Go(func() {
			for n := w; ctx.Err() == nil; n += 3 {
				if err := f.hook(machines[n%len(machines)], n); err != nil {
					f.t.Errorf("a hook failed: %v", err)
					return
				}
				calls.Add(1)
				time.Sleep(20 * time.Millisecond)
			}
		})
	}
	return func() int64 { cancel(); wg.Wait(); return calls.Load() }
}

// lines returns the lines of the ledger of m.
func (m *member) lines(t testing.TB) (out []string) {
	r := ledger.NewReader(filepath.Join(m.home, ".local/state/checkrein/ledger"), ledger.Position{})
	defer r.Close()
	for {
		e, err := r.Next()
		if err == io.EOF {
			return out
		}
		must(t, err)
		if !e.Damaged {
			out = append(out, string(e.Line.Raw))
		}
	}
}

// uploaded returns the lines that the hub has, by the name of the machine.
func (f *fleet) uploaded() (map[string][]string, error) {
	text, err := f.try(f.admin, "checkrein", "fleet", "records")
	if err != nil {
		return nil, err
	}
	out := map[string][]string{}
	for line := range strings.Lines(text) {
		var r struct {
			Name   string
			Record json.RawMessage
		}
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			return nil, fmt.Errorf("%w: %s", err, line)
		}
		out[r.Name] = append(out[r.Name], string(r.Record))
	}
	return out, nil
}

// verify waits until the hub has all records, and checks that it has each once and in order.
func (f *fleet) verify() (records int) {
	f.t.Helper()
	want := map[string][]string{}
	for _, m := range f.machines {
		want[m.name] = m.lines(f.t)
		records += len(want[m.name])
	}
	var got map[string][]string
	f.eventually("the hub has all records", func() bool {
		var err error
		if got, err = f.uploaded(); err != nil {
			return false
		}
		for name, lines := range want {
			if len(got[name]) < len(lines) {
				return false
			}
		}
		return true
	})
	for name, lines := range want {
		if len(got[name]) != len(lines) {
			f.t.Errorf("%s: the hub has %d records, the ledger %d", name, len(got[name]), len(lines))
			continue
		}
		for i := range lines {
			if got[name][i] != lines[i] {
				f.t.Errorf("%s: record %d differs", name, i)
				break
			}
		}
	}
	return records
}
