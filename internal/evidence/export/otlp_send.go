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
	maxTries   = 5
	firstPause = 500 * time.Millisecond
	maxWait    = time.Minute // longest wait that a receiver may request
	answerMax  = 64 << 10    // bytes of a response that are read
	quoteMax   = 200         // bytes of a response that are shown
)

// A retryableError is a failure after which the same request may be sent again.
type retryableError struct {
	cause error
	after time.Duration // as the receiver requested; 0 means that it did not
}

func (b *retryableError) Error() string { return b.cause.Error() }
func (b *retryableError) Unwrap() error { return b.cause }

// sendWithRetry posts body, and posts it again while the receiver is busy. rejected is the number of
// records that the receiver did not accept; if there are any, err is not nil.
func (s *sender) sendWithRetry(body []byte) (rejected int, err error) {
	for try := 1; ; try++ {
		rejected, err = s.post(body)
		if s.ctx.Err() != nil && err != nil {
			return rejected, context.Cause(s.ctx)
		}
		var b *retryableError
		if !errors.As(err, &b) {
			return rejected, err
		}
		wait := b.after
		switch {
		case wait > maxWait:
			return 0, fmt.Errorf("%w; the receiver asks to wait for %v: export again after that", err, wait)
		case try == maxTries:
			return 0, fmt.Errorf("after %d attempts: %w", maxTries, err)
		case wait == 0:
			wait = firstPause << (try - 1)
			wait = wait/2 + rand.N(wait/2) // so that many clients do not retry at the same time
		}
		if err := s.pause(s.ctx, wait); err != nil {
			return 0, err
		}
	}
}

// sleep waits for d. If ctx ends before that, it returns the cause.
func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// post posts body once. A failure after which it may be posted again is a *retryableError.
func (s *sender) post(body []byte) (rejected int, err error) {
	req, err := http.NewRequestWithContext(s.ctx, http.MethodPost, s.url.String(), bytes.NewReader(body))
	if err != nil {
		return 0, err
	}
	req.Header = s.header.Clone()
	resp, err := s.client.Do(req)
	if err != nil {
		return 0, classifyError(err)
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(resp.Body, answerMax))
	if err != nil {
		return 0, &retryableError{cause: fmt.Errorf("reading the answer: %w", err)}
	}
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	if resp.StatusCode/100 == 2 {
		return parseAccepted(kind, answer)
	}
	err = fmt.Errorf("the receiver answered %s%s", resp.Status, quoteError(kind, answer))
	switch resp.StatusCode {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return 0, &retryableError{err, parseRetryAfter(resp.Header.Get("Retry-After"), s.now())}
	}
	return 0, err
}

// classifyError returns err, the reason why there was no response, without the URL, which may contain
// a key. Most errors are temporary and become a *retryableError; permanent ones are returned as they
// are.
func classifyError(err error) error {
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
	return &retryableError{cause: err}
}

// parseRetryAfter returns how long value, a Retry-After header with seconds or a date, asks to wait.
// It returns 0 if value is neither.
func parseRetryAfter(value string, now time.Time) time.Duration {
	if n, err := strconv.ParseUint(value, 10, 31); err == nil {
		return time.Duration(n) * time.Second
	}
	if at, err := http.ParseTime(value); err == nil {
		return max(0, at.Sub(now))
	}
	return 0
}

// A redirectError means that a server redirected records to another address.
type redirectError struct{ to string }

func (e *redirectError) Error() string {
	return "the receiver redirects to " + e.to + ", but records are sent only to the host that you named: if that address is right, pass it as the endpoint"
}

// checkRedirect allows only redirects that keep the method and the host, since headers may contain a
// key, and records are private.
func checkRedirect(req *http.Request, via []*http.Request) error {
	from := via[0].URL
	if req.URL.Scheme != from.Scheme || req.URL.Host != from.Host || req.Method != http.MethodPost || len(via) > 3 {
		return &redirectError{req.URL.Scheme + "://" + req.URL.Host + req.URL.Path}
	}
	return nil
}
