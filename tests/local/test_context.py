"""The context of a call has what AWS Lambda passes to a handler."""

import time

from sortkey.local.context import FunctionContext


def test_a_context_knows_its_function_and_its_time() -> None:
    context = FunctionContext("r1", "notes-dev-read", 256, time.time() + 5)

    assert context.aws_request_id == "r1"
    assert context.memory_limit_in_mb == 256
    assert context.function_version == "$LATEST"
    assert context.invoked_function_arn.endswith(":function:notes-dev-read")
    assert context.log_group_name == "/aws/lambda/notes-dev-read"
    assert 0 < context.get_remaining_time_in_millis() <= 5000
    assert FunctionContext("r", "f", 1, 0.0).get_remaining_time_in_millis() == 0
