//go:build !linux

package main

// liveHost is never set here.
const liveHost = "CHECKREIN_TEST_LIVE_HOST"

func asLiveHost(string) error { return nil }
