"""HTTP APIs in CloudFormation."""

from collections.abc import Iterator
from typing import Any

from sortkey.synth.cloudformation.services import log_group
from sortkey.synth.cloudformation.sources import permission
from sortkey.synth.cloudformation.yaml import Noted, arn, ref, sub, unless_empty
from sortkey.synth.model import Authorizer, HttpApiResource, RouteResource, SettingResource
from sortkey.synth.programs.apis import ACCESS_LOG, CORS_HEADERS, CORS_SECONDS, IDENTITY_SOURCE


def api_resources(api: HttpApiResource) -> Iterator[tuple[str, Any]]:
    """Yield an API with its stage, authoriser, integrations, routes and permissions."""
    properties = {
        "Name": api.name,
        "ProtocolType": "HTTP",
        **unless_empty("CorsConfiguration", _cors(api)),
    }
    made = {"Type": "AWS::ApiGatewayV2::Api", "Properties": properties}
    yield api.id, Noted(api.note, made) if api.note else made
    yield api.logs.id, log_group(api.logs)
    yield f"{api.id}Stage", _stage(api)
    if api.authorizer is not None:
        yield api.authorizer.id, _authorizer(api, api.authorizer)
    for function in api.functions:
        yield f"{api.id}{function.id}", _integration(api, function.id)
        place = f"execute-api:${{AWS::Region}}:${{AWS::AccountId}}:${{{api.id}}}"
        source = sub(f"arn:${{AWS::Partition}}:{place}/*/*/*")
        allowed = permission(function.id, "apigateway.amazonaws.com", source)
        yield f"{api.id}{function.id}Permission", allowed
    for route in api.routes:
        yield route.id, _route(api, route)


def _cors(api: HttpApiResource) -> dict[str, Any]:
    if not api.origins:
        return {}
    return {
        "AllowOrigins": list(api.origins),
        "AllowMethods": list(api.methods),
        "AllowHeaders": list(CORS_HEADERS),
        "MaxAge": CORS_SECONDS,
    }


def _stage(api: HttpApiResource) -> dict[str, Any]:
    logged = {"DestinationArn": arn(api.logs.id), "Format": ACCESS_LOG}
    return {
        "Type": "AWS::ApiGatewayV2::Stage",
        "Properties": {
            "ApiId": ref(api.id),
            "StageName": "$default",
            "AutoDeploy": True,
            "AccessLogSettings": logged,
        },
    }


def _authorizer(api: HttpApiResource, authorizer: Authorizer) -> dict[str, Any]:
    return {
        "Type": "AWS::ApiGatewayV2::Authorizer",
        "Properties": {
            "ApiId": ref(api.id),
            "Name": authorizer.name,
            "AuthorizerType": "JWT",
            "IdentitySource": [IDENTITY_SOURCE],
            "JwtConfiguration": {
                "Issuer": _value(authorizer.issuer),
                "Audience": [_value(authorizer.audience)],
            },
        },
    }


def _value(value: str | SettingResource) -> Any:
    return value if isinstance(value, str) else ref(value.id)


def _integration(api: HttpApiResource, function: str) -> dict[str, Any]:
    return {
        "Type": "AWS::ApiGatewayV2::Integration",
        "Properties": {
            "ApiId": ref(api.id),
            "IntegrationType": "AWS_PROXY",
            "IntegrationUri": arn(function),
            "PayloadFormatVersion": "2.0",
        },
    }


def _route(api: HttpApiResource, route: RouteResource) -> dict[str, Any]:
    token: dict[str, Any] = {"AuthorizationType": "NONE"}
    if route.needs_token and api.authorizer is not None:
        token = {"AuthorizationType": "JWT", "AuthorizerId": ref(api.authorizer.id)}
    return {
        "Type": "AWS::ApiGatewayV2::Route",
        "Properties": {
            "ApiId": ref(api.id),
            "RouteKey": route.key,
            "Target": sub(f"integrations/${{{api.id}{route.function.id}}}"),
            **token,
        },
    }
