package main

// pending are rows that do not hold yet, and why.
var pending = map[string]string{}
