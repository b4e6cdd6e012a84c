// Package bundle holds what a fleet's administrator distributes to machines: bundles of policies, the
// repository in which they are signed, and the client that verifies and activates them.
//
// A repository follows The Update Framework (TUF). Keys that the administrator keeps offline sign which
// bundles may run at all; the hub's key signs which of them are rolled out to whom, and how old that may
// be. So whoever steals the hub can choose among bundles that the administrator signed, and freeze the
// fleet, but not write a policy.
//
// Nothing here talks to a network: callers bring a [Source] and a [Store].
package bundle
