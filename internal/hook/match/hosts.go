package match

import "github.com/checkrein/checkrein"

// MayRunOn reports whether the condition of h can hold for an event of a host. It is
// false only where the condition's tests of the host rule that out.
func MayRunOn(h *checkrein.Hook, host string) bool {
	c, err := CompileCond(h.If, checkrein.ContractOf(h.On))
	if err != nil || c.root == nil {
		return true
	}
	v := ViewOf(&checkrein.Event{Kind: h.On, Host: host}, "", nil)
	return mayBe(c.root, &v, true)
}

// mayBe reports whether n can come to want, whatever the fields other than the host are.
func mayBe(n node, v *View, want bool) bool {
	switch n := n.(type) {
	case *test:
		return n.field.name != "host" || n.holds(v, false) == want
	case not:
		return mayBe(n.node, v, !want)
	case allOf:
		return mayBeAll(n, v, want, want)
	case anyOf:
		return mayBeAll(n, v, want, !want)
	}
	return true
}

// mayBeAll reports whether every one of nodes, or else at least one, can come to want.
func mayBeAll(nodes []node, v *View, want, every bool) bool {
	for _, n := range nodes {
		if mayBe(n, v, want) != every {
			return !every
		}
	}
	return every
}
