// Package dist tests what `make dist` builds: that another build of the same commit is the same byte for
// byte, and that each package works on a machine with nothing else on it. Run it with `make test-dist`.
package dist
