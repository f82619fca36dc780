"""The resources of one environment: the value that every target is written from.

Every decision is made here and in the modules that build the value; a target only renders it.
"""

from sortkey.synth.model.backups import BackupPlan as BackupPlan
from sortkey.synth.model.backups import BackupVault as BackupVault
from sortkey.synth.model.backups import Copies as Copies
from sortkey.synth.model.backups import RegionalPart as RegionalPart
from sortkey.synth.model.functions import Authorizer as Authorizer
from sortkey.synth.model.functions import ChangeSource as ChangeSource
from sortkey.synth.model.functions import EnvironmentValue as EnvironmentValue
from sortkey.synth.model.functions import FunctionResource as FunctionResource
from sortkey.synth.model.functions import HttpApiResource as HttpApiResource
from sortkey.synth.model.functions import MessageSource as MessageSource
from sortkey.synth.model.functions import Programs as Programs
from sortkey.synth.model.functions import RetryPolicy as RetryPolicy
from sortkey.synth.model.functions import RouteResource as RouteResource
from sortkey.synth.model.functions import ScheduleResource as ScheduleResource
from sortkey.synth.model.policies import Condition as Condition
from sortkey.synth.model.policies import Place as Place
from sortkey.synth.model.policies import Policy as Policy
from sortkey.synth.model.policies import RegionalKey as RegionalKey
from sortkey.synth.model.policies import Resource as Resource
from sortkey.synth.model.policies import SecretKeyResource as SecretKeyResource
from sortkey.synth.model.policies import Service as Service
from sortkey.synth.model.policies import Statement as Statement
from sortkey.synth.model.services import BucketObjects as BucketObjects
from sortkey.synth.model.services import BucketResource as BucketResource
from sortkey.synth.model.services import LogGroupResource as LogGroupResource
from sortkey.synth.model.services import LogStreams as LogStreams
from sortkey.synth.model.services import QueueResource as QueueResource
from sortkey.synth.model.services import SettingResource as SettingResource
from sortkey.synth.model.stack import Stack as Stack
from sortkey.synth.model.tables import AutoScaling as AutoScaling
from sortkey.synth.model.tables import Dimension as Dimension
from sortkey.synth.model.tables import ExportedName as ExportedName
from sortkey.synth.model.tables import IndexKind as IndexKind
from sortkey.synth.model.tables import IndexResource as IndexResource
from sortkey.synth.model.tables import TableResource as TableResource
from sortkey.synth.model.tables import Units as Units
from sortkey.synth.model.watching import GRAPH_HEIGHT as GRAPH_HEIGHT
from sortkey.synth.model.watching import GRID_WIDTH as GRID_WIDTH
from sortkey.synth.model.watching import Alarm as Alarm
from sortkey.synth.model.watching import Dashboard as Dashboard
from sortkey.synth.model.watching import DashboardRow as DashboardRow
from sortkey.synth.model.watching import Graph as Graph
from sortkey.synth.model.watching import Measured as Measured
from sortkey.synth.model.watching import Metric as Metric
from sortkey.synth.model.watching import Statistic as Statistic
from sortkey.synth.model.watching import Topic as Topic
