"""Many tickets judged on every core, in bounded memory, in the order in which they come.

A ticket takes a hundredth of a second, and every process a second and a half to read what it judges by: few tickets are
judged here.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from itertools import chain, islice
from typing import TypeVar

from checks.paths import BUNDLE

T = TypeVar("T")
R = TypeVar("R")

FEW = 150  # that are done here
_AT_ONCE = 24  # handed to a process together
_MOST_PROCESSES = 16
_AHEAD = 2  # batches that wait for each process


def mapped(work: Callable[[T], R], things: Iterable[T]) -> Iterator[R]:
    """``work`` of each. It is a function that another process can import, or a partial of one.

    What is not asked for any more is not begun: to close the iterator ends the processes.
    """
    rest = iter(things)
    first = list(islice(rest, FEW + 1))
    processes = min(os.cpu_count() or 1, _MOST_PROCESSES)
    if len(first) <= FEW or processes < 2 or BUNDLE is not None:  # which is no Python that others could be started of
        yield from map(work, chain(first, rest))
        return
    # Started anew, not forked: where threads run already, as in the window, a fork may wait for ever.
    pool = ProcessPoolExecutor(processes, multiprocessing.get_context("spawn"), _leave_ending_to_the_parent)
    waiting: deque[Future[list[R]]] = deque()
    try:
        every = chain(first, rest)
        while batch := list(islice(every, _AT_ONCE)):
            waiting.append(pool.submit(_all_of, work, batch))
            if len(waiting) > _AHEAD * processes:
                yield from waiting.popleft().result()
        while waiting:
            yield from waiting.popleft().result()
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _all_of(work: Callable[[T], R], batch: Sequence[T]) -> list[R]:
    return [work(thing) for thing in batch]


def _leave_ending_to_the_parent() -> None:
    """A Ctrl+C in a terminal reaches every process of ours; the one that was started ends the others."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
