"""Archives that unpack to far more than they are. Zeros are compressed once and repeated, which takes no time."""

import io
import zipfile
import zlib
from pathlib import Path

_CHUNK = 1 << 24


def add_zeros(archive: io.BytesIO | Path, *names: str, chunks: int = 17) -> None:
    """Add members of ``chunks`` times 16 MiB to an archive. Their checksum is wrong: nobody reads so far."""
    made = zlib.compressobj(1, wbits=-15)
    chunk = made.compress(bytes(_CHUNK)) + made.flush(zlib.Z_FULL_FLUSH)
    content = chunk * chunks + made.flush()
    places = []
    with zipfile.ZipFile(archive, "a") as written:
        for name in names:
            member = zipfile.ZipInfo(name)
            written.writestr(member, content)  # as it is; what the list says of it is written at the end
            member.compress_type, member.file_size = zipfile.ZIP_DEFLATED, _CHUNK * chunks
            places.append(member)
    data = bytearray(archive.getvalue() if isinstance(archive, io.BytesIO) else archive.read_bytes())
    for member in places:  # the same before the member itself
        at = member.header_offset
        data[at + 8 : at + 10] = zipfile.ZIP_DEFLATED.to_bytes(2, "little")
        data[at + 22 : at + 26] = member.file_size.to_bytes(4, "little")
    if isinstance(archive, io.BytesIO):
        archive.seek(0)
        archive.write(data)
    else:
        archive.write_bytes(data)
