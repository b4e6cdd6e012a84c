// Package verdicts contains only tests: they judge tables of commands with the default guard, as on a
// machine where nothing is configured.
package verdicts
