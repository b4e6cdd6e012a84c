// Package hubtest runs a hub and the agents of machines in the process of a test.
package hubtest

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/pem"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/checkrein/checkrein/hub/internal/approvals"
	"github.com/checkrein/checkrein/hub/internal/machines"
	"github.com/checkrein/checkrein/hub/internal/people"
	"github.com/checkrein/checkrein/hub/internal/records"
	"github.com/checkrein/checkrein/hub/internal/rollout"
	"github.com/checkrein/checkrein/hub/internal/store"
	"github.com/checkrein/checkrein/hub/internal/web"
	"github.com/checkrein/checkrein/internal/evidence/ledger"
	"github.com/checkrein/checkrein/internal/fleet/bundle"
	"github.com/checkrein/checkrein/internal/fleet/machine"
	"github.com/checkrein/checkrein/internal/sys/state"
)

// ID is the id of hubs in tests.
const ID = "0123456789abcdef"

// A Hub is a hub that runs until the test ends.
type Hub struct {
	URL, CA string
	Client  *http.Client
	Store   *store.Store
	Server  *web.Server
	// Provider logs people in, if it is set before Open.
	Provider *people.Provider

	Release    ed25519.PrivateKey
	Repository bundle.Repository // the administrator's

	t     testing.TB
	dir   string
	keys  string
	key   ed25519.PrivateKey
	stop  func()
	front *front
}

// A front is what listens, whichever hub runs behind it.
type front struct{ handler http.Handler }

func (f *front) ServeHTTP(w http.ResponseWriter, r *http.Request) { f.handler.ServeHTTP(w, r) }

// Start starts a hub.
func Start(t testing.TB) *Hub {
	h := &Hub{t: t, dir: t.TempDir(), front: &front{}, keys: t.TempDir()}
	h.Release, h.key = NewKey(t), NewKey(t)
	h.Repository = bundle.Repository{Store: bundle.Dir(h.keys)}
	Must(t, h.Repository.Create(context.Background(), bundle.Keys{Root: NewKey(t), Release: h.Release, Hub: h.key.Public().(ed25519.PublicKey)}))
	h.Open()
	h.Accept()
	server := httptest.NewTLSServer(h.front)
	t.Cleanup(func() { server.Close(); h.Close() })
	h.URL, h.Client = server.URL, server.Client()
	h.CA = filepath.Join(t.TempDir(), "ca.pem")
	Write(t, h.CA, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}))
	return h
}

// Open opens the hub's store, and serves it.
func (h *Hub) Open() {
	h.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	s, err := store.Open(ctx, store.Options{Dir: h.dir, Keep: time.Hour * 24 * 365})
	Must(h.t, err)
	registry, err := machines.NewRegistry(ctx, s.Machines, s.Tokens)
	Must(h.t, err)
	h.Store = s
	log := slog.New(slog.DiscardHandler)
	control, err := rollout.New(ctx, s, h.key, log)
	Must(h.t, err)
	board, err := approvals.NewBoard(ctx, s.Approvals)
	Must(h.t, err)
	tokens := people.Tokens{Store: s.State}
	h.Server = &web.Server{
		ID: ID, Name: "test", Machines: registry, Records: records.NewBook(s), People: tokens, Rollout: control, Approvals: board,
		Sessions: people.Sessions{Store: s.Sessions, Tokens: tokens}, Provider: h.Provider, Closing: ctx.Done(), Log: log, Now: time.Now,
	}
	h.front.handler = h.Server.Handler()
	var wg sync.WaitGroup
	wg.Go(func() { control.Watch(ctx, h.Server.Records, registry.Get) })
	h.stop = func() { cancel(); wg.Wait(); s.Close() }
}

// Accept lets the hub take over what the administrator signed.
func (h *Hub) Accept() {
	h.t.Helper()
	Must(h.t, h.Server.Rollout.Accept(context.Background(), bundle.Dir(h.keys), "test"))
}

// Sign signs a bundle with these files and lets the hub take it over. It returns its target path.
func (h *Hub) Sign(version int, files map[string]string) string {
	h.t.Helper()
	dir := h.t.TempDir()
	Write(h.t, filepath.Join(dir, "bundle.json"), fmt.Appendf(nil, `{"name":"test","version":%d,"created":"2026-11-01T00:00:00Z"}`, version))
	for name, text := range files {
		Must(h.t, os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o700))
		Write(h.t, filepath.Join(dir, name), []byte(text))
	}
	archive, _, err := bundle.Build(dir)
	Must(h.t, err)
	info, err := h.Repository.Add(context.Background(), h.Release, archive)
	Must(h.t, err)
	h.Accept()
	return info.Target()
}

// NewKey returns a new key.
func NewKey(t testing.TB) ed25519.PrivateKey {
	_, key, err := ed25519.GenerateKey(rand.Reader)
	Must(t, err)
	return key
}

// Close closes the store. The hub refuses requests until Open is called.
func (h *Hub) Close() {
	if h.stop != nil {
		h.stop()
		h.stop = nil
	}
	h.front.handler = http.NotFoundHandler()
}

// Backup copies the store of a closed hub. Restore puts the copy in its place.
func (h *Hub) Backup() (restore func()) {
	copied := filepath.Join(h.t.TempDir(), "copy")
	Must(h.t, os.CopyFS(copied, os.DirFS(h.dir)))
	return func() {
		Must(h.t, os.RemoveAll(h.dir))
		Must(h.t, os.CopyFS(h.dir, os.DirFS(copied)))
	}
}

// A Machine is a machine with one ledger.
type Machine struct {
	*machine.Enrollment
	State  state.Dir
	Ledger *ledger.Ledger

	t    testing.TB
	logs bytes.Buffer
}

// Join adds a machine to the fleet.
func (h *Hub) Join(name string) *Machine {
	h.t.Helper()
	secret, _, err := h.Server.Machines.NewToken(context.Background(), 1, time.Now().Add(time.Hour), "test")
	Must(h.t, err)
	root, err := h.Server.Rollout.Root(context.Background())
	Must(h.t, err)
	e, err := machine.Join(context.Background(), machine.JoinOptions{Dir: h.t.TempDir(), URL: h.URL, CA: h.CA, Name: name, Token: machine.Token{Hub: ID, Root: root, Secret: secret}})
	Must(h.t, err)
	m := &Machine{Enrollment: e, t: h.t}
	m.SetState(h.t.TempDir())
	return m
}

// SetState lets m have the ledger in the state directory dir.
func (m *Machine) SetState(dir string) {
	m.State = state.NewDir(dir)
	m.Ledger = ledger.Open(ledger.Options{Dir: m.State, Segment: 64 << 10})
}

// Record adds n records to the ledger.
func (m *Machine) Record(n int) {
	m.t.Helper()
	for i := range n {
		_, err := m.Ledger.Append(ledger.KindEvent, fmt.Appendf(nil, `"policy":"p1","decision":"none","root":"/work/%d","text":%q,"ms":1.5`, i%3, strings.Repeat("x", 300)), false)
		Must(m.t, err)
	}
}

// LedgerDir returns the directory of the ledger.
func (m *Machine) LedgerDir() string { return m.State.Path("ledger") }

// Agent returns the agent of m.
func (m *Machine) Agent() *machine.Agent {
	return &machine.Agent{Enrollment: m.Enrollment, Log: slog.New(slog.NewTextHandler(&m.logs, nil)), Ledgers: func() ([]machine.Ledger, error) {
		return []machine.Ledger{{Dir: m.LedgerDir(), User: "dev"}}, nil
	}}
}

// Upload lets the agent of m upload what is new.
func (m *Machine) Upload() error { return m.Agent().UploadOnce(context.Background()) }

// Lines returns the valid lines of the ledger.
func (m *Machine) Lines() (out []string) {
	r := ledger.NewReader(m.LedgerDir(), ledger.Position{})
	defer r.Close()
	for {
		e, err := r.Next()
		if err == io.EOF {
			return out
		}
		Must(m.t, err)
		if !e.Damaged {
			out = append(out, string(e.Line.Raw))
		}
	}
}

// Write writes a file.
func Write(t testing.TB, path string, data []byte) {
	t.Helper()
	Must(t, os.WriteFile(path, data, 0o600))
}

// Must ends the test if there is an error.
func Must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
