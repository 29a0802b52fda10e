#!/bin/sh
# A custom plugin of Node Problem Detector (naosu-monitor.json): 0 is fine, 1 a problem, 2 not known; one short line says
# what. The node has a problem where it computes other bits than a sound one of the same hardware and software.
PYTHON=${NAOSU_PYTHON:-python3}
PROBE=${NAOSU_PROBE:-/etc/naosu/naosu-probe.pyz}
REFERENCE=${NAOSU_REFERENCE:-/etc/naosu/reference.json}
said=$("$PYTHON" "$PROBE" --quiet --lang en --compute quick --timeout "${NAOSU_TIMEOUT:-50}" \
  ${NAOSU_TARGET:+--target "$NAOSU_TARGET"} --expect "$REFERENCE" -o /dev/null 2>&1 </dev/null)
status=$?
said=$(printf '%s' "$said" | tail -n 1 | sed 's/^naosu-probe: //' | cut -c 1-80)
case $status in
  3) echo "$said"; exit 1 ;;
  0 | 1)
    case $said in
      *"computes the same bits"*) echo "computes the same bits"; exit 0 ;;
      *) echo "$said"; exit 2 ;;
    esac ;;
  *) echo "${said:-the probe did not run}"; exit 2 ;;
esac
