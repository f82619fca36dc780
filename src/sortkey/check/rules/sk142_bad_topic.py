"""SK142 bad-topic: alarms notify something other than an SNS topic."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import ERROR, Finding, rule


@rule("SK142", "bad-topic", ERROR)
def bad_topic(model: Model) -> Iterator[Finding]:
    """Alarms notify something other than an SNS topic.

    CloudWatch accepts only ARNs as the actions of an alarm, so an e-mail address fails when the
    alarm is deployed. Name an existing topic by its ARN. Without `notify`, a topic is created with
    the tables: subscribe your address to it.

    Flagged:
        class Orders(Table, settings=Settings(alarms=Alarms(notify="desk@example.org"))):
            pass

    Instead:
        class Orders(Table, settings=Settings(alarms=Alarms(
            notify="arn:aws:sns:eu-west-1:123456789012:desk",
        ))):
            pass
    """
    return model.collected("SK142")
