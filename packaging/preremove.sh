#!/bin/sh
# Before the package is removed, and not when it is upgraded: $1 is remove (deb), 0 (rpm) or absent (apk).
case "${1:-0}" in
remove | 0)
	echo "Agents that still call checkrein block every tool once it is gone. If you have not done so, run as each of their users:"
	echo "  checkrein uninstall --all"
	;;
esac
