package serve

import (
	"context"
	"fmt"
	"time"

	"github.com/checkrein/checkrein/internal/cli/audit"
	"github.com/checkrein/checkrein/internal/desk/feed"
	"github.com/checkrein/checkrein/internal/evidence/export"
	"github.com/checkrein/checkrein/internal/text/visible"
)

const (
	telemetryRetry = 10 * time.Second // after a collector did not answer several times
	telemetryGrace = 3 * time.Second  // for what is sent when the server ends
)

// newTelemetry begins to send what is added to the ledger in dir, if --otlp was given. It returns a
// function that ends that when ctx is done.
func (v *service) newTelemetry(ctx context.Context, dir string) (end func(), err error) {
	if v.otlp == "" {
		return func() {}, nil
	}
	opts, err := audit.OTLPOptions(v.env, v.otlp, nil)
	if err != nil {
		return nil, err
	}
	sending, stop := context.WithCancel(context.WithoutCancel(ctx))
	live, err := export.NewLive(sending, opts)
	if err != nil {
		stop()
		return nil, err
	}
	ended, failing := make(chan struct{}), false
	report := func(err error) { fmt.Fprintln(v.env.Stderr, "checkrein:", visible.EscapeLine(err.Error())) }
	flush := func() error {
		err := live.Flush()
		if err != nil && !failing && sending.Err() == nil {
			report(err)
		}
		failing = err != nil
		return err
	}
	ctx, leave := context.WithCancel(ctx)
	go func() {
		defer close(ended)
		if err := feed.Follow(ctx, dir, export.MaxLive, telemetryRetry, func(line []byte) { live.Add(line, nil) }, flush); err != nil {
			report(err)
		}
	}()
	return func() {
		leave()
		defer time.AfterFunc(telemetryGrace, stop).Stop()
		<-ended
		stop()
	}, nil
}
