"""The templates, held against CloudFormation's linter, which knows its schemas."""

from pathlib import Path

import pytest
from tests.synth.outputs import DESIGNS, GENERATED, output
from tests.synth.tools import CFN_LINT, needs, run

pytestmark = [pytest.mark.acceptance, needs(CFN_LINT)]


def lint(*paths: Path) -> str:
    return run(CFN_LINT / "bin/cfn-lint", *paths)


def test_cfn_lint_has_nothing_to_say_about_the_templates(tmp_path: Path) -> None:
    for design in (*DESIGNS, *GENERATED):
        for environment in ("dev", "prod"):
            for name, text in output("cloudformation", design, environment).items():
                (tmp_path / f"{design}-{environment}-{name}").write_text(text)

    # All at once: it starts for longer than it lints.
    assert lint(*tmp_path.iterdir()) == ""


def test_cfn_lint_would_have_something_to_say(tmp_path: Path) -> None:
    path = tmp_path / "template.yaml"
    text = output("cloudformation", "everything", "prod")["template.yaml"]
    path.write_text(text.replace("KeyType: RANGE", "KeyType: SORT", 1))

    with pytest.raises(AssertionError, match="SORT"):
        lint(path)
