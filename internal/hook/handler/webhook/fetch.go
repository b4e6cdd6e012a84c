package webhook

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/sys/build"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// maxFetched is the maximum size of a response for a builtin.
const maxFetched = 64 << 10

// FetchType returns the handler type with which the companion program fetches URLs for builtins of the
// hot program. It sends a GET, or a POST if the hook has a body; the answer has the response as Raw
// and no decision. Hook files cannot use this type. Most services that builtins call, such as one that
// reports a balance, are local, so local addresses are permitted. Metadata services never are, and
// redirects are not followed.
func FetchType(opts Options) checkrein.HandlerType {
	return checkrein.HandlerType{
		Name: "fetch",
		New: func(h checkrein.Hook) (checkrein.Handler, error) {
			u, err := parseURL(rawjson.GetText(h.With, "url"), true)
			if err != nil {
				return nil, err
			}
			body, _ := rawjson.Get(h.With, "body")
			return &fetchHandler{handler{url: u, guard: newGuard(opts.Resolver, true), roots: opts.Roots}, body}, nil
		},
	}
}

type fetchHandler struct {
	handler
	body []byte // body of a POST; nil for a GET
}

// Handle returns the response of the hook's URL as the answer's Raw.
func (f *fetchHandler) Handle(ctx context.Context, _ checkrein.Event) (checkrein.Answer, error) {
	req, err := f.newRequest(ctx)
	if err != nil {
		return checkrein.Answer{}, err
	}
	trip := f.newTransport()
	defer trip.CloseIdleConnections()
	resp, err := trip.RoundTrip(req)
	if err != nil {
		return checkrein.Answer{}, f.wrapError(err)
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusOK && (f.body == nil || resp.StatusCode/100 != 2) {
		return checkrein.Answer{}, f.wrapError(errors.New(statusText(resp.StatusCode)))
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxFetched+1))
	if err == nil && len(body) > maxFetched {
		err = fmt.Errorf("the response is longer than %d bytes", maxFetched)
	}
	if err != nil {
		return checkrein.Answer{}, f.wrapError(err)
	}
	return checkrein.Answer{Raw: body}, nil
}

func (f *fetchHandler) method() string {
	if f.body == nil {
		return http.MethodGet
	}
	return http.MethodPost
}

func (f *fetchHandler) newRequest(ctx context.Context) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, f.method(), f.url.String(), bytes.NewReader(f.body))
	if err != nil {
		return nil, err
	}
	if f.body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", "checkrein/"+build.Version)
	return req, nil
}

// wrapError adds the method and the server to err, but not the URL's path and query, which may contain
// a secret.
func (f *fetchHandler) wrapError(err error) error {
	return fmt.Errorf("%s %s: %w", f.method(), origin(f.url), err)
}
