// Package workloads checks that ordinary work ends in walls as it does without them, and that what walls
// must stop is stopped.
//
// Each workload of testdata is a shell script with its files. It runs twice in a fresh home directory:
// bare, and contained with the default profile, as checkrein-shell contains known work. Its exit code, its
// output and the files that it leaves must be the same. `make test-walls` runs all of them, for an
// ordinary user and for root; the ordinary tests run a few that need no network.
package workloads
