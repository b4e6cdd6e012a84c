package report

import (
	"bufio"
	"fmt"
	"strings"

	"github.com/checkrein/checkrein/internal/scan"
	"github.com/checkrein/checkrein/internal/scan/policy"
	"github.com/checkrein/checkrein/internal/secret"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// A sarifForm writes SARIF 2.1.0 (OASIS) with one run. The rules follow the results, because only then
// are the rules with findings known.
type sarifForm struct {
	Options
	rules []policy.Finding // the first finding of each rule
	n     int
}

const (
	sarifSchema = "https://json.schemastore.org/sarif-2.1.0.json"
	homepage    = "https://github.com/checkrein/checkrein"
)

func (s *sarifForm) writeBegin(out *bufio.Writer) {
	fmt.Fprintf(out, `{"$schema":"%s","version":"2.1.0","runs":[{"columnKind":"unicodeCodePoints","results":[`, sarifSchema)
}

// ruleIndex returns the index of the rule of f in s.rules, and adds the rule if it is not there.
func (s *sarifForm) ruleIndex(f *policy.Finding) int {
	for i := range s.rules {
		if s.rules[i].Rule == f.Rule {
			return i
		}
	}
	s.rules = append(s.rules, *f)
	return len(s.rules) - 1
}

// sarifLevel returns the SARIF level of s.
func sarifLevel(s policy.Severity) string {
	switch s {
	case policy.Block:
		return "error"
	case policy.Warn:
		return "warning"
	}
	return "note"
}

func (s *sarifForm) writeFinding(out *bufio.Writer, f *scan.Finding) {
	if s.n++; s.n > 1 {
		out.WriteByte(',')
	}
	o := rawjson.Object{'{'}
	o.Text("ruleId", f.Rule)
	o.Int("ruleIndex", s.ruleIndex(&f.Finding))
	o.Text("level", sarifLevel(f.Severity))
	o.Open("message")
	o.Text("text", sarifMessage(f))
	o.Close()
	o.List("locations", 1, func(o *rawjson.Object, _ int) { appendLocation(o, f) })
	o.Open("partialFingerprints")
	o.Text("checkrein/v1", f.ID)
	o.Close()
	if !f.Counts() {
		kind := "external"
		if strings.HasPrefix(f.Allowed, "ignored") {
			kind = "inSource"
		}
		o.List("suppressions", 1, func(o *rawjson.Object, _ int) {
			*o = append(*o, '{')
			o.Text("kind", kind)
			o.Text("justification", f.Allowed)
			o.Close()
		})
	}
	if f.Commit != "" || f.Origin != nil {
		o.Open("properties")
		o.Text("commit", f.Commit)
		if f.Origin != nil {
			o.Key("origin")
			o = f.Origin.AppendJSON(o)
		}
		o.Close()
	}
	o.Close()
	out.Write(o)
}

// sarifMessage returns the text of the result for f.
func sarifMessage(f *scan.Finding) string {
	text := f.Rule + " (" + f.Kind + ")"
	if f.Commit != "" {
		text += " in commit " + f.Commit
	}
	return text
}

// appendLocation appends the position of f to o. The message of a commit is not in a file, so the
// commit is named instead.
func appendLocation(o *rawjson.Object, f *scan.Finding) {
	*o = append(*o, '{')
	if f.Path == "" {
		o.List("logicalLocations", 1, func(o *rawjson.Object, _ int) {
			*o = append(*o, '{')
			o.Text("fullyQualifiedName", strings.TrimSpace(f.DisplayName()+" "+f.Commit))
			o.Text("kind", "resource")
			o.Close()
		})
		o.Close()
		return
	}
	o.Open("physicalLocation")
	o.Open("artifactLocation")
	if f.Outside {
		o.Text("uri", "file://"+escapeURI(f.Shown))
	} else {
		o.Text("uri", escapeURI(f.Path))
		o.Text("uriBaseId", "%SRCROOT%")
	}
	o.Close()
	o.Open("region")
	o.Int("startLine", f.Line)
	o.Int("startColumn", f.Char)
	o.Int("endLine", f.EndLine)
	o.Int("endColumn", f.EndChar)
	o.Close()
	o.Close()
	o.Close()
}

// escapeURI returns path as a relative reference (RFC 3986).
func escapeURI(path string) string {
	var b strings.Builder
	for i := range len(path) {
		c := path[i]
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("-._~/!$&'()*+,;=@", c) >= 0 {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

func (s *sarifForm) writeTotals(out *bufio.Writer, t *scan.Totals, n *Counts) {
	known := secret.Rules()
	o := rawjson.Object{'{'}
	o.Open("driver")
	o.Text("name", "checkrein")
	o.Text("version", s.Version)
	o.Text("informationUri", homepage)
	o.Key("rules")
	o = append(o, '[')
	for i := range s.rules {
		if i > 0 {
			o = append(o, ',')
		}
		f := &s.rules[i]
		o = append(o, '{')
		o.Text("id", f.Rule)
		o.Open("shortDescription")
		o.Text("text", describeRule(known, f))
		o.Close()
		o.Open("defaultConfiguration")
		o.Text("level", sarifLevel(f.Severity))
		o.Close()
		o.Open("properties")
		o.Texts("tags", []string{"security", f.Kind})
		o.Close()
		o.Close()
	}
	o = append(o, ']')
	o.Close()
	o.Close()
	fmt.Fprintf(out, `],"tool":%s,"properties":{"policy":%s,"commits":%d,"files":%d,"bytes":%d,"binary":%d,"compressed":%d}}]}`+"\n", []byte(o), rawjson.Quote(s.policyName()), t.Commits, t.Files, t.Bytes, t.Binary, t.Compressed)
}
