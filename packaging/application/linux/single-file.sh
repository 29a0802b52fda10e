#!/bin/sh
# Naosu in one file: the first start unpacks it into the user's cache, later ones start from there at once.
# To remove it, delete this file and that folder.
folder=${XDG_CACHE_HOME:-$HOME/.cache}/naosu/application-@SUM@
if [ ! -x "$folder/naosu" ]; then
  echo "naosu: unpacking once (@SIZE@ MB) into $folder" >&2
  umask 077
  part=$folder.$$
  trap 'rm -rf "$part"' EXIT
  trap 'exit 1' HUP INT TERM
  mkdir -p "$part" && tail -n +@LINES@ "$0" | tar -xzf - -C "$part" || {
    echo "naosu: it cannot be unpacked there; please set XDG_CACHE_HOME to a folder with @SIZE@ MB of room" >&2
    exit 2
  }
  # Of two first starts at once the second finds the folder there, and takes that.
  mv -T "$part/naosu" "$folder" 2>/dev/null || [ -x "$folder/naosu" ] || exit 2
  rm -rf "$part"
  trap - EXIT HUP INT TERM
fi
case $0 in *[!A-Za-z0-9@%+:,./_-]*) ;; *) export NAOSU_PROGRAM="${NAOSU_PROGRAM-$0}" ;; esac
exec "$folder/naosu" "$@"
