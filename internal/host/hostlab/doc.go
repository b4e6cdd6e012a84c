// Package hostlab runs real agents against a scripted model: it gives a host a throw-away home and
// project, points it at a model on loopback, and reads from the model's side what happened.
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
// A host gets a new environment: no variable of the caller is passed on, every key is an obvious fake,
// telemetry and updates are off. Variables, flags and files outside home and project point the host at
// the model, so that both are as empty as on a new machine and hooks can be installed in them. The
// model is also the host's proxy and blocks all other hosts; its record has the attempts. On Linux no
// process of a run outlives it; elsewhere one that left its process group may.
//
// Tests use package hosttest, which installs hosts, skips and cleans up.
package hostlab
