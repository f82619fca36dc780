"""All targets agree on any functions; test_cdk.py compiles some of the same designs."""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.synth.designs.generated import generated
from tests.synth.readers import cloudformation
from tests.synth.readers.deployed_by_template import by_template
from tests.synth.readers.deployed_by_terraform import by_terraform

from sortkey.synth.stack import stack_of
from sortkey.synth.targets import TARGETS


@pytest.mark.acceptance
@settings(max_examples=10)
@given(st.randoms(use_true_random=False), st.sampled_from(["dev", "prod"]))
def test_terraform_deploys_what_the_template_deploys(random: Random, environment: str) -> None:
    stack = stack_of(generated(random), environment)

    template = cloudformation.template(TARGETS["cloudformation"](stack)["template.yaml"])
    assert by_terraform(TARGETS["terraform"](stack)) == by_template(template)


@settings(max_examples=10)
@given(st.randoms(use_true_random=False))
def test_everything_that_a_function_uses_is_deployed_with_it(random: Random) -> None:
    design = generated(random)
    made = stack_of(design, "prod").programs

    queues = {queue.name for queue in made.queues}
    for declared, function in zip(design.functions, made.functions, strict=True):
        assert function.name == f"generated-prod-{declared.name}"
        assert {f"generated-prod-{q.name}" for q in declared.queues} <= queues
        assert {f"generated-prod-{b.name}" for b in declared.buckets} <= {
            bucket.name for bucket in made.buckets
        }
        assert {one.deployed_variable for one in declared.settings} <= function.environment.keys()
        called = [
            *(route for api in made.apis for route in api.routes if route.function is function),
            *(s for s in made.schedules if s.function is function),
            *(s for s in (*made.changes, *made.messages) if s.function is function),
        ]
        assert len(called) == len(declared.triggers)
