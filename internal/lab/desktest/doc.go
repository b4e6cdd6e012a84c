// Package desktest tests the page of checkrein open as people use it: the built programs in a
// throw-away home, and Chromium with a keyboard, a screen of some size and a passkey.
//
// The tests run with CHECKREIN_DESK=1, as make test-desk sets it. They need Chromium in the PATH and,
// for the checks of accessibility, npm; what is missing is skipped and named. With CHECKREIN_DESK_LOOK,
// the directory that it names gets a picture of each view.
package desktest
