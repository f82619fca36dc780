"""The guide of `sortkey run` shows what is printed when its application starts."""

import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

GUIDE = (Path(__file__).parents[2] / "docs/guides/run.md").read_text()


def numbered(text: str) -> list[str]:
    """Return lines without ports and times."""
    plain = re.sub(r"127\.0\.0\.1:\d+", "127.0.0.1:PORT", text)
    plain = re.sub(r"next \d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2} UTC", "next TIME", plain)
    return [line.rstrip() for line in plain.splitlines()]


@pytest.mark.acceptance
def test_the_guide_shows_what_a_run_prints(tmp_path: Path) -> None:
    for body in re.findall(r"```python\n(.*?)```", GUIDE, re.DOTALL):
        name = body.partition("\n")[0].removeprefix("# ")
        (tmp_path / name).write_text(body)
    found = re.search(r"```text\n(notes runs on .*?Stop with Ctrl-C\.)", GUIDE, re.DOTALL)
    assert found
    shown = numbered(found[1])

    command = [sys.executable, "-m", "sortkey", "run", "notes.py", "--port", "0"]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        printed: list[str] = []
        while not printed or not printed[-1].startswith("Stop with"):
            line = process.stdout.readline()
            assert line, printed
            printed.append(line)
        # The rest of its output is not read.
        process.send_signal(signal.SIGTERM)

    assert numbered("".join(printed)) == shown
    assert process.returncode == 0
