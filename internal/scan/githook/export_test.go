package githook

import "context"

// ApplyFirst does the first steps of a plan and then dies.
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

// The scripts of tests find the home of the user id in a variable of the test.
func init() { findAccount = "account=$TEST_ACCOUNT\n" }
