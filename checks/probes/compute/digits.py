"""Pictures of digits, 28 x 28, the same on every machine.

They are drawn, not collected: the strokes of each digit in several hands, moved, faded and covered with noise by the
portable generator. All of it is integer arithmetic. What is asked is whether training gives the same numbers twice, and
for that it only matters that the pictures are alike and not equal; nothing is to be shipped, licensed or loaded.
"""

from .bits import inputs

SIZE = 28
DIGITS = 10
HANDS = 12  # ways in which each digit is written
MARGIN = 4  # pixels around a drawn digit, so that it can be moved
WIDE = SIZE + 2 * MARGIN
MOVED = 3  # pixels at most, in both directions
FAINTEST = 60  # brightness of a digit, of 256
NOISE = 190  # brightest noise, of 256

_UNIT = 16  # parts of a pixel in which strokes are drawn
_INNER, _OUTER = 14, 34  # a stroke is full up to the one distance from its middle, and ends at the other
_STREAM = 7000  # of the generator: ten for each set of pictures

# The strokes as points (right, down) on a field of 100 x 100.
_STROKES = (
    (((50, 8), (28, 20), (20, 50), (28, 80), (50, 92), (72, 80), (80, 50), (72, 20), (50, 8)),),
    (((34, 26), (54, 8), (54, 92)),),
    (((24, 28), (34, 12), (56, 8), (74, 20), (72, 40), (50, 62), (22, 90), (80, 90)),),
    (((24, 16), (48, 8), (70, 18), (70, 36), (48, 48), (38, 48)), ((48, 48), (74, 58), (76, 80), (50, 92), (22, 82))),
    (((60, 92), (60, 8), (18, 64), (84, 64)),),
    (((74, 8), (30, 8), (26, 46), (52, 40), (76, 56), (74, 80), (50, 92), (22, 84)),),
    (((68, 10), (40, 24), (24, 54), (28, 82), (50, 92), (74, 78), (70, 56), (48, 50), (28, 62)),),
    (((20, 10), (80, 10), (56, 46), (42, 92)),),
    (
        ((50, 48), (28, 36), (30, 16), (50, 8), (70, 16), (72, 36), (50, 48)),
        ((50, 48), (24, 62), (26, 84), (50, 92), (74, 84), (76, 62), (50, 48)),
    ),
    (((72, 38), (52, 50), (30, 42), (28, 20), (50, 8), (70, 18), (72, 38), (68, 66), (52, 92)),),
)


def bank(which):
    """All digits in all hands of a set, with their margins: brightnesses 0 to 255, as one flat list.

    ``which``: 0 for those to learn from, 1 for those to be judged by, written in other hands.
    """
    wobble = iter(inputs.integers(DIGITS * HANDS * 64, _STREAM + 10 * which))
    pixels = []
    for strokes in _STROKES:
        for _ in range(HANDS):
            pixels += _drawn(strokes, wobble)
    return pixels


def _drawn(strokes, wobble):
    """A digit in one hand: slanted, narrowed, and every point of its strokes displaced."""
    slant, width, height = (next(wobble) % 61 - 30), 60 + next(wobble) % 41, 75 + next(wobble) % 26
    pixels = [0] * (WIDE * WIDE)
    for stroke in strokes:
        points = [_displaced(point, slant, width, height, wobble) for point in stroke]
        for place in range(1, len(points)):
            _line(pixels, points[place - 1], points[place])
    return pixels


def _displaced(point, slant, width, height, wobble):
    """Where a point of a stroke comes to lie, in parts of a pixel: the field is the 20 pixels in the middle."""
    right = point[0] + next(wobble) % 11 - 5 + (50 - point[1]) * slant // 100 - 50
    down = point[1] + next(wobble) % 11 - 5 - 50
    middle = WIDE * _UNIT // 2
    return middle + right * width // 100 * 20 * _UNIT // 100, middle + down * height // 100 * 20 * _UNIT // 100


def _line(pixels, start, end):
    """Draw a straight stroke; where strokes meet, the brighter one is seen."""
    (x0, y0), (x1, y1) = start, end
    dx, dy = x1 - x0, y1 - y0
    length = dx * dx + dy * dy or 1
    reach = _OUTER * _OUTER
    for row in range(max(0, (min(y0, y1) - _OUTER) // _UNIT), min(WIDE, (max(y0, y1) + _OUTER) // _UNIT + 1)):
        for column in range(max(0, (min(x0, x1) - _OUTER) // _UNIT), min(WIDE, (max(x0, x1) + _OUTER) // _UNIT + 1)):
            px, py = column * _UNIT + _UNIT // 2 - x0, row * _UNIT + _UNIT // 2 - y0
            along = min(max(px * dx + py * dy, 0), length)
            # From the nearest point of the stroke, squared.
            away = px * px + py * py - (2 * (px * dx + py * dy) - along) * along // length
            if away < reach:
                bright = min(255, (reach - away) * 255 // (reach - _INNER * _INNER))
                place = row * WIDE + column
                pixels[place] = max(pixels[place], bright)


def parts(count, which, integers):
    """What the pictures of a set are made of, as arrays. ``integers(shape, below, stream)``: the portable generator."""
    stream = _STREAM + 1 + 10 * which
    return {
        "digit": integers((count,), DIGITS, stream),
        "hand": integers((count,), HANDS, stream + 1),
        "right": integers((count,), 2 * MOVED + 1, stream + 2),
        "down": integers((count,), 2 * MOVED + 1, stream + 3),
        "bright": integers((count,), 256 - FAINTEST, stream + 4),
        "noise": integers((count, SIZE, SIZE), NOISE, stream + 5),
    }


def pictures(drawn, parts_drawn, rows, columns):
    """The pictures, brightness 0 to 255, by operators that NumPy and PyTorch share.

    ``drawn``: the bank as an array; ``rows``, ``columns``: 0 to 27 as arrays of the shapes (28, 1) and (28,).
    """
    offset = MARGIN - MOVED
    start = (parts_drawn["digit"] * HANDS + parts_drawn["hand"]) * (WIDE * WIDE)
    start = start + (parts_drawn["down"] + offset) * WIDE + parts_drawn["right"] + offset
    places = start[:, None, None] + rows * WIDE + columns
    lit = drawn[places] * (parts_drawn["bright"] + FAINTEST)[:, None, None] // 256 + parts_drawn["noise"]
    return lit - (lit > 255) * (lit - 255)
