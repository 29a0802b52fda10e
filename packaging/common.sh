# Shared by packaging/run and packaging/test: one virtual environment, set up once and kept up to date.
# Usage: . packaging/common.sh; prepare EXTRA   (EXTRA: "", "test" or "build")
# Without an EXTRA it is the user's own start, which asks before it installs system packages; agreed=yes answers that.

root=$(CDPATH='' cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
venv=${NAOSU_VENV:-$root/.venv}
agreed=no

# What Qt's xcb plugin needs (doc.qt.io: Qt for X11 requirements), and fonts for code and for Latin letters in the PDF.
system_packages=(libegl1 libfontconfig1 libdbus-1-3 libgl1 libglib2.0-0 libxcb-cursor0 libxcb-icccm4 libxcb-image0 libxcb-keysyms1
  libxcb-randr0 libxcb-render-util0 libxcb-render0 libxcb-shape0 libxcb-shm0 libxcb-sync1 libxcb-util1 libxcb-xfixes0
  libxcb-xinerama0 libxcb-xkb1 libxkbcommon-x11-0 libxkbcommon0 fonts-dejavu-core fonts-liberation)
# What only the tests need: a screen, a hand on the keyboard, what a screen reader asks, eyes on the PDF, and another
# shell to paste remedies into.
test_packages=(xvfb xauth xdotool dbus at-spi2-core python3-gi gir1.2-atspi-2.0 poppler-utils strace zsh)

say() { printf 'naosu: %s\n' "$*" >&2; }

# as_root COMMAND...: run it as root, if that is possible without a question on a closed standard input.
as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"
  elif command -v sudo >/dev/null && { [ -t 0 ] || sudo -n true 2>/dev/null; }; then sudo "$@"
  else return 1
  fi
}

# may_install PACKAGE...: whether the user agrees. Where nobody can be asked, it says what is missing instead.
may_install() {
  [ "$agreed" != yes ] || return 0
  if ! { [ -t 0 ] && [ -t 2 ]; }; then
    say "these system packages are missing: $*"
    say "to install them: sudo apt-get install $*   (or start once with --yes as the first argument)"
    return 1
  fi
  local answer
  say "these system packages are missing: $*"
  read -r -p "naosu: install them with apt-get now? [Y/n] " answer || return 1
  case $answer in '' | [Yy]*) ;; *) return 1 ;; esac
}

# apt_install PACKAGE...: the missing ones of these on Debian and Ubuntu; elsewhere nothing.
apt_install() {
  command -v apt-get >/dev/null || return 0
  local missing=() package
  for package in "$@"; do
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || missing+=("$package")
  done
  [ ${#missing[@]} -gt 0 ] || return 0
  may_install "${missing[@]}" || return 1
  say "installing system packages: ${missing[*]}"
  # A source of packages that does not answer any more is common, and need not concern these.
  as_root apt-get update -qq >/dev/null || true
  if ! as_root env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null; then
    say "these could not be installed; please run: sudo apt-get install ${missing[*]}"
    return 1
  fi
}

# python_new_enough: the name of a Python 3.11 to 3.14 that can make virtual environments.
python_new_enough() {
  local candidate
  for candidate in "${NAOSU_PYTHON:-}" python3.13 python3.12 python3.11 python3.14 python3; do
    [ -n "$candidate" ] || continue
    "$candidate" -I -c 'import sys, venv, ensurepip; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 14))' \
      >/dev/null 2>&1 && { printf '%s\n' "$candidate"; return 0; }
  done
  return 1
}

# show_progress PIP...: on a terminal its own bars; elsewhere a line for each package that is downloaded or built.
show_progress() {
  if [ -t 2 ]; then
    "$@" >&2
  else
    "$@" 2>&1 | sed -un 's/^ *\(Downloading\|Building\|Installing collected\|ERROR\|error\)/naosu: \1/p' >&2
    return "${PIPESTATUS[0]}"
  fi
}

# japanese_font: BIZ UDPGothic reads best in window and PDF; where the distribution has none, Noto.
japanese_font() {
  apt-cache show fonts-morisawa-bizud-gothic >/dev/null 2>&1 && echo fonts-morisawa-bizud-gothic || echo fonts-noto-cjk
}

# stamp_of EXTRA: the file that says that all of this is installed. It changes with what is to be installed, and where.
stamp_of() {
  local sum
  sum=$({ printf '%s\n' "$root"; cat "$root"/pyproject.toml "$root"/packaging/{constraints.txt,common.sh}; } | cksum)
  printf '%s\n' "$venv/.naosu-${sum// /-}-$1"
}

is_prepared() { [ -e "$(stamp_of "$1")" ] && [ -x "$venv/bin/python" ]; }

prepare() {
  is_prepared "$1" && return 0
  mkdir -p "$venv" || { say "please set NAOSU_VENV to a folder that can be written to"; return 1; }
  # Where another user set it up, the shell's own complaint would be all that this one reads.
  { : >>"$venv/.naosu-lock"; } 2>/dev/null || {
    say "$venv belongs to another user and is not ready; ask its owner to start Naosu once, or set NAOSU_VENV to a folder of your own"
    return 1
  }
  # Of two first starts at once the second waits for the first.
  if command -v flock >/dev/null; then
    (flock 9 && { is_prepared "$1" || set_up "$1"; }) 9>"$venv/.naosu-lock"
  else
    set_up "$1"
  fi
}

# In a shell of its own: whatever the user has set for his own Python is not for ours, nor for those that pip starts.
set_up() (
  extra=$1
  [ -z "$extra" ] || agreed=yes  # who tests or builds has asked for it
  unset "${!PYTHON@}"
  # A server where these cannot be had still gets its headless check.
  apt_install "${system_packages[@]}" && apt_install "$(japanese_font)" || true
  [ "$extra" = test ] && { apt_install "${test_packages[@]}" || return 1; }
  if ! "$venv/bin/python" -I -c '' 2>/dev/null; then
    python=$(python_new_enough) || { apt_install python3 python3-venv && python=$(python_new_enough); } ||
      { apt_install python3.11 python3.11-venv && python=$(python_new_enough); } ||
      { say "Python 3.11 to 3.14 with the module venv is needed; please install it and start again"; return 1; }
    say "making a virtual environment with $("$python" --version)"
    rm -f "$venv"/bin/python*  # links to a Python that is gone would be kept
    "$python" -I -m venv "$venv" || return 1
  fi
  # A first start that was interrupted may have left it without pip.
  "$venv/bin/python" -I -c 'import pip' 2>/dev/null || "$venv/bin/python" -I -m ensurepip >/dev/null || return 1
  say "installing the pinned dependencies into $venv (once; PyTorch is most of it)"
  show_progress "$venv/bin/python" -I -m pip install --disable-pip-version-check --no-input \
    --constraint "$root/packaging/constraints.txt" --editable "$root${extra:+[$extra]}" || return 1
  rm -f "$venv"/.naosu-*-"$extra"
  : >"$(stamp_of "$extra")"
)
