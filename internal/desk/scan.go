package desk

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/checkrein/checkrein/internal/console"
	"github.com/checkrein/checkrein/internal/rawjson"
	"github.com/checkrein/checkrein/internal/scan"
	"github.com/checkrein/checkrein/internal/secret"
	"github.com/spf13/cobra"
)

func scanCommand(env *console.Env) *cobra.Command {
	var asJSON, lines bool
	cmd := &cobra.Command{
		Use: "scan [-|PATH…]", Short: "Look for secrets, personal data and private addresses in files or text",
		Long: `Look for secrets, personal data and private addresses in files or text.

Findings are printed by file, line and rule; what was found is never printed.
With --jsonl every line of stdin is {"text": …} and is answered by one line
{"findings": [{"rule", "start", "end"}]}. Otherwise the exit code is 1 when anything was
found.`,
		Example: `  checkrein scan .
  git diff | checkrein scan -
  checkrein scan --json src docs
  echo '{"text":"hello"}' | checkrein scan --jsonl -`,
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case lines && (len(args) == 0 || slices.Equal(args, []string{"-"})):
				return scanLines(env)
			case lines:
				return errors.New("--jsonl reads stdin: name no paths")
			case slices.Contains(args, "-") && len(args) > 1:
				return errors.New("- is stdin and stands alone")
			case len(args) == 0:
				args = []string{"."}
			}
			return scanPaths(cmd.Context(), env, args, asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	cmd.Flags().BoolVar(&lines, "jsonl", false, "one {\"text\": …} a line in, one line of findings out")
	return cmd
}

// scanReport is what scan --json prints.
type scanReport struct {
	Findings []scan.Finding `json:"findings"`
	scan.Totals
}

func scanPaths(ctx context.Context, env *console.Env, args []string, asJSON bool) error {
	report := scanReport{Findings: []scan.Finding{}}
	out := bufio.NewWriter(env.Stdout)
	found := func(f scan.Finding) {
		report.Findings = append(report.Findings, f)
		if !asJSON {
			fmt.Fprintf(out, "%s:%d:%d: %s (%s)\n", shownPath(f.Path), f.Line, f.Column, f.Rule, f.Kind)
		}
	}
	var err error
	if slices.Equal(args, []string{"-"}) {
		report.Bytes, err = scan.Reader(env.Stdin, secret.All, found)
		report.Files = 1
	} else {
		report.Totals, err = scan.Paths(ctx, env.Dir, args, secret.All, found)
	}
	if asJSON {
		enc := json.NewEncoder(out)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(report); err != nil {
			return err
		}
	} else {
		fmt.Fprintf(out, "%d findings in %d files, %d bytes\n", len(report.Findings), report.Files, report.Bytes)
	}
	if flushErr := out.Flush(); flushErr != nil {
		return flushErr
	}
	if err != nil {
		return err
	}
	if len(report.Findings) > 0 {
		return &exit{code: console.Finding, err: errors.New("something was found"), quiet: true}
	}
	return nil
}

func shownPath(path string) string {
	if path == "" {
		return "-"
	}
	return path
}

// scanLines answers each line with one.
func scanLines(env *console.Env) error {
	in := bufio.NewReaderSize(env.Stdin, 1<<20)
	out := bufio.NewWriter(env.Stdout)
	var room []secret.Finding
	for n := 1; ; n++ {
		line, err := in.ReadBytes('\n')
		if len(line) > 0 {
			val, ok := rawjson.Get(line, "text")
			text, isText := rawjson.Text(val)
			if rawjson.CheckObject(line) != nil || !ok || !isText {
				out.Flush()
				return fmt.Errorf("line %d is no {\"text\": …}", n)
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
			return err
		}
	}
	return out.Flush()
}

func findingsJSON(list []secret.Finding) []byte {
	o := rawjson.Object{'{'}
	o.Key("findings")
	o = append(o, '[')
	for i, f := range list {
		if i > 0 {
			o = append(o, ',')
		}
		o = append(o, '{')
		o.Text("rule", f.Rule)
		o.Int("start", f.Start)
		o.Int("end", f.End)
		o.Close()
	}
	o = append(o, ']')
	o.Close()
	return append(o, '\n')
}
