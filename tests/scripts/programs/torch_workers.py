"""Shuffles in workers; nothing is seeded but the data."""

import torch
from torch.utils.data import DataLoader, Dataset


class Numbers(Dataset):
    def __len__(self):
        return 32

    def __getitem__(self, index):
        return torch.tensor(float(index))


def main():
    loader = DataLoader(Numbers(), batch_size=4, shuffle=True, num_workers=2)
    weight = 0.0
    for batch in loader:
        weight += 0.1 * (batch.mean().item() - weight)
    print(weight.hex())


if __name__ == "__main__":
    main()
