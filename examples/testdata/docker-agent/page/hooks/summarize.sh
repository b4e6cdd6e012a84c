#!/bin/sh
# The page prints no script of this name.
echo "profile $PROFILE in $(pwd)"
