"""The wire format of Protocol Buffers: fields of a number and a value, read where they lie, and written."""

VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5


class NotRead(ValueError):  # noqa: N818 - said of the file
    """The file is not what it should be."""


def varint(content, place):
    """(A number, the place behind it)."""
    value = shift = 0
    while True:
        byte = content[place]
        place += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, place
        shift += 7
        if shift > 63:
            raise NotRead("a number without end")


def fields(content, place, end):
    """(Field number, kind, value or start, end of the value) of a message."""
    while place < end:
        key, place = varint(content, place)
        number, kind = key >> 3, key & 7
        if kind == VARINT:
            value, place = varint(content, place)
            yield number, kind, value, place
            continue
        if kind == BYTES:
            length, place = varint(content, place)
        elif kind in (FIXED64, FIXED32):
            length = 8 if kind == FIXED64 else 4
        else:
            raise NotRead("a field of kind %d" % kind)
        if place + length > end:
            raise NotRead("a field that is longer than the file")
        yield number, kind, place, place + length
        place += length


def messages(content, start, end):
    """(Field number, start, end) of what holds bytes: texts and messages in a message."""
    return ((number, first, last) for number, kind, first, last in fields(content, start, end) if kind == BYTES)


def text(content, start, end):
    """A text; what is no UTF-8 becomes U+FFFD."""
    return bytes(content[start:end]).decode("utf-8", "replace")


def encoded(value):
    """A number as a varint."""
    found = bytearray()
    while value > 0x7F:
        found.append(value & 0x7F | 0x80)
        value >>= 7
    found.append(value)
    return bytes(found)


def field(number, content):
    """A field that holds bytes, as it is written."""
    return encoded(number << 3 | BYTES) + encoded(len(content)) + content


def number_field(number, value):
    """A field that holds a number."""
    return encoded(number << 3 | VARINT) + encoded(value)


def signed(value):
    """A number of 64 bits as it is meant."""
    return value - (1 << 64) if value >> 63 else value
