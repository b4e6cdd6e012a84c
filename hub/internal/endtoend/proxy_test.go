//go:build linux

package endtoend

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// A forwarder is a forward proxy with a password. It is the only one that can resolve proxiedName.
type forwarder struct {
	hub     string // HOST:PORT
	off     atomic.Bool
	tunnels atomic.Int64

	mu   sync.Mutex
	open []net.Conn
}

func (p *forwarder) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	_, port, _ := net.SplitHostPort(p.hub)
	r.Header.Set("Authorization", r.Header.Get("Proxy-Authorization"))
	if user, password, _ := r.BasicAuth(); user != "fleet" || password != "pass phrase" || r.Method != http.MethodConnect || r.Host != proxiedName+":"+port || p.off.Load() {
		http.Error(w, "no", http.StatusProxyAuthRequired)
		return
	}
	to, err := net.Dial("tcp", p.hub)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	from, _, err := w.(http.Hijacker).Hijack()
	if err != nil {
		to.Close()
		return
	}
	p.tunnels.Add(1)
	p.mu.Lock()
	p.open = append(p.open, from, to)
	p.mu.Unlock()
	_, _ = io.WriteString(from, "HTTP/1.1 200 OK\r\n\r\n")
	go func() { _, _ = io.Copy(to, from); to.Close() }()
	go func() { _, _ = io.Copy(from, to); from.Close() }()
}

// stop ends all tunnels and refuses others.
func (p *forwarder) stop() {
	p.off.Store(true)
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.open {
		c.Close()
	}
}

// TestForwardProxy joins machines that reach the hub by a forward proxy only, named by a flag and by the
// environment, and checks that their services, which have neither, use it.
func TestForwardProxy(t *testing.T) {
	requireFleet(t)
	f := newFleet(t)
	p := &forwarder{hub: strings.TrimPrefix(f.url, "https://")}
	server := httptest.NewServer(p)
	t.Cleanup(server.Close)
	proxy := strings.Replace(server.URL, "http://", "http://fleet:pass%20phrase@", 1)
	direct := strings.Replace(f.url, "127.0.0.1", proxiedName, 1)
	token := filepath.Join(f.dir, "token")
	must(t, os.WriteFile(token, []byte(f.run(f.admin, "checkrein", "fleet", "token", "--uses", "2")), 0o600))
	authority, err := os.ReadFile(f.dir + "/tls.crt")
	must(t, err)
	must(t, os.WriteFile(f.dir+"/authority.crt", authority, 0o600))
	join := func(name string, env []string, flags ...string) {
		m := &member{name: name, home: filepath.Join(f.dir, name), env: f.home(name)}
		f.machines = append(f.machines, m)
		args := append([]string{"checkrein", "fleet", "join", direct, "--ca", "authority.crt", "--token-file", token, "--advisory", "--name", name}, flags...)
		if _, err := f.tryIn(f.dir, m.env, args[:len(args)-len(flags)]...); err == nil {
			t.Fatalf("%s reaches the hub without a proxy", name)
		}
		_, err := f.tryIn(f.dir, append(m.env, env...), args...)
		must(t, err)
		m.agent = newProcess(t, m.home+"/agent.log", m.env, f.bin+"/checkreind", "fleet-agent", "--advisory")
	}
	join("flag", nil, "--proxy", proxy)
	join("environment", []string{"HTTPS_PROXY=" + proxy})
	must(t, os.Remove(f.dir+"/authority.crt")) // people tidy up, and their agents can change their files
	for _, m := range f.machines {
		m.agent.kill()
		m.agent.start()
	}

	f.run(f.admin, "checkrein", "fleet", "push", f.writeBundle(1, "deploy"), "--enforce", "100%")
	for n, m := range f.machines {
		must(t, f.hook(m, n))
		f.eventually("the machine has the bundle", func() bool {
			return strings.Contains(f.run(m.env, "checkrein", "fleet", "status"), "bundles/base-1")
		})
	}
	f.verify()
	if out := f.run(f.admin, "checkrein", "fleet", "machines", "--flags"); out != "" {
		t.Errorf("machines that did nothing wrong have flags: %s", out)
	}
	p.stop()
	for n, m := range f.machines {
		must(t, f.hook(m, n))
	}
	p.off.Store(false)
	f.verify()
	for _, m := range f.machines {
		dir := m.home + "/.config/checkrein/fleet/"
		public, err := os.ReadFile(dir + "machine.json")
		must(t, err)
		if info, err := os.Stat(dir + "proxy"); err != nil || info.Mode().Perm() != 0o600 || strings.Contains(string(public), "pass") {
			t.Errorf("%s: others can read the proxy's password: %v, %s", m.name, err, public)
		}
	}
	t.Logf("%d tunnels", p.tunnels.Load())
}
