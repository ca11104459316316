"""A whole stream read as its client reads it."""

from pm_orchestrator.ports.dialect import Dialect, Json


def whole_answer(dialect: Dialect, stream: bytes) -> Json:
    """The answer that a complete stream brings.

    Raises:
        BrokenStreamError: cut off, not a stream, or ended by a failure of the vendor.
    """
    reader, begin = dialect.stream_reader(), 0
    for end in dialect.frame_end.finditer(stream):
        reader.read(stream[begin : end.end()])
        begin = end.end()
    if begin < len(stream):
        reader.read(stream[begin:])
    return reader.answer()
