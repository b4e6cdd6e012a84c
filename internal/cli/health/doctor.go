package health

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/agent/channel"
	"github.com/checkrein/checkrein/internal/app"
	"github.com/checkrein/checkrein/internal/cli/audit"
	"github.com/checkrein/checkrein/internal/cli/base"
	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/cli/doctor"
	"github.com/checkrein/checkrein/internal/cli/problems"
	"github.com/checkrein/checkrein/internal/cli/records"
	"github.com/checkrein/checkrein/internal/evidence/ledger"
	"github.com/checkrein/checkrein/internal/evidence/misses"
	"github.com/checkrein/checkrein/internal/hook/payload"
	"github.com/checkrein/checkrein/internal/host"
	"github.com/checkrein/checkrein/internal/host/capability"
	"github.com/checkrein/checkrein/internal/host/install"
	"github.com/checkrein/checkrein/internal/host/transcript"
	"github.com/checkrein/checkrein/internal/sys/state"
	"github.com/checkrein/checkrein/internal/sys/userdirs"
	"github.com/checkrein/checkrein/internal/text/message"
	"github.com/checkrein/checkrein/internal/text/term"
	"github.com/spf13/cobra"
)

// doctorFlags holds the flags of the doctor and hooks doctor commands.
type doctorFlags struct {
	files       []string
	payload     string
	json, noRun bool
}

// register adds the flags to cmd.
func (f *doctorFlags) register(cmd *cobra.Command) {
	base.FileFlag(cmd, &f.files)
	cmd.Flags().BoolVar(&f.json, "json", false, "print JSON")
	cmd.Flags().BoolVar(&f.noRun, "no-run", false, "only inspect the hooks, without running any")
	cmd.Flags().StringVar(&f.payload, "payload", "", "run hooks with the event in `FILE` (- = stdin) instead of harmless events")
}

// DoctorHooksCommand returns the hooks doctor command.
func DoctorHooksCommand(env *console.Env) *cobra.Command {
	var f doctorFlags
	cmd := &cobra.Command{
		Use: "doctor", Short: "Run each hook with a harmless event and report what is wrong",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			hosts, err := base.HostReports(env)
			if err != nil {
				return err
			}
			r, err := examineHooks(cmd.Context(), env, &f, hosts)
			if err != nil {
				return err
			}
			return printDoctor(env, r, &f)
		},
	}
	f.register(cmd)
	return cmd
}

// DoctorCommand returns the doctor command, which checks the hooks and everything around them.
func DoctorCommand(env *console.Env) *cobra.Command {
	var f doctorFlags
	var again bool
	cmd := &cobra.Command{
		Use: "doctor", Short: "Report what is wrong with hooks, agents, configuration and state",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if again {
				return reseal(env)
			}
			stores := examineDerived(cmd.Context(), env)        // before anything uses and rebuilds them
			said, unheard := verifyHonoured(cmd.Context(), env) // before HostReports, which includes what this finds
			if dir, err := records.LedgerFlag("").Dir(env); err == nil {
				for _, text := range said {
					records.Log(env, dir, text)
				}
			}
			_, unsure := verifyReplaced(cmd.Context(), env)
			unsure = errors.Join(unheard, unsure)
			hosts, err := base.HostReports(env)
			if err != nil {
				return err
			}
			countEvents(cmd.Context(), env, hosts)
			r, err := examineHooks(cmd.Context(), env, &f, hosts)
			if err != nil {
				return err
			}
			if !r.Interrupted {
				examineMachine(cmd.Context(), env, r, hosts)
				examinePrograms(env, r, hosts)
				examineModels(cmd.Context(), env, &f, r)
				examineMisses(cmd.Context(), env, r, hosts)
				if unsure != nil && !errors.Is(unsure, capability.ErrBroken) { // the host reports include ErrBroken
					r.Add("host-note", doctor.Finding{Message: message.New("checkrein cannot tell whether replaced results reached the model: "+unsure.Error(), message.Run("checkrein misses", ""))})
				}
				stores(r)
			}
			return printDoctor(env, r, &f)
		},
	}
	f.register(cmd)
	cmd.Flags().BoolVar(&again, "reseal", false, "show the approvals in files that were changed, and seal them again")
	return cmd
}

// examinePrograms checks the programs of those hosts in which checkrein is installed or that were
// proven, and adds to r who else could replace them.
func examinePrograms(env *console.Env, r *doctor.Report, hosts []install.Report) {
	m, err := base.Machine(env)
	if err != nil {
		return // HostReports has already returned this error
	}
	for i := range hosts {
		rep := &hosts[i]
		path := m.HostProgram(rep.Host)
		if path == "" || len(rep.Installed) == 0 && rep.Proven.State != install.Yes {
			continue
		}
		r.AddHostProgram(rep, path, userdirs.WhoCanReplace(path))
	}
}

// examineHooks checks the hooks and, without --no-run, runs them in a temporary directory.
func examineHooks(ctx context.Context, env *console.Env, f *doctorFlags, hosts []install.Report) (*doctor.Report, error) {
	k, err := base.OpenKit(env, app.Options{Files: f.files, FilesByPlace: true})
	if err != nil {
		return nil, err
	}
	o := doctor.Options{Kit: k, Idle: base.IsServer, Named: len(f.files) > 0, Hosts: doctor.InstalledHosts(hosts, host.Find), Handlers: base.NetworkHandlers(env)(k), Environ: env.Environ, Program: base.HotProgram(env), Now: env.Now}
	if f.payload != "" {
		ev, err := readPayload(env, f.payload)
		if errors.Is(err, payload.ErrNoEvent) {
			r := doctor.NewReport()
			r.Add("payload-without-event", doctor.Finding{Origin: f.payload})
			return r, nil
		}
		if err != nil {
			return nil, &base.Exit{Code: console.Usage, Err: err}
		}
		o.Payload = &ev
	}
	if !f.noRun {
		scratch, err := os.MkdirTemp("", "checkrein-doctor-")
		if err != nil {
			return nil, &base.Exit{Code: console.Finding, Err: err}
		}
		defer os.RemoveAll(scratch)
		o.Scratch = scratch
	}
	bar := base.NewProgress(env, "running hooks")
	defer bar.End()
	o.Progress = bar.Set
	o.Announce = func(hooks []*checkrein.Hook) {
		bar.Clear()
		announceRuns(env, hooks)
	}
	r := doctor.CheckHooks(ctx, o)
	for _, found := range problems.Lint(env, k) {
		r.Add("configuration-warning", doctor.Finding{Hook: found.At.Hook, Origin: found.At.Origin.String(), Message: message.FromError(found.At.Err).With(message.Do(found.At.Remedy))})
	}
	return r, nil
}

// readPayload reads the event of --payload from the file name; "-" is standard input.
func readPayload(env *console.Env, name string) (checkrein.Event, error) {
	body, err := base.ReadInput(env, name)
	if err != nil {
		return checkrein.Event{}, err
	}
	return payload.ReadEvent(body, "")
}

// examineMachine adds findings about everything around the hooks to r: installations, state, channels,
// versions and git.
func examineMachine(ctx context.Context, env *console.Env, r *doctor.Report, hosts []install.Report) {
	r.AddHosts(hosts, host.Find)
	plugins := pluginMistakes(env)
	r.AddPlugins(plugins)
	if dir, err := base.StateDir(env); err != nil {
		r.Add("state-unsafe", doctor.Finding{Message: message.FromError(err)})
	} else {
		r.AddState(dir, env.Now(), keepBytes(env))
		examineSeals(env, r, dir)
		if text := base.ReplacedState(env, dir); text != "" {
			r.Add("state-new", doctor.Finding{Message: message.New(text)})
		}
		if err := dir.CheckDir(ledger.Folder); !errors.Is(err, state.ErrNotDir) { // reported by examineDerived
			r.AddLedger(dir.Path(ledger.Folder))
		}
	}
	examineChannels(env, r)
	compareVersions(ctx, env, r)
	r.AddGit(ctx, env.Dir, env.Environ)
}

// examineChannels adds a finding to r for each message channel with a wrong setting. It sends nothing.
func examineChannels(env *console.Env, r *doctor.Report) {
	k, err := base.OpenKit(env, app.Options{ReadOnly: true})
	if err != nil {
		return // reported elsewhere
	}
	list := k.Channels()
	set := channel.New(list, env.Environ)
	for i := range list {
		if err := set.CheckChannel(list[i].Name); err != nil {
			r.Add("channel", doctor.Finding{Origin: list[i].From.String(), Message: message.FromError(fmt.Errorf("channel %s: %w", list[i].Name, err))})
		}
	}
}

// maxDoctorLedger is how many bytes of the ledger doctor reads to rebuild the index; audit verify
// reads all of it.
const maxDoctorLedger = 32 << 20

// examineDerived compares caches and indexes with what they are derived from, and returns a function
// that adds the findings to a report.
func examineDerived(ctx context.Context, env *console.Env) func(*doctor.Report) {
	dir, err := base.StateDir(env)
	if err != nil {
		return func(*doctor.Report) {} // reported elsewhere
	}
	p := audit.RebuildPlace(env, dir.Path(ledger.Folder), true)
	p.Most = maxDoctorLedger
	bar := base.NewProgress(env, "checking caches")
	p.Progress = bar.Set
	found, err := p.Check(ctx)
	bar.End()
	return func(r *doctor.Report) {
		for _, f := range found {
			if len(f.Remedies) > 0 {
				r.Add("state-odd", doctor.Finding{Message: f.Message})
				continue
			}
			r.Add("store-changed", doctor.Finding{Message: message.New(f.String())})
		}
		if err != nil {
			r.Add("store-changed", doctor.Finding{Message: message.FromError(err)})
		}
		if why := p.CheckKey(); why != nil {
			r.Add("key-open", doctor.Finding{Message: message.FromError(why)})
		}
	}
}

// defaultKeepBytes is the size up to which the ledger is kept if no configuration file sets one.
const defaultKeepBytes = 2 << 30

// keepBytes returns the size in bytes up to which the ledger is kept.
func keepBytes(env *console.Env) int64 {
	set, _ := audit.LedgerSettings(env, base.Places(env).Config) // mistakes are reported elsewhere
	if set.KeepMiB > 0 {
		return int64(set.KeepMiB) << 20
	}
	return defaultKeepBytes
}

const (
	// doctorMissesAge is how far back doctor compares calls with the ledger.
	doctorMissesAge = 24 * time.Hour
	// maxDoctorTranscripts is how many bytes of transcripts doctor reads for this comparison.
	maxDoctorTranscripts = 64 << 20
)

// missesRemedy is the remedy that shows the misses of the last day in full.
var missesRemedy = message.Run("checkrein misses --since 1d", "")

// examineMisses compares the calls in the transcripts of the last day with the ledger, and adds the
// findings to r.
func examineMisses(ctx context.Context, env *console.Env, r *doctor.Report, hosts []install.Report) {
	var left []transcript.File
	m, err := compareTranscripts(ctx, env, missesOptions{since: env.Now().Add(-doctorMissesAge), choose: func(list []transcript.File, since time.Time) []transcript.File {
		list, left = newestFiles(list, since, maxDoctorTranscripts)
		return list
	}})
	if err != nil {
		r.Add("calls-not-compared", doctor.Finding{Message: message.New("the calls of the last day could not be compared with the transcripts of agents: "+err.Error(), missesRemedy)})
		return
	}
	if m != nil {
		addMisses(r, m, hosts, len(left))
	}
}

// addMisses adds the findings of the comparison m to r. left is the number of transcripts that were
// not read.
func addMisses(r *doctor.Report, m *misses.Report, hosts []install.Report, left int) {
	for _, g := range groupByCause(m.Misses) {
		if g.list[0].Cause == misses.Silent && slices.ContainsFunc(hosts, func(h install.Report) bool { return h.Host == g.host && h.Silent != nil }) {
			continue // reported as host-silent
		}
		r.Add("calls-unseen", doctor.Finding{Message: message.New(fmt.Sprintf("%s of the last day unseen: %s", term.FormatCount(g.calls, "call"), g.why), g.remedies...)})
	}
	if n := m.Denied.Calls; n > 0 {
		r.Add("calls-denied-ran", doctor.Finding{Message: message.New(fmt.Sprintf("%s of the last day ran although checkrein denied %s", term.FormatCount(n, "call"), map[bool]string{true: "it", false: "them"}[n == 1]), missesRemedy)})
	}
	if n := m.Unasked.Calls; n > 0 {
		r.Add("calls-denied-ran", doctor.Finding{Message: message.New(term.FormatCount(n, "call")+" of the last day ran without a question although checkrein wanted you to be asked", missesRemedy)})
	}
	if n := m.Unread; n > 0 && !slices.ContainsFunc(hosts, func(h install.Report) bool { return h.Unread != nil }) {
		i := slices.IndexFunc(m.Skipped, func(s misses.Skip) bool { return s.Calls })
		what := term.FormatCount(n, "transcript") + " of the last day cannot be read in full, so calls may be unseen"
		if i >= 0 {
			what += fmt.Sprintf(": %s: %s", m.Skipped[i].Path, m.Skipped[i].Why)
		}
		r.Add("transcripts-unread", doctor.Finding{Message: message.New(what, missesRemedy)})
	}
	if left > 0 {
		r.Add("calls-not-compared", doctor.Finding{Message: message.New(fmt.Sprintf("%s of the last day not compared with the ledger, because doctor reads no more than %d MB", term.FormatCount(left, "transcript"), maxDoctorTranscripts>>20), missesRemedy)})
	}
}

// newestFiles returns the readable files that changed since the given time, newest first, and those that
// it left out because they would raise the total size above most bytes.
func newestFiles(list []transcript.File, since time.Time, most int64) (out, left []transcript.File) {
	slices.SortStableFunc(list, func(a, b transcript.File) int { return b.Time.Compare(a.Time) })
	for _, f := range list {
		switch {
		case f.Skip != "" || f.Time.Before(since):
		case f.Size > most:
			left = append(left, f)
		default:
			most -= f.Size
			out = append(out, f)
		}
	}
	return out, left
}
