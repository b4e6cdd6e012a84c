#!/bin/sh
# Not in the specification, which prints no script for this pattern.
cat >>audit.jsonl
