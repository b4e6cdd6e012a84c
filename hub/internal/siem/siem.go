// Package siem passes the records of a fleet on to a SIEM, while they come: by OTLP, or as events in CEF
// or OCSF by syslog or HTTP. What the receiver has not accepted is sent again.
package siem

import (
	"bytes"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/checkrein/checkrein/hub/internal/records"
	"github.com/checkrein/checkrein/internal/evidence/export"
	"github.com/checkrein/checkrein/internal/evidence/ledger"
)

// A Target is where records are sent, as written on the command line:
//
//	otlp+https://collector:4318
//	cef+tls://siem:6514         syslog (RFC 5424) over TLS; cef+tcp without
//	ocsf+tls://siem:6514
//	ocsf+https://siem/ingest    lines of JSON
type Target struct {
	format string
	url    *url.URL
	header http.Header
}

// ParseTarget parses the text of a target.
func ParseTarget(text string, headers []string) (*Target, error) {
	bad := func() (*Target, error) {
		return nil, fmt.Errorf("%q is not a target: write otlp+https://HOST:PORT, cef+tls://HOST:PORT, ocsf+tls://HOST:PORT or ocsf+https://HOST/PATH", text)
	}
	format, rest, ok := strings.Cut(text, "+")
	u, err := url.Parse(rest)
	if !ok || err != nil || u.Host == "" {
		return bad()
	}
	transports := map[string][]string{"otlp": {"https", "http"}, "cef": {"tls", "tcp"}, "ocsf": {"tls", "tcp", "https", "http"}}
	if !slices.Contains(transports[format], u.Scheme) {
		return bad()
	}
	t := &Target{format: format, url: u, header: http.Header{}}
	for _, h := range headers {
		name, val, ok := strings.Cut(h, "=")
		if !ok {
			return nil, fmt.Errorf("%q is not a header: write NAME=VALUE", h)
		}
		t.header.Set(name, val)
	}
	return t, nil
}

// String returns the target without its headers and user.
func (t *Target) String() string {
	return t.format + "+" + t.url.Scheme + "://" + t.url.Host + t.url.Path
}

// A sink gets lines of the ledger. Flush returns once the receiver has them.
type sink interface {
	Add(line []byte, from *export.Source)
	Flush() error
}

// Names returns the name of a machine.
type Names func(machine string) string

// Follow passes on the records of book to t until ctx is done. It continues where it stopped before,
// also in another hub on the same store.
func Follow(ctx context.Context, book *records.Book, t *Target, names Names, log *slog.Logger) error {
	out, err := t.open(ctx) // it fails only for targets that ParseTarget refuses
	if err != nil {
		return err
	}
	failing := false
	return book.Follow(ctx, "siem-"+t.name(), func(s *records.Stored) error {
		from := &export.Source{ID: s.Machine, Name: names(s.Machine), User: s.Summary.User}
		for line := range bytes.Lines(s.Lines) {
			line = bytes.TrimSuffix(line, []byte("\n"))
			if _, err := ledger.ParseLine(line); err == nil {
				out.Add(line, from)
			}
		}
		err := out.Flush()
		if err != nil && !failing {
			log.Warn("records could not be passed on; they will be sent again", "to", t.String(), "err", err)
		}
		if failing = err != nil; failing { // the batch comes again as a whole
			out, _ = t.open(ctx)
		}
		return err
	})
}

// name returns the name of the place in the stream up to where t has the records.
func (t *Target) name() string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, t.String())
}

// open returns the sink of t.
func (t *Target) open(ctx context.Context) (sink, error) {
	if t.format == "otlp" {
		headers := map[string]string{}
		for name := range t.header {
			headers[name] = t.header.Get(name)
		}
		return export.NewLive(ctx, export.OTLPOptions{Endpoint: t.url.String(), Headers: headers})
	}
	format := export.AppendCEF
	if t.format == "ocsf" {
		format = export.AppendOCSF
	}
	e := &events{ctx: ctx, target: t, format: format}
	if e.send = e.sendSyslog; t.url.Scheme == "https" || t.url.Scheme == "http" {
		e.send = e.sendHTTP
	} else {
		e.syslog = true
	}
	return e, nil
}

// events is the sink for events, one per line or syslog message.
type events struct {
	ctx    context.Context
	target *Target
	format export.Line
	syslog bool
	send   func() error
	text   []byte // what is not accepted yet
	conn   net.Conn
}

func (e *events) Add(line []byte, from *export.Source) {
	text, err := e.format(nil, line, from)
	if err != nil {
		return // it is not a record
	}
	if !e.syslog {
		e.text = append(append(e.text, text...), '\n')
		return
	}
	// RFC 5424 with the framing of RFC 5425: the length, a space, the message. The priority is that of
	// the facility log audit with the severity notice.
	msg := fmt.Appendf(nil, "<109>1 %s %s checkrein - - - %s", time.Now().UTC().Format("2006-01-02T15:04:05.000Z"), headerText(from.Name), text)
	e.text = append(strconv.AppendInt(e.text, int64(len(msg)), 10), ' ')
	e.text = append(e.text, msg...)
}

// headerText returns name as a field of a syslog header.
func headerText(name string) string {
	name = strings.Map(func(r rune) rune {
		if r <= ' ' || r > '~' {
			return '-'
		}
		return r
	}, name)
	if name == "" {
		return "-"
	}
	return name[:min(len(name), 255)]
}

// Flush sends what was added. After an error, the next call sends it again.
func (e *events) Flush() error {
	if len(e.text) == 0 {
		return nil
	}
	if err := e.send(); err != nil {
		return err
	}
	e.text = e.text[:0]
	return nil
}

// sendSyslog writes the messages to the connection, and opens it first if there is none. Syslog has no
// acknowledgement, so what was written just before a connection broke may be lost.
func (e *events) sendSyslog() (err error) {
	if e.conn == nil {
		dialer := &net.Dialer{Timeout: 10 * time.Second}
		if e.target.url.Scheme == "tls" {
			e.conn, err = (&tls.Dialer{NetDialer: dialer, Config: &tls.Config{MinVersion: tls.VersionTLS12}}).DialContext(e.ctx, "tcp", e.target.url.Host)
		} else {
			e.conn, err = dialer.DialContext(e.ctx, "tcp", e.target.url.Host)
		}
		if err != nil {
			e.conn = nil
			return err
		}
	}
	if err = e.conn.SetWriteDeadline(time.Now().Add(30 * time.Second)); err == nil {
		_, err = e.conn.Write(e.text)
	}
	if err != nil {
		e.conn.Close()
		e.conn = nil
	}
	return err
}

var client = &http.Client{Timeout: 30 * time.Second}

// sendHTTP posts the lines.
func (e *events) sendHTTP() error {
	req, err := http.NewRequestWithContext(e.ctx, http.MethodPost, e.target.url.String(), bytes.NewReader(e.text))
	if err != nil {
		return err
	}
	req.Header = e.target.header.Clone()
	req.Header.Set("Content-Type", "application/x-ndjson")
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, 64<<10))
	if resp.StatusCode/100 != 2 {
		return fmt.Errorf("%s answered %s", e.target, resp.Status)
	}
	return nil
}
