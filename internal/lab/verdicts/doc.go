// Package verdicts has the default guard judge tables of commands, as on a machine where
// nothing is configured. Its tests are all there is.
package verdicts
