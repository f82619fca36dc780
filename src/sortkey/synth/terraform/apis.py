"""HTTP APIs in Terraform."""

import json
from collections.abc import Iterator

from sortkey.synth.model import Authorizer, HttpApiResource, RouteResource, SettingResource
from sortkey.synth.naming import snake
from sortkey.synth.programs.apis import ACCESS_LOG, CORS_HEADERS, CORS_SECONDS, IDENTITY_SOURCE
from sortkey.synth.terraform import references
from sortkey.synth.terraform.hcl import Expression, HclBlock, block, call, resource
from sortkey.synth.terraform.services import log_group_block
from sortkey.synth.terraform.sources import permission_block


def api_blocks(api: HttpApiResource) -> Iterator[HclBlock]:
    """Yield an API with its stage, authoriser, integrations, routes and permissions."""
    name = snake(api.id)
    cors = block(
        "cors_configuration",
        {
            "allow_origins": list(api.origins),
            "allow_methods": list(api.methods),
            "allow_headers": list(CORS_HEADERS),
            "max_age": CORS_SECONDS,
        },
    )
    yield resource(
        "aws_apigatewayv2_api",
        name,
        {"name": api.name, "protocol_type": "HTTP"},
        *([cors] if api.origins else []),
        comment=api.note,
    )
    yield log_group_block(api.logs)
    line = call("jsonencode", json.loads(ACCESS_LOG), "    ")
    logged = {"destination_arn": references.log_group(api.logs, "arn"), "format": line}
    yield resource(
        "aws_apigatewayv2_stage",
        name,
        {"api_id": references.api(api, "id"), "name": "$default", "auto_deploy": True},
        block("access_log_settings", logged),
    )
    if api.authorizer is not None:
        yield _authorizer(api, api.authorizer)
    for function in api.functions:
        integrated = f"{name}_{references.function_name(function)}"
        yield resource(
            "aws_apigatewayv2_integration",
            integrated,
            {
                "api_id": references.api(api, "id"),
                "integration_type": "AWS_PROXY",
                "integration_uri": references.function(function, "arn"),
                "payload_format_version": "2.0",
            },
        )
        source = Expression(f'"${{{references.api(api, "execution_arn").text}}}/*/*/*"')
        yield permission_block(integrated, function, "apigateway.amazonaws.com", source)
    for route in api.routes:
        yield _route(api, route)


def _authorizer(api: HttpApiResource, authorizer: Authorizer) -> HclBlock:
    verified = {
        "issuer": _value(authorizer.issuer),
        "audience": [_value(authorizer.audience)],
    }
    return resource(
        "aws_apigatewayv2_authorizer",
        snake(authorizer.id),
        {
            "api_id": references.api(api, "id"),
            "name": authorizer.name,
            "authorizer_type": "JWT",
            "identity_sources": [IDENTITY_SOURCE],
        },
        block("jwt_configuration", verified),
    )


def _value(value: str | SettingResource) -> Expression | str:
    return value if isinstance(value, str) else references.setting(value)


def _route(api: HttpApiResource, route: RouteResource) -> HclBlock:
    integrated = f"{snake(api.id)}_{references.function_name(route.function)}"
    target = f'"integrations/${{aws_apigatewayv2_integration.{integrated}.id}}"'
    authorizer = api.authorizer if route.needs_token else None
    used = None
    if authorizer is not None:
        used = Expression(f"aws_apigatewayv2_authorizer.{snake(authorizer.id)}.id")
    return resource(
        "aws_apigatewayv2_route",
        snake(route.id),
        {
            "api_id": references.api(api, "id"),
            "route_key": route.key,
            "target": Expression(target),
            "authorization_type": "NONE" if authorizer is None else "JWT",
            "authorizer_id": used,
        },
    )
