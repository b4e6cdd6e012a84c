package hot

import (
	"context"
	"errors"
	"io"
	"slices"

	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/scan"
	"github.com/checkrein/checkrein/internal/scan/git"
	"github.com/checkrein/checkrein/internal/scan/policy"
	"github.com/checkrein/checkrein/internal/scan/report"
	"github.com/checkrein/checkrein/internal/sys/build"
	"github.com/checkrein/checkrein/internal/text/visible"
)

const scanHelp = `Scan files, commits or text for secrets, personal data, private addresses and
anything else that a policy forbids.

Findings are printed with file, line and rule. On a terminal the line itself is
shown too, with the finding masked. The secret or text that was found is never
printed.

Examples:
  checkrein scan .
  checkrein scan --staged
  checkrein scan --commits origin/main..HEAD
  git diff | checkrein scan -
  checkrein scan --format sarif src docs > scan.sarif
  echo '{"text":"hello"}' | checkrein scan --jsonl -

Usage: checkrein scan [flags] [PATH… | -]
       checkrein scan [flags] --staged | --commits RANGE | --push-range A..B

What to scan:
  PATH…                files, and directories except for what git ignores
                       (default: the current directory)
  --staged             what the next commit adds or changes, read from the
                       index
  --commits RANGE      every commit in the range, with its message: A..B, a
                       name, --all
  --push-range A..B    what is sent by a push that moves a ref from A to B;
                       A may be all zeros
  -                    stdin
  --jsonl -            read one {"text": …} per line from stdin, print one
                       {"findings": [{"rule", "start", "end"}]} per line
  --archives           look into zip, tar and gzip files too

How:
  --policy FILE        a policy file, or public-repo, private-repo,
                       public-content, pr-draft, outbound-message. The
                       default is your own checkrein-policy.yaml, beside your
                       checkrein.yaml, or else public-repo. The project's
                       checkrein-policy.yaml can make it stricter
  --format FORMAT      human, json, sarif or github (annotations); --json is
                       --format json
  --color WHEN         auto, always or never
  --baseline FILE      ignore the known findings in this file
  --write-baseline FILE  write all current findings to this file, and exit
                       with 0

Links are not followed. Files named in .checkreinignore are skipped. The exit
code is 1 if a finding blocks (--jsonl: 0), 2 if something could not be read or
there was nothing to scan, and 3 if the policy is not valid.
`

// scanFlags holds the flags of scan.
type scanFlags struct {
	json, jsonl, staged, archives         bool
	commits, push, policy, format         string
	baseline, writeBaseline, colour       string
	paths                                 []string
	hasCommits, hasPush, hasFormat, stdin bool
}

// scanFlagNames lists the names of the flags, from which misspelled ones are corrected.
var scanFlagNames = []string{"json", "jsonl", "staged", "commits", "push-range", "archives", "policy", "format", "color", "baseline", "write-baseline", "help"}

// parseScan reads the command line of scan.
func parseScan(env console.Env) (*scanFlags, error) {
	var f scanFlags
	args := args{list: env.Args, words: &f.paths}
	for args.next() {
		switch args.name {
		case "h", "help":
			return nil, errHelp
		case "json":
			f.json = args.boolValue()
		case "jsonl":
			f.jsonl = args.boolValue()
		case "staged":
			f.staged = args.boolValue()
		case "archives":
			f.archives = args.boolValue()
		case "commits":
			f.commits, f.hasCommits = args.value(), true
		case "push-range":
			f.push, f.hasPush = args.value(), true
		case "policy":
			f.policy = args.value()
		case "color":
			f.colour = args.colourValue()
		case "format":
			f.format, f.hasFormat = args.value(), true
		case "baseline":
			f.baseline = args.value()
		case "write-baseline":
			f.writeBaseline = args.value()
		default:
			args.failUnknown(scanFlagNames...)
		}
	}
	if args.err != nil {
		return nil, args.err
	}
	return &f, f.check()
}

// check sets the defaults. It returns an error for flags that contradict each other.
func (f *scanFlags) check() error {
	f.stdin = slices.Contains(f.paths, "-")
	modes := 0
	for _, on := range [...]bool{f.jsonl, f.staged, f.hasCommits, f.hasPush} {
		if on {
			modes++
		}
	}
	switch {
	case f.stdin && len(f.paths) > 1:
		return errors.New("- reads stdin: leave out file names")
	case f.jsonl && len(f.paths) > 0 && !f.stdin:
		return errors.New("--jsonl reads stdin: leave out paths")
	case modes > 1 || modes == 1 && !f.jsonl && len(f.paths) > 0:
		return errors.New("use only one of paths, -, --jsonl, --staged, --commits and --push-range")
	case f.json && f.hasFormat && f.format != "json":
		return errors.New("--json and --format contradict each other: use only one of them")
	case f.jsonl && (f.json || f.hasFormat || f.archives || f.baseline != "" || f.writeBaseline != ""):
		return errors.New("--jsonl can only be combined with --policy")
	case f.archives && f.stdin:
		return errors.New("--archives needs paths: name the files or directories")
	case f.hasFormat && !slices.Contains(report.Formats, f.format):
		_, err := report.New(io.Discard, f.format, report.Options{})
		return err
	}
	if f.json {
		f.format = "json"
	}
	if len(f.paths) == 0 && modes == 0 {
		f.paths = []string{"."}
	}
	return nil
}

// runScan runs the scan command and returns the exit code.
func runScan(ctx context.Context, env console.Env) int {
	f, err := parseScan(env)
	if errors.Is(err, errHelp) {
		io.WriteString(env.Stdout, scanHelp)
		return console.Done
	}
	if err != nil {
		return printError(env, console.Usage, "scan: %v\nRun 'checkrein scan --help' for usage.", err)
	}
	if env.Interrupts != nil {
		ctx = env.Interrupts(ctx)
	}
	s := scanRun{env: env, flags: f}
	if s.scan.Policy, err = loadPolicy(env, f.policy); err != nil {
		return printError(env, policyErrorCode(err), "scan: nothing was scanned, because the policy cannot be used\n%s", visible.EscapeText(console.PlainText(err)))
	}
	if f.jsonl {
		return scanLines(env, s.scan.Policy)
	}
	return s.run(ctx)
}

// policyErrorCode returns the exit code for an error from loading a policy.
func policyErrorCode(err error) int {
	var wrong *policy.Error
	if errors.As(err, &wrong) {
		return console.Config
	}
	return console.Usage
}

// loadPolicy returns the policy called name or in the file name. If name is "", it returns the user's
// policy with what the project's adds.
func loadPolicy(env console.Env, name string) (*policy.Policy, error) {
	now := env.Now()
	if name != "" {
		return policy.LoadNamed(env.Dir, name, now)
	}
	return policy.Discover(env.Dir, userPlaces(env).Config, policy.Default, now)
}

// A scanRun is one run of the scan command.
type scanRun struct {
	env    console.Env
	flags  *scanFlags
	scan   scan.Scan
	report *report.Report
	bar    *progress
	count  func(*scan.Totals) // adds what the source counted
	empty  string             // why there is nothing to scan
}

// run scans, prints the report and returns the exit code.
func (s *scanRun) run(ctx context.Context) int {
	f, env, p := s.flags, s.env, s.scan.Policy
	for _, note := range p.Notes {
		printError(env, 0, "scan: %s", visible.EscapeLine(note))
	}
	if f.baseline != "" {
		b, err := policy.ReadBaseline(env.Path(f.baseline))
		if err != nil {
			return printError(env, console.Usage, "scan: %s", visible.EscapeText(console.PlainText(err)))
		}
		p.SetBaseline(b)
	}
	if f.writeBaseline != "" {
		s.scan.Baseline = policy.NewBaseline(env.Now(), env.Dir)
	}
	if f.archives {
		s.scan.Unpack = unpacker(ctx, env)
	}
	source, err := s.source(ctx)
	if err != nil {
		return printError(env, console.Usage, "scan: %s", visible.EscapeText(console.PlainText(err)))
	}
	o := report.Options{Version: build.Version, Policy: p.Name, File: p.File, Git: f.staged || f.hasCommits || f.hasPush, Ignore: p.AllowsInlineIgnore()}
	if out := newScreen(env, f.colour); out.Width() > 0 {
		o.Screen = out
		s.scan.Excerpts = f.format == "" || f.format == "human"
	}
	s.report, err = report.New(env.Stdout, f.format, o)
	if err != nil {
		return printError(env, console.Usage, "scan: %s", visible.EscapeText(console.PlainText(err)))
	}
	origins := reportOrigins(env, &s.scan, func(found *scan.Finding) {
		s.bar.clear()
		s.report.Add(found)
	})
	s.scan.Progress = s.bar.show
	totals, err := s.scan.Run(ctx, source)
	s.bar.clear()
	if why := origins.Flush(ctx); why != nil {
		printError(env, 0, "scan: cannot tell who wrote the findings' lines: %s", visible.EscapeText(why.Error()))
	}
	s.count(&totals)
	return s.end(&totals, err)
}

// end prints the end of the report, writes the baseline if one is asked for, and returns the exit
// code.
func (s *scanRun) end(t *scan.Totals, err error) int {
	if endErr := s.report.End(t); endErr != nil {
		return printError(s.env, console.Bug, "scan: %v", endErr)
	}
	switch {
	case err != nil:
		return printError(s.env, console.Usage, "scan: %s", visible.EscapeText(console.PlainText(err)))
	case s.flags.writeBaseline != "":
		return s.saveBaseline()
	case t.IsEmpty() && s.flags.staged:
		return printError(s.env, console.Done, "scan: nothing was scanned: nothing is staged")
	case t.IsEmpty():
		return printError(s.env, console.Usage, "scan: nothing was scanned: %s", s.empty)
	case s.report.Counts.Block > 0:
		return console.Finding
	case s.flags.stdin && t.Compressed > 0:
		return printError(s.env, console.Usage, "scan: nothing was scanned, because stdin is compressed. Decompress it first")
	case s.flags.stdin && t.Binary > 0:
		return printError(s.env, console.Usage, "scan: the scan is not complete: stdin is not text, so it was searched for tokens and keys only. To scan all of it, pass it as text")
	}
	return console.Done
}

// source returns the source of what is to be scanned, and sets up the progress line for it.
func (s *scanRun) source(ctx context.Context) (scan.Source, error) {
	f, env := s.flags, s.env
	s.bar = newProgress(env)
	s.count = func(*scan.Totals) {}
	switch {
	case f.stdin:
		return func(yield func(scan.Item, scan.Content) error) error {
			return yield(scan.Item{}, scan.Content{Reader: env.Stdin})
		}, nil
	case f.paths != nil:
		tree := &scan.Tree{Dir: env.Dir, Paths: f.paths, Environ: env.Environ}
		s.count, s.bar.expected = tree.AddCounts, tree.ExpectedFiles
		s.empty = "there are no files, or ignore files exclude all of them"
		return tree.Source(ctx), nil
	}
	return s.gitSource(ctx)
}

// gitSource returns the source for --staged, --commits and --push-range.
func (s *scanRun) gitSource(ctx context.Context) (scan.Source, error) {
	f, env := s.flags, s.env
	r, err := git.OpenRepo(ctx, env.Dir, env.Environ)
	if err != nil {
		return nil, err
	}
	texts := &scan.Git{Repo: r, Scan: &s.scan}
	s.count = texts.AddCounts
	switch {
	case f.staged:
		return texts.StagedItems(ctx), nil
	case f.hasCommits:
		ids, err := r.ListRange(ctx, f.commits)
		s.empty = "no commits are in the range " + visible.EscapeLine(f.commits) + "; they may be missing from a shallow clone"
		return texts.CommitItems(ctx, ids), err
	}
	push, err := pushRange(ctx, r, f.push)
	s.empty = "the range " + visible.EscapeLine(f.push) + " sends nothing: " + push.Nothing
	return texts.PushItems(ctx, []git.Push{push}), err
}
