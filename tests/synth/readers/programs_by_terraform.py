"""What runs of a stack that a folder of Terraform deploys."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping

from tests.synth.readers.programs import DeployedPrograms, Json, ordered, rules_of

Bodies = Callable[[str], Iterator[tuple[str, Mapping[str, Json]]]]
_BLOCKED = {
    "block_public_acls": "BlockPublicAcls",
    "block_public_policy": "BlockPublicPolicy",
    "ignore_public_acls": "IgnorePublicAcls",
    "restrict_public_buckets": "RestrictPublicBuckets",
}


def programs_by_terraform(
    variables: Mapping[str, Mapping[str, Json]], bodies: Bodies, encoded: Callable[[str], Json]
) -> DeployedPrograms:
    """Return what runs of resolved resources by their kinds; ``encoded`` reads ``jsonencode``."""
    return _Reader(variables, bodies, encoded).found()


class _Reader:
    """Reads resources whose references are resolved."""

    def __init__(
        self,
        variables: Mapping[str, Mapping[str, Json]],
        bodies: Bodies,
        encoded: Callable[[str], Json],
    ) -> None:
        self._variables = variables
        self._bodies = bodies
        self._encoded = encoded

    def _all(self, kind: str) -> list[Mapping[str, Json]]:
        return [body for _, body in self._bodies(kind)]

    def found(self) -> DeployedPrograms:
        """Everything that is compared."""
        return DeployedPrograms(
            settings={
                setting_id(name): (body["description"], body.get("default"), "validation" in body)
                for name, body in self._variables.items()
                if name not in {"region", "code"}
            },
            functions={b["function_name"]: _function(b) for b in self._all("aws_lambda_function")},
            roles=dict(self._roles()),
            permissions=ordered(
                (f"{b['function_name']}.Arn", b["action"], b["principal"], b["source_arn"])
                for b in self._all("aws_lambda_permission")
            ),
            retries={
                body["function_name"]: (
                    *(body["maximum_retry_attempts"], body["maximum_event_age_in_seconds"]),
                    body["destination_config"][0]["on_failure"][0]["destination"],
                )
                for body in self._all("aws_lambda_function_event_invoke_config")
            },
            logs={
                body["name"]: (body["retention_in_days"], body.get("skip_destroy", False))
                for body in self._all("aws_cloudwatch_log_group")
            },
            queues={body["name"]: self._queue(body) for body in self._all("aws_sqs_queue")},
            buckets=dict(self._buckets()),
            guards={
                body[named]: rules_of(self._encoded(body["policy"])["Statement"])
                for kind, named in (
                    ("aws_sqs_queue_policy", "queue_url"),
                    ("aws_s3_bucket_policy", "bucket"),
                )
                for body in self._all(kind)
            },
            rules=dict(self._rules()),
            sources=ordered(map(self._source, self._all("aws_lambda_event_source_mapping"))),
            apis={body["name"]: _api(body) for body in self._all("aws_apigatewayv2_api")},
            stages={
                body["api_id"]: self._stage(body) for body in self._all("aws_apigatewayv2_stage")
            },
            authorizers={
                body["name"]: _authorizer(body) for body in self._all("aws_apigatewayv2_authorizer")
            },
            routes=dict(self._routes()),
        )

    def _roles(self) -> Iterator[tuple[str, Json]]:
        documents = dict(self._bodies("aws_iam_policy_document"))
        own = {body["role"]: body for body in self._all("aws_iam_role_policy")}
        for body in self._all("aws_iam_role"):
            name = body["name"]
            if name not in own:
                continue
            [document] = [
                each
                for key, each in documents.items()
                if own[name]["policy"] == f"${{data.aws_iam_policy_document.{key}.json}}"
            ]
            trusted = self._encoded(body["assume_role_policy"])["Statement"]
            attached = [
                each["policy_arn"]
                for each in self._all("aws_iam_role_policy_attachment")
                if each["role"] == name
            ]
            statements = rules_of(map(_statement, document["statement"]))
            yield name, (rules_of(s | {"Resource": "*"} for s in trusted), attached, statements)

    def _queue(self, body: Mapping[str, Json]) -> Json:
        encoded = body.get("redrive_policy", "${jsonencode({})}")
        redrive: Json = self._encoded(encoded)
        return (
            *(body.get("visibility_timeout_seconds"), body["message_retention_seconds"]),
            body["sqs_managed_sse_enabled"],
            (redrive.get("deadLetterTargetArn"), redrive.get("maxReceiveCount")),
        )

    def _buckets(self) -> Iterator[tuple[str, Json]]:
        blocks = {b["bucket"]: b for b in self._all("aws_s3_bucket_public_access_block")}
        encryptions = {
            body["bucket"]: body
            for body in self._all("aws_s3_bucket_server_side_encryption_configuration")
        }
        lifecycles = {b["bucket"]: b for b in self._all("aws_s3_bucket_lifecycle_configuration")}
        for body in self._all("aws_s3_bucket"):
            name = body["bucket"]
            [encrypted] = encryptions[name]["rule"]
            [default] = encrypted["apply_server_side_encryption_by_default"]
            [kept] = body.get("lifecycle", [{}])
            assert kept.get("prevent_destroy", False) is not body.get("force_destroy", False)
            yield (
                name,
                (
                    default["sse_algorithm"],
                    sorted(_BLOCKED[n] for n, value in blocks[name].items() if value is True),
                    [
                        (rule["id"], rule["status"], rule["expiration"][0]["days"])
                        for rule in lifecycles.get(name, {}).get("rule", ())
                    ],
                    kept.get("prevent_destroy", False),
                ),
            )

    def _rules(self) -> Iterator[tuple[str, Json]]:
        targets = {body["rule"]: body for body in self._all("aws_cloudwatch_event_target")}
        for body in self._all("aws_cloudwatch_event_rule"):
            target = targets[body["name"]]
            [retried], [letters] = target["retry_policy"], target["dead_letter_config"]
            yield (
                body["name"],
                (
                    *(body["description"], body["schedule_expression"], body["state"]),
                    target["arn"],
                    *(retried["maximum_retry_attempts"], retried["maximum_event_age_in_seconds"]),
                    letters["arn"],
                ),
            )

    def _routes(self) -> Iterator[tuple[tuple[str, str], Json]]:
        integrations = {
            (body["api_id"], body["integration_uri"]): body
            for body in self._all("aws_apigatewayv2_integration")
        }
        for body in self._all("aws_apigatewayv2_route"):
            function = body["target"].removeprefix("integrations/")
            used = integrations[body["api_id"], function]
            yield (
                (body["api_id"], body["route_key"]),
                (
                    *(used["integration_type"], function, used["payload_format_version"]),
                    *(body["authorization_type"], body.get("authorizer_id")),
                ),
            )

    def _source(self, body: Mapping[str, Json]) -> Json:
        [[failed]] = [each["on_failure"] for each in body.get("destination_config", ())] or [[{}]]
        filters: Iterable[Mapping[str, Json]] = [
            one for each in body.get("filter_criteria", ()) for one in each["filter"]
        ]
        return (
            body["function_name"].removesuffix(".Arn"),
            *(body["event_source_arn"], body.get("starting_position"), body["batch_size"]),
            body.get("maximum_batching_window_in_seconds"),
            [self._text(one["pattern"]) for one in filters],
            body["function_response_types"],
            *(body.get("bisect_batch_on_function_error"), body.get("maximum_retry_attempts")),
            failed.get("destination_arn"),
        )

    def _stage(self, body: Mapping[str, Json]) -> Json:
        [logged] = body["access_log_settings"]
        return (
            body["name"],
            body["auto_deploy"],
            logged["destination_arn"],
            self._text(logged["format"]),
        )

    def _text(self, expression: str) -> str:
        """The JSON that an expression encodes, laid out as in a template."""
        return json.dumps(self._encoded(expression))


def setting_id(variable: str) -> str:
    """The name of the parameter that a variable is in a template."""
    return "".join(word.capitalize() for word in variable.split("_"))


def _statement(said: Mapping[str, Json]) -> dict[str, Json]:
    condition: dict[str, Json] = {}
    for asked in said.get("condition", ()):
        [value] = asked["values"]
        condition.setdefault(asked["test"], {})[asked["variable"]] = value
    return {
        "Effect": "Allow",
        "Action": said["actions"],
        # A template's reference to the ARN of a log group ends in this.
        "Resource": [resource.removesuffix(":*") for resource in said["resources"]],
        "Condition": condition,
    }


def _function(body: Mapping[str, Json]) -> Json:
    [traced], [logged], [known] = (
        body["tracing_config"],
        body["logging_config"],
        body["environment"],
    )
    assert body["filename"] == "Code"
    assert body["source_code_hash"] == "${filebase64sha256(var.code)}"
    return {
        "runs": (body["runtime"], body["architectures"], body["handler"]),
        "described": body["description"],
        "limits": (
            *(body["memory_size"], body["timeout"]),
            body.get("reserved_concurrent_executions"),
        ),
        "role": body["role"],
        "traced": traced["mode"],
        "logs": logged["log_group"],
        "variables": known["variables"],
    }


def _api(body: Mapping[str, Json]) -> Json:
    [cors] = body.get("cors_configuration", [{}])
    lists = [list(cors.get(f"allow_{what}", ())) for what in ("origins", "methods", "headers")]
    return body["protocol_type"], lists, cors.get("max_age")


def _authorizer(body: Mapping[str, Json]) -> Json:
    [verified] = body["jwt_configuration"]
    return (
        *(body["api_id"], body["authorizer_type"], body["identity_sources"]),
        *(verified["issuer"], verified["audience"]),
    )
