"""The machine that runs the functions: a Python and an architecture, as AWS Lambda has them."""

from dataclasses import dataclass
from functools import cached_property

from packaging.markers import default_environment
from packaging.tags import Tag, compatible_tags, cpython_tags

from sortkey.design.declaring.functions import ARCHITECTURE, RUNTIME

# The runtimes of Lambda that sortkey runs on, with the C library (glibc 2.x) of their system:
# Amazon Linux 2023, and Amazon Linux 2 before it.
_GLIBC = {"3.11": 26, "3.12": 34, "3.13": 34, "3.14": 34}
_MACHINES = {"x86_64": "x86_64", "arm64": "aarch64"}
# Names of platforms from before they were named after the C library.
_OLDER = {17: "manylinux2014", 12: "manylinux2010", 5: "manylinux1"}
_OLDEST = {"x86_64": 5, "aarch64": 17}

PYTHONS = tuple(_GLIBC)
ARCHITECTURES = tuple(_MACHINES)


@dataclass(frozen=True)
class LambdaTarget:
    """A Python and an architecture of AWS Lambda."""

    python: str = RUNTIME.removeprefix("python")
    architecture: str = ARCHITECTURE

    def __str__(self) -> str:
        return f"Python {self.python} on {self.architecture}"

    @property
    def runtime(self) -> str:
        """The name of the runtime in templates: ``python3.13``."""
        return f"python{self.python}"

    @property
    def machine(self) -> str:
        """The architecture as Linux names it."""
        return _MACHINES[self.architecture]

    def machine_is(self, system: str, machine: str) -> bool:
        """Return whether programs for the target run on a machine."""
        return (system, machine) == ("Linux", self.machine)

    @property
    def version(self) -> tuple[int, int]:
        """The version of Python."""
        major, minor = self.python.split(".")
        return int(major), int(minor)

    @cached_property
    def platforms(self) -> tuple[str, ...]:
        """The platforms whose wheels run there, the best first."""
        names: list[str] = []
        for minor in range(_GLIBC[self.python], _OLDEST[self.machine] - 1, -1):
            names.append(f"manylinux_2_{minor}_{self.machine}")
            if minor in _OLDER:
                names.append(f"{_OLDER[minor]}_{self.machine}")
        return tuple(names)

    @cached_property
    def tags(self) -> frozenset[Tag]:
        """The tags of the wheels that run there."""
        interpreter = f"cp{self.python.replace('.', '')}"
        return frozenset(
            (
                *cpython_tags(self.version, platforms=self.platforms),
                *compatible_tags(self.version, interpreter, self.platforms),
            )
        )

    @cached_property
    def markers(self) -> dict[str, str]:
        """The values of the variables that requirements may depend on."""
        here = {name: str(value) for name, value in default_environment().items()}
        return here | {
            "implementation_name": "cpython",
            "implementation_version": f"{self.python}.0",
            "os_name": "posix",
            "platform_machine": self.machine,
            "platform_python_implementation": "CPython",
            "platform_release": "",
            "platform_system": "Linux",
            "platform_version": "",
            "python_full_version": f"{self.python}.0",
            "python_version": self.python,
            "sys_platform": "linux",
        }
