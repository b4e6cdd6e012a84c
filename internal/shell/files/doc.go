// Package files determines what file commands and redirections do, and where paths are.
//
// The place matters: deleting ./build is not deleting the home directory. So each path is normalised
// and assigned to a zone, and each command looks up its verdict in a table of zones. Nothing here
// accesses a file by itself: a path is judged by its spelling and by what the place reports. If that
// is not enough, the verdict is the more careful one.
package files
