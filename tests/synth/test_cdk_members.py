"""The stack of the CDK has its tables as members, so that other code can grant on them."""

import re

import pytest
from tests.synth.outputs import DESIGNS, output, stack

from sortkey.synth.naming import camel, snake


@pytest.mark.parametrize("design", DESIGNS)
def test_each_table_is_a_member_of_the_stack(design: str) -> None:
    typescript = output("cdk-ts", design, "prod")["lib/stack.ts"]
    python = output("cdk-py", design, "prod")["stack.py"]

    tables = [table.id for table in stack(design, "prod").tables]
    for pattern, text, spelling in (
        (r"^  readonly (\w+Table): ", typescript, camel),
        (r"^    this\.(\w+Table) = \1;", typescript, camel),
        (r"^        self\.(\w+_table) = \1$", python, snake),
    ):
        assert re.findall(pattern, text, re.MULTILINE) == [*map(spelling, tables)]
