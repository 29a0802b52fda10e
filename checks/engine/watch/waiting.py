"""What a process that does not compute waits for, as Linux names the place of its main thread; elsewhere nobody knows.

/proc/PID/wchan is the function of the kernel in which it sleeps: proc_pid_wchan(5), and the kernel's own names.
"""

import re
from pathlib import Path

_LONGEST = 100  # bytes of a name
_PLACES = {
    "lock": r"futex_",
    "input": r"n_tty_read|(?:anon_)?pipe_read|wait_for_partner",
    "network": r"sk_wait|tcp_|inet_|unix_stream|wait_woken|__skb_wait",
    "child": r"do_wait$",
    "sleep": r"hrtimer_nanosleep|do_nanosleep|common_nsleep",
    "events": r"ep_poll|do_epoll|poll_schedule|do_poll|do_sys_poll|do_select|sigsuspend|do_sigtimedwait|__do_sys_pause",
    "disk": r"folio_|io_schedule|rq_qos|wait_on_page|wait_on_bit|rpc_wait|nfs",
}
_OF_PLACE = {kind: re.compile(pattern) for kind, pattern in _PLACES.items()}


def waits_for(pid: int) -> str:
    """The kind of what its main thread waits for; "" where it runs or nobody knows."""
    try:
        with Path(f"/proc/{pid}/wchan").open("rb") as stream:
            place = stream.read(_LONGEST).decode("ascii", "replace").strip("_ \n")
    except OSError:
        return ""
    return next((kind for kind, pattern in _OF_PLACE.items() if pattern.match(place)), "")
