"""A load on a device whose every result is checked bit by bit.

Two loads take turns. A product of matrices of small whole numbers is exact in every format and in every order of sums:
another bit than before is the device's fault, or its memory's, and no rounding. The first product is proven by its sums
(K.-H. Huang and J. A. Abraham, "Algorithm-Based Fault Tolerance for Matrix Operations", IEEE Transactions on Computers
C-33, 1984: the sums of the columns of A times B are those of the product). And words are written over a part of the
memory, read back, and written again with every bit turned over.
"""

import contextlib
import os
import time

from ... import kit
from ...ask import system_log
from ...model import kit as model_kit
from .. import kit as compute
from .. import telemetry

SIZES = {"cpu": 1024}  # rows and columns of the matrices
SIZE_OF_DEVICE = 4096  # large enough to keep every unit of a large GPU at work
# -1, 0 and 1 in half precision: sums of up to 2048 of them are whole numbers that float16 holds.
SIZE_OF_HALF = 2048
PART_OF_MEMORY = 0.5  # of what is free on an accelerator
MEMORY_OF_PROCESSOR = 128 << 20  # bytes
LEAST_MEMORY = 1 << 20
LEAST_SIZE = 256
CHUNK = 8 << 20  # words that are checked at once ...
CHUNK_OF_MEMORY = 8  # ... or this part of them: what is between takes four times as much
BEAT = 0.5  # seconds between two looks at the sensors
MEMORY_TURN = 4  # looks, of which one is at the memory
MOST_SAMPLES = 2000  # looks that are reported, however long the load is
FACTOR = 0x2545F491  # odd, so that each of 2^32 words is another
MOST_XIDS = 1000
MOST_WRONG = 20  # wrong results that are reported one by one


def stage(argument, clock):
    """The fact Health of one device.

    On the way, for when nothing more comes: samples as "watched+", wrong results as "wrong_bits+", and as "under_load"
    the fields that have grown.
    """
    import torch

    device = argument["device"]
    named = {"kind": "health", "framework": "torch", "operation": "load", "device": device}
    named["setting"] = argument.get("setting", "default")
    yield compute.measuring(named)
    load, ended = None, {}
    try:
        load = Load(torch, device, _sensors(torch, device))
        reported = 0
        for sample in load.run(clock):
            yield {"watched+": [sample], "wrong_bits+": load.wrong[reported:], "under_load": load.grown()}
            reported = len(load.wrong)
    except Exception as problem:  # the device was lost in the middle: what was seen until then is reported
        ended = {"error": kit.describe(problem), "reason": "failed"}
    yield compute.facts_of(dict(named, **(load.facts() if load else {}), **ended))


def _sensors(torch, device):
    return telemetry.of_device(device, pci_address(torch, device), bool(torch.version.cuda))


def pci_address(torch, device):
    """The card's address on the bus ("0000:01:00.0"); None where this version of torch does not report it."""
    if not device.startswith("cuda"):
        return None
    properties = torch.cuda.get_device_properties(device)
    if not hasattr(properties, "pci_bus_id"):
        return None
    place = (getattr(properties, "pci_domain_id", 0), properties.pci_bus_id, getattr(properties, "pci_device_id", 0))
    return "%04x:%02x:%02x.0" % place


class Load:
    """The two loads of one device, and what came of them."""

    def __init__(self, torch, device, sensors):
        self._torch, self._device, self._sensors = torch, device, sensors
        self._started = time.monotonic()
        self._before = sensors.counts()
        self._log = system_log.Watch()
        self._xids = []
        self._hears = sensors.xids() is not None
        self.samples, self.wrong = [], []
        self.checked = self.bytes = self.wrong_results = self.shrunk = 0

    def run(self, clock):
        """Compute until the time is over; yields a sample at every beat, or at so many that all can be reported."""
        self._started = time.monotonic()
        every, due = clock.seconds / MOST_SAMPLES, 0.0
        products = self._products()
        for product in products:
            self.checked += 1
            if product.unproven:
                self._note((product.operation, [], "", "", product.unproven))
        memory = Memory(self._torch, self._device, self._room())
        turn = 0
        while True:  # at least one look, however short the time
            until = time.monotonic() + min(BEAT, max(0.0, clock.left))
            if turn % MEMORY_TURN == MEMORY_TURN - 1:
                self._check_memory(memory)
            else:
                self._check_products(products, until)
            turn += 1
            sample = self._sample()
            is_last = clock.left <= 0
            if sample["second"] >= due or is_last:
                due = sample["second"] + every
                self.samples.append(sample)
                yield sample
            if is_last:
                return

    def grown(self):
        """The fields of Health that cost nothing to report."""
        facts = {"length": time.monotonic() - self._started, "checked": self.checked}
        facts.update(bytes_checked=self.bytes, shrunk=self.shrunk)
        if self._hears:
            facts["xid"] = [{"code": code} for code in self._xids]
        return facts

    def facts(self):
        """The fields of Health."""
        after = self._sensors.counts()
        counted = {name: max(0, after[name] - self._before[name]) for name in after if name in self._before}
        facts = dict(self.grown(), samples=self.samples, wrong=self.wrong, **counted)
        entries = self._log.entries(facts["length"])
        if entries is not None:
            facts["log"] = entries
        return facts

    def _sample(self):
        self._xids = [*self._xids, *(self._sensors.xids() or ())][:MOST_XIDS]
        sample = dict(self._sensors.sample(), second=time.monotonic() - self._started)
        sample.update(checked=self.checked, wrong=self.wrong_results)
        return sample

    def _products(self):
        """The products that are checked: in float32, and in the formats for which the device has units of their own."""
        size = SIZES.get(self._device, SIZE_OF_DEVICE)
        found = []
        while not found:
            try:
                found.append(Product(self._torch, self._device, self._torch.float32, size, 8))
            except (RuntimeError, MemoryError) as error:  # others use the device, or it is small
                if not model_kit.is_no_memory(error) or size <= LEAST_SIZE:
                    raise
                size //= 2
                self.shrunk += 1
        if self._device != "cpu":
            for dtype in (self._torch.float16, self._torch.bfloat16):
                with contextlib.suppress(Exception):  # a device that does not compute with it is not at fault for that
                    found.append(Product(self._torch, self._device, dtype, SIZE_OF_HALF, 1))
        return found

    def _check_products(self, products, until):
        """Multiply until then, the formats in turn; the results are looked at once, at the end."""
        done = 0
        while done < len(products) or time.monotonic() < until:
            products[done % len(products)].compute()
            done += 1
            if done % (4 * len(products)) == 0:
                products[0].wait()
        self.checked += done
        for product in products:
            self.bytes += product.bytes_since()
            self._note(product.wrong())

    def _check_memory(self, memory):
        checked, wrong = memory.check()
        self.checked += 1
        self.bytes += checked
        self._note(wrong)

    def _note(self, wrong):
        """Remember what was wrong: (operation, index, expected bits, found bits, elements), or None."""
        if wrong is None:
            return
        self.wrong_results += 1
        if len(self.wrong) < MOST_WRONG:
            operation, index, expected, found, elements = wrong
            second = time.monotonic() - self._started
            entry = {"second": second, "operation": operation, "index": index, "elements": elements}
            self.wrong.append(dict(entry, expected=expected, found=found))

    def _room(self):
        """Bytes of memory to write over; a GPU within the processor has the memory of all other programs."""
        of_machine = available_memory() // 4
        if not self._device.startswith("cuda") or not hasattr(self._torch.cuda, "mem_get_info"):
            return min(MEMORY_OF_PROCESSOR, of_machine)
        free = int(self._torch.cuda.mem_get_info(self._device)[0] * PART_OF_MEMORY)
        properties = self._torch.cuda.get_device_properties(self._device)
        return min(free, of_machine) if getattr(properties, "is_integrated", False) else free


def available_memory():
    """Bytes of main memory that are free, as far as the system shows a process without a library of its own."""
    try:
        return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):  # Windows, macOS
        return 1 << 30


class Product:
    """A product of matrices of whole numbers, computed again and again.

    ``unproven``: columns of the first result whose sum is not what it must be.
    """

    def __init__(self, torch, device, dtype, size, largest):
        self._torch = torch
        self.operation = "matmul-" + str(dtype).split(".")[-1]
        places = torch.arange(size * size, dtype=torch.int64)
        span = 2 * largest + 1
        left, right = ((places * odd // 1024 % span - largest).reshape(size, size) for odd in (7919, 104729))
        self._left, self._right = (matrix.to(dtype).to(device) for matrix in (left, right))
        self._first = self._last = self._left @ self._right
        self._prove(left, right)
        self._differing = torch.zeros((), dtype=torch.int64, device=device)
        self._runs = 0

    def compute(self):
        """One more product, compared with the first on the device."""
        result = self._left @ self._right
        self._differing += (result != self._first).sum()
        self._runs += 1
        self._last = result

    def wait(self):
        """Until the device has done what was asked: a program runs ahead of it else."""
        self._differing.item()

    def bytes_since(self):
        """Bytes of results that were compared since the last call."""
        runs, self._runs = self._runs, 0
        return runs * self._first.numel() * self._first.element_size()

    def wrong(self):
        """What was wrong since the last call; None where nothing was."""
        elements = int(self._differing.item())
        self._differing.zero_()
        if not elements:
            return None
        # It may have been an earlier result than the last, of which only the number is known.
        places = (self._last != self._first).nonzero()
        if not len(places):
            return self.operation, [], "", "", elements
        index = [int(place) for place in places[0]]
        return self.operation, index, _bits(self._first[tuple(index)]), _bits(self._last[tuple(index)]), elements

    def _prove(self, left, right):
        """The sums of the columns are those of the product, in whole numbers."""
        expected = (left.sum(0, keepdim=True).double() @ right.double()).reshape(-1)
        found = self._first.cpu().double().sum(0)
        self.unproven = int((expected != found).sum())


class Memory:
    """A part of the device's memory that is written over and read back."""

    operation = "memory"

    def __init__(self, torch, device, room):
        self._torch = torch
        self._words = None
        while self._words is None:
            try:
                self._words = torch.empty(room // 4, dtype=torch.int32, device=device)
            except RuntimeError:  # less is free than was reported, or not in one piece
                room //= 2
                if room < LEAST_MEMORY:
                    raise
        self._turned = False
        self._chunk = max(1, min(CHUNK, self._words.numel() // CHUNK_OF_MEMORY))

    def check(self):
        """(Bytes that were checked, what was wrong or None): write a pattern, read it back."""
        torch, words = self._torch, self._words
        for start, part in self._parts():
            part.copy_(self._pattern(start, part))
        differing = torch.zeros((), dtype=torch.int64, device=words.device)
        for start, part in self._parts():
            differing += (part != self._pattern(start, part)).sum()
        elements = int(differing.item())
        wrong = self._first_wrong(elements) if elements else None
        self._turned = not self._turned
        return words.numel() * 4, wrong

    def _parts(self):
        for start in range(0, self._words.numel(), self._chunk):
            yield start, self._words[start : start + self._chunk]

    def _pattern(self, start, part):
        """Words of which each differs from its neighbours and from those a power of two away."""
        places = self._torch.arange(part.numel(), dtype=self._torch.int32, device=part.device)
        first = (start * FACTOR + 0x3C6EF35F) % (1 << 32)  # more words than 32 bits count: both wrap around
        pattern = places * FACTOR + (first if first < 1 << 31 else first - (1 << 32))
        return ~pattern if self._turned else pattern

    def _first_wrong(self, elements):
        for start, part in self._parts():
            pattern = self._pattern(start, part)
            places = (part != pattern).nonzero()
            if len(places):
                place = int(places[0])
                return self.operation, [start + place], _bits(pattern[place]), _bits(part[place]), elements
        return self.operation, [], "", "", elements  # what was wrong a moment ago is right now


def _bits(value):
    import torch

    if value.element_size() == 2:
        return "%04x" % (int(value.cpu().view(torch.int16).item()) & 0xFFFF)
    return "%08x" % (int(value.cpu().view(torch.int32).item()) & 0xFFFFFFFF)
