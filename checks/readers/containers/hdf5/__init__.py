"""HDF5 files as a tree of groups, datasets and attributes. nodes.py is what its readers use."""

from checks.readers.containers.hdf5.file import SIGNATURE
from checks.readers.containers.hdf5.messages import Value
from checks.readers.containers.hdf5.nodes import Hdf5, Node

__all__ = ["SIGNATURE", "Hdf5", "Node", "Value"]
