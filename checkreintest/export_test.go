package checkreintest

// Rule returns the rule of the session's scenario.
func (s *Session) Rule() string { return s.scenario.rule }
