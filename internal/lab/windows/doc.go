// Package windows runs the Windows programs under Wine.
//
// The tests run with CHECKREIN_WINE=1, as make test-windows sets it, and need wine in the PATH.
package windows
