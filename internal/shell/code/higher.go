package code

import (
	"strings"
)

// addCloudDelete adds an effect if n is a method of a cloud library that deletes, by its name.
func (r *reader) addCloudDelete(n string, from int) {
	last := n[strings.LastIndexByte(n, '.')+1:]
	deletes := false
	switch r.lang {
	case python:
		deletes = hasAnyPrefix(last, "delete_", "terminate_", "purge_", "destroy_", "deregister_") && usesCloudLibrary(r.src)
	case javascript:
		deletes = strings.HasSuffix(last, "Command") && hasAnyPrefix(last, "Delete", "Terminate", "Purge")
	}
	if deletes {
		r.addEffectOf(&deletesCloudResource, r.snippet(from))
	}
}

// usesCloudLibrary reports whether Python code uses the library of a cloud.
func usesCloudLibrary(src string) bool {
	return containsAny(src[:min(len(src), maxCode)], "boto3", "google.cloud", "azure.", "kubernetes", "botocore", "openstack", "elasticsearch", "opensearch")
}

// mapElement returns the element that a function passed to map is called with. The list follows the
// function, so mapElement looks ahead.
func (r *reader) mapElement(fn string) value {
	e, ok := r.findEntry(fn)
	if !ok || e.op != opMap {
		return r.callbackArg(value{form: name, text: fn})
	}
	at := r.i
	r.quiet++
	args := r.bracketItems(")", true)
	r.quiet--
	r.i = at
	return element(positionalArg(args, 1, ""))
}
