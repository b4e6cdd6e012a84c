//go:build race

package norace

const race = true
