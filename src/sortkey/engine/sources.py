"""The objects that an import reads, a page of records at a time.

A page is read before the transaction that writes its items, so that a slow file locks nothing, and
the object stays open from page to page. A reader that begins in the middle, after a restart, skips
the records before its place; it is the only one that reads anything twice.
"""

from collections.abc import Generator, Iterator
from contextlib import ExitStack, contextmanager
from itertools import dropwhile
from threading import Lock
from typing import Any, NamedTuple
from weakref import finalize

from sortkey.engine.formats.fault import ItemFormatError, UnreadableObjectError
from sortkey.engine.formats.records import InputForm, Record, Records, opened_records
from sortkey.folders.buckets import BucketError, Buckets, StoredObject
from sortkey.wire.limits import MB, PAGE_BYTES

BATCH = 500
# As many bytes are skipped at once.
_SKIPPED_BYTES = 64 * MB


class SourcePlace(NamedTuple):
    """A place in the objects: after so many records of one, or after all of them (None)."""

    key: str = ""
    number: int | None = None


START = SourcePlace()


class SourceRecord(NamedTuple):
    """A record of an object, with its number; or what is wrong with it, or with all that follow."""

    key: str
    number: int
    record: Record | None
    fault: str = ""


class SourcePage(NamedTuple):
    """Some records of one object.

    The sizes are those of the object up to the end of the page, as it is stored and uncompressed.
    ``end`` is None if all objects are read.
    """

    start: SourcePlace
    records: list[SourceRecord]
    end: SourcePlace | None
    stored_bytes: int = 0
    content_bytes: int = 0


class Survey(NamedTuple):
    """The number of objects, and their size as they are stored."""

    objects: int
    size: int


class BucketSource:
    """The objects of a bucket whose keys begin with a prefix."""

    def __init__(self, buckets: Buckets, bucket: str, prefix: str, form: InputForm) -> None:
        self._buckets = buckets
        self._bucket = bucket
        self._prefix = prefix
        self._form = form
        self._lock = Lock()
        self._objects: Iterator[StoredObject] = iter(())
        self._opened: _OpenObject | None = None
        self._place: SourcePlace | None = None
        self._is_closed = False
        self.page: SourcePage | None = None
        self.surveyed: Survey | None = None

    def survey(self) -> Survey:
        """Count the objects."""
        count = size = 0
        for found in self._listed():
            count += 1
            size += found.size
        self.surveyed = Survey(count, size)
        return self.surveyed

    def read(self, place: SourcePlace) -> None:
        """Read the next page, if it is not read yet; it may take several calls to get there."""
        with self._lock:
            if self._is_closed or (self.page is not None and self.page.start == place):
                return
            self.page = None
            if not self._go_to(place):
                return
            page = self._read_object(place) if self._opened else SourcePage(place, [], None)
            self.page, self._place = page, page.end

    def close(self) -> None:
        """Close the objects."""
        with self._lock:
            self._is_closed = True
            self._let_go()

    def _let_go(self) -> None:
        if self._opened is not None:
            self._opened.close()
            self._opened = None
        self._objects = iter(())
        self._place = None

    def _go_to(self, place: SourcePlace) -> bool:
        """Open the object of a place, or the next one; return whether the place is reached."""
        if self._place != place and not self._is_before(place):
            self._let_go()
            reached = dropwhile(lambda each: _order(each.key) < _order(place.key), self._listed())
            self._objects = reached
            if place.key:
                found = next(reached, None)
                if found is None or found.key != place.key:
                    raise BucketError("NoSuchKey", f"The specified key does not exist: {place.key}")
                if place.number is not None:
                    self._open(found.key)
            self._place = place if place.number is None else SourcePlace(place.key, 0)
        if place.number is None:
            following = next(self._objects, None)
            if following is not None:
                self._open(following.key)
            return True
        if self._opened is None or not self._opened.skip_to(place.number):
            self._place = SourcePlace(place.key, self._opened.index if self._opened else None)
            return False
        return True

    def _is_before(self, place: SourcePlace) -> bool:
        """Return whether the open object is that of a place, and not yet read so far."""
        at = self._opened
        return (
            at is not None
            and place.number is not None
            and at.key == place.key
            and at.index <= place.number
        )

    def _open(self, key: str) -> None:
        self._opened = _OpenObject(self._buckets, self._bucket, key, self._form)

    def _read_object(self, place: SourcePlace) -> SourcePage:
        opened = self._opened
        assert opened is not None  # noqa: S101 - the caller has opened it
        records, is_all = opened.read()
        stored, content = opened.stored_bytes, opened.content_bytes
        if is_all:
            opened.close()
            self._opened = None
        end = SourcePlace(opened.key, None if is_all else opened.index)
        return SourcePage(place, records, end, stored, content)

    def _listed(self) -> Iterator[StoredObject]:
        try:
            for found in self._buckets.objects(self._bucket, self._prefix):
                if not found.key.isascii() and not _is_unicode(found.key):
                    raise BucketError("InvalidKey", f"{found.key!r} is not valid UTF-8")
                yield found
        except OSError as error:
            raise BucketError("AccessDenied", f"The objects cannot be listed: {error}") from error


def _order(key: str) -> bytes:
    """Return what sorts as the keys of a bucket do."""
    return key.encode(errors="surrogateescape")


def _is_unicode(key: str) -> bool:
    try:
        key.encode()
    except UnicodeEncodeError:
        return False
    return True


class _OpenObject:
    """An object that is being read, and the number of its next record."""

    def __init__(self, buckets: Buckets, bucket: str, key: str, form: InputForm) -> None:
        self.key = key
        self.index = 0
        self._stack = ExitStack()
        # An engine that is not closed gives no warning.
        self.close = finalize(self, self._stack.close)
        self._stream = self._stack.enter_context(buckets.open(bucket, key))
        # What is wrong with the rest of the object.
        self._fault = ""
        self._records: Records | None = None
        self._raw: Iterator[Any] = iter(())
        with self._noting_faults():
            self._records = self._stack.enter_context(opened_records(self._stream, form))
            self._raw = iter(self._records)

    @property
    def stored_bytes(self) -> int:
        """How many bytes of the object are read."""
        return self._stream.tell()

    @property
    def content_bytes(self) -> int:
        """How many bytes of its uncompressed content are read."""
        return 0 if self._records is None else self._records.content.size

    @contextmanager
    def _noting_faults(self) -> Generator[None]:
        try:
            yield
        except UnreadableObjectError as error:
            self._fault = str(error)
            self._raw = iter(())

    def skip_to(self, index: int) -> bool:
        """Skip records, but not too many at once; return whether the place is reached."""
        until = self.content_bytes + _SKIPPED_BYTES
        with self._noting_faults():
            while self.index < index and self.content_bytes < until:
                if next(self._raw, None) is None:
                    raise BucketError("NoSuchKey", f"The object {self.key} has become shorter")
                self.index += 1
        return self.index >= index or bool(self._fault)

    def read(self) -> tuple[list[SourceRecord], bool]:
        """Return the next records, and whether they are the last of the object."""
        found: list[SourceRecord] = []
        until = self.content_bytes + PAGE_BYTES
        with self._noting_faults():
            for raw in self._raw:
                record = self._parsed(raw)
                self.index += 1
                if record is not None:
                    found.append(record)
                if len(found) >= BATCH or self.content_bytes >= until:
                    return found, False
        if self._fault:
            found.append(SourceRecord(self.key, self.index, None, self._fault))
        return found, True

    def _parsed(self, raw: Any) -> SourceRecord | None:
        assert self._records is not None  # noqa: S101 - the record is one of them
        try:
            record = self._records.parse(raw)
        except ItemFormatError as error:
            return SourceRecord(self.key, self.index, None, str(error))
        return None if record is None else SourceRecord(self.key, self.index, record)
