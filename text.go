package checkrein

import "fmt"

// Enumerations are encoded as their names, so that stored data stays readable, and valid when a row
// is added in the middle of a table.

// MarshalText returns the canonical name of k.
func (k Kind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// UnmarshalText sets k to the kind with the canonical name b, which is "other" for Other.
func (k *Kind) UnmarshalText(b []byte) error {
	for _, row := range Contracts() {
		if row.Name == string(b) {
			*k = row.Kind
			return nil
		}
	}
	return fmt.Errorf("unknown event %q", b)
}

// MarshalText returns none, allow, ask or deny.
func (d Decision) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText reads the text that MarshalText returns.
func (d *Decision) UnmarshalText(b []byte) error {
	for v := NoOpinion; v <= Deny; v++ {
		if v.String() == string(b) {
			*d = v
			return nil
		}
	}
	return fmt.Errorf("unknown decision %q", b)
}

// MarshalText returns the name of the scope.
func (s Scope) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads the text that MarshalText returns.
func (s *Scope) UnmarshalText(b []byte) error {
	for v := ScopeManaged; v <= ScopeProject; v++ {
		if v.String() == string(b) {
			*s = v
			return nil
		}
	}
	return fmt.Errorf("unknown scope %q", b)
}

// MarshalText returns the name of the policy, which is "" for FaultByRow.
func (p FaultPolicy) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

// UnmarshalText reads the text that MarshalText returns.
func (p *FaultPolicy) UnmarshalText(b []byte) error {
	for v := FaultByRow; v <= FaultBlock; v++ {
		if v.String() == string(b) {
			*p = v
			return nil
		}
	}
	return fmt.Errorf("unknown fault policy %q", b)
}
