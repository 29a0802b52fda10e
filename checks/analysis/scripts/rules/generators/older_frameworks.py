"""Chainer, Caffe, MXNet, Theano and Lasagne, whose generators nobody seeds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from checks.analysis.scripts.registry import Mark, run_rule
from checks.analysis.scripts.rules.generators.seeds import is_seeded, seeds_of
from checks.analysis.scripts.signs import shown
from checks.knowledge.scripts.generators import any_of
from checks.readers.scripts.runs import Run, is_test


@dataclass(frozen=True)
class _Framework:
    """How a framework draws, what seeds it, and the generator of NumPy or CuPy that it draws from otherwise."""

    name: str
    draws: tuple[str, ...]
    seeds: tuple[str, ...]
    advice: str
    through: str = ""  # a generator whose seed is enough on the processor


_FRAMEWORKS = (
    _Framework(
        "chainer", ("chainer.links.*", "chainer.iterators.SerialIterator", "chainer.functions.dropout"), (),
        "numpy.random.seed(42); cupy.random.seed(42)", "numpy",
    ),
    _Framework(
        "caffe", ("caffe.SGDSolver", "caffe.get_solver", "caffe.AdamSolver"), ("caffe.set_random_seed",),
        "caffe.set_random_seed(42)",
    ),
    _Framework(
        "mxnet", ("mxnet.random.uniform", "mxnet.random.normal", "mxnet.nd.random.*", "mxnet.gluon.nn.Dense",
                  "mxnet.gluon.nn.Conv2D", "mxnet.initializer.*", "mxnet.init.*", "mxnet.gluon.Trainer"),
        ("mxnet.random.seed",), "mxnet.random.seed(42)",
    ),
    _Framework(
        "lasagne", ("lasagne.layers.DenseLayer", "lasagne.layers.Conv*", "lasagne.layers.DropoutLayer",
                    "lasagne.layers.dropout", "lasagne.layers.LSTMLayer", "lasagne.layers.GRULayer"),
        ("lasagne.random.set_rng",), "lasagne.random.set_rng(numpy.random.RandomState(42))", "numpy",
    ),
)  # fmt: skip
_THEANO = ("theano.tensor.shared_randomstreams.RandomStreams", "theano.sandbox.rng_mrg.MRG_RandomStreams")


@run_rule("older-framework-seed")
def older_framework_seed(run: Run) -> Iterator[Mark]:
    """The first draw of such a framework, in a run that seeds neither it nor what it draws from."""
    if is_test(run.entry):
        return
    seeds = seeds_of(run)
    for framework in _FRAMEWORKS:
        draws, own = any_of(framework.draws), any_of(framework.seeds)
        if is_seeded(framework.through or framework.name, seeds) or any(own.fullmatch(name) for name in run.called):
            continue
        first = next((step for step in run.steps if draws.fullmatch(step.meaning)), None)
        if first is not None:
            values = {"call": shown(first), "framework": framework.name, "seed": framework.advice}
            yield Mark(first.module, first.call, framework.name, values)
    for step in run.steps:
        if step.meaning in _THEANO and not step.call.args and not step.call.keywords:
            values = {"call": shown(step), "framework": "theano", "seed": "RandomStreams(seed=42)"}
            yield Mark(step.module, step.call, "theano", values)
