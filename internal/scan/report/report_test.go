package report

import (
	"bytes"
	"encoding/json"
	"net/url"
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/scan"
	"github.com/checkrein/checkrein/internal/scan/policy"
	"github.com/checkrein/checkrein/internal/text/term"
)

func sampleFindings() []scan.Finding {
	at := func(rule, kind string, s policy.Severity, allowed string) policy.Finding {
		return policy.Finding{Rule: rule, Kind: kind, Severity: s, Start: 10, End: 20, Line: 2, Column: 5, Allowed: allowed}
	}
	return []scan.Finding{
		{Item: scan.Item{Path: "a b/é,x:1\n\x1b.txt"}, Finding: at("github-pat", "secret", policy.Block, ""), ID: "id1", Char: 5, EndLine: 2, EndChar: 15},
		{Item: scan.Item{Path: "b", Commit: "0123456789abcdef"}, Finding: at("email-address", "personal", policy.Warn, ""), ID: "id2", Char: 5, EndLine: 3, EndChar: 1},
		{Item: scan.Item{Commit: "0123456789abcdef", Message: true}, Finding: at("badge", "custom", policy.Info, ""), ID: "id3", Char: 5, EndLine: 2, EndChar: 15},
		{Item: scan.Item{Path: "c"}, Finding: at("github-pat", "secret", policy.Block, "ignored: an example"), ID: "id4", Char: 5, EndLine: 2, EndChar: 15},
		{Item: scan.Item{Path: "c"}, Finding: at("word", "custom", policy.Block, "in the baseline"), ID: "id5", Char: 5, EndLine: 2, EndChar: 15},
		{Item: scan.Item{Path: "tmp/x", Shown: "/tmp/x", Outside: true}, Finding: at("github-pat", "secret", policy.Block, ""), ID: "id6", Char: 5, EndLine: 2, EndChar: 15},
	}
}

// writeReport returns the report of the sample findings in format.
func writeReport(t *testing.T, format string, o Options) (string, *Report) {
	t.Helper()
	var b bytes.Buffer
	r, err := New(&b, format, o)
	if err != nil {
		t.Fatal(err)
	}
	list := sampleFindings()
	for i := range list {
		r.Add(&list[i])
	}
	if err := r.End(&scan.Totals{Commits: 3, Files: 4, Bytes: 99, Binary: 1}); err != nil {
		t.Fatal(err)
	}
	return b.String(), r
}

func TestHuman(t *testing.T) {
	t.Parallel()
	got, r := writeReport(t, "human", Options{Policy: "p", Git: true})
	want := `a b/é,x:1\n\x1b.txt:2:5: github-pat (secret)
b:2:5: email-address (personal, warn) in commit 0123456789ab
commit message:2:5: badge (custom, info) in commit 0123456789ab
/tmp/x:2:5: github-pat (secret)
scanned 3 commits, 5 files, 99 bytes: 4 findings; 2 block, 2 do not (policy p)
  2 findings do not count: the policy, a comment or a baseline allows them
  1 file is binary: it was searched for tokens and keys only
`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if r.Counts != (Counts{Block: 2, Warn: 1, Info: 1, Allowed: 2}) {
		t.Errorf("%+v", r.Counts)
	}
	if _, err := New(&bytes.Buffer{}, "sarfi", Options{}); err == nil || !strings.Contains(err.Error(), `did you mean "sarif"`) {
		t.Errorf("error %v", err)
	}
}

// TestTerminal checks that a terminal shows findings with their masked line, and how to ignore them.
func TestTerminal(t *testing.T) {
	t.Parallel()
	for colour, want := range map[string]string{
		"never":  "✗ a.txt:2:7  github-pat (secret)\n    key = •••• # old\n! b:1:1  email-address (personal, warn)\n\n✗ 2 findings in 2 files, 9 bytes; 1 blocks, 1 does not (policy p)\nTo ignore a finding, say why in a comment on its line:\n    checkrein:ignore github-pat REASON\n    checkrein:ignore email-address REASON\n",
		"always": "\x1b[1;31m✗\x1b[0m \x1b[1ma.txt:2:7\x1b[0m  \x1b[36mgithub-pat\x1b[0m (secret)\n\x1b[2m    key = \x1b[0m\x1b[1;31m••••\x1b[0m\x1b[2m # old\x1b[0m\n",
	} {
		var b bytes.Buffer
		r, err := New(&b, "human", Options{Policy: "p", Ignore: true, Screen: term.New(&b, term.Options{Colour: colour, Environ: []string{"COLUMNS=120"}})})
		if err != nil {
			t.Fatal(err)
		}
		r.Add(&scan.Finding{Item: scan.Item{Path: "a.txt"}, Finding: policy.Finding{Rule: "github-pat", Kind: "secret", Severity: policy.Block, Line: 2, Column: 7}, Excerpt: &scan.Excerpt{Before: "key = ", After: " # old"}})
		r.Add(&scan.Finding{Item: scan.Item{Path: "b"}, Finding: policy.Finding{Rule: "email-address", Kind: "personal", Severity: policy.Warn, Line: 1, Column: 1}})
		if err := r.End(&scan.Totals{Files: 2, Bytes: 9}); err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(b.String(), want) {
			t.Errorf("%s: got\n%q\nwant\n%q", colour, b.String(), want)
		}
	}
}

func TestJSON(t *testing.T) {
	t.Parallel()
	got, _ := writeReport(t, "json", Options{Policy: "p"})
	var v struct {
		Findings []map[string]any
		Allowed  []map[string]any
		Blocking int
		Files    int
		Commits  int
	}
	if err := json.Unmarshal([]byte(got), &v); err != nil {
		t.Fatalf("%v: %s", err, got)
	}
	if len(v.Findings) != 4 || len(v.Allowed) != 2 || v.Blocking != 2 || v.Files != 4 || v.Commits != 3 || v.Findings[1]["severity"] != "warn" || v.Allowed[0]["allowed"] != "ignored: an example" {
		t.Errorf("%s", got)
	}
}

func TestGitHub(t *testing.T) {
	t.Parallel()
	got, _ := writeReport(t, "github", Options{Policy: "p"})
	lines := strings.Split(got, "\n")
	want := "::error file=a b/é%2Cx%3A1%0A\\x1b.txt,line=2,col=5,title=checkrein%3A github-pat::github-pat (secret)"
	if lines[0] != want {
		t.Errorf("got  %q\nwant %q", lines[0], want)
	}
	if !strings.HasPrefix(lines[1], "::warning file=b,line=2,col=5,") || !strings.HasSuffix(lines[1], " of commit 0123456789abcdef") {
		t.Errorf("got %q", lines[1])
	}
	if !strings.HasPrefix(lines[2], "::notice title=") || !strings.Contains(lines[2], "in line 2 of the message of commit") {
		t.Errorf("got %q", lines[2])
	}
	if strings.Count(got, "\n::")+1 != 4 {
		t.Errorf("%s", got)
	}
}

// TestSARIF checks the requirements of SARIF 2.1.0 for the parts of a log that are written.
func TestSARIF(t *testing.T) {
	t.Parallel()
	got, _ := writeReport(t, "sarif", Options{Version: "1", Policy: "p"})
	var log struct {
		Schema  string `json:"$schema"`
		Version string
		Runs    []struct {
			ColumnKind string
			Tool       struct {
				Driver struct {
					Name, Version, InformationUri string
					Rules                         []struct {
						ID                   string
						ShortDescription     struct{ Text string }
						DefaultConfiguration struct{ Level string }
					}
				}
			}
			Results []struct {
				RuleID    string `json:"ruleId"`
				RuleIndex *int
				Level     string
				Message   struct{ Text string }
				Locations []struct {
					PhysicalLocation *struct {
						ArtifactLocation struct{ URI, URIBaseID string }
						Region           struct{ StartLine, StartColumn, EndLine, EndColumn int }
					}
					LogicalLocations []struct{ FullyQualifiedName string }
				}
				PartialFingerprints map[string]string
				Suppressions        []struct{ Kind, Justification string }
			}
		}
	}
	dec := json.NewDecoder(strings.NewReader(got))
	if err := dec.Decode(&log); err != nil {
		t.Fatalf("%v: %s", err, got)
	}
	if log.Version != "2.1.0" || !strings.Contains(log.Schema, "sarif-2.1.0") || len(log.Runs) != 1 {
		t.Fatalf("%s", got)
	}
	run := log.Runs[0]
	if run.Tool.Driver.Name != "checkrein" || run.ColumnKind != "unicodeCodePoints" || len(run.Tool.Driver.Rules) != 4 || len(run.Results) != 6 {
		t.Fatalf("%s", got)
	}
	for _, rule := range run.Tool.Driver.Rules {
		if rule.ID == "" || rule.ShortDescription.Text == "" || rule.DefaultConfiguration.Level == "" {
			t.Errorf("rule %+v", rule)
		}
	}
	seen := map[string]bool{}
	for i, r := range run.Results {
		if r.RuleIndex == nil || run.Tool.Driver.Rules[*r.RuleIndex].ID != r.RuleID || r.Message.Text == "" || len(r.Locations) != 1 {
			t.Errorf("result %d: %+v", i, r)
			continue
		}
		if !strings.Contains("error warning note", r.Level) || r.Level == "" {
			t.Errorf("level %q", r.Level)
		}
		if id := r.PartialFingerprints["checkrein/v1"]; id == "" || seen[id] {
			t.Errorf("fingerprint %q", id)
		} else {
			seen[id] = true
		}
		at := r.Locations[0]
		if at.PhysicalLocation == nil {
			if len(at.LogicalLocations) != 1 || i != 2 {
				t.Errorf("result %d has no place", i)
			}
			continue
		}
		if _, err := url.Parse(at.PhysicalLocation.ArtifactLocation.URI); err != nil {
			t.Errorf("result %d: %v", i, err)
		}
		if reg := at.PhysicalLocation.Region; reg.StartLine < 1 || reg.StartColumn < 1 || reg.EndLine < reg.StartLine || reg.EndColumn < 1 {
			t.Errorf("result %d: %+v", i, reg)
		}
	}
	if got := run.Results[0].Locations[0].PhysicalLocation.ArtifactLocation; got.URI != "a%20b/%C3%A9,x%3A1%0A%1B.txt" || got.URIBaseID != "%SRCROOT%" {
		t.Errorf("%+v", got)
	}
	if got := run.Results[5].Locations[0].PhysicalLocation.ArtifactLocation; got.URI != "file:///tmp/x" || got.URIBaseID != "" {
		t.Errorf("%+v", got)
	}
	if s := run.Results[3].Suppressions; len(s) != 1 || s[0].Kind != "inSource" || run.Results[4].Suppressions[0].Kind != "external" {
		t.Errorf("%+v", s)
	}
}
