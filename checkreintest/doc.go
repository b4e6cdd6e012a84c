// Package checkreintest tests what people build with checkrein: handler types, and
// programs that run agents.
//
// [TestHandler] checks a handler type against the promises of [checkrein.Handler] and a
// table of cases. [TestRuntime] plays scripted sessions with a program that runs agents,
// and checks that it does what hooks decide: that a denied call does not run, a rewritten
// call runs as rewritten, and a replaced output is all that the model gets. The program
// may embed checkrein, or be an agent that starts hooks as commands.
//
//	func TestLoop(t *testing.T) {
//		checkreintest.TestRuntime(t, func(t *testing.T, s *checkreintest.Session) {
//			k, err := kit.Open(kit.Options{Dir: s.Dir, Hooks: s.Hooks, Handlers: s.Handlers})
//			if err != nil {
//				t.Fatal(err)
//			}
//			agent := myruntime.New(k, s.Model, s.Shell, s.Approve)
//			agent.Prompt(s.Prompt)
//		})
//	}
package checkreintest
