// Package hostlab runs real agents against a scripted model: it gives a host
// a home and a project that are thrown away
// afterwards, points it at a model on loopback and reads from the model's side
// what came of it.
//
//	host, err := setups.Labs().Find(ctx, "claude", hostlab.Where{…})
//	space, err := host.NewSpace(ctx)        // a home, a project, a model
//	defer space.Close()
//	res, err := space.Run(ctx, hostlab.Run{
//		Prompt:  "go",
//		Script:  mockmodel.Script{Turns: …},
//		Project: map[string]string{".claude/settings.json": …},
//	})
//
// A host gets an environment made from nothing: no variable of the caller goes
// through, every key is an obvious fake, telemetry and updates are off. What a
// host needs in order to find the model stands in variables, flags and files
// outside of home and project, so those two are as empty as on a new machine,
// and whatever installs hooks can be run on them. The model is also the host's
// proxy and lets nobody out; the record tells who tried. On Linux nothing that
// a run started outlives it; elsewhere what hides from its group may.
//
// Tests use package hosttest, which installs hosts, skips and cleans up.
package hostlab
