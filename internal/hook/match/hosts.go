package match

import "github.com/checkrein/checkrein"

// MayRunOn reports whether the condition of h can hold for an event of host. It returns false only if
// the condition's tests of the field host rule that out.
func MayRunOn(h *checkrein.Hook, host string) bool {
	c, err := CompileCond(h.If, checkrein.ContractOf(h.On))
	if err != nil || c.root == nil {
		return true
	}
	v := ViewOf(&checkrein.Event{Kind: h.On, Host: host}, "", nil)
	return mayEvaluateTo(c.root, &v, true)
}

// mayEvaluateTo reports whether n can evaluate to want for the host of v, whatever the values of other
// fields.
func mayEvaluateTo(n node, v *View, want bool) bool {
	switch n := n.(type) {
	case *test:
		return n.field.name != "host" || n.holds(v, false) == want
	case not:
		return mayEvaluateTo(n.node, v, !want)
	case allOf:
		return nodesMayEvaluateTo(n, v, want, want)
	case anyOf:
		return nodesMayEvaluateTo(n, v, want, !want)
	}
	return true
}

// nodesMayEvaluateTo reports whether every one of nodes can evaluate to want or, if every is false,
// whether at least one can.
func nodesMayEvaluateTo(nodes []node, v *View, want, every bool) bool {
	for _, n := range nodes {
		if mayEvaluateTo(n, v, want) != every {
			return !every
		}
	}
	return every
}
