"""A module whose TorchScript form writes a file while it is loaded."""

import torch

from support.hostile.assembler import MARK

_MARK = MARK


class Saving(torch.nn.Module):
    """Its state is set by code that the file brings along."""

    mark: torch.jit.Final[str] = _MARK  # type: ignore[type-arg]

    @torch.jit.export
    def __getstate__(self):  # type: ignore[no-untyped-def]
        return (self.training,)

    @torch.jit.export
    def __setstate__(self, state: tuple[bool]):  # type: ignore[no-untyped-def]
        self.training = state[0]
        torch.save(torch.ones(1), "ran")

    def forward(self, x):  # type: ignore[no-untyped-def]
        """Nothing."""
        return x
