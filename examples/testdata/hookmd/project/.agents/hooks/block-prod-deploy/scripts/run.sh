echo "This operation affects production environment and is not allowed" >&2
exit 2
