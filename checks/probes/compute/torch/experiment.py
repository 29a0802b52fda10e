"""The articles' experiments in PyTorch."""

import functools

from .. import experiments
from ..bits import fingerprint, inputs
from . import settings


def stage(argument, clock):
    """The facts of the kind "experiment": as PyTorch computes by default, and in its deterministic mode.

    On CUDA that mode needs a variable that is read once: a process of its own, named "deterministic-workspace".
    """
    import torch

    device = argument["device"]
    named = experiments.named("torch", argument)
    modes = [named["setting"]]
    if modes == ["default"] and not device.startswith("cuda"):
        modes.append("deterministic")
    cached_network = functools.lru_cache(maxsize=None)(lambda: Network(torch, device))  # to draw the digits takes long
    for place, mode in enumerate(modes):
        named["setting"] = mode
        with settings.applied(torch, mode):
            part = clock.part(len(modes) - place)
            if place == 0:
                yield from map(settings.refused, experiments.sums(named, _ways(torch, device), part))
            yield from experiments.network(named, cached_network, part)


def _ways(torch, device):
    for dtype in ("float64", "float32"):
        if dtype == "float64" and not inputs.has_float64(torch, device):
            continue
        # Made when they are summed up first: where the device is lost, that is an error of the sum.
        terms = functools.lru_cache(maxsize=None)(functools.partial(experiments.torch_terms, torch, dtype, device))
        yield "sum-of-squares", dtype, "", lambda of=terms: _squares(of()).sum().item()
        if device == "cpu" and torch.get_num_threads() > 1:
            yield "sum-of-squares", dtype, "threads-1", lambda of=terms: _alone(torch, of())
        yield "sum-of-squares-dot", dtype, "", lambda of=terms: torch.dot(of(), of()).item()
        yield "sum-of-squares-reversed", dtype, "", lambda of=terms: _squares(of()).flip(0).sum().item()
        yield "sum-of-squares-running", dtype, "", lambda of=terms: _squares(of()).cumsum(0)[-1].item()


def _squares(terms):
    return terms * terms


def _alone(torch, terms):
    with settings.applied(torch, "threads-1"):
        return _squares(terms).sum().item()


class Network:
    """The network of PyTorch's own functions."""

    def __init__(self, torch, device, rate=experiments.RATE, seed=experiments.SEED):
        self._torch, self._rate, self._seed = torch, rate, seed
        first, bias_1, second, bias_2, dense, bias_3, classes, bias_4 = experiments.torch_weights(torch, device)
        # Channels first, and the outputs of a layer before its inputs.
        dense = dense.reshape(7, 7, 64, 512).permute(3, 2, 0, 1).reshape(512, -1)
        first, second = first.permute(3, 2, 0, 1), second.permute(3, 2, 0, 1)
        weights = (first, bias_1, second, bias_2, dense, bias_3, classes.t(), bias_4)
        self._weights = [weight.contiguous() for weight in weights]
        self._pictures, self._digits = self._set(experiments.PICTURES, 0, device)
        self._judged = self._set(experiments.VALIDATION, 1, device)

    def _set(self, count, which, device):
        pictures, digits = experiments.torch_digits(self._torch, count, which, device)
        return pictures.permute(0, 3, 1, 2).contiguous(), digits

    def begin(self):
        """As at the start of a program."""
        self._torch.manual_seed(self._seed)
        self._now = [weight.clone().requires_grad_() for weight in self._weights]
        self._moving = [self._torch.zeros_like(weight) for weight in self._weights]

    def step(self, number):
        """Learn from a batch; the loss."""
        torch = self._torch
        chosen = experiments.batch(number)
        loss, _ = self._forward(self._pictures[chosen], self._digits[chosen], training=True)
        slopes = torch.autograd.grad(loss, self._now)
        with torch.no_grad():
            for weight, moving, slope in zip(self._now, self._moving, slopes):
                moving.mul_(experiments.MOMENTUM).add_(slope)
                weight.add_(moving, alpha=-self._rate)
        return loss.item()

    def judge(self):
        """Wrong digits, and the loss."""
        pictures, digits = self._judged
        with self._torch.no_grad():
            loss, scores = self._forward(pictures, digits, training=False)
            return int((scores.argmax(1) != digits).sum().item()), loss.item()

    def fingerprint(self):
        """Of all weights."""
        return fingerprint.torch_fingerprint(
            self._torch, self._torch.cat([weight.detach().reshape(-1) for weight in self._now])
        )

    def _forward(self, pictures, digits, training):
        layers, weights = self._torch.nn.functional, self._now
        one = layers.max_pool2d(layers.relu(layers.conv2d(pictures, weights[0], weights[1], padding=2)), 2)
        two = layers.max_pool2d(layers.relu(layers.conv2d(one, weights[2], weights[3], padding=2)), 2)
        dense = layers.relu(layers.linear(two.reshape(len(pictures), -1), weights[4], weights[5]))
        scores = layers.linear(layers.dropout(dense, experiments.DROPOUT, training), weights[6], weights[7])
        return layers.cross_entropy(scores, digits), scores
