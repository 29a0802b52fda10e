#!/bin/sh
# Look at every node of a partition, one task on each, and keep the answers in a folder that all of them see:
#   packaging/slurm/naosu-collect.sh FOLDER [SRUN-OPTIONS...]      then: naosu fleet FOLDER
# The exit status is the highest of the nodes: 0 all steps ended, 1 one did not, 2 no answer could be written.
set -eu
folder=$(mkdir -p "$1" && cd "$1" && pwd)
shift
probe=${NAOSU_PROBE:-$(dirname "$0")/../../dist/naosu-probe.pyz}
export NAOSU_ANSWERS="$folder" NAOSU_PROBE="$probe" NAOSU_PYTHON="${NAOSU_PYTHON:-python3}"
exec srun --ntasks-per-node=1 --kill-on-bad-exit=0 --label "$@" sh -c \
  'exec "$NAOSU_PYTHON" "$NAOSU_PROBE" --quiet --compute "${NAOSU_COMPUTE:-quick}" ${NAOSU_TARGET:+--target "$NAOSU_TARGET"} \
    -o "$NAOSU_ANSWERS/$SLURMD_NODENAME.json"'
