package export

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	common "go.opentelemetry.io/proto/otlp/common/v1"
	logs "go.opentelemetry.io/proto/otlp/logs/v1"
	resource "go.opentelemetry.io/proto/otlp/resource/v1"
	"google.golang.org/protobuf/proto"

	"github.com/checkrein/checkrein/internal/sys/build"
)

// OTLPOptions describe where to send records. Only Endpoint is required.
type OTLPOptions struct {
	Endpoint string            // http or https: the base URL, or the full one that ends in /v1/logs
	Exact    bool              // use the endpoint unchanged, whatever it ends in
	Headers  map[string]string // sent with every request; never displayed
	Client   *http.Client      // nil means one with a timeout of 30 seconds per request
	Batch    int               // records per request; 0 means 512
}

const (
	defaultBatch   = 512
	requestBytes   = 4 << 20 // bytes of lines; the protocol recommends no more than 20 MiB
	requestTimeout = 30 * time.Second
)

// OTLP returns a sink that sends each record as a log record, see [logRecord], in batches. If the
// receiver is busy, it sends a batch again. An error states how many records were delivered before it.
// The export ends when ctx is done.
func OTLP(ctx context.Context, o OTLPOptions) (Sink, error) {
	sender, err := newSender(ctx, &o, "logs")
	if err != nil {
		return nil, err
	}
	s := &otlpSink{sender: *sender, batch: o.Batch, maxBytes: requestBytes}
	if s.batch <= 0 {
		s.batch = defaultBatch
	}
	return s, nil
}

// A sender posts requests with one kind of signal.
type sender struct {
	ctx    context.Context // of the whole export: Write and Close have none of their own
	url    *url.URL
	header http.Header
	client http.Client
	pause  func(context.Context, time.Duration) error
	now    func() time.Time
}

// newSender returns a sender for a signal: logs, traces or metrics.
func newSender(ctx context.Context, o *OTLPOptions, signal string) (*sender, error) {
	u, err := signalURL(o.Endpoint, signal, o.Exact)
	if err != nil {
		return nil, err
	}
	s := &sender{ctx: ctx, url: u, pause: sleep, now: time.Now}
	if s.header, err = requestHeaders(o.Headers); err != nil {
		return nil, err
	}
	if o.Client != nil {
		s.client = *o.Client
	} else {
		s.client = http.Client{Timeout: requestTimeout}
	}
	s.client.CheckRedirect = checkRedirect
	return s, nil
}

// signalURL returns the URL for a signal according to the rules for OTEL_EXPORTER_OTLP_ENDPOINT: the path of
// the signal is added to a base URL, while a full URL, or any if unchanged is set, is used as it
// is.
func signalURL(endpoint, signal string, unchanged bool) (*url.URL, error) {
	const example = ", such as http://localhost:4318"
	if endpoint == "" {
		return nil, errors.New("no OTLP endpoint: pass its URL" + example)
	}
	u, err := url.Parse(endpoint)
	if err != nil {
		return nil, errors.New("the OTLP endpoint is not a URL: pass one" + example) // the cause may contain a password
	}
	switch {
	case u.Scheme != "http" && u.Scheme != "https":
		return nil, errors.New("the OTLP endpoint is neither http nor https: pass such a URL" + example)
	case u.Hostname() == "":
		return nil, errors.New("the OTLP endpoint names no host: pass a full URL" + example)
	}
	u.Fragment = ""
	if !unchanged && !strings.HasSuffix(u.Path, "/v1/"+signal) {
		u = u.JoinPath("v1", signal)
	}
	return u, nil
}

// requestHeaders returns the headers in more and those of checkrein, which take precedence. It returns
// an error if a name or value is invalid.
func requestHeaders(more map[string]string) (http.Header, error) {
	h := http.Header{"User-Agent": {"checkrein/" + build.Version}}
	for name, value := range more {
		if name == "" || strings.Trim(name, tokenChars) != "" {
			return nil, fmt.Errorf("OTLP header %q: not a valid header name", name)
		}
		if strings.ContainsFunc(value, func(c rune) bool { return c < ' ' && c != '\t' || c == 0x7f }) {
			return nil, fmt.Errorf("OTLP header %q: its value contains control characters", name)
		}
		h.Set(name, value)
	}
	h.Set("Content-Type", protobufType)
	h.Set("Content-Encoding", "gzip")
	return h, nil
}

const (
	protobufType = "application/x-protobuf"
	tokenChars   = "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
)

type otlpSink struct {
	sender
	batch    int
	maxBytes int // bytes of lines in a request

	pending   []*logs.LogRecord
	size      int // bytes of pending lines
	delivered int
	failed    error
}

func (s *otlpSink) Write(line []byte) error {
	if s.failed != nil {
		return s.failed
	}
	r, err := decodeRecord(line)
	if err != nil {
		return err
	}
	s.pending = append(s.pending, logRecord(r, line, s.now()))
	s.size += len(line)
	if len(s.pending) >= s.batch || s.size >= s.maxBytes {
		s.failed = s.flush()
	}
	return s.failed
}

func (s *otlpSink) Close() error {
	if s.failed == nil {
		s.failed = s.flush()
	}
	s.pending = nil
	return s.failed
}

// flush sends the pending records. If there are none, it does nothing, since receivers reject empty
// requests.
func (s *otlpSink) flush() error {
	if len(s.pending) == 0 {
		return nil
	}
	body, err := encodeLogs(s.pending)
	if err != nil {
		return err
	}
	rejected, err := s.sendWithRetry(body)
	if err == nil || rejected > 0 {
		s.delivered += max(0, len(s.pending)-rejected)
	}
	if err != nil {
		return fmt.Errorf("sending records to %s://%s%s: %w; records delivered before that: %d", s.url.Scheme, s.url.Host, s.url.Path, err, s.delivered)
	}
	clear(s.pending)
	s.pending, s.size = s.pending[:0], 0
	return nil
}

// encodeLogs returns the compressed request with records. LogsData has the same wire format as
// ExportLogsServiceRequest, whose package would require all of gRPC.
func encodeLogs(records []*logs.LogRecord) ([]byte, error) {
	return encodeRequest(&logs.LogsData{ResourceLogs: []*logs.ResourceLogs{{
		Resource: ownResource(), ScopeLogs: []*logs.ScopeLogs{{Scope: ownScope(), LogRecords: records}},
	}}})
}

// ownResource returns the resource of all signals.
func ownResource() *resource.Resource {
	return &resource.Resource{Attributes: []*common.KeyValue{
		{Key: "service.name", Value: stringValue("checkrein")},
		{Key: "service.version", Value: stringValue(build.Version)},
	}}
}

func ownScope() *common.InstrumentationScope {
	return &common.InstrumentationScope{Name: "checkrein", Version: build.Version}
}

// encodeRequest returns a compressed request.
func encodeRequest(m proto.Message) ([]byte, error) {
	raw, err := proto.Marshal(m)
	if err != nil {
		return nil, fmt.Errorf("encoding records for OTLP: %w", err)
	}
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	z.Write(raw) // writing to a buffer cannot fail
	z.Close()
	return b.Bytes(), nil
}
