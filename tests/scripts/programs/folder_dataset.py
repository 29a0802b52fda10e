"""The same with pathlib, and the list is kept."""

import sys
from pathlib import Path


class Files:
    def __init__(self, root):
        self.files = list(Path(root).glob("*.txt"))

    def __len__(self):
        return len(self.files)

    def __getitem__(self, index):
        return float(self.files[index].read_text())


def main():
    dataset = Files(sys.argv[1])
    weight = 0.0
    for index in range(len(dataset)):
        weight += 0.1 * (dataset[index] - weight)
    print(weight.hex())


if __name__ == "__main__":
    main()
