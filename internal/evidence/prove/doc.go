// Package prove shows what a build of an agent does with checkrein's verdicts, on
// the machine where it is installed.
//
//	host, err := setups.Labs().Find(ctx, "claude", hostlab.Where{…})
//	proof, err := prove.Run(ctx, host, prove.Options{Programs: dir})
//
// The host runs headless in a throw-away home, with an environment made from
// nothing, against a scripted model on loopback, and checkrein is put into that home
// by the code of `install`. A row counts by evidence alone: what the model was sent,
// which calls left a trace, what checkrein's own ledger has. What the host says of
// itself shows nothing.
//
// Every call that must not run has one beside it that must, so that a host which runs
// nothing at all proves nothing. All calls are harmless: they touch files of the
// throw-away project.
package prove
