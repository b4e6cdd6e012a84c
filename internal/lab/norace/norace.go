//go:build !race

package sampled

const race = false
