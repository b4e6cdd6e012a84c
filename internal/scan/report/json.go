package report

import (
	"bufio"
	"fmt"

	"github.com/checkrein/checkrein/internal/scan"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// A jsonForm writes one JSON object, with a separate list for allowed findings.
type jsonForm struct {
	Options
	n       int
	allowed []byte
}

func (j *jsonForm) writeBegin(out *bufio.Writer) { out.WriteString(`{"findings":[`) }

func (j *jsonForm) writeFinding(out *bufio.Writer, f *scan.Finding) {
	o := rawjson.Object{'{'}
	if f.Path != "" || f.Shown != "" {
		o.Text("path", f.DisplayName())
	}
	o.Text("commit", f.Commit)
	o.Flag("message", f.Message)
	o.Int("line", f.Line)
	o.Int("column", f.Column)
	o.Text("rule", f.Rule)
	o.Text("kind", f.Kind)
	o.Text("severity", f.Severity.String())
	o.Int("start", f.Start)
	o.Int("end", f.End)
	o.Text("id", f.ID)
	o.Text("allowed", f.Allowed)
	if f.Origin != nil {
		o.Key("origin")
		o = f.Origin.AppendJSON(o)
	}
	o.Close()
	if !f.Counts() {
		if len(j.allowed) > 0 {
			j.allowed = append(j.allowed, ',')
		}
		j.allowed = append(j.allowed, o...)
		return
	}
	if j.n++; j.n > 1 {
		out.WriteByte(',')
	}
	out.Write(o)
}

func (j *jsonForm) writeTotals(out *bufio.Writer, t *scan.Totals, n *Counts) {
	fmt.Fprintf(out, `],"blocking":%d,"allowed":[%s],"policy":%s,"commits":%d,"messages":%d,"files":%d,"repeated":%d,"bytes":%d,"binary":%d,"compressed":%d,"dense":%d,"left_out":%d,"skipped":%d}`+"\n",
		n.Block, j.allowed, rawjson.Quote(j.policyName()), t.Commits, t.Messages, t.Files, t.Repeated, t.Bytes, t.Binary, t.Compressed, t.Dense, t.Excluded, t.Skipped)
}
