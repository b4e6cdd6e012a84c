package hot

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/checkrein/checkrein/internal/console"
	"github.com/checkrein/checkrein/internal/rawjson"
	"github.com/checkrein/checkrein/internal/scan"
	"github.com/checkrein/checkrein/internal/secret"
	"github.com/checkrein/checkrein/internal/trust"
)

const scanHelp = `Look for secrets, personal data and private addresses in files or text.

Findings are printed by file, line and rule; what was found is never printed.

Examples:
  checkrein scan .
  git diff | checkrein scan -
  checkrein scan --json src docs
  echo '{"text":"hello"}' | checkrein scan --jsonl -

Usage: checkrein scan [flags] [PATH… | -]

Flags:
  --json               print JSON
  --jsonl              one {"text": …} a line on stdin, one {"findings": [{"rule", "start", "end"}]} a line

Without a path the current directory is scanned; git's own folder is not, and links are not
followed. The exit code is 1 when something was found (--jsonl: 0), 2 when something could not
be read.
`

// scanFlags are what the command line asks for.
type scanFlags struct {
	json, jsonl bool
	paths       []string
}

func parseScan(env console.Env) (*scanFlags, error) {
	var f scanFlags
	args := args{list: env.Args, words: &f.paths}
	for args.next() {
		switch args.name {
		case "h", "help":
			return nil, errHelp
		case "json":
			f.json = args.on()
		case "jsonl":
			f.jsonl = args.on()
		default:
			args.unknown("json", "jsonl", "help")
		}
	}
	switch {
	case args.err != nil:
		return nil, args.err
	case f.jsonl && len(f.paths) > 0 && !slices.Equal(f.paths, []string{"-"}):
		return nil, errors.New("--jsonl reads stdin: name no paths")
	case slices.Contains(f.paths, "-") && len(f.paths) > 1:
		return nil, errors.New("- is stdin and stands alone")
	case len(f.paths) == 0:
		f.paths = []string{"."}
	}
	return &f, nil
}

func scanCommand(ctx context.Context, env console.Env) int {
	f, err := parseScan(env)
	if errors.Is(err, errHelp) {
		io.WriteString(env.Stdout, scanHelp)
		return console.Done
	}
	if err != nil {
		return fail(env, console.Usage, "scan: %v\nRun 'checkrein scan --help' for usage.", err)
	}
	if env.Interrupts != nil {
		ctx = env.Interrupts(ctx)
	}
	if f.jsonl {
		return scanLines(env)
	}
	r := scanReport{out: bufio.NewWriter(env.Stdout), json: f.json}
	if r.json {
		r.out.WriteString(`{"findings":[`)
	}
	var totals scan.Totals
	if slices.Equal(f.paths, []string{"-"}) {
		totals.Files = 1
		totals.Bytes, err = scan.Reader(env.Stdin, secret.All, r.add)
	} else {
		totals, err = scan.Paths(ctx, env.Dir, f.paths, secret.All, r.add)
	}
	r.end(&totals)
	switch flushErr := r.out.Flush(); {
	case flushErr != nil:
		return fail(env, console.Bug, "scan: %v", flushErr)
	case err != nil:
		return fail(env, console.Usage, "scan: %v", err)
	case r.n > 0:
		return console.Finding
	}
	return console.Done
}

// A scanReport is one being written, finding by finding.
type scanReport struct {
	out  *bufio.Writer
	json bool
	n    int
}

func (r *scanReport) add(f scan.Finding) {
	r.n++
	if !r.json {
		path := f.Path
		if path == "" {
			path = "-"
		}
		fmt.Fprintf(r.out, "%s:%d:%d: %s (%s)\n", trust.VisibleLine(path), f.Line, f.Column, f.Rule, f.Kind)
		return
	}
	if r.n > 1 {
		r.out.WriteByte(',')
	}
	o := rawjson.Object{'{'}
	if f.Path != "" {
		o.Text("path", f.Path)
	}
	o.Int("line", f.Line)
	o.Int("column", f.Column)
	o.Text("rule", f.Rule)
	o.Text("kind", f.Kind)
	o.Int("start", int(f.Start))
	o.Int("end", int(f.End))
	o.Close()
	r.out.Write(o)
}

func (r *scanReport) end(t *scan.Totals) {
	if !r.json {
		fmt.Fprintf(r.out, "%d findings in %d files, %d bytes", r.n, t.Files, t.Bytes)
		if t.Binary > 0 {
			fmt.Fprintf(r.out, "; not scanned: %d binary", t.Binary)
		}
		if t.Skipped > 0 {
			fmt.Fprintf(r.out, "; not followed: %d links and the like", t.Skipped)
		}
		r.out.WriteByte('\n')
		return
	}
	fmt.Fprintf(r.out, `],"files":%d,"bytes":%d,"binary":%d,"skipped":%d}`+"\n", t.Files, t.Bytes, t.Binary, t.Skipped)
}

// scanLines answers each line with one.
func scanLines(env console.Env) int {
	in := bufio.NewReaderSize(env.Stdin, 1<<20)
	out := bufio.NewWriter(env.Stdout)
	var room []secret.Finding
	for n := 1; ; n++ {
		line, err := in.ReadBytes('\n')
		if len(line) > 0 {
			val, _ := rawjson.Get(line, "text")
			text, ok := rawjson.Text(val)
			if rawjson.CheckObject(line) != nil || !ok {
				out.Flush()
				return fail(env, console.Usage, `scan: line %d is no {"text": …}`, n)
			}
			room = secret.Find(room[:0], text, secret.All)
			out.Write(findingsJSON(room))
			if in.Buffered() == 0 {
				out.Flush() // someone may wait for the answer
			}
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return fail(env, console.Usage, "scan: %v", err)
		}
	}
	if err := out.Flush(); err != nil {
		return fail(env, console.Bug, "scan: %v", err)
	}
	return console.Done
}

func findingsJSON(list []secret.Finding) []byte {
	b := []byte(`{"findings":[`)
	for i, f := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, `{"rule":`...)
		b = rawjson.AppendString(b, f.Rule)
		b = strconv.AppendInt(append(b, `,"start":`...), int64(f.Start), 10)
		b = strconv.AppendInt(append(b, `,"end":`...), int64(f.End), 10)
		b = append(b, '}')
	}
	return append(b, "]}\n"...)
}
