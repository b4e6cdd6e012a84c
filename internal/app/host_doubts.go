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

// caps is where it is kept what was proven of hosts.
func (k *Kit) caps() capability.Book {
	return capability.Book{Dir: k.state, Secret: k.ledger.Secrets(ledger.LabelCaps), Witness: proofs.Kept{Dir: k.state}}
}

// doubtsOf returns what the installed build of a host was seen not to do. Nothing is
// read where nothing was ever proven or installed.
func (k *Kit) doubtsOf(name string) (title string, at capability.Standing) {
	h, ok := host.Named(name)
	if !ok {
		return "", capability.Standing{}
	}
	book := k.caps()
	known, err := book.Doubtful(h.Name)
	if err != nil {
		k.noteMisproven(err)
	}
	if len(known.Builds) == 0 {
		return h.Title, capability.Standing{}
	}
	now, _ := capability.Look(known.Program.Path) // one that is gone is another
	return h.Title, known.Of(now)
}

// doubts is [Kit.doubtsOf] for the engine.
func (k *Kit) doubts(ev *checkrein.Event) []engine.Doubt {
	title, at := k.doubtsOf(ev.Host)
	var out []engine.Doubt
	for _, d := range at.Doubts(ev) {
		out = append(out, engine.Doubt{Effect: d.Effect, Why: seenToDo(title, &at, &d)})
	}
	return out
}

// whyUnreplaced returns why what a tool returns cannot be kept from the model of an event's host;
// "" = it can.
func (k *Kit) whyUnreplaced(ev *checkrein.Event) string {
	h, ok := host.Named(ev.Host)
	if !ok {
		return ""
	}
	if book := k.caps(); !book.MayShow(h.Name) {
		return ""
	}
	title, at := k.doubtsOf(ev.Host)
	for _, d := range at.Doubted() {
		if d.Row == capability.OutputReplaced {
			return seenToDo(title, &at, &d)
		}
	}
	return ""
}

// redacts returns what says by which program calls of an event's host are rewritten so that
// they print no secrets, and whether they are to be: the person wants it, and the host runs a
// call as it was rewritten, as far as anybody has seen.
func (k *Kit) redacts(program string) func(*checkrein.Event) (string, bool) {
	return func(ev *checkrein.Event) (string, bool) {
		if k.config.Settings.NotReplaced != setting.NotReplacedRewrite || !filepath.IsAbs(program) || host.Honours(ev)&checkrein.CanRewriteInput == 0 {
			return "", false
		}
		_, at := k.doubtsOf(ev.Host)
		return program, !slices.ContainsFunc(at.Doubted(), func(d capability.Doubt) bool { return d.Row == capability.Rewrite })
	}
}

// seenToDo returns what a build did instead of what it was told.
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

// noteMisproven notes that what was proven of a host does not count, so that the shipped rows
// do.
func (k *Kit) noteMisproven(err error) {
	text := err.Error()
	if !errors.Is(err, capability.ErrBroken) {
		text = fmt.Sprintf("what was proven of an agent cannot be read: %v", err)
	}
	k.noteAnomaly(text)
}

// doubtNotices say what the host was seen not to do of a verdict.
func doubtNotices(host string, doubted []engine.Doubt) []string {
	var lines []string
	for _, d := range doubted {
		lines = append(lines, d.Why+", so do not rely on it to "+wants(d.Effect)+" now. To look again: checkrein prove "+host)
	}
	return lines
}

// wants returns what a verdict wants of a host.
func wants(e checkrein.Effect) string {
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

// proofNotices say at the start of a session that the host was updated since it was proven,
// once for each build, and what the build that is installed was seen not to obey. What is
// seen while the session runs is told when the next turn begins or ends.
func (k *Kit) proofNotices(on checkrein.Kind, name, told string) []string {
	if k.live.still {
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
	h, ok := host.Named(name)
	book := k.caps()
	if !ok || !book.Has(h.Name) && book.Witness.Latest(h.Name).IsZero() {
		return nil
	}
	known, err := book.Load(h.Name)
	if err != nil {
		k.noteMisproven(err)
		return k.memory.notToldBefore(told, k.Misread())
	}
	now, _ := capability.Look(known.Program.Path) // one that is gone is another
	at := known.Of(now)
	var lines []string
	for _, d := range at.Doubted() {
		if f, _ := capability.FactOf(d.Row); d.Effect&checkrein.CanDeny != 0 && checkrein.ContractOf(f.Kind).Closed && h.Honours("", f.Kind)&d.Effect != 0 {
			lines = append(lines, seenToDo(h.Title, &at, &d)+", so do not rely on denials there. To look again: checkrein prove "+h.Name)
		}
	}
	if lost := book.LostProof(&known); lost != nil {
		prove := lost.Remedies[0]
		lines = append(lines, strings.TrimSpace(lost.What+": run "+prove.Command+" "+prove.Text))
	}
	lines = k.memory.notToldBefore(told, append(lines, seenAtWork(h.Title, h.Name, &at)...))
	if at.State == capability.Stale && k.firstOf(h.Name, at.Why) {
		lines = append(lines, h.Title+" is not proven for this build ("+at.Why+"). To prove it: checkrein prove "+h.Name)
	}
	return lines
}

// seenAtWork returns what a build was seen to do in real work with what hooks changed.
func seenAtWork(title, name string, at *capability.Standing) (lines []string) {
	for _, d := range at.Doubted() {
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

// maxToldOf bounds what is kept of what was told.
const maxToldOf = 4 << 10

// firstLine reports whether a thing about a host's build was not told on this machine yet,
// and notes that it is now.
func (k *Kit) firstOf(host, text string) bool {
	name := capability.Folder + "/" + host + ".told"
	if was, err := k.state.Read(name, maxToldOf); err == nil && string(was) == text {
		return false
	}
	if !k.memory.frozen && !k.readOnly {
		_ = k.state.WriteFast(name, []byte(text)) // else it is said again
	}
	return true
}
