"""The resources that a folder of Terraform deploys."""

import re
from collections.abc import Iterator, Mapping
from typing import cast

from tests.synth.readers import terraform
from tests.synth.readers.deployed import Deployed, Json
from tests.synth.readers.programs_by_terraform import programs_by_terraform, setting_id
from tests.synth.readers.templates import widgets_in

_REFERENCE = re.compile(r"\$\{((?:data\.)?aws_\w+|var)\.(\w+)(?:\.(\w+))?\}")
# The argument with the name of what runs, and of what it uses.
_NAMED = {
    "aws_apigatewayv2_api": "name",
    "aws_apigatewayv2_authorizer": "name",
    "aws_apigatewayv2_integration": "",
    "aws_cloudwatch_event_rule": "name",
    "aws_cloudwatch_log_group": "name",
    "aws_iam_role": "name",
    "aws_lambda_function": "function_name",
    "aws_s3_bucket": "bucket",
    "aws_sqs_queue": "name",
}
_ATTRIBUTES = {"arn": "Arn", "stream_arn": "StreamArn", "api_endpoint": "ApiEndpoint"}
_KNOWN = {"partition": "aws", "account_id": "123456789012", "region": "eu-central-1"}


def by_terraform(files: Mapping[str, str], region: str | None = None) -> Deployed:
    """Return the resources that Terraform would deploy, here or in another region."""
    return _Folder(files, region).deployed()


class _Folder:
    """A folder of Terraform, with texts in place of references."""

    def __init__(self, files: Mapping[str, str], region: str | None) -> None:
        provider = None if region is None else f"${{aws.{region.replace('-', '_')}}}"
        read = [terraform.read(text) for text in files.values()]
        everything = [
            (kind, name, body)
            for parsed in read
            for section in ("resource", "data")
            for one in parsed.get(section, ())
            for kind, named in one.items()
            for name, body in named.items()
        ]
        self._outputs = [
            body
            for parsed in read
            for one in (() if region else parsed.get("output", ()))
            for body in one.values()
        ]
        self._variables = {
            name: body
            for parsed in read
            for one in (() if region else parsed.get("variable", ()))
            for name, body in one.items()
        }
        self._bodies = {(kind, name): body for kind, name, body in everything}
        self._made = [one for one in everything if one[2].get("provider") == provider]

    def _all(self, kind: str) -> Iterator[tuple[str, Mapping[str, Json]]]:
        for found, name, body in self._made:
            if found == kind:
                yield name, self._resolved(body)

    def _resolved(self, value: Json) -> Json:
        if isinstance(value, str):
            return _REFERENCE.sub(self._referred, value)
        if isinstance(value, dict):
            members = cast("dict[str, Json]", value)
            return {name: self._resolved(member) for name, member in members.items()}
        if isinstance(value, list):
            return [self._resolved(item) for item in cast("list[Json]", value)]
        return value

    def _referred(self, found: re.Match[str]) -> str:
        kind, name, attribute = found.groups()
        if kind == "var":
            return _KNOWN.get(name) or setting_id(name)
        if kind.startswith("data."):
            return _KNOWN.get(attribute, found[0])
        if attribute is None:
            return f"{kind}.{name}"
        body = self._bodies[kind, name]
        if kind in _NAMED:
            return self._of_program(kind, body, attribute)
        if kind == "aws_dynamodb_table" and attribute in {"arn", "stream_arn"}:
            return f"{body['name']}.{_ATTRIBUTES[attribute]}"
        if kind in {"aws_kms_key", "aws_kms_replica_key"}:
            return f"{body['description']}{'.Arn' if attribute == 'arn' else ''}"
        if kind == "aws_backup_vault" and attribute == "arn" and "provider" in body:
            region = body["provider"].removeprefix("${aws.").removesuffix("}").replace("_", "-")
            return f"arn:aws:backup:{region}:{_KNOWN['account_id']}:backup-vault:{body['name']}"
        named = {"arn": "name", "id": "name"}.get(attribute, attribute)
        return str(self._resolved(body[named]))

    def _of_program(self, kind: str, body: Mapping[str, Json], attribute: str) -> str:
        """What a template calls a function, or what it uses."""
        if kind == "aws_apigatewayv2_integration":
            return str(self._resolved(body["integration_uri"]))
        own = str(self._resolved(body[_NAMED[kind]]))
        if attribute == "execution_arn":
            return f"arn:aws:execute-api:{_KNOWN['region']}:{_KNOWN['account_id']}:{own}"
        return f"{own}.{_ATTRIBUTES[attribute]}" if attribute in _ATTRIBUTES else own

    def deployed(self) -> Deployed:
        """Everything that is compared."""
        return Deployed(
            settings={body["name"]: _declared(body) for _, body in self._all("aws_dynamodb_table")},
            scalings=dict(self._scalings()),
            policies=dict(self._policies()),
            attached={
                attachment["policy_arn"].removesuffix(".Arn"): [attachment["role"]]
                for _, attachment in self._all("aws_iam_role_policy_attachment")
                if attachment["role"] not in self._role_names()
            },
            parameters={
                body["name"]: (body["description"], body["value"])
                for _, body in self._all("aws_ssm_parameter")
            },
            topics={body["name"] for _, body in self._all("aws_sns_topic")},
            alarms={
                body["alarm_name"]: _alarm_of(body)
                for _, body in self._all("aws_cloudwatch_metric_alarm")
            },
            backups={body["name"]: _plan(body) for _, body in self._all("aws_backup_plan")},
            backed_up={
                body["name"]: body["resources"] for _, body in self._all("aws_backup_selection")
            },
            vaults={body["name"]: _is_kept(body) for _, body in self._all("aws_backup_vault")},
            keys=dict(self._keys()),
            dashboards={
                body["dashboard_name"]: widgets_in(self._encoded(body["dashboard_body"]))
                for _, body in self._all("aws_cloudwatch_dashboard")
            },
            outputs={
                output["description"]: self._resolved(output["value"]) for output in self._outputs
            },
            roles=[
                (self._encoded(role["assume_role_policy"])["Statement"], self._attached(name))
                for name, role in self._all("aws_iam_role")
                if name == "backups"
            ],
            programs=programs_by_terraform(self._variables, self._all, self._encoded),
        )

    def _role_names(self) -> set[str]:
        return {body["name"] for _, body in self._made_of("aws_iam_role")}

    def _encoded(self, expression: str) -> Json:
        """Return the value that an expression of the form ``jsonencode(...)`` encodes."""
        value = expression.removeprefix("${jsonencode(").removesuffix(")}")
        return self._resolved(terraform.read(f"value = {value}\n")["value"])

    def _attached(self, role: str) -> list[str]:
        attachments = self._made_of("aws_iam_role_policy_attachment")
        own = f"${{aws_iam_role.{role}.name}}"
        return [self._resolved(a["policy_arn"]) for _, a in attachments if a["role"] == own]

    def _keys(self) -> Iterator[tuple[str, Json]]:
        for name, alias in self._all("aws_kms_alias"):
            for kind, what in (("aws_kms_key", "Key"), ("aws_kms_replica_key", "ReplicaKey")):
                for own, key in self._all(kind):
                    if own == name:
                        how = (
                            key.get("enable_key_rotation", False),
                            key.get("multi_region", False),
                        )
                        assert alias["target_key_id"] == f"{key['description']}.Arn"
                        said = (what, key["description"], how, _is_kept(key))
                        yield alias["name"], (_is_kept(alias), *said)

    def _scalings(self) -> Iterator[tuple[tuple[str, str], Json]]:
        targets = dict(self._all("aws_appautoscaling_target"))
        for name, policy in self._all("aws_appautoscaling_policy"):
            [tracking] = policy["target_tracking_scaling_policy_configuration"]
            target = targets[name]
            yield (
                (policy["resource_id"], policy["scalable_dimension"]),
                (target["min_capacity"], target["max_capacity"], tracking["target_value"]),
            )

    def _policies(self) -> Iterator[tuple[str, Json]]:
        documents = dict(self._all("aws_iam_policy_document"))
        for name, policy in self._made_of("aws_iam_policy"):
            assert policy["policy"] == f"${{data.aws_iam_policy_document.{name}.json}}"
            yield policy["name"], [_statement_of(s) for s in documents[name]["statement"]]

    def _made_of(self, kind: str) -> Iterator[tuple[str, Mapping[str, Json]]]:
        return ((name, body) for found, name, body in self._made if found == kind)


def _declared(table: Mapping[str, Json]) -> Json:
    [recovery] = table["point_in_time_recovery"]
    [ceilings] = table.get("on_demand_throughput", [{}])
    [encryption] = table.get("server_side_encryption", [{}])
    most = (ceilings.get("max_read_request_units"), ceilings.get("max_write_request_units"))
    own = encryption.get("kms_key_arn")
    return {
        "recovery": recovery["enabled"] and recovery["recovery_period_in_days"],
        "key": own or ("aws-managed" if encryption.get("enabled") else None),
        "protected": table.get("deletion_protection_enabled", False),
        "class": table["table_class"],
        "tags": table.get("tags", {}),
        "ceilings": most,
        "replicas": {
            replica["region_name"]: replica.get("kms_key_arn")
            or ("aws-managed" if encryption.get("enabled") else None)
            for replica in table.get("replica", ())
        },
        "kept": _is_kept(table),
    }


def _is_kept(body: Mapping[str, Json]) -> bool:
    [lifecycle] = body.get("lifecycle", [{}])
    return bool(lifecycle.get("prevent_destroy", False))


def _statement_of(said: Mapping[str, Json]) -> Json:
    conditions = {(c["test"], c["variable"]): c["values"] for c in said.get("condition", ())}
    return said["sid"], said["actions"], said["resources"], conditions


def _alarm_of(said: Mapping[str, Json]) -> Json:
    queries = said.get("metric_query", ())
    metrics = [_metric_of(metric) for query in queries for metric in query.get("metric", ())]
    if not queries:
        metrics = [_metric_of({**said, "stat": said["statistic"]})]
    rest = ("alarm_description", "evaluation_periods", "threshold", "comparison_operator")
    asked = *(said[name] for name in rest), said["treat_missing_data"], said["alarm_actions"]
    return asked, metrics, [query["expression"] for query in queries if "expression" in query]


def _metric_of(said: Mapping[str, Json]) -> Json:
    names = ("namespace", "metric_name")
    return *(said[n] for n in names), said.get("dimensions", {}), said["stat"], said["period"]


def _plan(body: Mapping[str, Json]) -> Json:
    [rule] = body["rule"]
    return (
        *(rule["target_vault_name"], rule["schedule"], _days(rule)),
        [(copy["destination_vault_arn"], _days(copy)) for copy in rule.get("copy_action", ())],
    )


def _days(body: Mapping[str, Json]) -> int:
    [lifecycle] = body["lifecycle"]
    return int(lifecycle["delete_after"])
