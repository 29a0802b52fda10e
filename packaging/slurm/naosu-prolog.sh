#!/bin/sh
# A prolog (slurm.conf: Prolog=/etc/slurm/naosu-prolog.sh, PrologFlags=Alloc): before a job starts, the node computes for
# some seconds what a sound node of the same kind computed before:
#   python3 naosu-probe.pyz --compute quick -o /etc/naosu/reference.json
# Slurm drains a node whose prolog ends with anything but 0, and queues the job again. That happens here only where the
# node computes other bits than its like (3). A probe that cannot run, or a reference of other hardware or software,
# says nothing about the node.
PYTHON=${NAOSU_PYTHON:-/usr/bin/python3}
PROBE=${NAOSU_PROBE:-/etc/naosu/naosu-probe.pyz}
REFERENCE=${NAOSU_REFERENCE:-/etc/naosu/reference.json}
said=$("$PYTHON" "$PROBE" --quiet --lang en --compute quick --timeout "${NAOSU_TIMEOUT:-60}" \
  ${NAOSU_TARGET:+--target "$NAOSU_TARGET"} --expect "$REFERENCE" -o /dev/null 2>&1 </dev/null)
if [ $? -eq 3 ]; then
  logger -t naosu "$said" 2>/dev/null
  echo "print $said"
  exit 1
fi
exit 0
