"""What runs of a stack that any template of CloudFormation deploys."""

from collections.abc import Iterable, Mapping

from tests.synth.readers.programs import DeployedPrograms, Json, many, ordered, rules_of

Made = tuple[str, str, dict[str, Json]]

# The place of the code, which each target has in its own way, and what CDK asks for itself.
_OWN = {"CodeBucket", "CodeKey", "BootstrapVersion"}


def programs_by_template(template: Mapping[str, Json], made: Iterable[Made]) -> DeployedPrograms:
    """Return what runs of the resources of a template."""
    return _Reader(template, list(made)).found()


class _Reader:
    """Reads resources whose references are resolved."""

    def __init__(self, template: Mapping[str, Json], made: list[Made]) -> None:
        self._parameters: Mapping[str, Json] = template.get("Parameters", {})
        self._made = made

    def _all(self, kind: str) -> list[tuple[str, dict[str, Json]]]:
        return [(name, body["Properties"]) for found, name, body in self._made if found == kind]

    def _kept(self, kind: str) -> dict[str, bool]:
        return {
            name: body["DeletionPolicy"] == "RetainExceptOnCreate"
            for found, name, body in self._made
            if found == kind
        }

    def found(self) -> DeployedPrograms:
        """Everything that is compared."""
        logs, buckets = self._kept("AWS::Logs::LogGroup"), self._kept("AWS::S3::Bucket")
        return DeployedPrograms(
            settings={
                name: (body["Description"], body.get("Default"), "AllowedPattern" in body)
                for name, body in self._parameters.items()
                if name not in _OWN and name != "PrimaryKeyArn"
            },
            functions={name: _function(b) for name, b in self._all("AWS::Lambda::Function")},
            roles={
                name: self._role(name, body)
                for name, body in self._all("AWS::IAM::Role")
                if "RoleName" in body
            },
            permissions=ordered(
                (said["FunctionName"], said["Action"], said["Principal"], said["SourceArn"])
                for _, said in self._all("AWS::Lambda::Permission")
            ),
            retries={
                said["FunctionName"]: (
                    *(said["MaximumRetryAttempts"], said["MaximumEventAgeInSeconds"]),
                    said["DestinationConfig"]["OnFailure"]["Destination"],
                )
                for _, said in self._all("AWS::Lambda::EventInvokeConfig")
            },
            logs={
                name: (said["RetentionInDays"], logs[name])
                for name, said in self._all("AWS::Logs::LogGroup")
            },
            queues={name: _queue(said) for name, said in self._all("AWS::SQS::Queue")},
            buckets={
                name: _bucket(said, kept=buckets[name])
                for name, said in self._all("AWS::S3::Bucket")
            },
            guards={
                place: rules_of(said["PolicyDocument"]["Statement"])
                for kind, named in (
                    ("AWS::SQS::QueuePolicy", "Queues"),
                    ("AWS::S3::BucketPolicy", "Bucket"),
                )
                for _, said in self._all(kind)
                for place in many(said[named])
            },
            rules={name: _rule(said) for name, said in self._all("AWS::Events::Rule")},
            sources=ordered(
                _source(said) for _, said in self._all("AWS::Lambda::EventSourceMapping")
            ),
            apis={name: _api(said) for name, said in self._all("AWS::ApiGatewayV2::Api")},
            stages={
                said["ApiId"]: _stage(said) for _, said in self._all("AWS::ApiGatewayV2::Stage")
            },
            authorizers={
                said["Name"]: _authorizer(said)
                for _, said in self._all("AWS::ApiGatewayV2::Authorizer")
            },
            routes=dict(self._routes()),
        )

    def _role(self, name: str, body: Mapping[str, Json]) -> Json:
        own = [s for p in body.get("Policies", ()) for s in p["PolicyDocument"]["Statement"]]
        # CDK writes another policy for what it grants itself.
        added = [
            statement
            for _, said in self._all("AWS::IAM::Policy")
            if name in many(said["Roles"])
            for statement in said["PolicyDocument"]["Statement"]
        ]
        trusted = rules_of(
            s | {"Resource": "*"} for s in body["AssumeRolePolicyDocument"]["Statement"]
        )
        return trusted, many(body.get("ManagedPolicyArns", ())), rules_of([*own, *added])

    def _routes(self) -> Iterable[tuple[tuple[str, str], Json]]:
        integrations = dict(self._all("AWS::ApiGatewayV2::Integration"))
        authorizers = {n: b["Name"] for n, b in self._all("AWS::ApiGatewayV2::Authorizer")}
        for _, said in self._all("AWS::ApiGatewayV2::Route"):
            body = integrations[said["Target"].removeprefix("integrations/")]
            assert body["ApiId"] == said["ApiId"]
            yield (
                (said["ApiId"], said["RouteKey"]),
                (
                    *(body["IntegrationType"], body["IntegrationUri"]),
                    body["PayloadFormatVersion"],
                    said["AuthorizationType"],
                    authorizers.get(said.get("AuthorizerId", "")),
                ),
            )


def _function(said: Mapping[str, Json]) -> Json:
    return {
        "runs": (said["Runtime"], many(said["Architectures"]), said["Handler"]),
        "described": said["Description"],
        "limits": (said["MemorySize"], said["Timeout"], said.get("ReservedConcurrentExecutions")),
        "role": said["Role"],
        "traced": said["TracingConfig"]["Mode"],
        "logs": said["LoggingConfig"]["LogGroup"],
        "variables": said["Environment"]["Variables"],
    }


def _queue(said: Mapping[str, Json]) -> Json:
    redrive = said.get("RedrivePolicy", {})
    return (
        *(said.get("VisibilityTimeout"), said["MessageRetentionPeriod"]),
        said["SqsManagedSseEnabled"],
        (redrive.get("deadLetterTargetArn"), redrive.get("maxReceiveCount")),
    )


def _bucket(said: Mapping[str, Json], *, kept: bool) -> Json:
    [encrypted] = said["BucketEncryption"]["ServerSideEncryptionConfiguration"]
    rules = said.get("LifecycleConfiguration", {}).get("Rules", ())
    return (
        encrypted["ServerSideEncryptionByDefault"]["SSEAlgorithm"],
        sorted(n for n, v in said["PublicAccessBlockConfiguration"].items() if v is True),
        [(rule["Id"], rule["Status"], rule["ExpirationInDays"]) for rule in rules],
        kept,
    )


def _rule(said: Mapping[str, Json]) -> Json:
    [target] = said["Targets"]
    retried = target["RetryPolicy"]
    return (
        *(said["Description"], said["ScheduleExpression"], said["State"], target["Arn"]),
        *(retried["MaximumRetryAttempts"], retried["MaximumEventAgeInSeconds"]),
        target["DeadLetterConfig"]["Arn"],
    )


def _source(said: Mapping[str, Json]) -> Json:
    failed = said.get("DestinationConfig", {}).get("OnFailure", {}).get("Destination")
    filters = [each["Pattern"] for each in said.get("FilterCriteria", {}).get("Filters", ())]
    return (
        *(said["FunctionName"], said["EventSourceArn"], said.get("StartingPosition")),
        *(said["BatchSize"], said.get("MaximumBatchingWindowInSeconds"), filters),
        many(said["FunctionResponseTypes"]),
        *(said.get("BisectBatchOnFunctionError"), said.get("MaximumRetryAttempts"), failed),
    )


def _api(said: Mapping[str, Json]) -> Json:
    cors = said.get("CorsConfiguration", {})
    lists = [many(cors.get(f"Allow{what}", ())) for what in ("Origins", "Methods", "Headers")]
    return said["ProtocolType"], lists, cors.get("MaxAge")


def _stage(said: Mapping[str, Json]) -> Json:
    logged = said["AccessLogSettings"]
    return said["StageName"], said["AutoDeploy"], logged["DestinationArn"], logged["Format"]


def _authorizer(said: Mapping[str, Json]) -> Json:
    verified = said["JwtConfiguration"]
    return (
        *(said["ApiId"], said["AuthorizerType"], many(said["IdentitySource"])),
        *(verified["Issuer"], many(verified["Audience"])),
    )
