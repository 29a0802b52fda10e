"""A module whose TorchScript form writes a file while it is loaded."""

import torch


class Saving(torch.nn.Module):
    """Its state is set by code that the file brings along."""

    @torch.jit.export
    def __getstate__(self):  # type: ignore[no-untyped-def]
        return (self.training,)

    @torch.jit.export
    def __setstate__(self, state: tuple[bool]):  # type: ignore[no-untyped-def]
        self.training = state[0]
        torch.save(torch.ones(1), "ran")  # the mark of assembler.py

    def forward(self, x):  # type: ignore[no-untyped-def]
        """Nothing."""
        return x
