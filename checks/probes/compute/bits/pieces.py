"""An array of any layout as flat pieces in the order of its elements, in bounded memory."""


def pieces(arrays, most, is_flat):
    """Tuples of one-dimensional pieces, contiguous in memory, with at most ``most`` elements; one of each array.

    The arrays have the same shape. ``is_flat``: whether all are contiguous, so that pieces are views of ``most``
    elements; else they are copies, and end where rows of the last axis end wherever such a row has no more than
    ``most`` elements.
    """
    shape = arrays[0].shape
    count = 1
    for length in shape:
        count *= length
    if is_flat(arrays) or count <= most:
        parts = [flat(array) for array in arrays]
        for start in range(0, count, most):
            yield tuple(array[start : start + most] for array in parts)
    elif shape[0] == 1:
        yield from pieces([array[0] for array in arrays], most, is_flat)
    else:
        rows = max(1, most // (count // shape[0]))
        for start in range(0, shape[0], rows):
            yield from pieces([array[start : start + rows] for array in arrays], most, is_flat)


def flat(array):
    """All elements side by side. One element alone, or none, may have any stride and still be called contiguous."""
    line = array.reshape(-1)
    if hasattr(line, "strides"):  # NumPy's
        return line if line.strides[0] == line.itemsize else line.copy()
    return line if line.stride(0) == 1 else line.new_empty(len(line)).copy_(line)


def numpy_is_flat(arrays):
    """Whether all are contiguous."""
    return all(array.flags.c_contiguous for array in arrays)


def torch_is_flat(tensors):
    """Whether all are contiguous."""
    return all(tensor.is_contiguous() for tensor in tensors)
