//go:build linux

package endtoend

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/jwt/v2"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nkeys"
)

// A secured is a cluster of three nodes that asks for client certificates and for credentials of an account.
type secured struct {
	dir   string
	nodes []*process
	urls  string
}

// newSecured starts such a cluster. Its nodes may not have found each other yet.
func newSecured(t *testing.T) *secured {
	bin, err := programs()
	must(t, err)
	s := &secured{dir: t.TempDir()}
	writeCertificate(t, s.dir)
	trust := s.writeAccounts(t)
	var ports [6]int
	var urls, routes []string
	for i := range ports {
		ports[i] = freePort(t)
	}
	for i := range 3 {
		urls = append(urls, fmt.Sprintf("tls://127.0.0.1:%d", ports[i]))
		routes = append(routes, fmt.Sprintf("tls://127.0.0.1:%d", ports[3+i]))
	}
	s.urls = strings.Join(urls, ",")
	secure := fmt.Sprintf("tls { cert_file: %q, key_file: %q, ca_file: %q, verify: true }", s.dir+"/tls.crt", s.dir+"/tls.key", s.dir+"/tls.crt")
	for i := range 3 {
		file := fmt.Sprintf("%s/n%d.conf", s.dir, i)
		must(t, os.WriteFile(file, fmt.Appendf(nil, "server_name: n%d\nlisten: 127.0.0.1:%d\njetstream { store_dir: %q, sync_interval: always }\n%s\n%s\ncluster { name: fleet, listen: 127.0.0.1:%d, routes: [%s]\n%s }\n",
			i, ports[i], fmt.Sprintf("%s/n%d", s.dir, i), trust, secure, ports[3+i], strings.Join(routes, ", "), secure), 0o600))
		s.nodes = append(s.nodes, newProcess(t, fmt.Sprintf("%s/n%d.log", s.dir, i), os.Environ(), bin+"/nats-server", "-c", file))
	}
	return s
}

// writeAccounts writes credentials of an account to hub.creds, and some that its operator did not sign to
// other.creds. It returns the settings of nodes that trust the operator.
func (s *secured) writeAccounts(t *testing.T) string {
	newKey := func(create func() (nkeys.KeyPair, error)) (nkeys.KeyPair, string) {
		key, err := create()
		must(t, err)
		public, err := key.PublicKey()
		must(t, err)
		return key, public
	}
	operatorKey, operatorID := newKey(nkeys.CreateOperator)
	_, system := newKey(nkeys.CreateAccount)
	accountKey, account := newKey(nkeys.CreateAccount)
	strangerKey, _ := newKey(nkeys.CreateAccount)
	operator, err := jwt.NewOperatorClaims(operatorID).Encode(operatorKey)
	must(t, err)
	must(t, os.WriteFile(s.dir+"/operator.jwt", []byte(operator), 0o600))
	claims := jwt.NewAccountClaims(account)
	claims.Limits.JetStreamLimits = jwt.JetStreamLimits{MemoryStorage: -1, DiskStorage: -1, Streams: -1, Consumer: -1}
	signed, err := claims.Encode(operatorKey)
	must(t, err)
	signedSystem, err := jwt.NewAccountClaims(system).Encode(operatorKey)
	must(t, err)
	for name, signer := range map[string]nkeys.KeyPair{"hub.creds": accountKey, "other.creds": strangerKey} {
		userKey, user := newKey(nkeys.CreateUser)
		text, err := jwt.NewUserClaims(user).Encode(signer)
		must(t, err)
		seed, err := userKey.Seed()
		must(t, err)
		creds, err := jwt.FormatUserConfig(text, seed)
		must(t, err)
		must(t, os.WriteFile(filepath.Join(s.dir, name), creds, 0o600))
	}
	return fmt.Sprintf("operator: %q\nsystem_account: %s\nresolver: MEMORY\nresolver_preload { %s: %s\n%s: %s }", s.dir+"/operator.jwt", system, account, signed, system, signedSystem)
}

// flags returns the flags of a hub, except for one.
func (s *secured) flags(without, creds string) (out []string) {
	out = []string{"--nats", s.urls}
	for _, f := range [][2]string{{"--nats-creds", s.dir + "/" + creds}, {"--nats-ca", s.dir + "/tls.crt"}, {"--nats-cert", s.dir + "/tls.crt"}, {"--nats-key", s.dir + "/tls.key"}} {
		if f[0] != without {
			out = append(out, f[:]...)
		}
	}
	return out
}

// copies returns how many copies the cluster keeps of each stream.
func (s *secured) copies(t *testing.T) map[string]int {
	pair, err := tls.LoadX509KeyPair(s.dir+"/tls.crt", s.dir+"/tls.key")
	must(t, err)
	pool := x509.NewCertPool()
	text, err := os.ReadFile(s.dir + "/tls.crt")
	must(t, err)
	pool.AppendCertsFromPEM(text)
	conn, err := nats.Connect(s.urls, nats.UserCredentials(s.dir+"/hub.creds"), nats.Secure(&tls.Config{RootCAs: pool, Certificates: []tls.Certificate{pair}}))
	must(t, err)
	defer conn.Close()
	js, err := jetstream.New(conn)
	must(t, err)
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	out := map[string]int{}
	list := js.ListStreams(ctx)
	for info := range list.Info() {
		out[info.Config.Name] = info.Config.Replicas
	}
	must(t, list.Err())
	return out
}

// TestSecuredCluster runs a hub on a cluster that exists, with credentials and certificates, and checks that
// everything has three copies, also after the hub started while a node was away.
func TestSecuredCluster(t *testing.T) {
	requireFleet(t)
	s := newSecured(t)
	f := newFleet(t, s.flags("", "hub.creds")...) // while the nodes are starting
	check := func() {
		t.Helper()
		streams := s.copies(t)
		if len(streams) < 8 {
			t.Errorf("the streams are %v", streams)
		}
		for name, n := range streams {
			if n != 3 {
				t.Errorf("%s has %d copies", name, n)
			}
		}
	}
	check()
	f.join(2)
	for n, m := range f.machines {
		must(t, f.hook(m, n))
	}
	f.verify()

	f.hub.kill()
	s.nodes[0].kill()
	f.hub.start()
	must(t, f.hook(f.machines[0], 7))
	f.verify()
	s.nodes[0].start()
	check()

	for name, flags := range map[string][]string{
		"without credentials": s.flags("--nats-creds", ""), "with credentials of another operator": s.flags("", "other.creds"),
		"without the authority": s.flags("--nats-ca", "hub.creds"),
	} {
		began := time.Now()
		if out, err := f.try(nil, append([]string{"checkrein-hub", "init", "--dir", f.dir + "/other"}, flags...)...); err == nil || time.Since(began) > 20*time.Second {
			t.Errorf("%s: %v after %v: %s", name, err, time.Since(began), out)
		} else {
			t.Logf("%s: %v", name, err)
		}
	}
}
