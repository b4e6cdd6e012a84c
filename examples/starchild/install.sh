#!/bin/sh
# Puts this set into a workspace: sh install.sh /data/workspace
# Scripts go to hooks/, their files to config/, minimal/, remote/ and judge/, with
# absolute paths in them. Approve them next:
#   checkrein hooks approve -c /data/workspace/config/shell_hooks.yaml --all
set -eu
[ $# -eq 1 ] || { echo "usage: sh install.sh WORKSPACE" >&2; exit 2; }
mkdir -p "$1"
to=$(cd "$1" && pwd)
from=$(cd "$(dirname "$0")" && pwd)
case $to in *[\ \#\\\&]*) echo "install.sh: the path $to has characters that would need quotes; choose another" >&2; exit 2 ;; esac
cd "$from"
for file in hooks/* */shell_hooks.yaml; do
	mkdir -p "$to/$(dirname "$file")"
	sed "s#/data/workspace#$to#g" "$file" >"$to/$file"
done
chmod +x "$to"/hooks/*
cp "$from/checkrein.yaml" "$to/checkrein.yaml"
