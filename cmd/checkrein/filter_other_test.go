//go:build !linux

package main

import "errors"

const playFilter = "CHECKREIN_TEST_FILTER"

func asFiltered([]string) error { return errors.ErrUnsupported }
