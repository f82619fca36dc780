"""HTTP APIs in CDK."""

from collections.abc import Iterator

from sortkey.design.plans.notation import present
from sortkey.synth.cdk.program import (
    FunctionCall,
    LibraryConstant,
    New,
    ProgramStep,
    Struct,
    Variable,
)
from sortkey.synth.cdk.services import duration, log_group_step, value_of
from sortkey.synth.model import Authorizer, HttpApiResource, RouteResource
from sortkey.synth.programs.apis import ACCESS_LOG, CORS_HEADERS, CORS_SECONDS


def api_steps(api: HttpApiResource) -> Iterator[ProgramStep]:
    """Yield the steps of an API with its stage, authoriser, integrations and routes."""
    variable = Variable(api.id)
    made = {"apiName": api.name, "createDefaultStage": False, "corsPreflight": _cors(api)}
    yield ProgramStep(New("apigateway.HttpApi", present(made), api.id), variable, api.note)
    yield log_group_step(api.logs)
    logged = {"destinationArn": Variable(api.logs.id).get("logGroupArn"), "format": ACCESS_LOG}
    stage = {
        "apiId": variable.get("apiId"),
        "stageName": "$default",
        "autoDeploy": True,
        "accessLogSettings": Struct("apigateway.CfnStage.AccessLogSettingsProperty", logged),
    }
    yield ProgramStep(New("apigateway.CfnStage", stage, f"{api.id}Stage"))
    if api.authorizer is not None:
        yield _authorizer(api.authorizer)
    for function in api.functions:
        integrated = Variable(f"{api.id}{function.id}")
        # One permission for the API, rather than one for each route.
        once = {"scopePermissionToRoute": False}
        arguments = (integrated.id, Variable(function.id))
        kind = "integrations.HttpLambdaIntegration"
        yield ProgramStep(New(kind, once, arguments=arguments), integrated)
    for route in api.routes:
        yield ProgramStep(_route(api, route))


def _cors(api: HttpApiResource) -> Struct | None:
    if not api.origins:
        return None
    methods = [LibraryConstant(f"apigateway.CorsHttpMethod.{method}") for method in api.methods]
    allowed = {
        "allowOrigins": list(api.origins),
        "allowMethods": methods,
        "allowHeaders": list(CORS_HEADERS),
        "maxAge": duration(CORS_SECONDS),
    }
    return Struct("apigateway.CorsPreflightOptions", allowed)


def _authorizer(authorizer: Authorizer) -> ProgramStep:
    verified = {
        "authorizerName": authorizer.name,
        "jwtAudience": [value_of(authorizer.audience)],
    }
    arguments = (authorizer.id, value_of(authorizer.issuer))
    made = New("authorizers.HttpJwtAuthorizer", verified, arguments=arguments)
    return ProgramStep(made, Variable(authorizer.id))


def _route(api: HttpApiResource, route: RouteResource) -> FunctionCall:
    authorizer = api.authorizer if route.needs_token else None
    return Variable(api.id).call(
        "addRoutes",
        path=route.path,
        methods=[LibraryConstant(f"apigateway.HttpMethod.{route.method}")],
        integration=Variable(f"{api.id}{route.function.id}"),
        authorizer=None if authorizer is None else Variable(authorizer.id),
    )
