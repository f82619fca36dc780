"""Which test runs which lines is known, also after an error was thrown into a generator."""

from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from textwrap import dedent

from tests.mutation.lines import NO_TEST, Lines

CODE = """\
    from contextlib import contextmanager

    @contextmanager
    def held():
        yield

    def refused():
        try:
            with held():
                raise ValueError
        except ValueError as error:
            told = str(error)
            return told

    def other():
        return 1
    """


def test_a_handler_is_run_by_the_test_whose_error_it_handles(tmp_path: Path) -> None:
    file = tmp_path / "code.py"
    file.write_text(dedent(CODE))
    spec = spec_from_file_location("code_with_a_handler", file)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    lines = Lines(tmp_path)

    lines.start()
    spec.loader.exec_module(module)
    lines.switch_to("refusing")
    module.refused()
    lines.switch_to("another")
    module.other()
    lines.stop()

    run = lines.run[str(file)]
    assert run[1] == {NO_TEST}
    assert run[12] == run[13] == {"refusing"}
    assert run[16] == {"another"}
