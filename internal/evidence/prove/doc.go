// Package prove tests what a build of an agent does with checkrein's verdicts, on
// the machine where it is installed.
//
//	host, err := setups.Labs().Find(ctx, "claude", hostlab.Where{…})
//	proof, err := prove.Run(ctx, host, prove.Options{Programs: dir})
//
// The host runs headless in a temporary home, with an environment built from
// scratch, against a scripted model on loopback, and checkrein is installed in that home
// by the code of `install`. A row is judged by evidence alone: what the model received,
// which calls left a trace, and what checkrein's own ledger contains. What the host
// reports about itself proves nothing.
//
// Every call that must not run is paired with one that must, so that a host which runs
// nothing at all proves nothing. All calls are harmless: they touch files of the
// temporary project.
package prove
