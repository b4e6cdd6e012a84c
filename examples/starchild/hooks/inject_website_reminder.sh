#!/usr/bin/env bash
# Before every model call: publish first, then say so. It prevents what
# verify_publish_claims.py catches.
cat >/dev/null
printf '%s\n' '{"context":"Publish a page before you say that it is published, and give the address that the tool returned."}'
