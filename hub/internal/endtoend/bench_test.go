//go:build linux

package endtoend

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/tls"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/checkrein/checkrein/internal/evidence/ledger"
	"github.com/checkrein/checkrein/internal/evidence/ledger/seal"
	"github.com/checkrein/checkrein/internal/fleet/machine"
	"github.com/checkrein/checkrein/internal/fleet/protocol"
)

// A sender is a machine that sends batches which it made before.
type sender struct {
	key     ed25519.PrivateKey
	batches [][]byte
}

// makeSenders returns n machines with each records, whose members are those of real records, in batches of
// about limit bytes.
func makeSenders(b testing.TB, f *fleet, n, each, limit int) []sender {
	m := &member{name: "real", home: filepath.Join(f.dir, "real"), env: f.home("real")}
	for i := range 120 {
		must(b, f.hook(m, i))
	}
	var lines [][]byte
	for _, l := range m.lines(b) {
		lines = append(lines, []byte(l))
	}
	out := make([]sender, n)
	for i := range out {
		_, key, err := ed25519.GenerateKey(rand.Reader)
		must(b, err)
		out[i].key = key
		var k ledger.Key
		copy(k[:], key)
		out[i].batches = makeBatches(b, k, lines, each, limit)
	}
	return out
}

// makeBatches returns batches of about limit bytes with n records of the ledger with this key.
func makeBatches(b testing.TB, key ledger.Key, lines [][]byte, n, limit int) (out [][]byte) {
	public := seal.NewSigner(key).Public()
	var text []byte
	var prev, start ledger.Hash
	from := uint64(0)
	for seq := uint64(1); seq <= uint64(n); seq++ {
		l, err := ledger.ParseLine(lines[int(seq)%len(lines)])
		must(b, err)
		s := l.Stamp
		s.Seq, s.Prev = seq, prev
		text, prev = ledger.AppendLine(text, &s, l.Members(), key.Seals())
		if len(text) < limit && seq < uint64(n) {
			continue
		}
		h, err := json.Marshal(protocol.BatchHeader{Ledger: key.ID(), After: from, Hash: start, Key: hex.EncodeToString(public[:]), User: "dev"})
		must(b, err)
		out = append(out, protocol.Compress(append(append(h, '\n'), text...)))
		text, from, start = nil, seq, prev
	}
	return out
}

// A post sends a request of a sender.
type post func(s *sender, path string, body []byte) error

// poster returns a token for machines, and a function that sends their requests over at most count
// connections.
func (f *fleet) poster(count int) (machine.Token, post) {
	token, err := machine.ParseToken(f.run(f.admin, "checkrein", "fleet", "token", "--uses", "5000"))
	must(f.t, err)
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, MaxIdleConnsPerHost: count}}
	return token, func(s *sender, path string, body []byte) error {
		req, err := http.NewRequest(http.MethodPost, f.url+path, bytes.NewReader(body))
		if err != nil {
			return err
		}
		protocol.Sign(req, body, token.Hub, s.key, time.Now())
		resp, err := client.Do(req)
		if err != nil {
			return err
		}
		defer resp.Body.Close()
		if text, _ := io.ReadAll(resp.Body); resp.StatusCode != http.StatusOK {
			return fmt.Errorf("%s: %s", resp.Status, text)
		}
		return nil
	}
}

// join makes s a machine of the fleet.
func (s *sender) join(token machine.Token, send post, name string) error {
	body, err := json.Marshal(protocol.Join{Token: token.Secret, Key: s.key.Public().(ed25519.PublicKey), Facts: protocol.Facts{Name: name}})
	if err != nil {
		return err
	}
	return send(s, protocol.PathJoin, body)
}

// BenchmarkRecords sends batches of real records of 50 machines to a hub by HTTPS, and the same batches
// to a NATS server without a hub, as nats bench does. It needs CHECKREIN_FLEET.
func BenchmarkRecords(b *testing.B) {
	if os.Getenv("CHECKREIN_FLEET") == "" {
		b.Skip("CHECKREIN_FLEET is not set: run make bench-fleet")
	}
	const count, each = 50, 4000
	f := newFleet(b)
	token, post := f.poster(count)
	var err error
	port := freePort(b)
	conf := filepath.Join(f.dir, "nats.conf")
	must(b, os.WriteFile(conf, fmt.Appendf(nil, "listen: 127.0.0.1:%d\njetstream { store_dir: %q, sync_interval: always }\n", port, f.dir+"/nats"), 0o600))
	newProcess(b, f.dir+"/nats.log", os.Environ(), f.bin+"/nats-server", "-c", conf)
	var conn *nats.Conn
	f.eventually("NATS serves", func() bool {
		conn, err = nats.Connect(fmt.Sprintf("nats://127.0.0.1:%d", port))
		return err == nil
	})
	defer conn.Close()
	js, err := jetstream.New(conn)
	must(b, err)
	_, err = js.CreateStream(context.Background(), jetstream.StreamConfig{Name: "bench", Subjects: []string{"bench.>"}, Storage: jetstream.FileStorage})
	must(b, err)

	all := func(senders []sender, send func(i int, body []byte) error) float64 {
		began := time.Now()
		var wg sync.WaitGroup
		for i := range senders {
			wg.Go(func() {
				for _, body := range senders[i].batches {
					if err := send(i, body); err != nil {
						b.Error(err)
						return
					}
				}
			})
		}
		wg.Wait()
		return count * each / time.Since(began).Seconds()
	}
	for round := 0; b.Loop(); round++ {
		senders := makeSenders(b, f, count, each, protocol.MaxBatch)
		for i := range senders {
			must(b, senders[i].join(token, post, fmt.Sprintf("r%dm%d", round, i)))
		}
		hub := all(senders, func(i int, body []byte) error { return post(&senders[i], protocol.PathRecords, body) })
		floor := all(senders, func(i int, body []byte) error {
			_, err := js.Publish(context.Background(), fmt.Sprintf("bench.%d.%d", round, i), body)
			return err
		})
		b.Logf("round %d: hub %.0f records/s, NATS alone %.0f records/s, ratio %.2f", round, hub, floor, hub/floor)
		b.ReportMetric(hub, "records/s")
		b.ReportMetric(hub/floor, "ofNATS")
	}
}
