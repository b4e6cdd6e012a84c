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

// proofBook returns the book of what was proven about hosts.
func (k *Kit) proofBook() capability.Book {
	return capability.Book{Dir: k.state, Secret: k.ledger.SecretFunc(ledger.LabelCaps), Witness: proofs.Certificates{Dir: k.state}}
}

// hostDoubts returns the title of the host name, and what its installed build was seen to ignore. It
// reads nothing if the host was never proven or installed.
func (k *Kit) hostDoubts(name string) (title string, at capability.Standing) {
	h, ok := host.Find(name)
	if !ok {
		return "", capability.Standing{}
	}
	book := k.proofBook()
	known, err := book.LoadDoubts(h.Name)
	if err != nil {
		k.noteBadProof(err)
	}
	if len(known.Builds) == 0 {
		return h.Title, capability.Standing{}
	}
	now, _ := capability.InspectProgram(known.Program.Path) // a missing program counts as a different build
	return h.Title, known.StandingOf(now)
}

// eventDoubts implements [engine.Options.Doubts]. It returns which effects of a verdict on ev the
// host's build was seen to ignore.
func (k *Kit) eventDoubts(ev *checkrein.Event) []engine.Doubt {
	title, at := k.hostDoubts(ev.Host)
	var out []engine.Doubt
	for _, d := range at.DoubtsAbout(ev) {
		out = append(out, engine.Doubt{Effect: d.Effect, Why: doubtSentence(title, &at, &d)})
	}
	return out
}

// whyUnreplaced returns why the output of tools cannot be kept from the model by the host of ev, or ""
// if it can.
func (k *Kit) whyUnreplaced(ev *checkrein.Event) string {
	h, ok := host.Find(ev.Host)
	if !ok {
		return ""
	}
	if book := k.proofBook(); !book.MayShowReplaced(h.Name) {
		return ""
	}
	title, at := k.hostDoubts(ev.Host)
	for _, d := range at.AllDoubts() {
		if d.Row == capability.OutputReplaced {
			return doubtSentence(title, &at, &d)
		}
	}
	return ""
}

// outputRedactor returns a function that reports whether calls of an event's host are rewritten so
// that program redacts what they print. They are if the user's settings ask for it and the host was
// not seen to ignore rewritten calls. The function also returns program.
func (k *Kit) outputRedactor(program string) func(*checkrein.Event) (string, bool) {
	return func(ev *checkrein.Event) (string, bool) {
		if k.config.Settings.NotReplaced != setting.NotReplacedRewrite || !filepath.IsAbs(program) || host.Honours(ev)&checkrein.CanRewriteInput == 0 {
			return "", false
		}
		_, at := k.hostDoubts(ev.Host)
		return program, !slices.ContainsFunc(at.AllDoubts(), func(d capability.Doubt) bool { return d.Row == capability.Rewrite })
	}
}

// doubtSentence returns a sentence about what a build did instead of what a verdict required, and
// when.
func doubtSentence(title string, at *capability.Standing, d *capability.Doubt) string {
	if at.Version != "" {
		title += " " + at.Version
	}
	how := "when it was proven on "
	if d.Work {
		how = "on "
	}
	return title + " " + d.Why + " " + how + d.When.Local().Format(time.DateOnly)
}

// noteBadProof adds a notice that what was proven about a host cannot be used because of err. What
// checkrein ships about the host counts instead.
func (k *Kit) noteBadProof(err error) {
	text := err.Error()
	if !errors.Is(err, capability.ErrBroken) {
		text = fmt.Sprintf("what was proven about an agent cannot be read: %v", err)
	}
	k.noteAnomaly(text)
}

// doubtNotices returns notices about the effects of a verdict that the host was seen to ignore before.
func doubtNotices(host string, doubted []engine.Doubt) []string {
	var lines []string
	for _, d := range doubted {
		lines = append(lines, d.Why+", so do not rely on it to "+requiredAction(d.Effect)+" now. To look again: checkrein prove "+host)
	}
	return lines
}

// requiredAction returns what the effect e of a verdict requires of a host, as a verb phrase.
func requiredAction(e checkrein.Effect) string {
	switch {
	case e&checkrein.CanRedo != 0:
		return "continue"
	case e&checkrein.CanDeny != 0:
		return "obey the denial"
	case e&checkrein.CanRewriteInput != 0:
		return "run the rewritten call"
	case e&checkrein.CanRewriteOutput != 0:
		return "give the model only the replaced output"
	case e&checkrein.CanAddContext != 0:
		return "give the model the context that hooks add"
	}
	return "do what the verdict requires"
}

// proofNotices returns notices about proofs. When a session starts, these say that the host was
// updated since it was proven, once for each build, and what the installed build was seen to ignore.
// When a turn begins or ends, they report what was seen in the meantime. told is the key of the
// session for notices.
func (k *Kit) proofNotices(on checkrein.Kind, name, told string) []string {
	if k.live.fixed {
		return nil
	}
	switch on {
	case checkrein.SessionStart:
	case checkrein.UserPromptSubmit, checkrein.Stop:
		title, at := k.hostDoubts(name)
		return k.memory.takeUnseen(told, workNotices(title, name, &at))
	default:
		return nil
	}
	h, ok := host.Find(name)
	book := k.proofBook()
	if !ok || !book.HasFile(h.Name) && book.Witness.LatestTime(h.Name).IsZero() {
		return nil
	}
	known, err := book.Load(h.Name)
	if err != nil {
		k.noteBadProof(err)
		return k.memory.takeUnseen(told, k.Anomalies())
	}
	now, _ := capability.InspectProgram(known.Program.Path) // a missing program counts as another build
	at := known.StandingOf(now)
	var lines []string
	for _, d := range at.AllDoubts() {
		if f, _ := capability.FactOf(d.Row); d.Effect&checkrein.CanDeny != 0 && checkrein.ContractOf(f.Kind).Closed && h.Honours("", f.Kind)&d.Effect != 0 {
			lines = append(lines, doubtSentence(h.Title, &at, &d)+", so do not rely on denials there. To look again: checkrein prove "+h.Name)
		}
	}
	if lost := book.LostProof(&known); lost != nil {
		prove := lost.Remedies[0]
		lines = append(lines, strings.TrimSpace(lost.What+": run "+prove.Command+" "+prove.Text))
	}
	lines = k.memory.takeUnseen(told, append(lines, workNotices(h.Title, h.Name, &at)...))
	if at.State == capability.Stale && k.isNewBuildNotice(h.Name, at.Why) {
		lines = append(lines, h.Title+" is not proven for this build ("+at.Why+"). To prove it: checkrein prove "+h.Name)
	}
	return lines
}

// workNotices returns notices about results and calls that hooks changed and that a build was seen to
// use unchanged in real work.
func workNotices(title, name string, at *capability.Standing) (lines []string) {
	for _, d := range at.AllDoubts() {
		switch {
		case !d.Work:
		case d.Effect&checkrein.CanRewriteOutput != 0:
			lines = append(lines, doubtSentence(title, at, &d)+", so keep secrets out of its reach, and change those it has seen. To see the calls: checkrein misses --host "+name)
		case d.Effect&checkrein.CanRewriteInput != 0:
			lines = append(lines, doubtSentence(title, at, &d)+", so calls that hooks rewrite are denied there. To look again: checkrein prove "+name)
		}
	}
	return lines
}

// maxToldBytes is the maximum size of a file with the last notice about a host's build.
const maxToldBytes = 4 << 10

// isNewBuildNotice reports whether text, a notice about a build of host, was not shown on this machine
// before, and saves that it is shown.
func (k *Kit) isNewBuildNotice(host, text string) bool {
	name := capability.Folder + "/" + host + ".told"
	if was, err := k.state.Read(name, maxToldBytes); err == nil && string(was) == text {
		return false
	}
	if !k.memory.frozen && !k.readOnly {
		_ = k.state.WriteFast(name, []byte(text)) // if this fails, the notice is shown again
	}
	return true
}
