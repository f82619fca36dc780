"""The resources that any template of CloudFormation deploys."""

import json
from collections.abc import Mapping

from tests.synth.readers.deployed import Deployed, Json
from tests.synth.readers.programs_by_template import programs_by_template
from tests.synth.readers.templates import outputs_of, resolved, widgets_in

_HERE = "eu-central-1"


def by_template(template: Mapping[str, Json]) -> Deployed:
    """Return the resources that CloudFormation would deploy."""
    made = list(resolved(template))
    found = Deployed(outputs=outputs_of(template), programs=programs_by_template(template, made))
    targets = {name: body["Properties"] for kind, name, body in made if kind.endswith("Target")}
    for kind, name, body in made:
        said = body["Properties"]
        kept = body["DeletionPolicy"] == "Retain"
        match kind.rpartition("::")[2]:
            case "Table":
                found.settings[name] = _settings(said, said, {}, kept=kept)
            case "GlobalTable":
                here, *others = sorted(said["Replicas"], key=lambda r: r["Region"] != _HERE)
                replicas = {other["Region"]: _key(said, other) for other in others}
                found.settings[name] = _settings(said, here, replicas, kept=kept)
                found.scalings |= _scalings_within(name, said)
            case "ScalingPolicy":
                target = targets[said["ScalingTargetId"]]
                found.scalings[target["ResourceId"], target["ScalableDimension"]] = (
                    *(target["MinCapacity"], target["MaxCapacity"]),
                    said["TargetTrackingScalingPolicyConfiguration"]["TargetValue"],
                )
            case "ManagedPolicy":
                found.attached |= {name: _many(said["Roles"])} if "Roles" in said else {}
                found.policies[name] = [_statement(s) for s in said["PolicyDocument"]["Statement"]]
            case "Parameter":
                found.parameters[name] = (said["Description"], said["Value"])
            case "Topic":
                found.topics.add(name)
            case "Alarm":
                found.alarms[name] = _alarm(said)
            case "Alias":
                [key] = [
                    (kind.rpartition("::")[2], each)
                    for kind, own, each in made
                    if f"{own}.Arn" == said["TargetKeyId"] and "KMS" in kind
                ]
                found.keys[name] = (kept, *_encryption_key(*key))
            case "BackupVault":
                found.vaults[name] = kept
            case "BackupPlan":
                plan = said["BackupPlan"]
                [rule] = plan["BackupPlanRule"]
                found.backups[plan["BackupPlanName"]] = (
                    *(rule["TargetBackupVault"].partition(".")[0], rule["ScheduleExpression"]),
                    rule["Lifecycle"]["DeleteAfterDays"],
                    [
                        (copy["DestinationBackupVaultArn"], copy["Lifecycle"]["DeleteAfterDays"])
                        for copy in rule.get("CopyActions", ())
                    ],
                )
            case "BackupSelection":
                chosen = said["BackupSelection"]
                found.backed_up[chosen["SelectionName"]] = _many(chosen["Resources"])
            case "Dashboard":
                found.dashboards[name] = widgets_in(json.loads(said["DashboardBody"]))
            case "Role" if "RoleName" not in said:
                trusted = said["AssumeRolePolicyDocument"]["Statement"]
                role = (trusted, _many(said["ManagedPolicyArns"]))
                # CDK makes one for each plan of backups.
                found.roles += [role] if role not in found.roles else []
            case _:
                pass
    return found


def _encryption_key(kind: str, body: Mapping[str, Json]) -> Json:
    said = body["Properties"]
    [granted] = said["KeyPolicy"]["Statement"]
    assert granted["Principal"] == {"AWS": "arn:aws:iam::123456789012:root"}
    how = (said.get("EnableKeyRotation", False), said.get("MultiRegion", False))
    return kind, said["Description"], how, body["DeletionPolicy"] == "Retain"


def _settings(
    table: Mapping[str, Json], place: Mapping[str, Json], replicas: Json, *, kept: bool
) -> Json:
    recovery = place["PointInTimeRecoverySpecification"]
    ceilings = table.get("OnDemandThroughput", {})
    reads = place.get("ReadOnDemandThroughputSettings", ceilings)
    writes = table.get("WriteOnDemandThroughputSettings", ceilings)
    return {
        "recovery": recovery["PointInTimeRecoveryEnabled"] and recovery["RecoveryPeriodInDays"],
        "key": _key(table, place),
        "protected": place.get("DeletionProtectionEnabled", False),
        "class": place.get("TableClass", "STANDARD"),
        "tags": {tag["Key"]: tag["Value"] for tag in place.get("Tags", ())},
        "ceilings": (reads.get("MaxReadRequestUnits"), writes.get("MaxWriteRequestUnits")),
        "replicas": replicas,
        "kept": kept,
    }


def _key(table: Mapping[str, Json], place: Mapping[str, Json]) -> str | None:
    if not table.get("SSESpecification", {}).get("SSEEnabled"):
        return None
    return place.get("SSESpecification", {}).get("KMSMasterKeyId", "aws-managed")


def _scalings_within(name: str, table: Mapping[str, Json]) -> dict[tuple[str, str], Json]:
    places = [("table", "", table)]
    indexes = table.get("GlobalSecondaryIndexes", ())
    places += [("index", f"/index/{index['IndexName']}", index) for index in indexes]
    found: dict[tuple[str, str], Json] = {}
    for kind, path, place in places:
        written = place.get("WriteProvisionedThroughputSettings", {})
        if scaling := written.get("WriteCapacityAutoScalingSettings"):
            target = scaling["TargetTrackingScalingPolicyConfiguration"]["TargetValue"]
            least, most = scaling["MinCapacity"], scaling["MaxCapacity"]
            found[f"table/{name}{path}", f"dynamodb:{kind}:WriteCapacityUnits"] = (
                *(least, most, target),
            )
    return found


def _statement(said: Mapping[str, Json]) -> Json:
    conditions = {
        (operator, key): _many(values)
        for operator, keys in said.get("Condition", {}).items()
        for key, values in keys.items()
    }
    return said["Sid"], _many(said["Action"]), _many(said["Resource"]), conditions


def _alarm(said: Mapping[str, Json]) -> Json:
    queries = {query.get("Id"): query for query in said.get("Metrics", ())}
    metrics = [_metric(q["MetricStat"]) for q in queries.values() if "MetricStat" in q]
    expression = [query["Expression"] for query in queries.values() if "Expression" in query]
    if not queries:
        metrics = [_metric({"Metric": said, "Stat": said["Statistic"], "Period": said["Period"]})]
    rest = ("AlarmDescription", "EvaluationPeriods", "Threshold", "ComparisonOperator")
    asked = *(said[name] for name in rest), said["TreatMissingData"], _many(said["AlarmActions"])
    return asked, metrics, expression


def _metric(said: Mapping[str, Json]) -> Json:
    metric = said["Metric"]
    dimensions = {d["Name"]: d["Value"] for d in metric.get("Dimensions", ())}
    return metric["Namespace"], metric["MetricName"], dimensions, said["Stat"], said["Period"]


def _many(values: Json) -> list[str]:
    return [values] if isinstance(values, str) else list(values)
