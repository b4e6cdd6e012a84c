package code

import (
	"strings"
)

// cloud judges methods of the libraries of clouds by their names, which say what
// they delete.
func (r *reader) cloud(n string, from int) {
	last := n[strings.LastIndexByte(n, '.')+1:]
	gone := false
	switch r.lang {
	case python:
		gone = hasAnyPrefix(last, "delete_", "terminate_", "purge_", "destroy_", "deregister_") && usesCloud(r.src)
	case javascript:
		gone = strings.HasSuffix(last, "Command") && hasAnyPrefix(last, "Delete", "Terminate", "Purge")
	}
	if gone {
		r.does(&deletesCloud, r.snippet(from))
	}
}

// usesCloud reports whether code of python uses the library of a cloud.
func usesCloud(src string) bool {
	return containsAny(src[:min(len(src), maxCode)], "boto3", "google.cloud", "azure.", "kubernetes", "botocore", "openstack", "elasticsearch", "opensearch")
}

// mapsOver is the element that a function given to map sees: the list stands behind it,
// so it is read ahead.
func (r *reader) mapsOver(fn string) value {
	e, ok := r.entry(fn)
	if !ok || e.op != opMap {
		return r.given(value{form: name, text: fn})
	}
	at := r.i
	r.quiet++
	args := r.bracketItems(")", true)
	r.quiet--
	r.i = at
	return element(positionalArg(args, 1, ""))
}
