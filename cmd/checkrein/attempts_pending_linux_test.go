package main

// pending are rows that do not hold yet, and why.
var pending = map[string]string{
	"PATH: a program of git":                                             "git's own programs are not looked for on PATH",
	"git: a folder of hooks":                                             "what git runs by its settings is not covered",
	"git: a hook of the repository's settings":                           "what git runs by its settings is not covered",
	"git: a hook of the repository's settings, in the person's own file": "what git runs by its settings is not covered",
	"git: an alias of the repository's settings":                         "what git runs by its settings is not covered",
	"interpreters: node requires":                                        "what a program of another language loads is not covered",
	"interpreters: python imports":                                       "what a program of another language loads is not covered",
	"interpreters: python, a module that shadows the system's":           "what a program of another language loads is not covered",
	"make: a variable taken from a file":                                 "what a recipe's $(shell) prints is run",
	"patterns: run-parts, one new":                                       "run-parts is not known to run a directory",
	"quoting: through /proc":                                             "links of /proc are not followed into the repository",
	"quoting: through /proc, in the person's own file":                   "links of /proc are not followed into the repository",
	"tricks: a file by an exported variable":                             "variables that a script inherits are not followed into it",
	"tricks: a script that reads its standard input as code":             "what a script reads is not followed into it",
	"tricks: an implicit rule of make":                                   "a file that the command itself makes counts as missing, and no yes lets it run",
	"variables: a home in the repository":                                "~ is not the hook's HOME",
	"xargs and find: find -execdir":                                      "-execdir is taken to run in the project, and no yes lets it run",
}
