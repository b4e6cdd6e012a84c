package native

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/catalog/issuers"
	"github.com/checkrein/checkrein/internal/hook/grammar"
	"github.com/checkrein/checkrein/internal/hook/setting"
	"github.com/checkrein/checkrein/internal/text/yamldoc"
)

// Limits of the settings for how long, and how much, a ledger keeps.
const (
	minDays, maxDays = 1, 36500
	minMiB, maxMiB   = 16, 1 << 20
)

// readSettings reads the settings that apply to all hooks.
func readSettings(b *grammar.Block, root *yamldoc.Node) setting.Settings {
	var out setting.Settings
	out.ProjectMayAllow = readFlag(b, root.Get("project_may_allow"), "project_may_allow")
	out.SelfApprove = readFlag(b, root.Get("self_approve"), "self_approve")
	if n := root.Get("settings"); !n.IsNull() {
		if n.Kind != yamldoc.Map {
			b.AddError(n.Line, "", "write settings: {snapshot: true}", "settings is %s, not a mapping", n.Kind)
		}
		b.AddUnknownKeysLost(n, "settings", "snapshot")
		out.Snapshot = readFlag(b, n.Get("snapshot"), "settings.snapshot")
	}
	if n := root.Get("on_full"); !n.IsNull() {
		switch n.Text {
		case "warn":
			out.OnFull = checkrein.FaultWarn
		case "block":
			out.OnFull = checkrein.FaultBlock
		default:
			b.AddError(n.Line, "", "use warn or block", "on_full: %q is unknown", n.Text)
		}
	}
	if n := root.Get("not_replaced"); !n.IsNull() {
		switch n.Text {
		case setting.NotReplacedRewrite.String():
			out.NotReplaced = setting.NotReplacedRewrite
		case setting.NotReplacedDeny.String():
			out.NotReplaced = setting.NotReplacedDeny
		default:
			b.AddError(n.Line, "", "use deny or rewrite", "not_replaced: %q is unknown", n.ScalarText())
		}
	}
	out.Shadow = readShadow(b, root.Get("shadow"))
	out.Ledger = readLedger(b, root.Get("ledger"))
	out.Issuers = readIssuers(b, root.Get("secrets"))
	out.Walls = readWalls(b, root.Get("walls"))
	out.Approvals = readApprovals(b, root.Get("approvals"))
	return out
}

// maxWait is the longest time that a call may wait for an answer. Hosts wait less.
const maxWait = time.Hour

// readApprovals reads how a person learns of calls that wait for an answer.
func readApprovals(b *grammar.Block, n *yamldoc.Node) (out setting.Approvals) {
	if n.IsNull() {
		return out
	}
	if n.Kind != yamldoc.Map {
		b.AddError(n.Line, "", "write approvals: {wait: 2m}", "approvals is %s, not a mapping", n.Kind)
	}
	b.AddUnknownKeysLost(n, "approvals", "wait", "notify")
	if w := n.Get("wait"); !w.IsNull() {
		var ok bool
		if out.Wait, ok = w.Duration(); !ok || out.Wait > maxWait {
			b.AddError(w.Line, "", "write a time up to 1h, such as 2m", "approvals.wait: %s is not such a time", w.Display())
			out.Wait = 0
		}
	}
	to := n.Get("notify")
	if to.IsNull() {
		return out
	}
	if to.Kind != yamldoc.List {
		b.AddError(to.Line, "", "write notify: [desktop]", "approvals.notify is %s, not a list", to.Kind)
	}
	for _, item := range to.Items {
		if !isChannelName(item.Text) {
			b.AddError(item.Line, "", "write desktop, or a name below channels:", "approvals.notify: %s is not the name of a channel", item.Display())
			continue
		}
		out.Notify = append(out.Notify, item.Text)
	}
	return out
}

// readWalls reads which commands run behind walls, and what they may do there.
func readWalls(b *grammar.Block, n *yamldoc.Node) setting.Walls {
	var out setting.Walls
	if n.IsNull() {
		return out
	}
	if n.Kind != yamldoc.Map {
		b.AddError(n.Line, "", "write walls: {contain: project}", "walls is %s, not a mapping", n.Kind)
	}
	b.AddUnknownKeysLost(n, "walls", "contain", "hide", "write", "network", "sockets")
	if c := n.Get("contain"); !c.IsNull() {
		out.Contain = setting.ParseContain(c.Text)
		if out.Contain == setting.ContainUnset {
			b.AddError(c.Line, "", "use unknown or project", "walls.contain: %q is unknown", c.ScalarText())
		}
	}
	out.Hide = readWallPaths(b, n.Get("hide"), "walls.hide")
	out.Write = readWallPaths(b, n.Get("write"), "walls.write")
	out.Network = readFlag(b, n.Get("network"), "walls.network")
	out.Sockets = readFlag(b, n.Get("sockets"), "walls.sockets")
	return out
}

// readWallPaths reads the list of paths n, the value of the key name.
func readWallPaths(b *grammar.Block, n *yamldoc.Node, name string) []string {
	if n.IsNull() {
		return nil
	}
	if n.Kind != yamldoc.List {
		b.AddError(n.Line, "", "write "+name[len("walls."):]+": [~/vault]", "%s is %s, not a list", name, n.Kind)
		return nil
	}
	var out []string
	for _, item := range n.Items {
		if item.Kind != yamldoc.Text || !filepath.IsAbs(item.Text) && !strings.HasPrefix(item.Text, "~/") {
			b.AddError(item.Line, "", "write an absolute path, or one that starts with ~/", "%s: %q is not such a path", name, item.ScalarText())
			continue
		}
		out = append(out, item.Text)
	}
	return out
}

// readFlag reads the boolean n, the value of the key name. It returns false if n is absent or invalid.
func readFlag(b *grammar.Block, n *yamldoc.Node, name string) bool {
	if n == nil {
		return false
	}
	if n.Kind != yamldoc.Bool {
		b.AddError(n.Line, "", "write true or false", "%s is %s", name, n.Kind)
	}
	return n.Text == "true"
}

// readIssuers reads the user's own servers that issue tokens, such as {github: [git.example]}, and
// returns them as NAME:HOST.
func readIssuers(b *grammar.Block, n *yamldoc.Node) []string {
	const remedy = "write secrets: {issuers: {github: [git.example]}}"
	if n.IsNull() {
		return nil
	}
	b.AddUnknownKeysLost(n, "secrets", "issuers")
	list := n.Get("issuers")
	if n.Kind != yamldoc.Map || !list.IsNull() && list.Kind != yamldoc.Map {
		b.AddError(n.Line, "", remedy, "secrets.issuers is %s, not a mapping", list.Kind)
		return nil
	}
	var out []string
	for _, p := range list.Pairs {
		hosts := p.Value.Items
		if p.Value.Kind != yamldoc.List {
			hosts = []*yamldoc.Node{p.Value}
		}
		if !slices.Contains(issuers.Names(), p.Key) {
			b.AddError(p.Line, "", "must be one of "+strings.Join(issuers.Names(), ", "), "secrets.issuers: unknown issuer %q", p.Key)
			continue
		}
		for _, h := range hosts {
			if h.Kind != yamldoc.Text || h.Text == "" || strings.ContainsAny(h.Text, "/:@ *") {
				b.AddError(h.Line, "", remedy, "secrets.issuers.%s: %q is not a valid host name", p.Key, h.ScalarText())
				continue
			}
			out = append(out, p.Key+":"+strings.ToLower(h.Text))
		}
	}
	return out
}

// readShadow reads the time until which verdicts are not enforced, or "".
func readShadow(b *grammar.Block, n *yamldoc.Node) string {
	if n.IsNull() {
		return ""
	}
	if t := grammar.ParseEnd(n.Text); t != "" {
		return t
	}
	b.AddError(n.Line, "", "write when shadow mode ends: shadow: 2031-12-24, or a time such as 2031-12-24T18:00:00Z", "shadow is not a valid date or time: %q", n.ScalarText())
	return ""
}

// readLedger reads how long records are kept and where checkpoints are sent.
func readLedger(b *grammar.Block, n *yamldoc.Node) setting.Ledger {
	if n.IsNull() {
		return setting.Ledger{}
	}
	if n.Kind != yamldoc.Map {
		b.AddError(n.Line, "", "write ledger: {keep_days: 90}", "ledger is %s, not a mapping", n.Kind)
	}
	b.AddUnknownKeysLost(n, "ledger", "keep_days", "keep_mib", "witness", "witness_command")
	return setting.Ledger{
		KeepDays:       readInt(b, n.Get("keep_days"), "ledger.keep_days", minDays, maxDays),
		KeepMiB:        readInt(b, n.Get("keep_mib"), "ledger.keep_mib", minMiB, maxMiB),
		Witness:        readWitness(b, n.Get("witness")),
		WitnessCommand: readWitnessCommand(b, n.Get("witness_command")),
	}
}

// readInt returns the whole number n, which must be between least and most. It returns 0 if n is
// absent or invalid.
func readInt(b *grammar.Block, n *yamldoc.Node, name string, least, most int) int {
	if n.IsNull() {
		return 0
	}
	remedy := fmt.Sprintf("write a whole number from %d to %d", least, most)
	if n.Kind != yamldoc.Number {
		b.AddError(n.Line, "", remedy, "%s is %s", name, n.Kind)
		return 0
	}
	v, err := strconv.ParseFloat(n.Text, 64) // 90.0 counts as a whole number
	if err != nil || v != math.Trunc(v) || v < float64(least) || v > float64(most) {
		b.AddError(n.Line, "", remedy, "%s: %s is out of range", name, n.Written)
		return 0
	}
	return int(v)
}

// readWitness reads the path of the witness file. It must be absolute, because agents call checkrein
// from any directory.
func readWitness(b *grammar.Block, n *yamldoc.Node) string {
	const remedy = "write an absolute path, or one that starts with ~/"
	switch {
	case n.IsNull():
		return ""
	case n.Kind != yamldoc.Text:
		b.AddError(n.Line, "", remedy, "ledger.witness is %s, not a string", n.Kind)
		return ""
	case !filepath.IsAbs(n.Text) && !strings.HasPrefix(n.Text, "~/"):
		b.AddError(n.Line, "", remedy, "ledger.witness is a relative path, %q", n.Text)
		return ""
	case strings.HasSuffix(n.Text, "/"):
		b.AddError(n.Line, "", "add a file name", "ledger.witness %q is a directory", n.Text)
		return ""
	}
	return n.Text
}

// readWitnessCommand reads a program and its arguments. A relative path is a mistake, because the
// repository that an agent works in could then supply the program.
func readWitnessCommand(b *grammar.Block, n *yamldoc.Node) []string {
	const name, remedy = "ledger.witness_command", "write [program, argument, …]"
	if n.IsNull() {
		return nil
	}
	if n.Kind != yamldoc.List {
		b.AddError(n.Line, "", remedy, "%s is %s", name, n.Kind)
		return nil
	}
	var argv []string
	for _, item := range n.Items {
		switch item.Kind {
		case yamldoc.Text:
			argv = append(argv, item.Text)
		case yamldoc.Number, yamldoc.Bool:
			argv = append(argv, item.Written)
		default:
			b.AddError(item.Line, "", "quote it", "%s holds %s", name, item.Kind)
			return nil
		}
	}
	switch {
	case len(argv) == 0 || strings.TrimSpace(argv[0]) == "":
		b.AddError(n.Line, "", remedy, "%s does not name a program", name)
		return nil
	case strings.ContainsAny(argv[0], `/\`) && !filepath.IsAbs(argv[0]):
		b.AddError(n.Line, "", "write an absolute path, or the name of a program in PATH", "%s: the program has a relative path, %q", name, argv[0])
		return nil
	}
	return argv
}
