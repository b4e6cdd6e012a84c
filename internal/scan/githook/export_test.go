package githook

import "context"

// ApplyFirst executes the first n steps of p, as if the process were killed after them.
func (p *Plan) ApplyFirst(ctx context.Context, n int) error {
	if err := p.site.writeNote(p.note); err != nil {
		return err
	}
	for _, step := range p.Steps[:n] {
		if err := step.do(ctx); err != nil {
			return err
		}
	}
	return nil
}

// In tests, scripts read the account's home directory from a variable.
func init() { findAccount = "account=$TEST_ACCOUNT\n" }
