package audit

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	"github.com/checkrein/checkrein/internal/cli/base"
	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/cli/rebuild"
	"github.com/checkrein/checkrein/internal/cli/records"
	"github.com/checkrein/checkrein/internal/cli/report"
	"github.com/checkrein/checkrein/internal/evidence/ledger"
	"github.com/checkrein/checkrein/internal/evidence/ledger/seal"
	"github.com/checkrein/checkrein/internal/sys/build"
	"github.com/checkrein/checkrein/internal/sys/state"
	"github.com/checkrein/checkrein/internal/text/message"
	"github.com/checkrein/checkrein/internal/text/term"
	"github.com/spf13/cobra"
)

// verifyFlags holds the flags of audit verify.
type verifyFlags struct {
	witnesses        []string
	key              string
	json, allowClock bool
	allowMissed      bool
}

// verifyCommand returns the audit verify command.
func verifyCommand(env *console.Env) *cobra.Command {
	var at records.LedgerFlag
	var f verifyFlags
	cmd := &cobra.Command{
		Use: "verify", Short: "Check that no record was changed or removed",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			dir, err := at.Dir(env)
			if err != nil {
				return err
			}
			report, err := runVerify(cmd.Context(), env, dir, at.IsOwn(env), &f)
			if err != nil {
				return base.AsFailure(err)
			}
			return f.print(env, report)
		},
	}
	at.Register(cmd)
	flags := cmd.Flags()
	flags.StringArrayVar(&f.witnesses, "witness", nil, "compare with the checkpoints in this `FILE`; repeatable")
	flags.StringVar(&f.key, "key", "", "`FILE|HEX` is the public key that the ledger must be signed with: a PEM file, or the 64 hex digits that checkrein audit key prints")
	flags.BoolVar(&f.allowClock, "allow-clock", false, "do not report a clock that was set back")
	flags.BoolVar(&f.allowMissed, "allow-missed", false, "do not report unrecorded calls that a later record accounts for")
	flags.BoolVar(&f.json, "json", false, "print JSON")
	return cmd
}

// runVerify verifies the ledger in dir and returns the report. ownLedger means that it is the
// user's own ledger, so that the witness in the user's configuration is used.
func runVerify(ctx context.Context, env *console.Env, dir string, ownLedger bool, f *verifyFlags) (*seal.Report, error) {
	opts := seal.VerifyOptions{AllowClock: f.allowClock, AllowMissed: f.allowMissed}
	if f.key != "" {
		key, err := records.ReadPublicKey(env, f.key)
		if err != nil {
			return nil, &base.Exit{Code: console.Usage, Err: fmt.Errorf("--key: %w", err)}
		}
		opts.Public = &key
	}
	notes, err := f.readWitnesses(env, ownLedger, &opts)
	if err != nil {
		return nil, err
	}
	var report *seal.Report
	if hasNoLedger(dir) {
		if lost := ledger.CheckCurrent(dir); lost != nil {
			return nil, lost
		}
		report = &seal.Report{Segments: []seal.SegmentSummary{}, Findings: lostLedgerFindings(dir, &opts), Notices: []seal.Finding{}, CannotKnow: []string{}}
	} else {
		progress := base.NewProgress(env, "verifying")
		opts.Progress = progress.Set
		report, err = seal.Verify(ctx, dir, opts)
		progress.End()
		if err != nil {
			return nil, err
		}
	}
	for _, text := range notes {
		report.Notices = append(report.Notices, seal.Finding{Kind: seal.FindWitness, Text: text})
	}
	return report, verifyDerived(ctx, env, dir, ownLedger, report)
}

// verifyDerived compares stores that are derived from others with a rebuild, and adds what it finds to
// the report. For the user's own ledger, it checks the stores of the state directory; otherwise, only
// the index beside the ledger.
func verifyDerived(ctx context.Context, env *console.Env, dir string, ownLedger bool, report *seal.Report) error {
	p := RebuildPlace(env, dir, ownLedger)
	progress := base.NewProgress(env, "checking derived files")
	p.Progress = progress.Set
	found, err := p.Check(ctx)
	progress.End()
	for _, f := range found {
		report.Findings = append(report.Findings, seal.Finding{Kind: seal.FindDerived, Text: f.String()})
	}
	if err != nil && ctx.Err() == nil { // the rest of the report still counts
		report.Findings = append(report.Findings, seal.Finding{Kind: seal.FindDerived, Text: err.Error()})
		err = nil
	}
	if why := p.CheckKey(); why != nil && ownLedger {
		report.Notices = append(report.Notices, seal.Finding{Kind: seal.FindKey, Text: why.Error() + "; until this is fixed, nothing is cached"})
	}
	return err
}

// RebuildPlace returns the place of the ledger in ledgerDir for package rebuild. If withState is
// set, it includes the state directory around the ledger.
func RebuildPlace(env *console.Env, ledgerDir string, withState bool) *rebuild.Place {
	p := &rebuild.Place{Ledger: ledgerDir, Builds: []string{build.Stamp(), build.StampOfFile(base.HotProgram(env))}}
	if withState {
		p.State = state.NewDir(filepath.Dir(ledgerDir))
	}
	return p
}

// readWitnesses adds the witnesses of --witness to opts or, for the user's own ledger, the configured
// one. It returns notes about the configured witness, such as that its file does not exist.
func (f *verifyFlags) readWitnesses(env *console.Env, ownLedger bool, opts *seal.VerifyOptions) (notes []string, err error) {
	for _, name := range f.witnesses {
		w, err := seal.ReadWitness(env.Path(name))
		if err != nil {
			return nil, err
		}
		opts.Witnesses = append(opts.Witnesses, w)
	}
	if len(f.witnesses) > 0 || !ownLedger {
		return nil, nil
	}
	set, err := LedgerSettings(env, base.Places(env).Config)
	if err != nil {
		notes = append(notes, err.Error()+", so the configured witness may be unknown")
	}
	if set.Witness == "" {
		return notes, nil
	}
	w, err := seal.ReadWitness(set.Witness)
	if errors.Is(err, fs.ErrNotExist) {
		return append(notes, fmt.Sprintf("the configured witness file %s does not exist: nothing was written to it yet, or it was removed", set.Witness)), nil
	}
	if err != nil {
		return nil, err
	}
	opts.Witnesses = append(opts.Witnesses, w)
	return notes, nil
}

// hasNoLedger reports whether dir has no files of a ledger: no segments, key or checkpoints.
func hasNoLedger(dir string) bool {
	segments, err := ledger.Segments(dir)
	return len(segments) == 0 && (err == nil || errors.Is(err, fs.ErrNotExist)) &&
		!base.FileExists(filepath.Join(dir, ledger.KeyFile)) && !base.FileExists(filepath.Join(dir, seal.CheckpointsFile))
}

// lostLedgerFindings returns a finding for each witness that has a checkpoint of the ledger that is
// missing in dir.
func lostLedgerFindings(dir string, opts *seal.VerifyOptions) []seal.Finding {
	out := []seal.Finding{}
	for _, w := range opts.Witnesses {
		var newest *seal.Checkpoint
		for line := range bytes.Lines(w.Data) {
			c, err := seal.ParseCheckpoint(line)
			if err == nil && (opts.Public == nil || c.IsSignedBy(*opts.Public)) {
				newest = &c
			}
		}
		if newest != nil {
			out = append(out, seal.Finding{Kind: seal.FindWitness, Seq: newest.Seq, Text: fmt.Sprintf("%s saw record %d of ledger %s on %s, but there is no ledger in %s now",
				w.Name, newest.Seq, newest.Ledger, newest.Time.UTC().Format(time.DateTime), dir)})
		}
	}
	return out
}

// print prints the report and returns the error that sets the exit code.
func (f *verifyFlags) print(env *console.Env, r *seal.Report) error {
	err := verifyReport(env, r).Print(env, f.json, struct {
		Intact bool `json:"intact"`
		*seal.Report
	}{r.IsClean(), r})
	return base.OrFinding(err, !r.IsClean(), "the ledger is not intact")
}

// verifyReport returns the screen for r: the verdict in one line, what is wrong, and what the ledger's
// files cannot show.
func verifyReport(env *console.Env, r *seal.Report) *report.Report {
	p, zone := report.New(env), base.Zone(env)
	mark := term.Good
	if len(r.Findings)+r.MoreFindings > 0 {
		mark = term.Bad
	}
	p.Text(0, 2, term.Mark(mark), term.P(" "), term.T(term.Strong, verdictText(r, zone)))
	say := func(style term.Style, text string) { p.AddFinding(style, "", message.New(text)) }
	for _, f := range r.Findings {
		say(term.Bad, findingText(f))
	}
	if r.MoreFindings > 0 {
		say(term.Bad, term.FormatCount(r.MoreFindings, "more finding"))
	}
	for _, n := range r.Notices {
		say(term.Warn, findingText(n))
	}
	if r.MoreNotices > 0 {
		say(term.Warn, term.FormatCount(r.MoreNotices, "more note"))
	}
	if r.Torn > 0 {
		say(term.Warn, fmt.Sprintf("torn: %s left by a writer that died while writing; the next writer marked each one", term.FormatCount(r.Torn, "remnant")))
	}
	for _, vouched := range []struct {
		by string
		*seal.Mark
	}{{"signed", r.Checkpoint}, {"witnessed", r.Witness}} {
		if m := vouched.Mark; m != nil {
			say(term.Good, fmt.Sprintf("%s: up to record %d, on %s (%s)", vouched.by, m.Seq, m.Time.In(zone).Format(time.DateTime), m.By))
		}
	}
	if len(r.CannotKnow) > 0 {
		p.BeginSection("What these files cannot show")
	}
	for _, text := range r.CannotKnow {
		p.Text(2, 4, term.Mark(term.Plain), term.T(term.Faint, " "+p.ShortenPaths(text)))
	}
	return p
}

// findingText returns the kind of a finding, its place and its text.
func findingText(f seal.Finding) string {
	where := ""
	if f.Segment > 0 {
		where = fmt.Sprintf("segment %d, offset %d: ", f.Segment, f.Offset)
	}
	if f.Segment > 0 && f.Seq > 0 {
		where = fmt.Sprintf("segment %d, record %d: ", f.Segment, f.Seq)
	}
	return f.Kind + ": " + where + f.Text
}

// verdictText returns in one line whether the ledger is intact, and what it contains.
func verdictText(r *seal.Report, zone *time.Location) string {
	n := len(r.Findings) + r.MoreFindings
	if n > 0 {
		return "NOT intact: " + term.FormatCount(n, "finding")
	}
	if r.First == nil || r.Last == nil {
		return "intact: nothing is recorded"
	}
	text := fmt.Sprintf("intact: %s in %s, %s to %s", term.FormatCount(int(r.Records), "record"), term.FormatCount(len(r.Segments), "segment"),
		r.First.Time.In(zone).Format(time.DateTime), r.Last.Time.In(zone).Format(time.DateTime))
	if r.Missed > 0 {
		text += "; " + term.FormatCount(int(r.Missed), "call") + " not recorded (see the notes)"
	}
	return text
}
