// Package store keeps what a hub knows in NATS JetStream: records in a stream, machines and rollouts as
// keys and values, bundles as objects. The engine runs inside the hub, or is a cluster that exists.
package store

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Options say where the store is.
type Options struct {
	// Dir is the directory of the engine that runs inside the hub. It is not used with URL.
	Dir string
	// URL is the address of a NATS cluster with JetStream, or several, separated by commas.
	URL         string
	Credentials string // a file with NATS credentials, or ""
	CA          string // a file with certificates for URL, or ""
	Cert, Key   string // files of a client certificate for URL, or ""

	Replicas int           // of everything, in a cluster; 0 means 3 if it has as many servers, and never fewer than before
	Keep     time.Duration // how long records are kept
	MaxBytes int64         // of records; 0 means no limit
}

// Names of what the hub keeps.
const (
	recordsStream   = "CHECKREIN_RECORDS"
	recordsSubject  = "checkrein.records"
	machinesBucket  = "checkrein_machines"
	tokensBucket    = "checkrein_tokens"
	trustBucket     = "checkrein_trust"
	stateBucket     = "checkrein_state"
	bundlesBucket   = "checkrein_bundles"
	approvalsBucket = "checkrein_approvals"
	sessionsBucket  = "checkrein_sessions"
)

// How long some of it is kept.
const (
	approvalsKept = 48 * time.Hour // they expire after a day
	sessionsKept  = 24 * time.Hour // they end before that
)

// A Store is an open store. It is safe for concurrent use.
type Store struct {
	Machines, Tokens, Trust, State, Approvals, Sessions jetstream.KeyValue
	Bundles                                             jetstream.ObjectStore

	js      jetstream.JetStream
	records jetstream.Stream
	conn    *nats.Conn
	server  *server.Server // nil if the engine is a cluster
}

// patience is how long a cluster may take that begins to run together with the hub.
const patience = time.Minute

// Open opens the store, and creates what is missing in it.
func Open(ctx context.Context, o Options) (*Store, error) {
	for end := time.Now().Add(patience); ; pause(ctx, time.Second) {
		s := &Store{}
		err := s.connect(o)
		if err == nil {
			err = s.create(ctx, o)
		}
		if err == nil {
			return s, nil
		}
		s.Close()
		if o.URL == "" || !isAway(err) || ctx.Err() != nil || time.Now().After(end) {
			return nil, err
		}
	}
}

// noPeers is JetStream's code for fewer servers than replicas.
const noPeers jetstream.ErrorCode = 10005

// isAway reports whether err means that a cluster has no server or no leader now.
func isAway(err error) bool {
	apiErr := (*jetstream.APIError)(nil)
	return errors.Is(err, context.DeadlineExceeded) || errors.Is(err, nats.ErrNoServers) || errors.Is(err, nats.ErrTimeout) || errors.Is(err, nats.ErrConnectionClosed) ||
		errors.Is(err, nats.ErrNoResponders) || errors.Is(err, jetstream.ErrNoStreamResponse) || errors.As(err, &apiErr) && (apiErr.Code == http.StatusServiceUnavailable || apiErr.ErrorCode == noPeers)
}

// connect connects to the cluster, or starts the engine and connects to it.
func (s *Store) connect(o Options) (err error) {
	opts := []nats.Option{nats.Name("checkrein-hub"), nats.MaxReconnects(-1), nats.RetryOnFailedConnect(false), nats.ReconnectWait(250 * time.Millisecond)}
	if o.URL != "" {
		if o.Credentials != "" {
			opts = append(opts, nats.UserCredentials(o.Credentials))
		}
		if o.CA != "" {
			opts = append(opts, nats.RootCAs(o.CA))
		}
		if o.Cert != "" {
			opts = append(opts, nats.ClientCert(o.Cert, o.Key))
		}
		if s.conn, err = nats.Connect(o.URL, opts...); err != nil {
			return fmt.Errorf("connecting to NATS at %s: %w", o.URL, err)
		}
	} else {
		s.server, err = server.NewServer(&server.Options{
			ServerName: "checkrein-hub", DontListen: true, NoSigs: true, NoLog: true,
			JetStream: true, StoreDir: filepath.Join(o.Dir, "jetstream"), MaxPayload: 2 << 20,
			// The default acknowledges before data is on disk, and loses it on a power failure.
			SyncAlways: true,
		})
		if err != nil {
			return fmt.Errorf("starting the store: %w", err)
		}
		s.server.Start()
		if !s.server.ReadyForConnections(30 * time.Second) {
			return fmt.Errorf("the store in %s did not start within 30 s: is another hub using it?", o.Dir)
		}
		if s.conn, err = nats.Connect("", append(opts, nats.InProcessServer(s.server))...); err != nil {
			return fmt.Errorf("connecting to the store: %w", err)
		}
	}
	s.js, err = jetstream.New(s.conn, jetstream.WithPublishAsyncMaxPending(256))
	return err
}

// create creates or updates streams and buckets.
func (s *Store) create(ctx context.Context, o Options) error {
	replicas, err := s.replicas(ctx, o)
	if err != nil {
		return err
	}
	s.records, err = s.js.CreateOrUpdateStream(ctx, jetstream.StreamConfig{
		Name: recordsStream, Subjects: []string{recordsSubject + ".*.*"}, Storage: jetstream.FileStorage, Replicas: replicas,
		MaxAge: o.Keep, MaxBytes: max(o.MaxBytes, 0), Discard: jetstream.DiscardOld, DenyDelete: true, Duplicates: 10 * time.Minute,
	})
	if err != nil {
		return fmt.Errorf("creating the stream of records: %w", err)
	}
	for _, b := range []struct {
		to      *jetstream.KeyValue
		name    string
		history uint8
		keep    time.Duration
	}{
		{&s.Machines, machinesBucket, 4, 0}, {&s.Tokens, tokensBucket, 1, 0}, {&s.Trust, trustBucket, 1, 0}, {&s.State, stateBucket, 8, 0},
		{&s.Approvals, approvalsBucket, 1, approvalsKept}, {&s.Sessions, sessionsBucket, 1, sessionsKept},
	} {
		if *b.to, err = s.js.CreateOrUpdateKeyValue(ctx, jetstream.KeyValueConfig{Bucket: b.name, History: b.history, TTL: b.keep, Replicas: replicas}); err != nil {
			return fmt.Errorf("creating the bucket %s: %w", b.name, err)
		}
	}
	if s.Bundles, err = s.js.CreateOrUpdateObjectStore(ctx, jetstream.ObjectStoreConfig{Bucket: bundlesBucket, Replicas: replicas}); err != nil {
		return fmt.Errorf("creating the bucket %s: %w", bundlesBucket, err)
	}
	return nil
}

// replicas returns how many copies of everything a cluster keeps. Unless o says so, these never become fewer,
// since a server that is missing now returns.
func (s *Store) replicas(ctx context.Context, o Options) (int, error) {
	switch {
	case o.Replicas > 0:
		return o.Replicas, nil
	case s.server != nil:
		return 1, nil
	}
	n := 1
	if max(len(s.conn.DiscoveredServers())+1, len(strings.Split(o.URL, ","))) >= 3 {
		n = 3
	}
	have, err := s.js.Stream(ctx, recordsStream)
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		return n, nil
	}
	if err != nil {
		return 0, fmt.Errorf("reading the stream of records: %w", err)
	}
	return max(n, have.CachedInfo().Config.Replicas), nil
}

// idKey is the key of the hub's id.
const idKey = "id"

// ID returns the id of the hub, which all hubs on a store share. Machines sign for it.
func (s *Store) ID(ctx context.Context) (string, error) {
	var raw [8]byte
	_, _ = rand.Read(raw[:]) // never fails
	if _, err := s.State.Create(ctx, idKey, []byte(hex.EncodeToString(raw[:]))); err != nil && !IsConflict(err) {
		return "", fmt.Errorf("creating the hub's id: %w", err)
	}
	entry, err := s.State.Get(ctx, idKey)
	if err != nil {
		return "", fmt.Errorf("reading the hub's id: %w", err)
	}
	return string(entry.Value()), nil
}

// Close closes the connection and stops the engine.
func (s *Store) Close() {
	if s.conn != nil {
		s.conn.Close()
	}
	if s.server != nil {
		s.server.Shutdown()
		s.server.WaitForShutdown()
	}
}

// ErrConflict means that another hub has stored something since.
var ErrConflict = errors.New("another hub has stored something since")

// IsConflict reports whether err means that something was stored since it was read. Streams with
// replicas have a code of their own for it.
func IsConflict(err error) bool {
	apiErr := (*jetstream.APIError)(nil)
	return errors.Is(err, jetstream.ErrKeyExists) || errors.As(err, &apiErr) &&
		(apiErr.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequence || apiErr.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequenceConstant)
}

// A Batch is a batch of records as stored.
type Batch struct {
	Machine, Ledger string
	Body            []byte            // compressed
	Meta            map[string]string // what is known of it without reading it
	Sequence        uint64            // its place in the stream
	Time            time.Time         // when it was stored
}

func subject(machine, ledger string) string {
	return recordsSubject + "." + machine + "." + ledger
}

// AddBatch stores b if the last batch of its ledger has the sequence after; 0 means that there is none.
// When it returns without an error, b is durable. The error is [ErrConflict] if there is another one.
func (s *Store) AddBatch(ctx context.Context, b *Batch, after uint64) (sequence uint64, err error) {
	msg := nats.NewMsg(subject(b.Machine, b.Ledger))
	msg.Data = b.Body
	for name, val := range b.Meta {
		msg.Header.Set(name, val)
	}
	ack, err := s.js.PublishMsg(ctx, msg, jetstream.WithExpectLastSequencePerSubject(after), jetstream.WithExpectStream(recordsStream))
	if IsConflict(err) {
		return 0, ErrConflict
	}
	if err != nil {
		return 0, err
	}
	return ack.Sequence, nil
}

// LastBatch returns the last batch of a ledger, or nil if there is none.
func (s *Store) LastBatch(ctx context.Context, machine, ledger string) (*Batch, error) {
	msg, err := s.records.GetLastMsgForSubject(ctx, subject(machine, ledger))
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return newBatch(msg.Subject, msg.Data, msg.Header, msg.Sequence, msg.Time), nil
}

func newBatch(subject string, data []byte, header nats.Header, sequence uint64, at time.Time) *Batch {
	b := &Batch{Body: data, Meta: map[string]string{}, Sequence: sequence, Time: at}
	for name := range header {
		b.Meta[name] = header.Get(name)
	}
	rest := subject[len(recordsSubject)+1:]
	for i := range rest {
		if rest[i] == '.' {
			b.Machine, b.Ledger = rest[:i], rest[i+1:]
			break
		}
	}
	return b
}

// A Range chooses batches.
type Range struct {
	Machine, Ledger string    // "" means all
	From            uint64    // the first sequence
	Since           time.Time // when they were stored; zero means from the beginning
	Summaries       bool      // without bodies
}

// Each calls fn for each batch that is stored now, oldest first, until it returns false.
func (s *Store) Each(ctx context.Context, r Range, fn func(*Batch) bool) error {
	conf := jetstream.OrderedConsumerConfig{DeliverPolicy: jetstream.DeliverAllPolicy, HeadersOnly: r.Summaries}
	conf.FilterSubjects = []string{subject(cmp.Or(r.Machine, "*"), cmp.Or(r.Ledger, "*"))}
	switch {
	case r.From > 0:
		conf.DeliverPolicy, conf.OptStartSeq = jetstream.DeliverByStartSequencePolicy, r.From
	case !r.Since.IsZero():
		conf.DeliverPolicy, conf.OptStartTime = jetstream.DeliverByStartTimePolicy, &r.Since
	}
	c, err := s.records.OrderedConsumer(ctx, conf)
	if err != nil {
		return fmt.Errorf("reading the records: %w", err)
	}
	info, err := c.Info(ctx)
	if err != nil {
		return fmt.Errorf("reading the records: %w", err)
	}
	if info.NumPending == 0 {
		return nil
	}
	messages, err := c.Messages()
	if err != nil {
		return fmt.Errorf("reading the records: %w", err)
	}
	defer messages.Stop()
	defer context.AfterFunc(ctx, messages.Stop)()
	for left := info.NumPending; left > 0; left-- {
		msg, err := messages.Next()
		if err != nil {
			return errors.Join(ctx.Err(), fmt.Errorf("reading the records: %w", err))
		}
		meta, err := msg.Metadata()
		if err != nil {
			return err
		}
		if !fn(newBatch(msg.Subject(), msg.Data(), msg.Headers(), meta.Sequence.Stream, meta.Timestamp)) {
			return nil
		}
	}
	return nil
}

// EachBefore calls fn for each batch that r chooses and that comes before a sequence, newest first, until
// it returns false. 0 is the end.
func (s *Store) EachBefore(ctx context.Context, r Range, before uint64, fn func(*Batch) bool) error {
	info, err := s.records.Info(ctx)
	if err != nil {
		return fmt.Errorf("reading the records: %w", err)
	}
	end := info.State.LastSeq + 1
	if before > 0 {
		end = min(end, before)
	}
	for size := uint64(16); end > info.State.FirstSeq; size = min(2*size, 256) { // the stream is read forwards only
		r.From = max(end-min(size, end), info.State.FirstSeq, 1)
		var window []*Batch
		err := s.Each(ctx, r, func(b *Batch) bool {
			if b.Sequence >= end {
				return false
			}
			window = append(window, b)
			return true
		})
		if err != nil {
			return err
		}
		for _, b := range slices.Backward(window) {
			if !fn(b) {
				return nil
			}
		}
		end = r.From
	}
	return nil
}

// Follow calls fn for each batch that is stored, oldest first, until ctx is done. name is the name of
// the reader, whose place in the stream is kept. A batch for which fn returns an error comes again after
// a pause.
func (s *Store) Follow(ctx context.Context, name string, fn func(*Batch) error) error {
	c, err := s.records.CreateOrUpdateConsumer(ctx, jetstream.ConsumerConfig{
		Durable: name, AckPolicy: jetstream.AckExplicitPolicy, AckWait: 2 * time.Minute, MaxAckPending: 1,
	})
	if err != nil {
		return fmt.Errorf("following the records: %w", err)
	}
	messages, err := c.Messages(jetstream.PullMaxMessages(1))
	if err != nil {
		return fmt.Errorf("following the records: %w", err)
	}
	defer context.AfterFunc(ctx, messages.Stop)()
	for ctx.Err() == nil {
		msg, err := messages.Next()
		if err != nil { // the connection is away, or ctx is done
			pause(ctx, time.Second)
			continue
		}
		meta, err := msg.Metadata()
		if err == nil {
			err = fn(newBatch(msg.Subject(), msg.Data(), msg.Headers(), meta.Sequence.Stream, meta.Timestamp))
		}
		if err != nil {
			_ = msg.NakWithDelay(retryEvery)
			continue
		}
		_ = msg.DoubleAck(ctx) // without it, the batch comes again
	}
	return ctx.Err()
}

// retryEvery is the pause before a batch comes again.
const retryEvery = 2 * time.Second

// pause waits for d or until ctx is done.
func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}
