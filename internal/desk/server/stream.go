package server

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/checkrein/checkrein/internal/desk/feed"
	"github.com/checkrein/checkrein/internal/sys/localhttp"
)

// pingInterval is how often a stream without rows shows that it is alive.
const pingInterval = 15 * time.Second

// streamEvents streams rows of the ledger in batches, each an event whose id continues the stream.
func (s *Server) streamEvents(r *localhttp.Request, to *localhttp.Stream) {
	opts, _ := feed.ParseOptions(r.Query, time.Now()) // checkStream has checked them
	if after, err := strconv.ParseUint(to.After, 10, 64); err == nil {
		opts.After = after
	}
	sub, err := s.opts.Feed.Subscribe(opts)
	if err != nil {
		s.opts.Report(err)
		return
	}
	defer sub.Close()
	s.streams.Add(1)
	defer s.streams.Add(-1)
	_ = SendRows(to, sub, func(b *feed.Batch) ([]byte, error) { return b.JSON(), nil })
}

// checkStream returns a refusal if the parameters of r are wrong.
func checkStream(r *localhttp.Request) *localhttp.Refusal {
	if _, err := feed.ParseOptions(r.Query, time.Now()); err != nil {
		return &localhttp.Refusal{Status: http.StatusBadRequest, Why: err.Error(), Remedy: "use the parameters that checkrein docs serve lists"}
	}
	return nil
}

// SendRows sends the batches of sub as events named rows, in the form that encode gives them, until
// the stream ends.
func SendRows(to *localhttp.Stream, sub *feed.Subscription, encode func(*feed.Batch) ([]byte, error)) error {
	for {
		ctx, cancel := context.WithTimeout(to.Context(), pingInterval)
		b, err := sub.Next(ctx)
		cancel()
		switch {
		case to.Context().Err() != nil:
			return to.Context().Err()
		case err != nil:
			err = to.Ping()
		default:
			var data []byte
			if data, err = encode(&b); err == nil {
				err = to.Send(strconv.FormatUint(b.Last, 10), "rows", data)
			}
		}
		if err != nil {
			return err
		}
	}
}
