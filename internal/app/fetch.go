package app

import (
	"context"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/hook/handler/companion"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// fetcher returns a function with which builtins fetch a URL, or nil if there is no companion.
func fetcher(opts Options) func(ctx context.Context, url string) ([]byte, error) {
	if opts.Companion == "" {
		return nil
	}
	return func(ctx context.Context, url string) ([]byte, error) { return request(ctx, opts, url, nil) }
}

// poster returns a function with which builtins post JSON to a URL, or nil if there is no companion.
func poster(opts Options) func(ctx context.Context, url string, body []byte) error {
	if opts.Companion == "" {
		return nil
	}
	return func(ctx context.Context, url string, body []byte) error {
		_, err := request(ctx, opts, url, body)
		return err
	}
}

// request fetches a URL, or posts body to it if that is not nil, and returns the response. This
// program links no network code, so it hands the request over to its companion, like a step of an http
// hook.
func request(ctx context.Context, opts Options, url string, body []byte) ([]byte, error) {
	with := rawjson.Object{'{'}
	with.Text("url", url)
	if body != nil {
		with.Raw("body", body)
	}
	with.Close()
	const kind = checkrein.OnResponseEnd // a step needs an event; which one does not matter
	h, err := companion.Type("fetch", checkrein.Traits{}, companion.Options{Companion: opts.Companion, Environ: opts.Environ, State: opts.State}).New(checkrein.Hook{ID: "fetch", Run: "fetch", On: kind, With: []byte(with), Dialect: "native"})
	if err != nil {
		return nil, err
	}
	ans, err := h.Handle(ctx, checkrein.Event{Kind: kind})
	return ans.Raw, err
}
