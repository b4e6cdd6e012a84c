package app

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/engine"
	"github.com/checkrein/checkrein/internal/evidence/ledger"
	"github.com/checkrein/checkrein/internal/hook/setting"
	"github.com/checkrein/checkrein/internal/host"
	"github.com/checkrein/checkrein/internal/host/capability"
	"github.com/checkrein/checkrein/internal/host/capability/proofs"
)

// proofs returns the book of what was proven about hosts.
func (k *Kit) proofs() capability.Book {
	return capability.Book{Dir: k.state, Secret: k.ledger.SecretFunc(ledger.LabelCaps), Witness: proofs.Certificates{Dir: k.state}}
}

// doubtsOf returns a host's title and what its installed build was seen to ignore. It reads nothing if
// the host was never proven or installed.
func (k *Kit) doubtsOf(name string) (title string, at capability.Standing) {
	h, ok := host.Find(name)
	if !ok {
		return "", capability.Standing{}
	}
	book := k.proofs()
	known, err := book.LoadDoubts(h.Name)
	if err != nil {
		k.noteBadProof(err)
	}
	if len(known.Builds) == 0 {
		return h.Title, capability.Standing{}
	}
	now, _ := capability.InspectProgram(known.Program.Path) // a missing program counts as another build
	return h.Title, known.StandingOf(now)
}

// doubts implements [engine.Options.Doubts]: it is [Kit.doubtsOf] for the host of an event.
func (k *Kit) doubts(ev *checkrein.Event) []engine.Doubt {
	title, at := k.doubtsOf(ev.Host)
	var out []engine.Doubt
	for _, d := range at.DoubtsAbout(ev) {
		out = append(out, engine.Doubt{Effect: d.Effect, Why: seenToDo(title, &at, &d)})
	}
	return out
}

// whyUnreplaced returns why a tool's output cannot be kept from the model of an event's host, or "" if
// it can.
func (k *Kit) whyUnreplaced(ev *checkrein.Event) string {
	h, ok := host.Find(ev.Host)
	if !ok {
		return ""
	}
	if book := k.proofs(); !book.MayShowReplaced(h.Name) {
		return ""
	}
	title, at := k.doubtsOf(ev.Host)
	for _, d := range at.AllDoubts() {
		if d.Row == capability.OutputReplaced {
			return seenToDo(title, &at, &d)
		}
	}
	return ""
}

// outputRedactor returns a function that reports whether calls of an event's host are rewritten to
// redact what they print, and by which program: if the person wants it, and the host was not seen to
// ignore rewritten calls.
func (k *Kit) outputRedactor(program string) func(*checkrein.Event) (string, bool) {
	return func(ev *checkrein.Event) (string, bool) {
		if k.config.Settings.NotReplaced != setting.NotReplacedRewrite || !filepath.IsAbs(program) || host.Honours(ev)&checkrein.CanRewriteInput == 0 {
			return "", false
		}
		_, at := k.doubtsOf(ev.Host)
		return program, !slices.ContainsFunc(at.AllDoubts(), func(d capability.Doubt) bool { return d.Row == capability.Rewrite })
	}
}

// seenToDo returns a sentence about what a build did instead of what a verdict required, and when.
func seenToDo(title string, at *capability.Standing, d *capability.Doubt) string {
	if at.Version != "" {
		title += " " + at.Version
	}
	how := "when it was proven on "
	if d.Work {
		how = "on "
	}
	return title + " " + d.Why + " " + how + d.When.Local().Format(time.DateOnly)
}

// noteBadProof adds a notice that what was proven about a host cannot be used; the shipped rows count
// instead.
func (k *Kit) noteBadProof(err error) {
	text := err.Error()
	if !errors.Is(err, capability.ErrBroken) {
		text = fmt.Sprintf("what was proven of an agent cannot be read: %v", err)
	}
	k.noteAnomaly(text)
}

// doubtNotices returns notices about the effects of a verdict that the host was seen to ignore.
func doubtNotices(host string, doubted []engine.Doubt) []string {
	var lines []string
	for _, d := range doubted {
		lines = append(lines, d.Why+", so do not rely on it to "+requiredAction(d.Effect)+" now. To look again: checkrein prove "+host)
	}
	return lines
}

// requiredAction returns what an effect of a verdict requires of a host, in words.
func requiredAction(e checkrein.Effect) string {
	switch {
	case e&checkrein.CanRedo != 0:
		return "go on"
	case e&checkrein.CanDeny != 0:
		return "obey the denial"
	case e&checkrein.CanRewriteInput != 0:
		return "run the call as it was rewritten"
	case e&checkrein.CanRewriteOutput != 0:
		return "keep from the model what was replaced"
	case e&checkrein.CanAddContext != 0:
		return "give the model what hooks add"
	}
	return "do what it was told"
}

// proofNotices returns, at the start of a session, notices that the host was updated since it was
// proven, once for each build, and what the installed build was seen to ignore. What is seen during a
// session is reported when the next turn begins or ends.
func (k *Kit) proofNotices(on checkrein.Kind, name, told string) []string {
	if k.live.fixed {
		return nil
	}
	switch on {
	case checkrein.SessionStart:
	case checkrein.UserPromptSubmit, checkrein.Stop:
		title, at := k.doubtsOf(name)
		return k.memory.notToldBefore(told, seenAtWork(title, name, &at))
	default:
		return nil
	}
	h, ok := host.Find(name)
	book := k.proofs()
	if !ok || !book.HasFile(h.Name) && book.Witness.LatestTime(h.Name).IsZero() {
		return nil
	}
	known, err := book.Load(h.Name)
	if err != nil {
		k.noteBadProof(err)
		return k.memory.notToldBefore(told, k.Anomalies())
	}
	now, _ := capability.InspectProgram(known.Program.Path) // a missing program counts as another build
	at := known.StandingOf(now)
	var lines []string
	for _, d := range at.AllDoubts() {
		if f, _ := capability.FactOf(d.Row); d.Effect&checkrein.CanDeny != 0 && checkrein.ContractOf(f.Kind).Closed && h.Honours("", f.Kind)&d.Effect != 0 {
			lines = append(lines, seenToDo(h.Title, &at, &d)+", so do not rely on denials there. To look again: checkrein prove "+h.Name)
		}
	}
	if lost := book.LostProof(&known); lost != nil {
		prove := lost.Remedies[0]
		lines = append(lines, strings.TrimSpace(lost.What+": run "+prove.Command+" "+prove.Text))
	}
	lines = k.memory.notToldBefore(told, append(lines, seenAtWork(h.Title, h.Name, &at)...))
	if at.State == capability.Stale && k.isFirstTold(h.Name, at.Why) {
		lines = append(lines, h.Title+" is not proven for this build ("+at.Why+"). To prove it: checkrein prove "+h.Name)
	}
	return lines
}

// seenAtWork returns notices about what a build was seen to do, in real work, with outputs and calls
// that hooks changed.
func seenAtWork(title, name string, at *capability.Standing) (lines []string) {
	for _, d := range at.AllDoubts() {
		switch {
		case !d.Work:
		case d.Effect&checkrein.CanRewriteOutput != 0:
			lines = append(lines, seenToDo(title, at, &d)+", so keep secrets out of its reach, and change those it has seen. To see the calls: checkrein misses --host "+name)
		case d.Effect&checkrein.CanRewriteInput != 0:
			lines = append(lines, seenToDo(title, at, &d)+", so calls that hooks rewrite are denied there. To look again: checkrein prove "+name)
		}
	}
	return lines
}

// maxToldBytes limits the size of a file with the last notice about a host's build.
const maxToldBytes = 4 << 10

// isFirstTold reports whether a notice about a host's build is new on this machine, and saves it as
// told.
func (k *Kit) isFirstTold(host, text string) bool {
	name := capability.Folder + "/" + host + ".told"
	if was, err := k.state.Read(name, maxToldBytes); err == nil && string(was) == text {
		return false
	}
	if !k.memory.frozen && !k.readOnly {
		_ = k.state.WriteFast(name, []byte(text)) // if this fails, it is reported again
	}
	return true
}
