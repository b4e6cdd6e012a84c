// Package files knows what file commands and redirections do, and where paths
// lie.
//
// What counts is the place: deleting ./build is not deleting the home directory.
// So each path is normalised and put into a zone, and each command is a line in
// a table of zones and outcomes. Nothing here touches a file: a path is judged by
// how it is spelled, and where that is not enough the outcome is the careful one.
package files
