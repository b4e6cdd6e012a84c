//go:build !race

package norace

const race = false
