package hot

import (
	"bufio"
	"errors"
	"io"
	"strconv"

	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/scan/policy"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// scanLines prints the findings in the text of each line of stdin as a line of JSON, and returns the
// exit code.
func scanLines(env console.Env, p *policy.Policy) int {
	in := bufio.NewReaderSize(env.Stdin, 1<<20)
	out := bufio.NewWriter(env.Stdout)
	var room []policy.Finding
	for n := 1; ; n++ {
		line, err := in.ReadBytes('\n')
		if len(line) > 0 {
			val, _ := rawjson.Get(line, "text")
			text, ok := rawjson.Text(val)
			if rawjson.CheckObject(line) != nil || !ok {
				out.Flush()
				return printError(env, console.Usage, `scan: line %d must have the form {"text": …}`, n)
			}
			room = p.Find(room[:0], "", []byte(text))
			out.Write(findingsJSON(room))
			if in.Buffered() == 0 {
				out.Flush() // do not keep a reader waiting
			}
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return printError(env, console.Usage, "scan: %v", err)
		}
	}
	if err := out.Flush(); err != nil {
		return printError(env, console.Bug, "scan: %v", err)
	}
	return console.Done
}

// findingsJSON returns those findings that count as a line of JSON.
func findingsJSON(list []policy.Finding) []byte {
	b := []byte(`{"findings":[`)
	n := 0
	for i := range list {
		f := &list[i]
		if !f.Counts() {
			continue
		}
		if n++; n > 1 {
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
