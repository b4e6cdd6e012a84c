//go:build unix && !linux

package main

func atTerminal() (ran bool, err error) { return false, nil }
