#!/bin/sh
# What must pass before an agent is done. Change it to what your project uses.
set -e
if [ -f go.mod ]; then go test ./...; fi
if [ -f package.json ]; then npm test; fi
if [ -f pyproject.toml ]; then python3 -m pytest -q; fi
