"""The context of a call, as AWS Lambda passes it to a handler."""

import time
from dataclasses import dataclass

REGION = "us-east-1"
ACCOUNT = "000000000000"


@dataclass(frozen=True, slots=True)
class FunctionContext:
    """What a handler can learn of its call; ``deadline`` is by the machine's clock."""

    aws_request_id: str
    function_name: str
    memory_limit_in_mb: int
    deadline: float
    function_version: str = "$LATEST"
    log_stream_name: str = "sortkey-run"
    client_context: None = None
    identity: None = None

    @property
    def invoked_function_arn(self) -> str:
        """The ARN of the function."""
        return f"arn:aws:lambda:{REGION}:{ACCOUNT}:function:{self.function_name}"

    @property
    def log_group_name(self) -> str:
        """The log group of the function."""
        return f"/aws/lambda/{self.function_name}"

    def get_remaining_time_in_millis(self) -> int:
        """Return how long the call may still take."""
        return max(0, int((self.deadline - time.time()) * 1000))
