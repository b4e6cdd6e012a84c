package code

import (
	"strings"
)

// addIfCloudDelete adds an effect if the name n is that of a method or command with which a cloud
// library deletes resources. From is the index of the first token of the call.
func (r *reader) addIfCloudDelete(n string, from int) {
	last := n[strings.LastIndexByte(n, '.')+1:]
	deletes := false
	switch r.lang {
	case python:
		deletes = hasAnyPrefix(last, "delete_", "terminate_", "purge_", "destroy_", "deregister_") && usesCloudLibrary(r.src)
	case javascript:
		deletes = strings.HasSuffix(last, "Command") && hasAnyPrefix(last, "Delete", "Terminate", "Purge")
	}
	if deletes {
		r.addEffectWithWords(&deletesCloudResource, r.snippet(from))
	}
}

// usesCloudLibrary reports whether the Python code src mentions the library of a cloud or search
// service.
func usesCloudLibrary(src string) bool {
	return containsAny(src[:min(len(src), maxCode)], "boto3", "google.cloud", "azure.", "kubernetes", "botocore", "openstack", "elasticsearch", "opensearch")
}

// lambdaArg returns the value that the function fn passes to the lambda that is its first argument.
// For map, that is an element of the list after the lambda, so lambdaArg reads ahead.
func (r *reader) lambdaArg(fn string) value {
	e, ok := r.findEntry(fn)
	if !ok || e.op != opMap {
		return r.callbackArg(value{form: name, text: fn})
	}
	at := r.i
	r.quiet++
	args := r.readBracketItems(")", true)
	r.quiet--
	r.i = at
	return loopElement(namedOrNthArg(args, 1, ""))
}
