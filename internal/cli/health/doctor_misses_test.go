package health

import (
	"strings"
	"testing"
	"time"

	"github.com/checkrein/checkrein/internal/cli/doctor"
	"github.com/checkrein/checkrein/internal/evidence/misses"
	"github.com/checkrein/checkrein/internal/host/install"
	"github.com/checkrein/checkrein/internal/host/transcript"
)

// Doctor reads the newest transcripts up to its limit, and counts those it leaves out.
func TestNewestFilesUpToLimit(t *testing.T) {
	t.Parallel()
	now := time.Now()
	ago := func(h int) time.Time { return now.Add(-time.Duration(h) * time.Hour) }
	out, left := newestFiles([]transcript.File{
		{Path: "old", Size: 1, Time: ago(30)},
		{Path: "second", Size: 60, Time: ago(2)},
		{Path: "first", Size: 30, Time: ago(1)},
		{Path: "third", Size: 11, Time: ago(3)},
		{Path: "link", Size: 1, Time: ago(1), Skip: "it is a link"},
		{Path: "fourth", Size: 10, Time: ago(4)},
	}, ago(24), 100)
	names := ""
	for _, f := range out {
		names += f.Path + " "
	}
	if names != "first second fourth " || len(left) != 1 {
		t.Errorf("%s, %d left", names, len(left))
	}
}

// The report counts the transcripts that were left out.
func TestReportCountsUnreadTranscripts(t *testing.T) {
	t.Parallel()
	r := doctor.NewReport()
	addMisses(r, &misses.Report{}, nil, 2)
	if len(r.Findings) != 1 || r.Findings[0].Check != "calls-not-compared" || !strings.HasPrefix(r.Findings[0].What, "2 transcripts of the last day not compared") {
		t.Errorf("%+v", r.Findings)
	}
}

// A transcript that cannot be read may hold calls, so doctor reports it, once.
func TestUnreadableTranscriptIsReportedOnce(t *testing.T) {
	t.Parallel()
	m := &misses.Report{Unread: 1, Skipped: []misses.Skip{{Path: "notes", Why: "it is a list"}, {Path: "t.jsonl", Why: "it cannot be read", Calls: true}}}
	r := doctor.NewReport()
	addMisses(r, m, nil, 0)
	if len(r.Findings) != 1 || r.Findings[0].Check != "transcripts-unread" || !strings.HasSuffix(r.Findings[0].What, "so calls may be unseen: t.jsonl: it cannot be read") {
		t.Errorf("%+v", r.Findings)
	}
	r = doctor.NewReport()
	addMisses(r, m, []install.Report{{Host: "claude", Unread: &install.Unread{Files: 1}}}, 0)
	if len(r.Findings) != 0 {
		t.Errorf("twice: %+v", r.Findings)
	}
}
