"""The key of secret fields in CloudFormation, with its alias, and its replicas."""

from collections.abc import Iterator
from typing import Any

from sortkey.synth.cloudformation.yaml import Noted, arn, ref, sub
from sortkey.synth.model import RegionalKey, SecretKeyResource

_KEPT = {"DeletionPolicy": "Retain", "UpdateReplacePolicy": "Retain"}
# Policies of this account decide who uses the key.
_POLICY = {
    "Version": "2012-10-17",
    "Statement": [
        {
            "Effect": "Allow",
            "Principal": {"AWS": sub("arn:${AWS::Partition}:iam::${AWS::AccountId}:root")},
            "Action": "kms:*",
            "Resource": "*",
        }
    ],
}


def key_resources(key: SecretKeyResource) -> Iterator[tuple[str, Any]]:
    """Return the key and its alias."""
    properties = {
        "Description": key.description,
        "EnableKeyRotation": True,
        "KeyPolicy": _POLICY,
    } | ({"MultiRegion": True} if key.regions else {})
    yield "SecretsKey", _noted({"Type": "AWS::KMS::Key", **_KEPT, "Properties": properties})
    yield "SecretsKeyAlias", _alias(key)


def replica_key_resources(key: SecretKeyResource) -> Iterator[tuple[str, Any]]:
    """Return the replica of the key in another region, and its alias there."""
    properties = {
        "Description": key.description,
        "PrimaryKeyArn": ref("PrimaryKeyArn"),
        "KeyPolicy": _POLICY,
    }
    yield "SecretsKey", _noted({"Type": "AWS::KMS::ReplicaKey", **_KEPT, "Properties": properties})
    yield "SecretsKeyAlias", _alias(key)


def _noted(resource: dict[str, Any]) -> Noted:
    return Noted("Retained when the stack is deleted: without it no secret can be read.", resource)


def _alias(key: SecretKeyResource) -> dict[str, Any]:
    properties = {"AliasName": key.alias, "TargetKeyId": arn("SecretsKey")}
    return {"Type": "AWS::KMS::Alias", **_KEPT, "Properties": properties}


def key_arn(place: RegionalKey) -> Any:
    """Return the ARN of the key, or of its replica in a region, which has the same id."""
    if place.region is None:
        return arn("SecretsKey")
    start = f"arn:${{AWS::Partition}}:kms:{place.region}:${{AWS::AccountId}}:key/"
    return sub(f"{start}${{SecretsKey}}")
