//go:build !unix || netbsd || openbsd || solaris || illumos || aix

package undo

import "io/fs"

// freePercent reports false: the free space of a disk is unknown on this system.
func freePercent(string) (int, bool) { return 0, false }

// sharedInode returns 0: files have no numbers on this system.
func sharedInode(fs.FileInfo) uint64 { return 0 }

// ownerOf reports false: files have no numeric owner on this system.
func ownerOf(fs.FileInfo) (uid, gid int, ok bool) { return 0, 0, false }
