// Package hostlab runs real agents against a scripted model. It gives a host a temporary home
// directory and project, makes it use a model on the loopback interface, and observes from the model's
// side what happens.
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
// A host gets a new environment without variables of the caller; every key is an obvious fake, and
// telemetry and updates are off. Variables, flags and files outside home and project make the host use
// the model, so that both directories are as empty as on a new machine and hooks can be installed in
// them. The model is also the host's proxy and blocks all other hosts; its record has the attempts. On
// Linux no process of a run outlives it; on other systems, a process that left its process group may.
//
// Tests use package hosttest, which installs hosts, skips tests and cleans up.
package hostlab
