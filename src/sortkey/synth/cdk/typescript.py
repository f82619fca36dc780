"""A stack as a folder of CDK in TypeScript."""

import json
import re
from collections.abc import Mapping
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
from sortkey.synth.cdk.versions import (
    CDK_VERSION,
    COMMAND_VERSION,
    CONSTRUCTS_VERSION,
    stack_id,
)
from sortkey.synth.comments import GENERATED, comment
from sortkey.synth.model import Stack
from sortkey.synth.programs.services import ASSET

_NAME = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]*")

_METRIC = """
/** Return a DynamoDB metric over this many seconds. */
function metric(
  metricName: string,
  statistic: string,
  seconds: number,
  dimensionsMap: Record<string, string>,
): cloudwatch.Metric {
  return new cloudwatch.Metric({
    namespace: 'AWS/DynamoDB',
    metricName,
    statistic,
    dimensionsMap,
    period: cdk.Duration.seconds(seconds),
  });
}
"""
_SERVICE_METRIC = """
/** Return a metric of another service over this many seconds. */
function serviceMetric(
  namespace: string,
  metricName: string,
  statistic: string,
  seconds: number,
  dimensionsMap: Record<string, string>,
): cloudwatch.Metric {
  const period = cdk.Duration.seconds(seconds);
  return new cloudwatch.Metric({ namespace, metricName, statistic, dimensionsMap, period });
}
"""
_CODE = f"""
/** Return the asset that `sortkey package` built; the context `code` is its path. */
function asset(scope: Construct): lambda.Code {{
  return lambda.Code.fromAsset(scope.node.tryGetContext('code') ?? '{ASSET}');
}}
"""
_GRAPH = """
/** Return a graph of metrics for the dashboard. */
function graph(title: string, width: number, left: cloudwatch.IMetric[]): cloudwatch.GraphWidget {
  return new cloudwatch.GraphWidget({ title, width, height: 6, left });
}
"""
_ALARM = """
/** Notifies the topic when a metric reaches the threshold; missing data is not an alarm. */
function alarm(
  scope: Construct,
  id: string,
  alarmName: string,
  alarmDescription: string,
  watched: cloudwatch.IMetric,
  threshold: number,
  topic: sns.ITopic,
): void {
  const made = new cloudwatch.Alarm(scope, id, {
    alarmName,
    alarmDescription,
    metric: watched,
    threshold,
    evaluationPeriods: 1,
    comparisonOperator: cloudwatch.ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
    treatMissingData: cloudwatch.TreatMissingData.NOT_BREACHING,
  });
  made.addAlarmAction(new actions.SnsAction(topic));
}
"""


def render(stack: Stack) -> dict[str, str]:
    """Return the files of a project that is ready to compile and deploy."""
    program = program_of(stack)
    return {
        "package.json": _json(_package(stack)),
        "tsconfig.json": _json(_TSCONFIG),
        "cdk.json": _json({"app": "npm run --silent build && node dist/bin/app.js"}),
        "bin/app.ts": _app(program, stack),
        "lib/stack.ts": _stack(program),
        **{
            f"lib/{part.region}.ts": _stack(regional_program_of(stack, part))
            for part in stack.regions
        },
    }


_TSCONFIG = {
    "compilerOptions": {
        "target": "ES2022",
        "module": "node16",
        "moduleResolution": "node16",
        "strict": True,
        "skipLibCheck": True,
        "outDir": "dist",
        "rootDir": ".",
        "types": ["node"],
    },
    "include": ["bin", "lib"],
}


def _package(stack: Stack) -> dict[str, Any]:
    return {
        "name": f"{stack_id(stack).lower()}-infrastructure",
        "version": "0.1.0",
        "private": True,
        "description": stack.description,
        "scripts": {"build": "tsc", "synth": "cdk synth", "deploy": "cdk deploy"},
        "dependencies": {
            "aws-cdk-lib": f"^{CDK_VERSION}",
            "constructs": f"^{CONSTRUCTS_VERSION}",
        },
        "devDependencies": {
            "@types/node": "^22.0.0",
            "aws-cdk": f"^{COMMAND_VERSION}",
            "typescript": "~5.9.0",
        },
    }


def _json(value: Any) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


def _app(program: Program, stack: Stack) -> str:
    regional = [(part, regional_program_of(stack, part)) for part in stack.regions]
    here = "process.env.CDK_DEFAULT_REGION"
    return "\n".join(
        [
            f"// {GENERATED}",
            "import * as cdk from 'aws-cdk-lib';",
            *(f"import {{ {one.name} }} from '../lib/{part.region}';" for part, one in regional),
            f"import {{ {program.name} }} from '../lib/stack';",
            "",
            "const app = new cdk.App();",
            *_made(program, stack_id(stack), here),
            *(
                line
                for part, one in regional
                for line in _made(one, f"{stack_id(stack)}-{part.region}", _quoted(part.region))
            ),
            "",
        ]
    )


def _made(program: Program, name: str, region: str) -> list[str]:
    return [
        f"new {program.name}(app, {_quoted(name)}, {{",
        f"  description: {_quoted(program.description)},",
        f"  env: {{ account: process.env.CDK_DEFAULT_ACCOUNT, region: {region} }},",
        "});",
    ]


def _stack(program: Program) -> str:
    imports = [
        f"import * as {alias} from 'aws-cdk-lib/{module}';"
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
            f"// {GENERATED}",
            "import * as cdk from 'aws-cdk-lib';",
            *imports,
            "import { Construct } from 'constructs';",
            "",
            f"/** {program.description}. */",
            f"export class {program.name} extends cdk.Stack {{",
            *(f"  readonly {one.variable.name}: {one.type};" for one in program.members),
            *([""] if program.members else []),
            "  constructor(scope: Construct, id: string, props?: cdk.StackProps) {",
            "    super(scope, id, props);",
            "",
            *_TypeScriptPrinter().body(program, "    "),
            "  }",
            "}",
            *(text.rstrip() for name, text in functions.items() if name in program.functions),
            "",
        ]
    )


class _TypeScriptPrinter(Printer):
    indent = "  "
    comment_mark = "//"
    statement_end = ";"

    def assignment(self, variable: Variable) -> str:
        return f"const {variable.name} = "

    def exposed(self, member: Member) -> str:
        name = member.variable.name
        return f"this.{name} = {name};"

    def code(self, value: Value) -> Code:
        match value:
            case str():
                return _quoted(value)
            case bool() | int():
                return json.dumps(value)
            case LibraryConstant(path):
                return path
            case This():
                return "this"
            case Variable():
                return value.name
            case PropertyAccess(of, name):
                return f"{'this' if of is None else of.name}.{name}"
            case Joined(parts):
                return f"`{''.join(map(self._piece, parts))}`"
            case Struct(_, properties):
                return self._object("{", properties, "}")
            case New(kind, properties, name, _, arguments):
                own = arguments if name is None else (This(), name)
                return self._call(f"new {kind}", own, properties)
            case FunctionCall(path, arguments, properties, of):
                start = path if of is None else f"{flat(self.code(of))}.{path}"
                return self._call(start, arguments, properties)
            case Mapping():
                return self._object("{", cast("Mapping[str, Any]", value), "}")
            case _:
                return Bracketed("[", [self._part(item) for item in cast("list[Any]", value)], "]")

    def _part(self, item: Any) -> Part:
        text = item.comment if isinstance(item, New) else ""
        return Part(self.code(item), comments=tuple(comment(text, mark="//", room=24)))

    def _call(self, start: str, arguments: Any, properties: Mapping[str, Any]) -> Code:
        parts = [Part(self.code(argument)) for argument in arguments]
        first = "".join(f"{flat(part.value)}, " for part in parts)
        if properties:
            return self._object(f"{start}({first}{{", properties, "})")
        match parts:
            case [*others, Part(Bracketed(opened, inner, closed, pad))]:
                # The brackets of the last argument open and close with those of the call.
                before = "".join(f"{flat(part.value)}, " for part in others)
                return Bracketed(f"{start}({before}{opened}", inner, f"{closed})", pad)
            case _:
                return Bracketed(f"{start}(", parts, ")")

    def _object(self, start: str, properties: Mapping[str, Any], end: str) -> Bracketed:
        parts = [Part(self.code(v), before=f"{_key(n)}: ") for n, v in properties.items()]
        return Bracketed(start, parts, end, " ")

    def _piece(self, part: str | PropertyAccess) -> str:
        if isinstance(part, str):
            return part.replace("\\", "\\\\").replace("`", "\\`").replace("${", "\\${")
        return f"${{{flat(self.code(part))}}}"


def _key(name: str) -> str:
    return name if _NAME.fullmatch(name) else _quoted(name)


def _quoted(text: str) -> str:
    inner = json.dumps(text, ensure_ascii=False)[1:-1].replace('\\"', '"').replace("'", "\\'")
    return f"'{inner}'"
