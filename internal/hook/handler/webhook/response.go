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

// A response is what a server said in the end.
type response struct {
	from   *url.URL
	status int
	body   []byte // on an error, as much of it as was read
}

// fault returns what was wrong with the response. A URL's path and query are left
// out: they may hold a secret.
func (r response) fault(err error) error {
	if s := shown(r.body); s != "" {
		return fmt.Errorf("POST %s: %s: %w: %s", origin(r.from), statusText(r.status), err, s)
	}
	return fmt.Errorf("POST %s: %s: %w", origin(r.from), statusText(r.status), err)
}

// receive reads the body. What a server says beside a status other than 2xx is
// shown and never obeyed.
func receive(from *url.URL, resp *http.Response) (response, error) {
	defer func() { _ = resp.Body.Close() }()
	out := response{from: from, status: resp.StatusCode}
	if out.status < 200 || out.status > 299 {
		// How the body ends does not matter: the status has said enough.
		out.body, _ = io.ReadAll(io.LimitReader(resp.Body, 4*maxShown))
		return out, out.fault(errors.New("not a valid answer"))
	}
	var err error
	out.body, err = io.ReadAll(io.LimitReader(resp.Body, maxBody+1))
	switch {
	case err != nil:
		err = out.fault(fmt.Errorf("reading the answer: %w", err))
	case len(out.body) > maxBody:
		out.body = out.body[:maxBody]
		err = out.fault(fmt.Errorf("the answer is longer than %d bytes", maxBody))
	case isPage(out.body):
		err = out.fault(errors.New("the answer is a web page"))
	}
	return out, err
}

// isPage reports whether a body is a web page: a login form, or whatever stands
// between us and the server. As text it would be no opinion, and open a gate.
func isPage(body []byte) bool {
	head := bytes.ToLower(bytes.TrimSpace(body[:min(len(body), 512)]))
	return bytes.HasPrefix(head, []byte("<!doctype html")) || bytes.HasPrefix(head, []byte("<html"))
}

func statusText(status int) string {
	return strings.TrimSpace(fmt.Sprintf("%d %s", status, http.StatusText(status)))
}

// shown is the beginning of a body, on one line that a terminal can show.
func shown(body []byte) string {
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
