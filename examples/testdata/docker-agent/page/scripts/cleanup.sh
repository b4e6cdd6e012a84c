#!/bin/sh
# The page prints no script of this name: this one notes what it hears.
{ cat; echo; } >>heard.jsonl
