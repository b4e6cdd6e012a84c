// Package checkreintest tests what people build with checkrein: handler types, and programs that run
// agents.
//
// [TestHandler] checks a handler type against the requirements of [checkrein.Handler] and a table of
// cases. [TestRuntime] runs scripted sessions with a program that runs agents, and checks that the
// program does what hooks decide: a denied call does not run, a rewritten call runs as rewritten, and
// the model gets only the replaced output. The program may embed checkrein, or be an agent that starts
// hooks as commands.
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
