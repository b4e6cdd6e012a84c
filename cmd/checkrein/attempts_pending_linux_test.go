package main

// pending are rows that do not hold yet, and why.
var pending = map[string]string{
	"git: a folder of hooks":                                             "what git runs by its settings is not covered",
	"git: a hook of the repository's settings":                           "what git runs by its settings is not covered",
	"git: a hook of the repository's settings, in the person's own file": "what git runs by its settings is not covered",
	"git: an alias of the repository's settings":                         "what git runs by its settings is not covered",
}
