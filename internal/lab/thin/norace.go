//go:build !race

package thin

const race = false
