package webhook

import (
	"context"
	"fmt"
	"io"
	"net/http"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/build"
	"github.com/checkrein/checkrein/internal/rawjson"
)

// maxFetched bounds what a builtin is told.
const maxFetched = 64 << 10

// FetchType returns the row by which the companion program serves builtins of
// the hot program: what a URL answers to a GET is the answer's Raw, and decides
// nothing. No file can name a hook of this type. The services that builtins ask,
// such as one that knows a balance, are mostly near, so local addresses are
// allowed; a metadata service never is, and a redirect is not followed.
func FetchType(opts Options) checkrein.HandlerType {
	return checkrein.HandlerType{
		Name: "fetch",
		New: func(h checkrein.Hook) (checkrein.Handler, error) {
			u, err := parseURL(rawjson.GetText(h.With, "url"), true)
			if err != nil {
				return nil, err
			}
			return &fetch{handler{url: u, guard: newGuard(opts.Resolver, true), roots: opts.Roots}}, nil
		},
	}
}

type fetch struct{ handler }

// Handle gets what the URL answers.
func (f *fetch) Handle(ctx context.Context, _ checkrein.Event) (checkrein.Answer, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, f.url.String(), nil)
	if err != nil {
		return checkrein.Answer{}, err
	}
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", "checkrein/"+build.Version)
	trip := f.transport()
	defer trip.CloseIdleConnections()
	resp, err := trip.RoundTrip(req)
	if err != nil {
		return checkrein.Answer{}, fmt.Errorf("GET %s: %w", origin(f.url), err)
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusOK {
		return checkrein.Answer{}, fmt.Errorf("GET %s: %s", origin(f.url), statusText(resp.StatusCode))
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxFetched+1))
	if err == nil && len(body) > maxFetched {
		err = fmt.Errorf("longer than %d bytes", maxFetched)
	}
	if err != nil {
		return checkrein.Answer{}, fmt.Errorf("GET %s: %w", origin(f.url), err)
	}
	return checkrein.Answer{Raw: body}, nil
}
