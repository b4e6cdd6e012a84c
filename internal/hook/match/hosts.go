package match

import "github.com/checkrein/checkrein"

// MayRunOn reports whether the condition of h can hold for an event of a host. It is false only if the
// condition's tests of the host exclude that.
func MayRunOn(h *checkrein.Hook, host string) bool {
	c, err := CompileCond(h.If, checkrein.ContractOf(h.On))
	if err != nil || c.root == nil {
		return true
	}
	v := ViewOf(&checkrein.Event{Kind: h.On, Host: host}, "", nil)
	return mayEvaluateTo(c.root, &v, true)
}

// mayEvaluateTo reports whether n can evaluate to want, whatever the fields other than the host are.
func mayEvaluateTo(n node, v *View, want bool) bool {
	switch n := n.(type) {
	case *test:
		return n.field.name != "host" || n.holds(v, false) == want
	case not:
		return mayEvaluateTo(n.node, v, !want)
	case allOf:
		return allMayEvaluateTo(n, v, want, want)
	case anyOf:
		return allMayEvaluateTo(n, v, want, !want)
	}
	return true
}

// allMayEvaluateTo reports whether each of nodes can evaluate to want; if every is false, whether at
// least one can.
func allMayEvaluateTo(nodes []node, v *View, want, every bool) bool {
	for _, n := range nodes {
		if mayEvaluateTo(n, v, want) != every {
			return !every
		}
	}
	return every
}
