"""The key of secret fields in CDK, with its alias, and its replicas."""

from collections.abc import Iterator

from sortkey.design.plans.notation import present
from sortkey.synth.cdk.program import (
    Joined,
    LibraryConstant,
    New,
    ProgramStep,
    PropertyAccess,
    Value,
    Variable,
)
from sortkey.synth.model import RegionalKey, SecretKeyResource

_KEY, _ALIAS = Variable("SecretsKey"), Variable("SecretsKeyAlias")
_KEPT = LibraryConstant("cdk.RemovalPolicy.RETAIN")
_PARTITION, _ACCOUNT = PropertyAccess(None, "partition"), PropertyAccess(None, "account")
_NOTE = "Retained when the stack is deleted: without it no secret can be read."


def key_steps(key: SecretKeyResource) -> Iterator[ProgramStep]:
    """Yield the steps of the key and its alias."""
    made = {
        "description": key.description,
        "enableKeyRotation": True,
        "multiRegion": True if key.regions else None,
        "removalPolicy": _KEPT,
    }
    yield ProgramStep(New("kms.Key", present(made), _KEY.id), _KEY, _NOTE)
    alias = {"aliasName": key.alias, "targetKey": _KEY, "removalPolicy": _KEPT}
    yield ProgramStep(New("kms.Alias", alias, _ALIAS.id))


def replica_key_steps(key: SecretKeyResource) -> Iterator[ProgramStep]:
    """Yield the steps of the key's replica in another region, and of its alias there."""
    primary = Variable("PrimaryKeyArn")
    described = "The ARN of the key in the region of the tables: the output SecretsKeyArn there"
    asked = {"type": "String", "description": described}
    yield ProgramStep(New("cdk.CfnParameter", asked, primary.id), primary)
    root = Joined(("arn:", _PARTITION, ":iam::", _ACCOUNT, ":root"))
    statement = {
        "Effect": "Allow",
        "Principal": {"AWS": root},
        "Action": "kms:*",
        "Resource": "*",
    }
    replica = {
        "description": key.description,
        "primaryKeyArn": primary.get("valueAsString"),
        # Policies of this account decide who uses the key.
        "keyPolicy": {"Version": "2012-10-17", "Statement": [statement]},
    }
    yield ProgramStep(New("kms.CfnReplicaKey", replica, _KEY.id), _KEY, _NOTE)
    yield ProgramStep(_KEY.call("applyRemovalPolicy", _KEPT))
    alias = {"aliasName": key.alias, "targetKeyId": _KEY.get("attrArn")}
    yield ProgramStep(New("kms.CfnAlias", alias, _ALIAS.id), _ALIAS)
    yield ProgramStep(_ALIAS.call("applyRemovalPolicy", _KEPT))


def key_arn(place: RegionalKey) -> Value:
    """Return the ARN of the key, or of its replica in a region, which has the same id."""
    if place.region is None:
        return _KEY.get("keyArn")
    there = (f":kms:{place.region}:", _ACCOUNT, ":key/", _KEY.get("keyId"))
    return Joined(("arn:", _PARTITION, *there))
