"""A stack as a folder of CDK in Python."""

import json
from collections.abc import Mapping
from keyword import iskeyword
from typing import Any, cast

from sortkey.synth.cdk.constructs import program_of, regional_program_of
from sortkey.synth.cdk.layout import Bracketed, Code, Part, flat
from sortkey.synth.cdk.printer import Printer
from sortkey.synth.cdk.program import (
    FunctionCall,
    Joined,
    LibraryConstant,
    Member,
    New,
    Program,
    PropertyAccess,
    Struct,
    This,
    Value,
    Variable,
)
from sortkey.synth.cdk.versions import CDK_VERSION, CONSTRUCTS_VERSION, stack_id
from sortkey.synth.comments import GENERATED, comment
from sortkey.synth.model import Stack
from sortkey.synth.naming import snake
from sortkey.synth.programs.services import ASSET

_METRIC = '''

def metric(
    metric_name: str, statistic: str, seconds: int, dimensions_map: dict[str, str]
) -> cloudwatch.Metric:
    """Return a DynamoDB metric over this many seconds."""
    return cloudwatch.Metric(
        namespace="AWS/DynamoDB",
        metric_name=metric_name,
        statistic=statistic,
        dimensions_map=dimensions_map,
        period=cdk.Duration.seconds(seconds),
    )
'''
_SERVICE_METRIC = '''

def service_metric(
    namespace: str,
    metric_name: str,
    statistic: str,
    seconds: int,
    dimensions_map: dict[str, str],
) -> cloudwatch.Metric:
    """Return a metric of another service over this many seconds."""
    return cloudwatch.Metric(
        namespace=namespace,
        metric_name=metric_name,
        statistic=statistic,
        dimensions_map=dimensions_map,
        period=cdk.Duration.seconds(seconds),
    )
'''
_CODE = f'''

def asset(scope: Construct) -> lambda_.Code:
    """Return the asset that `sortkey package` built; the context `code` is its path."""
    return lambda_.Code.from_asset(scope.node.try_get_context("code") or "{ASSET}")
'''
_GRAPH = '''

def graph(title: str, width: int, left: list[cloudwatch.IMetric]) -> cloudwatch.GraphWidget:
    """Return a graph of metrics for the dashboard."""
    return cloudwatch.GraphWidget(title=title, width=width, height=6, left=left)
'''
_ALARM = '''

def alarm(
    scope: Construct,
    construct_id: str,
    alarm_name: str,
    alarm_description: str,
    watched: cloudwatch.IMetric,
    threshold: float,
    topic: sns.ITopic,
) -> None:
    """Notify the topic when a metric reaches the threshold; missing data is not an alarm."""
    made = cloudwatch.Alarm(
        scope,
        construct_id,
        alarm_name=alarm_name,
        alarm_description=alarm_description,
        metric=watched,
        threshold=threshold,
        evaluation_periods=1,
        comparison_operator=cloudwatch.ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
        treat_missing_data=cloudwatch.TreatMissingData.NOT_BREACHING,
    )
    made.add_alarm_action(actions.SnsAction(topic))
'''


def render(stack: Stack) -> dict[str, str]:
    """Return the files of a project that is ready to deploy."""
    program = program_of(stack)
    return {
        "requirements.txt": (
            f"aws-cdk-lib>={CDK_VERSION},<3\nconstructs>={CONSTRUCTS_VERSION},<11\n"
        ),
        "cdk.json": json.dumps({"app": "python3 app.py"}, indent=2) + "\n",
        "app.py": _app(program, stack),
        "stack.py": _stack(program),
        **{
            f"{snake(part.region)}.py": _stack(regional_program_of(stack, part))
            for part in stack.regions
        },
    }


def _app(program: Program, stack: Stack) -> str:
    regional = [(part, regional_program_of(stack, part)) for part in stack.regions]
    here = 'os.environ.get("CDK_DEFAULT_REGION")'
    return "\n".join(
        [
            f'"""{GENERATED}"""',
            "",
            "import os",
            "",
            "import aws_cdk as cdk",
            "",
            *(f"from {snake(part.region)} import {one.name}" for part, one in regional),
            f"from stack import {program.name}",
            "",
            "app = cdk.App()",
            *_made(program, stack_id(stack), here),
            *(
                line
                for part, one in regional
                for line in _made(one, f"{stack_id(stack)}-{part.region}", _quoted(part.region))
            ),
            "app.synth()",
            "",
        ]
    )


def _made(program: Program, name: str, region: str) -> list[str]:
    return [
        f"{program.name}(",
        "    app,",
        f"    {_quoted(name)},",
        f"    description={_quoted(program.description)},",
        "    env=cdk.Environment(",
        '        account=os.environ.get("CDK_DEFAULT_ACCOUNT"),',
        f"        region={region},",
        "    ),",
        ")",
    ]


def _stack(program: Program) -> str:
    imports = [
        f"from aws_cdk import {module.replace('-', '_')} as {_alias(alias)}"
        for alias, module in program.modules.items()
    ]
    functions = {
        "asset": _CODE,
        "metric": _METRIC,
        "serviceMetric": _SERVICE_METRIC,
        "graph": _GRAPH,
        "alarm": _ALARM,
    }
    return "\n".join(
        [
            f'"""{GENERATED}"""',
            "",
            "from typing import Any",
            "",
            "import aws_cdk as cdk",
            *imports,
            "from constructs import Construct",
            "",
            "",
            f"class {program.name}(cdk.Stack):",
            f'    """{program.description}."""',
            "",
            "    def __init__(self, scope: Construct, construct_id: str, **kwargs: Any) -> None:",
            "        super().__init__(scope, construct_id, **kwargs)",
            "",
            *_PythonPrinter().body(program, "        "),
            *(text.rstrip() for name, text in functions.items() if name in program.functions),
            "",
        ]
    )


class _PythonPrinter(Printer):
    indent = "    "
    comment_mark = "#"
    statement_end = ""

    def assignment(self, variable: Variable) -> str:
        return f"{snake(variable.id)} = "

    def exposed(self, member: Member) -> str:
        name = snake(member.variable.id)
        return f"self.{name} = {name}"

    def code(self, value: Value) -> Code:
        match value:
            case str():
                return _quoted(value)
            case bool():
                return str(value)
            case int():
                return str(value)
            case LibraryConstant(path):
                return _named(path)
            case This():
                return "self"
            case Variable():
                return snake(value.id)
            case PropertyAccess(of, name):
                return f"{'self' if of is None else snake(of.id)}.{snake(name)}"
            case Joined(parts):
                return f'f"{"".join(map(self._piece, parts))}"'
            case Struct(kind, properties):
                return self._call(_named(kind), (), properties)
            case New(kind, properties, name, _, arguments):
                own = arguments if name is None else (This(), name)
                return self._call(_named(kind), own, properties)
            case FunctionCall(path, arguments, properties, of):
                start = _path(path) if of is None else f"{flat(self.code(of))}.{_path(path)}"
                return self._call(start, arguments, properties)
            case Mapping():
                members = cast("Mapping[str, Any]", value).items()
                parts = [Part(self.code(v), before=f"{_quoted(n)}: ") for n, v in members]
                return Bracketed("{", parts, "}")
            case _:
                return Bracketed("[", [self._part(item) for item in cast("list[Any]", value)], "]")

    def _part(self, item: Any) -> Part:
        text = item.comment if isinstance(item, New) else ""
        return Part(self.code(item), comments=tuple(comment(text, room=24)))

    def _call(self, start: str, arguments: Any, properties: Mapping[str, Any]) -> Bracketed:
        named = [Part(self.code(v), before=f"{snake(n)}=") for n, v in properties.items()]
        return Bracketed(f"{start}(", [*(Part(self.code(a)) for a in arguments), *named], ")")

    def _piece(self, part: str | PropertyAccess) -> str:
        if isinstance(part, str):
            return _quoted(part)[1:-1].replace("{", "{{").replace("}", "}}")
        return f"{{{flat(self.code(part))}}}"


def _path(path: str) -> str:
    """Return a function's path in Python, in which only the last name differs."""
    *module, name = _named(path.replace("this.", "self.")).split(".")
    return ".".join([*module, snake(name)])


def _named(path: str) -> str:
    """Return a path in Python, in which a module cannot be called ``lambda``."""
    module, dot, rest = path.partition(".")
    return f"{_alias(module)}{dot}{rest}"


def _alias(module: str) -> str:
    return f"{module}_" if iskeyword(module) else module


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
