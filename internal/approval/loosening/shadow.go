package loosening

import (
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/hook/setting"
)

// Items for what is in shadow mode: triedHook is followed by a hook's ID, and PACK.shadow= by a rule or
// [setting.EveryRule]. If it ends, untilMark and the time follow.
const (
	triedHook = "shadow_hook="
	triedRule = "shadow="
	untilMark = " until "
)

// withEnd returns item with its end, if it has one.
func withEnd(item, until string) string {
	if until == "" {
		return item
	}
	return item + untilMark + until
}

// cutEnd returns item without its end, and the end, which is "" if there is none.
func cutEnd(item string) (what, until string) {
	if i := strings.LastIndex(item, untilMark); i >= 0 {
		return item[:i], item[i+len(untilMark):]
	}
	return item, ""
}

// endsLater reports whether a period that ends at until lasts at least as long as one that ends at other.
func endsLater(until, other string) bool { return until == "" || other != "" && until >= other }

// listTried returns the items for hooks in shadow mode.
func listTried(hooks []setting.TriedHook) []string {
	out := make([]string, len(hooks))
	for i, h := range hooks {
		out[i] = withEnd(triedHook+h.ID, h.Until)
	}
	return out
}

// ruleItems returns the items for the rules of p that are in shadow mode.
func ruleItems(p *setting.Pack) []string {
	var out []string
	for _, rule := range p.Shadow {
		out = append(out, withEnd(p.Name+"."+triedRule+rule, p.Until))
	}
	return out
}

// IsShadow reports whether item is about shadow mode.
func IsShadow(item string) bool {
	what, _ := cutEnd(item)
	_, text, _ := strings.Cut(what, ".")
	return strings.HasPrefix(item, shadow) || strings.HasPrefix(item, triedHook) || isPackItem(what) && strings.HasPrefix(text, triedRule)
}

// isTrialCovered reports whether the items in by put at least what item does into shadow mode, for at
// least as long. It reports false if item is about something else.
func isTrialCovered(by []string, item string) bool {
	what, until := cutEnd(item)
	pack, rule, isRule := strings.Cut(what, "."+triedRule)
	if !strings.HasPrefix(what, triedHook) && (!isRule || !isPackItem(what)) {
		return false
	}
	return slices.ContainsFunc(by, func(b string) bool {
		have, end := cutEnd(b)
		return endsLater(end, until) && (have == what || isRule && rule != "" && have == pack+"."+triedRule+setting.EveryRule)
	})
}

// addTrial puts the rule in text, an item without the name of its pack, into shadow mode in p. If rules
// of p end at different times, all of them end at the first.
func addTrial(p *setting.Pack, text string) {
	what, until := cutEnd(text)
	if p.Shadow == nil || endsLater(p.Until, until) {
		p.Until = until
	}
	if rule := strings.TrimPrefix(what, triedRule); !slices.Contains(p.Shadow, rule) {
		p.Shadow = append(p.Shadow, rule)
	}
}
