"""Every attack, one file for each; this table is the registration."""

from benchmarks.attack.arena import Attack
from benchmarks.attack.attackers import (
    bombs,
    flipped_bits,
    full_disk,
    fuzzer,
    half_open,
    heavy,
    hostile_http,
    kills,
    lock,
    page,
    poison,
    power_cut,
    resets,
    signatures,
    slow,
    unread,
)
from benchmarks.attack.polite import Manners
from benchmarks.attack.server import FILE, FILE_TWO, MEMORY, MEMORY_TWO, Setting

_FEW = ("prlimit", "--nofile=256")
_KEYS = ("--access-key", signatures.KEYS[0], "--secret-key", signatures.KEYS[1])
# A write may wait as long as another process holds the lock, and then as long as any other.
_LOCKED_SECONDS = 3.5

ATTACKS: dict[str, Attack] = {
    "fuzzer": Attack(fuzzer.attack),
    "hostile-http": Attack(hostile_http.attack),
    "slow": Attack(slow.attack),
    "half-open": Attack(
        half_open.attack, (Setting(under=_FEW), Setting(workers=2, is_file=True, under=_FEW))
    ),
    "unread": Attack(unread.attack),
    "resets": Attack(resets.attack),
    "bombs": Attack(bombs.attack),
    "heavy": Attack(heavy.attack),
    "poison": Attack(poison.attack),
    "signatures": Attack(
        signatures.attack, (Setting(options=_KEYS),), Manners(keys=signatures.KEYS)
    ),
    "page": Attack(page.attack, (MEMORY, MEMORY_TWO)),
    "lock": Attack(lock.attack, (FILE, FILE_TWO), Manners(write_seconds=_LOCKED_SECONDS)),
    "kills": Attack(kills.attack, (FILE_TWO, FILE), Manners(is_cut_off=True)),
    "power-cut": Attack(power_cut.attack, (MEMORY,)),
    "flipped-bits": Attack(flipped_bits.attack, (MEMORY,)),
    "full-disk": Attack(full_disk.attack, (FILE, FILE_TWO), Manners(fails_writes=True), fails=True),
}
