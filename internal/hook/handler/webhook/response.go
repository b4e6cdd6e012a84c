package webhook

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"unicode"
)

// A response is the final response of a server.
type response struct {
	from   *url.URL
	status int
	body   []byte // after an error, the part that was read
}

// wrapError adds the server, the status and the beginning of the body to err, but not the URL's path
// and query, which may contain a secret.
func (r response) wrapError(err error) error {
	if s := excerpt(r.body); s != "" {
		return fmt.Errorf("POST %s: %s: %w: %s", origin(r.from), statusText(r.status), err, s)
	}
	return fmt.Errorf("POST %s: %s: %w", origin(r.from), statusText(r.status), err)
}

// readResponse reads the body of resp. If the status is not 2xx, it returns an error with the
// beginning of the body, which does not count as an answer.
func readResponse(from *url.URL, resp *http.Response) (response, error) {
	defer func() { _ = resp.Body.Close() }()
	out := response{from: from, status: resp.StatusCode}
	if out.status < 200 || out.status > 299 {
		// Ignore errors, because the status is enough.
		out.body, _ = io.ReadAll(io.LimitReader(resp.Body, 4*maxShown))
		return out, out.wrapError(errors.New("not a valid answer"))
	}
	var err error
	out.body, err = io.ReadAll(io.LimitReader(resp.Body, maxBody+1))
	switch {
	case err != nil:
		err = out.wrapError(fmt.Errorf("reading the answer: %w", err))
	case len(out.body) > maxBody:
		out.body = out.body[:maxBody]
		err = out.wrapError(fmt.Errorf("the answer is longer than %d bytes", maxBody))
	case isWebPage(out.body):
		err = out.wrapError(errors.New("the answer is a web page"))
	}
	return out, err
}

// isWebPage reports whether body is a web page, such as a login form or the error page of a proxy. As
// plain text it would count as no opinion and so open a gate.
func isWebPage(body []byte) bool {
	head := bytes.ToLower(bytes.TrimSpace(body[:min(len(body), 512)]))
	return bytes.HasPrefix(head, []byte("<!doctype html")) || bytes.HasPrefix(head, []byte("<html"))
}

func statusText(status int) string {
	return strings.TrimSpace(fmt.Sprintf("%d %s", status, http.StatusText(status)))
}

// excerpt returns the beginning of body as one printable line.
func excerpt(body []byte) string {
	clean := strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return ' '
	}, strings.ToValidUTF8(string(body[:min(len(body), 4*maxShown)]), "\uFFFD"))
	runes := []rune(strings.Join(strings.Fields(clean), " "))
	if len(runes) > maxShown {
		return string(runes[:maxShown]) + "…"
	}
	return string(runes)
}
