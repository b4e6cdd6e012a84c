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

// doctor reads the newest transcripts, no more than it may, and says how many are left.
func TestNewestFiles(t *testing.T) {
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
	if names != "first second fourth " || left != 1 {
		t.Errorf("%s, %d left", names, left)
	}
}

// What was left out is said.
func TestTellMisses(t *testing.T) {
	t.Parallel()
	r := doctor.NewReport()
	tellMisses(r, &misses.Report{}, nil, 2)
	if len(r.Findings) != 1 || r.Findings[0].Check != "calls-not-compared" || !strings.HasPrefix(r.Findings[0].What, "2 transcripts of the last day not compared") {
		t.Errorf("%+v", r.Findings)
	}
}

// A transcript that cannot be read may hold calls: doctor says so, once.
func TestTellUnread(t *testing.T) {
	t.Parallel()
	m := &misses.Report{Unread: 1, Skipped: []misses.Skip{{Path: "notes", Why: "it is a list"}, {Path: "t.jsonl", Why: "it cannot be read", Calls: true}}}
	r := doctor.NewReport()
	tellMisses(r, m, nil, 0)
	if len(r.Findings) != 1 || r.Findings[0].Check != "transcripts-unread" || !strings.HasSuffix(r.Findings[0].What, "so calls may be unseen: t.jsonl: it cannot be read") {
		t.Errorf("%+v", r.Findings)
	}
	r = doctor.NewReport()
	tellMisses(r, m, []install.Report{{Host: "claude", Unread: &install.Unread{Files: 1}}}, 0)
	if len(r.Findings) != 0 {
		t.Errorf("twice: %+v", r.Findings)
	}
}
