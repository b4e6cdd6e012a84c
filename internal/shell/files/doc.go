// Package files determines what file commands and redirections do, and where paths are.
//
// The place matters: deleting ./build is not deleting the home directory. So each path is normalised
// and assigned to a zone, and each command is a row in a table of zones and verdicts. Nothing here
// accesses a file by itself: a path is judged by its spelling and by what the place reports, and where
// that is not enough the verdict is the careful one.
package files
