package export

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"mime"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

const (
	tries      = 5
	firstPause = 500 * time.Millisecond
	longest    = time.Minute // that a receiver may ask us to wait
	answerMax  = 64 << 10    // of an answer is read
	quoteMax   = 200         // of an answer is shown
)

// A busy is a failure after which the same request may be sent again.
type busy struct {
	cause error
	after time.Duration // as the receiver asked, 0 = it did not
}

func (b *busy) Error() string { return b.cause.Error() }
func (b *busy) Unwrap() error { return b.cause }

// send posts a request, again and again while the receiver is busy. Rejected
// is the number of records that it did not take, and then there is an error.
func (s *otlpSink) send(body []byte) (rejected int, err error) {
	for try := 1; ; try++ {
		rejected, err = s.post(body)
		if s.ctx.Err() != nil && err != nil {
			return rejected, context.Cause(s.ctx)
		}
		var b *busy
		if !errors.As(err, &b) {
			return rejected, err
		}
		wait := b.after
		switch {
		case wait > longest:
			return 0, fmt.Errorf("%w, and the receiver asks to wait for %v: export again after that", err, wait)
		case try == tries:
			return 0, fmt.Errorf("%w, %d times", err, tries)
		case wait == 0:
			wait = firstPause << (try - 1)
			wait = wait/2 + rand.N(wait/2) // so that many clients do not come back together
		}
		if err := s.pause(s.ctx, wait); err != nil {
			return 0, err
		}
	}
}

// pause waits, or returns why ctx ended.
func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (s *otlpSink) post(body []byte) (rejected int, err error) {
	req, err := http.NewRequestWithContext(s.ctx, http.MethodPost, s.url.String(), bytes.NewReader(body))
	if err != nil {
		return 0, err
	}
	req.Header = s.header.Clone()
	resp, err := s.client.Do(req)
	if err != nil {
		return 0, unreached(err)
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(resp.Body, answerMax))
	if err != nil {
		return 0, &busy{cause: fmt.Errorf("reading the answer: %w", err)}
	}
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	if resp.StatusCode/100 == 2 {
		return accepted(kind, answer)
	}
	err = fmt.Errorf("the receiver answered %s%s", resp.Status, quote(kind, answer))
	switch resp.StatusCode {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return 0, &busy{err, retryAfter(resp.Header.Get("Retry-After"), s.now())}
	}
	return 0, err
}

// unreached returns why there was no answer, without the URL, which may hold a
// key. Most reasons pass; those that do not are told at once.
func unreached(err error) error {
	var (
		wrapper  *url.Error
		redirect *redirectError
		cert     *tls.CertificateVerificationError
		record   tls.RecordHeaderError
		dns      *net.DNSError
	)
	if errors.As(err, &wrapper) {
		err = wrapper.Err
	}
	switch {
	case errors.As(err, &redirect), errors.As(err, &cert), errors.As(err, &record), errors.Is(err, http.ErrSchemeMismatch),
		errors.As(err, &dns) && dns.IsNotFound:
		return err
	}
	return &busy{cause: err}
}

// retryAfter reads how long a receiver asks to wait: seconds, or a date.
func retryAfter(value string, now time.Time) time.Duration {
	if n, err := strconv.ParseUint(value, 10, 31); err == nil {
		return time.Duration(n) * time.Second
	}
	if at, err := http.ParseTime(value); err == nil {
		return max(0, at.Sub(now))
	}
	return 0
}

// A redirectError reports that a server redirected records to another address.
type redirectError struct{ to string }

func (e *redirectError) Error() string {
	return "the receiver redirects to " + e.to + ", and records are posted only to the host that was named: give that URL if it is right"
}

// stayThere follows redirects that keep the request and the host: headers may
// hold a key, and records are private.
func stayThere(req *http.Request, via []*http.Request) error {
	from := via[0].URL
	if req.URL.Scheme != from.Scheme || req.URL.Host != from.Host || req.Method != http.MethodPost || len(via) > 3 {
		return &redirectError{req.URL.Scheme + "://" + req.URL.Host + req.URL.Path}
	}
	return nil
}
