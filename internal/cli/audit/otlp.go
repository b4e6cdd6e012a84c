package audit

import (
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/checkrein/checkrein/internal/cli/base"
	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/evidence/export"
)

// otlpOptions say where records are sent: what the command line says, else the
// variables that every OpenTelemetry exporter reads.
func otlpOptions(env *console.Env, endpoint string, headers []string) (export.OTLPOptions, error) {
	getenv := base.Getenv(env)
	opts := export.OTLPOptions{Endpoint: endpoint, Headers: map[string]string{}}
	if opts.Endpoint == "" {
		opts.Endpoint = getenv("OTEL_EXPORTER_OTLP_LOGS_ENDPOINT")
		opts.Exact = opts.Endpoint != "" // the one of a single signal is whole
	}
	if opts.Endpoint == "" {
		opts.Endpoint = getenv("OTEL_EXPORTER_OTLP_ENDPOINT")
	}
	if opts.Endpoint == "" {
		return opts, errors.New("--format otlp needs --endpoint URL, or the environment variable OTEL_EXPORTER_OTLP_ENDPOINT")
	}
	for _, name := range []string{"OTEL_EXPORTER_OTLP_HEADERS", "OTEL_EXPORTER_OTLP_LOGS_HEADERS"} {
		for pair := range strings.SplitSeq(getenv(name), ",") {
			if strings.TrimSpace(pair) == "" {
				continue
			}
			key, val, ok := strings.Cut(pair, "=")
			val, err := url.PathUnescape(strings.TrimSpace(val))
			if !ok || err != nil { // the value may be a secret: it is not repeated
				return opts, fmt.Errorf("%s must be a list of name=value pairs", name)
			}
			opts.Headers[strings.TrimSpace(key)] = val
		}
	}
	for _, pair := range headers {
		key, val, ok := strings.Cut(pair, "=")
		if !ok || key == "" {
			return opts, errors.New("--header must have the form name=value")
		}
		opts.Headers[key] = val
	}
	return opts, nil
}
