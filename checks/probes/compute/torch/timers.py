"""How long calls of PyTorch take, by the clock or by the device's own events."""

import time


class Wall:
    """Times calls by the clock; on an accelerator each is waited for."""

    def __init__(self, torch, kind):
        self._wait = getattr(getattr(torch, kind, None), "synchronize", None) if kind != "cpu" else None
        self._inside, self._began, self._start = [], None, None

    def __enter__(self):
        self._start = time.perf_counter()
        self._began = self._start if self._began is None else self._began

    def __exit__(self, *error):
        if self._wait and error[0] is None:
            self._wait()
        self._inside.append(time.perf_counter() - self._start)

    def reset(self):
        """Forget what an error left."""
        self._inside, self._began = [], None

    def marked(self):
        """The bookkeeping of a call is under way."""

    def read(self):
        """Seconds of each call since the last look, and of everything; to be asked when all has been read back."""
        inside, whole = self._inside, time.perf_counter() - self._began
        self._inside, self._began = [], None
        return inside, whole

    def once(self, call):
        """Seconds of one call."""
        self.reset()
        with self:
            call()
        return self.read()[0][0]


class Events:
    """Times calls on a CUDA device by its own events, so that nothing waits."""

    def __init__(self, torch, device):
        self._torch, self._device = torch, device
        self._events = []

    def _mark(self):
        event = self._torch.cuda.Event(enable_timing=True)
        event.record(self._torch.cuda.current_stream(self._device))
        return event

    def __enter__(self):
        self._events.append([self._mark()])

    def __exit__(self, *error):
        if error[0] is None:
            self._events[-1].append(self._mark())

    def reset(self):
        """Forget what an error left."""
        self._events = []

    def marked(self):
        """All that belongs to one repetition is on its way to the device."""
        self._events[-1].append(self._mark())

    def read(self):
        """Seconds of each call since the last look, and of everything; to be asked when all has been read back."""
        events, self._events = self._events, []
        self._torch.cuda.synchronize(self._device)
        inside = [event[0].elapsed_time(event[1]) / 1000 for event in events]
        return inside, events[0][0].elapsed_time(events[-1][-1]) / 1000

    def once(self, call):
        """Seconds of one call."""
        self.reset()
        with self:
            call()
        self.marked()
        return self.read()[0][0]
