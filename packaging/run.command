#!/usr/bin/env bash
# What the Finder of macOS starts on a double-click.
exec "$(dirname "$0")/run"
