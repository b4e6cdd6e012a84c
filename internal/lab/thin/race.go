//go:build race

package thin

const race = true
