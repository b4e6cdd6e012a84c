package audit

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/checkrein/checkrein/internal/cli/base"
	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/cli/records"
	"github.com/checkrein/checkrein/internal/evidence/export"
	"github.com/checkrein/checkrein/internal/evidence/ledger"
	"github.com/checkrein/checkrein/internal/evidence/record"
	"github.com/checkrein/checkrein/internal/text/suggest"
	"github.com/spf13/cobra"
)

// exportFlags holds the flags of audit export other than those that select records.
type exportFlags struct {
	format, file, endpoint string
	headers                []string
}

// exportCommand returns the audit export command.
func exportCommand(env *console.Env) *cobra.Command {
	var at records.LedgerFlag
	var filter records.FilterFlags
	var f exportFlags
	cmd := &cobra.Command{
		Use: "export", Short: "Export records in a format that other programs read",
		Long: "Export records, oldest first, in a format that other programs read:\n\n" + formatList() + `
Without filters other than times, the ledger's records about itself are exported too,
so that the chain of hashes can still be checked.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			choose, err := filter.Selection(env.Now())
			if err != nil {
				return err
			}
			choose.Kinds = true
			dir, err := at.Dir(env)
			if err != nil {
				return err
			}
			return base.AsFailure(exportRecords(cmd.Context(), env, dir, choose, &f))
		},
	}
	at.Register(cmd)
	filter.Register(cmd, 0)
	flags := cmd.Flags()
	flags.StringVar(&f.format, "format", "jsonl", "the `FORMAT` of the output, from the list above")
	flags.StringVarP(&f.file, "output", "o", "", "write to `FILE`, all at once at the end (default, or if FILE is -: stdout)")
	flags.StringVar(&f.endpoint, "endpoint", "", "send OTLP to this `URL` (default: $OTEL_EXPORTER_OTLP_LOGS_ENDPOINT or $OTEL_EXPORTER_OTLP_ENDPOINT)")
	flags.StringArrayVar(&f.headers, "header", nil, "add this OTLP header, `NAME=VALUE`, to those in $OTEL_EXPORTER_OTLP_HEADERS; repeatable")
	return cmd
}

// formatList returns a line for each format with its description, for the help text.
func formatList() string {
	var b strings.Builder
	for _, f := range export.Formats() {
		fmt.Fprintf(&b, "  %-8s  %s\n", f.Name, f.About)
	}
	return b.String()
}

// toStdout reports whether records are written to standard output.
func (f *exportFlags) toStdout() bool { return f.file == "" || f.file == "-" }

// parquetRemedy has the commands that convert an export to a Parquet file.
const parquetRemedy = `  checkrein audit export -o ledger.jsonl
  duckdb -c "copy (from read_json('ledger.jsonl', format = 'newline_delimited', union_by_name = true)) to 'ledger.parquet'"`

// check returns the chosen format. It returns an error if the format is unknown or other flags do not
// fit it.
func (f *exportFlags) check() (export.Format, error) {
	var names []string
	for _, each := range export.Formats() {
		if each.Name != f.format {
			names = append(names, each.Name)
			continue
		}
		switch {
		case each.New == nil && f.file != "":
			return each, errors.New("-o cannot be used here: --format " + f.format + " sends records to --endpoint URL instead")
		case each.New != nil && (f.endpoint != "" || len(f.headers) > 0):
			return each, errors.New("--endpoint and --header can only be used with --format otlp")
		}
		return each, nil
	}
	if f.format == "parquet" {
		return export.Format{}, errors.New("checkrein does not write Parquet. To convert JSONL to Parquet with DuckDB, run\n" + parquetRemedy)
	}
	return export.Format{}, fmt.Errorf("unknown format %q%s", f.format, suggest.HintOr(f.format, names, "must be one of "+strings.Join(names, ", ")))
}

// exportRecords exports the selected records to the file, stdout or endpoint in f.
func exportRecords(ctx context.Context, env *console.Env, dir string, choose *records.Selection, f *exportFlags) error {
	format, err := f.check()
	if err != nil {
		return &base.Exit{Code: console.Usage, Err: err}
	}
	if format.New == nil {
		opts, err := OTLPOptions(env, f.endpoint, f.headers)
		if err != nil {
			return &base.Exit{Code: console.Usage, Err: err}
		}
		sink, err := export.OTLP(ctx, opts)
		if err != nil {
			return &base.Exit{Code: console.Usage, Err: err}
		}
		return exportTo(ctx, env, dir, choose, sink, "the OTLP endpoint")
	}
	if f.toStdout() {
		return exportTo(ctx, env, dir, choose, format.New(env.Stdout), "stdout")
	}
	path := env.Path(f.file)
	return writeAtomically(path, func(w io.Writer) error {
		return exportTo(ctx, env, dir, choose, format.New(w), path)
	})
}

// writeAtomically replaces the file at path with what fill writes. If fill fails, the file at path
// stays unchanged. Only the user can read the new file.
func writeAtomically(path string, fill func(io.Writer) error) error {
	temp, err := os.CreateTemp(filepath.Dir(path), ".checkrein-*")
	if err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	defer os.Remove(temp.Name())
	if err := fill(temp); err != nil {
		temp.Close()
		return err
	}
	if err := temp.Close(); err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	return os.Rename(temp.Name(), path)
}

// exportTo writes the selected records to sink, closes it, and prints how many there were. A missing
// ledger has none. where names the sink in messages.
func exportTo(ctx context.Context, env *console.Env, dir string, choose *records.Selection, sink export.Sink, where string) error {
	err := records.CheckBegun(env, dir)
	if records.IgnoreEmpty(err) != nil {
		return err
	}
	n, damaged := 0, 0
	if err == nil {
		if n, damaged, err = writeRecords(ctx, dir, choose, sink); err != nil {
			_ = sink.Close() // the first error is returned
			return orInterrupted(ctx, err)
		}
	}
	if err := sink.Close(); err != nil {
		return orInterrupted(ctx, fmt.Errorf("exporting to %s: %w", where, err))
	}
	fmt.Fprintf(env.Stderr, "exported %s to %s\n", base.Amount(n, "record"), where)
	records.WarnDamaged(env, damaged)
	return nil
}

// orInterrupted returns err, or an error that the export is incomplete if ctx was cancelled.
func orInterrupted(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return errors.New("interrupted: the export is incomplete")
	}
	return err
}

// writeRecords writes the selected records to sink. It returns how many it wrote, and how many lines
// were damaged.
func writeRecords(ctx context.Context, dir string, choose *records.Selection, sink export.Sink) (n, damaged int, err error) {
	r := ledger.NewReader(dir, ledger.Position{})
	defer r.Close()
	for ctx.Err() == nil && (choose.Limit == 0 || n < choose.Limit) {
		e, err := r.Next()
		switch {
		case errors.Is(err, io.EOF):
			return n, damaged, nil
		case err != nil:
			return n, damaged, err
		case e.Damaged:
			damaged++
			continue
		}
		if fits, err := choose.FitsLine(&e.Line); err != nil || !fits {
			if err != nil {
				damaged++
			}
			continue
		}
		if err := sink.Write(e.Line.Raw); err != nil {
			if _, bad := record.Decode(e.Line.Raw); bad == nil {
				return n, damaged, err
			}
			damaged++ // the line is not a record, and the sink can go on
			continue
		}
		n++
	}
	return n, damaged, ctx.Err()
}

// OTLPOptions returns the endpoint and headers for OTLP, from the command line or else from the
// environment variables that every OpenTelemetry exporter reads.
func OTLPOptions(env *console.Env, endpoint string, headers []string) (export.OTLPOptions, error) {
	getenv := base.Getenv(env)
	opts := export.OTLPOptions{Endpoint: endpoint, Headers: map[string]string{}}
	if opts.Endpoint == "" {
		opts.Endpoint = getenv("OTEL_EXPORTER_OTLP_LOGS_ENDPOINT")
		opts.Exact = opts.Endpoint != "" // an endpoint for logs only includes the path
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
			if !ok || err != nil { // do not print the value, which may be a secret
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
