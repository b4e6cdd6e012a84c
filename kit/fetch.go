package kit

import (
	"context"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/handler/step"
	"github.com/checkrein/checkrein/internal/rawjson"
)

// fetcher lets builtins ask a URL. This program links no network, so its
// companion does it, as a step like those of http hooks; nil without one.
func fetcher(opts Options) func(ctx context.Context, url string) ([]byte, error) {
	if opts.Companion == "" {
		return nil
	}
	return func(ctx context.Context, url string) ([]byte, error) {
		with := rawjson.Object{'{'}
		with.Text("url", url)
		with.Close()
		const kind = checkrein.OnResponseEnd // a step is always of an event; of which does not matter
		h, err := step.Type("fetch", opts.Companion, opts.Environ).New(checkrein.Hook{ID: "fetch", Run: "fetch", On: kind, With: []byte(with), Dialect: "native"})
		if err != nil {
			return nil, err
		}
		ans, err := h.Handle(ctx, checkrein.Event{Kind: kind})
		return ans.Raw, err
	}
}
