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

// OTLPOptions describes where records go. Only Endpoint is needed.
type OTLPOptions struct {
	Endpoint string            // http or https: the base URL, or the full one that ends in /v1/logs
	Exact    bool              // the endpoint is taken as it is, whatever it ends in
	Headers  map[string]string // sent with every request; never shown
	Client   *http.Client      // nil = one that gives a request 30 seconds
	Batch    int               // records a request, 0 = 512
}

const (
	defaultBatch   = 512
	requestBytes   = 4 << 20 // of lines; the protocol recommends no more than 20 MiB
	requestTimeout = 30 * time.Second
)

// OTLP sends each record as a log record, see [logRecord], in batches. A batch
// that the receiver was too busy for is sent again; an error says how many
// records were delivered before it. When ctx ends, so does the export.
func OTLP(ctx context.Context, o OTLPOptions) (Sink, error) {
	u, err := logsURL(o.Endpoint, o.Exact)
	if err != nil {
		return nil, err
	}
	s := &otlpSink{ctx: ctx, url: u, batch: o.Batch, most: requestBytes, pause: pause, now: time.Now}
	if s.batch <= 0 {
		s.batch = defaultBatch
	}
	if s.header, err = headers(o.Headers); err != nil {
		return nil, err
	}
	if o.Client != nil {
		s.client = *o.Client
	} else {
		s.client = http.Client{Timeout: requestTimeout}
	}
	s.client.CheckRedirect = stayThere
	return s, nil
}

// logsURL returns where logs are posted to, as OTEL_EXPORTER_OTLP_ENDPOINT is
// read: the signal's path is added to a base, and a full URL is taken as it is.
func logsURL(endpoint string, exact bool) (*url.URL, error) {
	const example = ", such as http://localhost:4318"
	if endpoint == "" {
		return nil, errors.New("no OTLP endpoint: give its URL" + example)
	}
	u, err := url.Parse(endpoint)
	if err != nil {
		return nil, errors.New("the OTLP endpoint is not a URL: give one" + example) // the cause would repeat a password
	}
	switch {
	case u.Scheme != "http" && u.Scheme != "https":
		return nil, errors.New("the OTLP endpoint is neither http nor https: give such a URL" + example)
	case u.Hostname() == "":
		return nil, errors.New("the OTLP endpoint names no host: give a whole URL" + example)
	}
	u.Fragment = ""
	if !exact && !strings.HasSuffix(u.Path, "/v1/logs") {
		u = u.JoinPath("v1", "logs")
	}
	return u, nil
}

// headers checks what was asked for and adds ours, which win.
func headers(more map[string]string) (http.Header, error) {
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
	ctx    context.Context // of the whole export: Write and Close have none of their own
	url    *url.URL
	header http.Header
	client http.Client
	batch  int
	most   int // bytes of lines in a request
	pause  func(context.Context, time.Duration) error
	now    func() time.Time

	waiting   []*logs.LogRecord
	size      int // bytes of lines that wait
	delivered int
	failed    error
}

func (s *otlpSink) Write(line []byte) error {
	if s.failed != nil {
		return s.failed
	}
	r, err := decode(line)
	if err != nil {
		return err
	}
	s.waiting = append(s.waiting, logRecord(r, line, s.now()))
	s.size += len(line)
	if len(s.waiting) >= s.batch || s.size >= s.most {
		s.failed = s.flush()
	}
	return s.failed
}

func (s *otlpSink) Close() error {
	if s.failed == nil {
		s.failed = s.flush()
	}
	s.waiting = nil
	return s.failed
}

// flush sends what waits. Nothing is sent when nothing does: receivers want no
// empty requests.
func (s *otlpSink) flush() error {
	if len(s.waiting) == 0 {
		return nil
	}
	body, err := s.body()
	if err != nil {
		return fmt.Errorf("encoding records for OTLP: %w", err)
	}
	rejected, err := s.send(body)
	if err == nil || rejected > 0 {
		s.delivered += max(0, len(s.waiting)-rejected)
	}
	if err != nil {
		return fmt.Errorf("sending records to %s://%s%s: %w; %d records were delivered before", s.url.Scheme, s.url.Host, s.url.Path, err, s.delivered)
	}
	clear(s.waiting)
	s.waiting, s.size = s.waiting[:0], 0
	return nil
}

// body returns the request with what waits. LogsData has on the wire the form
// of ExportLogsServiceRequest, whose package would bring all of gRPC.
func (s *otlpSink) body() ([]byte, error) {
	raw, err := proto.Marshal(&logs.LogsData{ResourceLogs: []*logs.ResourceLogs{{
		Resource: &resource.Resource{Attributes: []*common.KeyValue{
			{Key: "service.name", Value: stringValue("checkrein")},
			{Key: "service.version", Value: stringValue(build.Version)},
		}},
		ScopeLogs: []*logs.ScopeLogs{{
			Scope:      &common.InstrumentationScope{Name: "checkrein", Version: build.Version},
			LogRecords: s.waiting,
		}},
	}}})
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	z.Write(raw) // to a buffer, which takes everything
	z.Close()
	return b.Bytes(), nil
}
