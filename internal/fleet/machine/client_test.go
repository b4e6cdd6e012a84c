package machine

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// startHub starts an HTTPS server that answers every request with an empty object, and returns its
// address and a file with its certificate, which is valid until expires.
func startHub(t *testing.T, expires time.Time) (address, ca string) {
	t.Helper()
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	about := &x509.Certificate{SerialNumber: big.NewInt(1), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, NotAfter: expires, IsCA: true, BasicConstraintsValid: true}
	der, err := x509.CreateCertificate(rand.Reader, about, about, public, private)
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("{}")) }))
	s.TLS = &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: private}}}
	s.StartTLS()
	t.Cleanup(s.Close)
	ca = filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(ca, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600); err != nil {
		t.Fatal(err)
	}
	return s.URL, ca
}

// freeAddress returns an address at which nothing listens.
func freeAddress(t *testing.T) string {
	t.Helper()
	s := httptest.NewTLSServer(nil)
	s.Close()
	return s.URL
}

// newTestAgent returns an agent of a machine whose hub is at address.
func newTestAgent(t *testing.T, address, ca string) *Agent {
	t.Helper()
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	a := &Agent{Enrollment: &Enrollment{URL: address, CA: ca, dir: t.TempDir(), key: key}}
	if err := a.open(); err != nil {
		t.Fatal(err)
	}
	return a
}

// TestUnreachable checks that each reason why a hub cannot be reached comes with its remedy.
func TestUnreachable(t *testing.T) {
	t.Parallel()
	address, ca := startHub(t, time.Now().Add(time.Hour))
	expired, expiredCA := startHub(t, time.Now().Add(-time.Hour))
	for _, tt := range []struct{ name, address, ca, want string }{
		{"unknown authority", address, "", "with --ca FILE"},
		{"another authority", address, expiredCA, "with --ca FILE"},
		{"another name", strings.Replace(address, "127.0.0.1", "localhost", 1), ca, "use the address"},
		{"expired", expired, expiredCA, "renew the hub's certificate"},
		{"away", freeAddress(t), ca, "check that it is running"},
	} {
		err := newTestAgent(t, tt.address, tt.ca).sendReport(t.Context())
		if err == nil || !strings.Contains(err.Error(), "the hub at "+tt.address+" cannot be reached: ") || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error %v, want %q", tt.name, err, tt.want)
		}
	}
}

// TestStatusHasProblem checks that the status has why the last report failed, until one succeeds.
func TestStatusHasProblem(t *testing.T) {
	t.Parallel()
	address, ca := startHub(t, time.Now().Add(time.Hour))
	a := newTestAgent(t, freeAddress(t), ca)
	if err := a.sendReport(t.Context()); err == nil {
		t.Fatal("a hub that is away got a report")
	}
	if s := a.Enrollment.Status(); !strings.Contains(s.Problem, "cannot be reached") || !s.Contact.IsZero() {
		t.Errorf("away: problem %q, contact %v", s.Problem, s.Contact)
	}
	stopped, stop := context.WithCancel(t.Context())
	stop()
	a.client.base = address
	if err := a.sendReport(t.Context()); err != nil {
		t.Fatal(err)
	}
	_ = a.sendReport(stopped)
	if s := a.Enrollment.Status(); s.Problem != "" || s.Contact.IsZero() {
		t.Errorf("back, and stopped: problem %q, contact %v", s.Problem, s.Contact)
	}
}
