"""Operations of PyTorch again and again, with the same inputs and seeds (``naosu_compute_torch_repeat``)."""


def stage(argument, clock):
    """The facts of the kind "repeat"."""
    yield from ()
