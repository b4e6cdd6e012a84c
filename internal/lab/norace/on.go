//go:build race

package sampled

const race = true
