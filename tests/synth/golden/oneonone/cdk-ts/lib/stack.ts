// Made from the design by `sortkey synth`. Change the design and make it anew.
import * as cdk from 'aws-cdk-lib';
import * as cloudwatch from 'aws-cdk-lib/aws-cloudwatch';
import * as actions from 'aws-cdk-lib/aws-cloudwatch-actions';
import * as dynamodb from 'aws-cdk-lib/aws-dynamodb';
import * as iam from 'aws-cdk-lib/aws-iam';
import * as sns from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';

/** The DynamoDB tables of One-on-One in prod, and who may use them. */
export class OneOnOneStack extends cdk.Stack {
  constructor(scope: Construct, id: string, props?: cdk.StackProps) {
    super(scope, id, props);

    // Tables.

    // Who learns: points, and whether they wait or talk.
    const usersTable = new dynamodb.Table(this, 'UsersTable', {
      tableName: 'Users',
      partitionKey: { name: 'userId', type: dynamodb.AttributeType.STRING },
      billingMode: dynamodb.BillingMode.PAY_PER_REQUEST,
      pointInTimeRecoverySpecification: {
        pointInTimeRecoveryEnabled: true,
        recoveryPeriodInDays: 35,
      },
      deletionProtection: true,
      tableClass: dynamodb.TableClass.STANDARD,
      encryption: dynamodb.TableEncryption.DEFAULT,
      removalPolicy: cdk.RemovalPolicy.RETAIN,
    });
    usersTable.addGlobalSecondaryIndex({
      indexName: 'WaitingIndex',
      partitionKey: { name: 'queue', type: dynamodb.AttributeType.STRING },
      sortKey: { name: 'lastQueueEntry', type: dynamodb.AttributeType.STRING },
      projectionType: dynamodb.ProjectionType.KEYS_ONLY,
    });

    // Calls of two people, kept for 90 days.
    const sessionsTable = new dynamodb.Table(this, 'SessionsTable', {
      tableName: 'Sessions',
      partitionKey: { name: 'sessionId', type: dynamodb.AttributeType.STRING },
      billingMode: dynamodb.BillingMode.PAY_PER_REQUEST,
      timeToLiveAttribute: 'expiresAt',
      pointInTimeRecoverySpecification: {
        pointInTimeRecoveryEnabled: true,
        recoveryPeriodInDays: 35,
      },
      deletionProtection: true,
      tableClass: dynamodb.TableClass.STANDARD,
      encryption: dynamodb.TableEncryption.DEFAULT,
      removalPolicy: cdk.RemovalPolicy.RETAIN,
    });
    sessionsTable.addGlobalSecondaryIndex({
      indexName: 'UserSessionsIndex',
      partitionKey: { name: 'userA', type: dynamodb.AttributeType.STRING },
      sortKey: { name: 'startTime', type: dynamodb.AttributeType.STRING },
      projectionType: dynamodb.ProjectionType.ALL,
    });
    sessionsTable.addGlobalSecondaryIndex({
      indexName: 'PartnerSessionsIndex',
      partitionKey: { name: 'userB', type: dynamodb.AttributeType.STRING },
      sortKey: { name: 'startTime', type: dynamodb.AttributeType.STRING },
      projectionType: dynamodb.ProjectionType.ALL,
    });

    // Policies.

    const memberPolicy = new iam.ManagedPolicy(this, 'MemberPolicy', {
      managedPolicyName: 'One-on-One-prod-member',
      description: 'What the patterns of the role member send, each session for one user_id',
      statements: [
        // For user_status.
        new iam.PolicyStatement({
          sid: 'UsersOwn',
          actions: ['dynamodb:GetItem'],
          resources: [usersTable.tableArn],
          conditions: {
            'ForAllValues:StringEquals': {
              'dynamodb:LeadingKeys': ['${aws:PrincipalTag/user_id}'],
            },
            Null: { 'dynamodb:LeadingKeys': 'false' },
          },
        }),
        // For register_user.
        new iam.PolicyStatement({
          sid: 'UsersOwn2',
          actions: ['dynamodb:PutItem'],
          resources: [usersTable.tableArn],
          conditions: {
            'ForAllValues:StringEquals': {
              'dynamodb:LeadingKeys': ['${aws:PrincipalTag/user_id}'],
              'dynamodb:Attributes': [
                'currentSession',
                'currentSessionStart',
                'email',
                'isWaitingInQueue',
                'lastQueueEntry',
                'lastSessionTimestamp',
                'pointsDay',
                'pointsLeft',
                'queue',
                'userId',
              ],
            },
            Null: { 'dynamodb:LeadingKeys': 'false', 'dynamodb:Attributes': 'false' },
          },
        }),
        // For join_queue, join_queue_on_new_day.
        new iam.PolicyStatement({
          sid: 'UsersOwn3',
          actions: ['dynamodb:UpdateItem'],
          resources: [usersTable.tableArn],
          conditions: {
            'ForAllValues:StringEquals': {
              'dynamodb:LeadingKeys': ['${aws:PrincipalTag/user_id}'],
              'dynamodb:Attributes': [
                'currentSession',
                'currentSessionStart',
                'isWaitingInQueue',
                'lastQueueEntry',
                'pointsDay',
                'pointsLeft',
                'queue',
                'userId',
              ],
            },
            Null: { 'dynamodb:LeadingKeys': 'false', 'dynamodb:Attributes': 'false' },
          },
        }),
        // For leave_queue.
        new iam.PolicyStatement({
          sid: 'UsersOwn4',
          actions: ['dynamodb:UpdateItem'],
          resources: [usersTable.tableArn],
          conditions: {
            'ForAllValues:StringEquals': {
              'dynamodb:LeadingKeys': ['${aws:PrincipalTag/user_id}'],
              'dynamodb:Attributes': ['isWaitingInQueue', 'queue', 'userId'],
            },
            Null: { 'dynamodb:LeadingKeys': 'false', 'dynamodb:Attributes': 'false' },
          },
        }),
        // For session_history.
        new iam.PolicyStatement({
          sid: 'SessionsOwn',
          actions: ['dynamodb:Query'],
          resources: [
            `${sessionsTable.tableArn}/index/PartnerSessionsIndex`,
            `${sessionsTable.tableArn}/index/UserSessionsIndex`,
          ],
          conditions: {
            'ForAllValues:StringEquals': {
              'dynamodb:LeadingKeys': ['${aws:PrincipalTag/user_id}'],
            },
            Null: { 'dynamodb:LeadingKeys': 'false' },
          },
        }),
      ],
    });

    const callsPolicy = new iam.ManagedPolicy(this, 'CallsPolicy', {
      managedPolicyName: 'One-on-One-prod-calls',
      description: 'What the patterns of the role calls send',
      statements: [
        // For user_status, end_session.
        new iam.PolicyStatement({
          sid: 'Users',
          actions: ['dynamodb:GetItem', 'dynamodb:UpdateItem'],
          resources: [usersTable.tableArn],
        }),
        // For session_by_id, end_session.
        new iam.PolicyStatement({
          sid: 'Sessions',
          actions: ['dynamodb:GetItem', 'dynamodb:UpdateItem'],
          resources: [sessionsTable.tableArn],
        }),
      ],
    });

    const matchmakerPolicy = new iam.ManagedPolicy(this, 'MatchmakerPolicy', {
      managedPolicyName: 'One-on-One-prod-matchmaker',
      description: 'What the patterns of the role matchmaker send',
      statements: [
        // For waiting_users.
        new iam.PolicyStatement({
          sid: 'Users',
          actions: ['dynamodb:Query'],
          resources: [`${usersTable.tableArn}/index/WaitingIndex`],
        }),
        // For match_users.
        new iam.PolicyStatement({
          sid: 'Users2',
          actions: ['dynamodb:UpdateItem'],
          resources: [usersTable.tableArn],
        }),
        // For match_users.
        new iam.PolicyStatement({
          sid: 'Sessions',
          actions: ['dynamodb:PutItem'],
          resources: [sessionsTable.tableArn],
        }),
      ],
    });

    // Alarms.

    const alarmTopic = new sns.Topic(this, 'AlarmTopic', { topicName: 'One-on-One-prod-alarms' });
    alarm(
      this,
      'UsersTableReadThrottledAlarm',
      'Users-read-throttled',
      'Users: Reads were throttled',
      metric('ReadThrottleEvents', 'Sum', 300, { TableName: usersTable.tableName }),
      1,
      alarmTopic,
    );
    alarm(
      this,
      'UsersTableWriteThrottledAlarm',
      'Users-write-throttled',
      'Users: Writes were throttled',
      metric('WriteThrottleEvents', 'Sum', 300, { TableName: usersTable.tableName }),
      1,
      alarmTopic,
    );
    alarm(
      this,
      'UsersTableWaitingIndexReadThrottledAlarm',
      'Users-WaitingIndex-read-throttled',
      'Users, WaitingIndex: Reads were throttled',
      metric('ReadThrottleEvents', 'Sum', 300, {
        TableName: usersTable.tableName,
        GlobalSecondaryIndexName: 'WaitingIndex',
      }),
      1,
      alarmTopic,
    );
    alarm(
      this,
      'UsersTableWaitingIndexWriteThrottledAlarm',
      'Users-WaitingIndex-write-throttled',
      'Users, WaitingIndex: Writes were throttled',
      metric('WriteThrottleEvents', 'Sum', 300, {
        TableName: usersTable.tableName,
        GlobalSecondaryIndexName: 'WaitingIndex',
      }),
      1,
      alarmTopic,
    );
    alarm(
      this,
      'UsersTableGetItemSystemErrorsAlarm',
      'Users-get-item-system-errors',
      'Users: GetItem failed within DynamoDB',
      metric('SystemErrors', 'Sum', 300, { TableName: usersTable.tableName, Operation: 'GetItem' }),
      1,
      alarmTopic,
    );
    alarm(
      this,
      'UsersTablePutItemSystemErrorsAlarm',
      'Users-put-item-system-errors',
      'Users: PutItem failed within DynamoDB',
      metric('SystemErrors', 'Sum', 300, { TableName: usersTable.tableName, Operation: 'PutItem' }),
      1,
      alarmTopic,
    );
    alarm(
      this,
      'UsersTableQuerySystemErrorsAlarm',
      'Users-query-system-errors',
      'Users: Query failed within DynamoDB',
      metric('SystemErrors', 'Sum', 300, { TableName: usersTable.tableName, Operation: 'Query' }),
      1,
      alarmTopic,
    );
    alarm(
      this,
      'UsersTableTransactWriteItemsSystemErrorsAlarm',
      'Users-transact-write-items-system-errors',
      'Users: TransactWriteItems failed within DynamoDB',
      metric('SystemErrors', 'Sum', 300, {
        TableName: usersTable.tableName,
        Operation: 'TransactWriteItems',
      }),
      1,
      alarmTopic,
    );
    alarm(
      this,
      'UsersTableUpdateItemSystemErrorsAlarm',
      'Users-update-item-system-errors',
      'Users: UpdateItem failed within DynamoDB',
      metric('SystemErrors', 'Sum', 300, {
        TableName: usersTable.tableName,
        Operation: 'UpdateItem',
      }),
      1,
      alarmTopic,
    );
    alarm(
      this,
      'UsersTableConditionalFailuresAlarm',
      'Users-conditional-failures',
      'Users: Many conditions of writes did not hold',
      metric('ConditionalCheckFailedRequests', 'Sum', 300, { TableName: usersTable.tableName }),
      1000,
      alarmTopic,
    );
    alarm(
      this,
      'UsersTableTransactionConflictsAlarm',
      'Users-transaction-conflicts',
      'Users: Many requests met a transaction on the same record',
      metric('TransactionConflict', 'Sum', 300, { TableName: usersTable.tableName }),
      100,
      alarmTopic,
    );
    alarm(
      this,
      'SessionsTableReadThrottledAlarm',
      'Sessions-read-throttled',
      'Sessions: Reads were throttled',
      metric('ReadThrottleEvents', 'Sum', 300, { TableName: sessionsTable.tableName }),
      1,
      alarmTopic,
    );
    alarm(
      this,
      'SessionsTableWriteThrottledAlarm',
      'Sessions-write-throttled',
      'Sessions: Writes were throttled',
      metric('WriteThrottleEvents', 'Sum', 300, { TableName: sessionsTable.tableName }),
      1,
      alarmTopic,
    );
    alarm(
      this,
      'SessionsTableUserSessionsIndexReadThrottledAlarm',
      'Sessions-UserSessionsIndex-read-throttled',
      'Sessions, UserSessionsIndex: Reads were throttled',
      metric('ReadThrottleEvents', 'Sum', 300, {
        TableName: sessionsTable.tableName,
        GlobalSecondaryIndexName: 'UserSessionsIndex',
      }),
      1,
      alarmTopic,
    );
    alarm(
      this,
      'SessionsTableUserSessionsIndexWriteThrottledAlarm',
      'Sessions-UserSessionsIndex-write-throttled',
      'Sessions, UserSessionsIndex: Writes were throttled',
      metric('WriteThrottleEvents', 'Sum', 300, {
        TableName: sessionsTable.tableName,
        GlobalSecondaryIndexName: 'UserSessionsIndex',
      }),
      1,
      alarmTopic,
    );
    alarm(
      this,
      'SessionsTablePartnerSessionsIndexReadThrottledAlarm',
      'Sessions-PartnerSessionsIndex-read-throttled',
      'Sessions, PartnerSessionsIndex: Reads were throttled',
      metric('ReadThrottleEvents', 'Sum', 300, {
        TableName: sessionsTable.tableName,
        GlobalSecondaryIndexName: 'PartnerSessionsIndex',
      }),
      1,
      alarmTopic,
    );
    alarm(
      this,
      'SessionsTablePartnerSessionsIndexWriteThrottledAlarm',
      'Sessions-PartnerSessionsIndex-write-throttled',
      'Sessions, PartnerSessionsIndex: Writes were throttled',
      metric('WriteThrottleEvents', 'Sum', 300, {
        TableName: sessionsTable.tableName,
        GlobalSecondaryIndexName: 'PartnerSessionsIndex',
      }),
      1,
      alarmTopic,
    );
    alarm(
      this,
      'SessionsTableGetItemSystemErrorsAlarm',
      'Sessions-get-item-system-errors',
      'Sessions: GetItem failed within DynamoDB',
      metric('SystemErrors', 'Sum', 300, {
        TableName: sessionsTable.tableName,
        Operation: 'GetItem',
      }),
      1,
      alarmTopic,
    );
    alarm(
      this,
      'SessionsTableQuerySystemErrorsAlarm',
      'Sessions-query-system-errors',
      'Sessions: Query failed within DynamoDB',
      metric('SystemErrors', 'Sum', 300, {
        TableName: sessionsTable.tableName,
        Operation: 'Query',
      }),
      1,
      alarmTopic,
    );
    alarm(
      this,
      'SessionsTableTransactWriteItemsSystemErrorsAlarm',
      'Sessions-transact-write-items-system-errors',
      'Sessions: TransactWriteItems failed within DynamoDB',
      metric('SystemErrors', 'Sum', 300, {
        TableName: sessionsTable.tableName,
        Operation: 'TransactWriteItems',
      }),
      1,
      alarmTopic,
    );
    alarm(
      this,
      'SessionsTableConditionalFailuresAlarm',
      'Sessions-conditional-failures',
      'Sessions: Many conditions of writes did not hold',
      metric('ConditionalCheckFailedRequests', 'Sum', 300, { TableName: sessionsTable.tableName }),
      1000,
      alarmTopic,
    );
    alarm(
      this,
      'SessionsTableTransactionConflictsAlarm',
      'Sessions-transaction-conflicts',
      'Sessions: Many requests met a transaction on the same record',
      metric('TransactionConflict', 'Sum', 300, { TableName: sessionsTable.tableName }),
      100,
      alarmTopic,
    );
    alarm(
      this,
      'UserErrorsAlarm',
      'One-on-One-prod-user-errors',
      'Requests that DynamoDB refused as wrong, of everybody in this account and region',
      metric('UserErrors', 'Sum', 300, {}),
      100,
      alarmTopic,
    );

    // Dashboard.
    new cloudwatch.Dashboard(this, 'Dashboard', {
      dashboardName: 'One-on-One-prod',
      widgets: [
        [new cloudwatch.TextWidget({ markdown: '## Users', width: 24, height: 1 })],
        [
          graph('Reads', 4, [
            metric('ConsumedReadCapacityUnits', 'Sum', 300, { TableName: usersTable.tableName }),
          ]),
          graph('Writes', 4, [
            metric('ConsumedWriteCapacityUnits', 'Sum', 300, { TableName: usersTable.tableName }),
          ]),
          graph('Throttled', 4, [
            metric('ReadThrottleEvents', 'Sum', 300, { TableName: usersTable.tableName }),
            metric('WriteThrottleEvents', 'Sum', 300, { TableName: usersTable.tableName }),
          ]),
          graph('Latency (ms)', 4, [
            metric('SuccessfulRequestLatency', 'Average', 300, {
              TableName: usersTable.tableName,
              Operation: 'GetItem',
            }),
            metric('SuccessfulRequestLatency', 'Average', 300, {
              TableName: usersTable.tableName,
              Operation: 'PutItem',
            }),
            metric('SuccessfulRequestLatency', 'Average', 300, {
              TableName: usersTable.tableName,
              Operation: 'Query',
            }),
            metric('SuccessfulRequestLatency', 'Average', 300, {
              TableName: usersTable.tableName,
              Operation: 'TransactWriteItems',
            }),
            metric('SuccessfulRequestLatency', 'Average', 300, {
              TableName: usersTable.tableName,
              Operation: 'UpdateItem',
            }),
          ]),
          graph('Failures', 4, [
            metric('SystemErrors', 'Sum', 300, {
              TableName: usersTable.tableName,
              Operation: 'GetItem',
            }),
            metric('SystemErrors', 'Sum', 300, {
              TableName: usersTable.tableName,
              Operation: 'PutItem',
            }),
            metric('SystemErrors', 'Sum', 300, {
              TableName: usersTable.tableName,
              Operation: 'Query',
            }),
            metric('SystemErrors', 'Sum', 300, {
              TableName: usersTable.tableName,
              Operation: 'TransactWriteItems',
            }),
            metric('SystemErrors', 'Sum', 300, {
              TableName: usersTable.tableName,
              Operation: 'UpdateItem',
            }),
            metric('ConditionalCheckFailedRequests', 'Sum', 300, {
              TableName: usersTable.tableName,
            }),
            metric('TransactionConflict', 'Sum', 300, { TableName: usersTable.tableName }),
          ]),
        ],
        [new cloudwatch.TextWidget({ markdown: '## Users, WaitingIndex', width: 24, height: 1 })],
        [
          graph('Reads', 8, [
            metric('ConsumedReadCapacityUnits', 'Sum', 300, {
              TableName: usersTable.tableName,
              GlobalSecondaryIndexName: 'WaitingIndex',
            }),
          ]),
          graph('Writes', 8, [
            metric('ConsumedWriteCapacityUnits', 'Sum', 300, {
              TableName: usersTable.tableName,
              GlobalSecondaryIndexName: 'WaitingIndex',
            }),
          ]),
          graph('Throttled', 8, [
            metric('ReadThrottleEvents', 'Sum', 300, {
              TableName: usersTable.tableName,
              GlobalSecondaryIndexName: 'WaitingIndex',
            }),
            metric('WriteThrottleEvents', 'Sum', 300, {
              TableName: usersTable.tableName,
              GlobalSecondaryIndexName: 'WaitingIndex',
            }),
          ]),
        ],
        [new cloudwatch.TextWidget({ markdown: '## Sessions', width: 24, height: 1 })],
        [
          graph('Reads', 4, [
            metric('ConsumedReadCapacityUnits', 'Sum', 300, { TableName: sessionsTable.tableName }),
          ]),
          graph('Writes', 4, [
            metric('ConsumedWriteCapacityUnits', 'Sum', 300, {
              TableName: sessionsTable.tableName,
            }),
          ]),
          graph('Throttled', 4, [
            metric('ReadThrottleEvents', 'Sum', 300, { TableName: sessionsTable.tableName }),
            metric('WriteThrottleEvents', 'Sum', 300, { TableName: sessionsTable.tableName }),
          ]),
          graph('Latency (ms)', 4, [
            metric('SuccessfulRequestLatency', 'Average', 300, {
              TableName: sessionsTable.tableName,
              Operation: 'GetItem',
            }),
            metric('SuccessfulRequestLatency', 'Average', 300, {
              TableName: sessionsTable.tableName,
              Operation: 'Query',
            }),
            metric('SuccessfulRequestLatency', 'Average', 300, {
              TableName: sessionsTable.tableName,
              Operation: 'TransactWriteItems',
            }),
          ]),
          graph('Failures', 4, [
            metric('SystemErrors', 'Sum', 300, {
              TableName: sessionsTable.tableName,
              Operation: 'GetItem',
            }),
            metric('SystemErrors', 'Sum', 300, {
              TableName: sessionsTable.tableName,
              Operation: 'Query',
            }),
            metric('SystemErrors', 'Sum', 300, {
              TableName: sessionsTable.tableName,
              Operation: 'TransactWriteItems',
            }),
            metric('ConditionalCheckFailedRequests', 'Sum', 300, {
              TableName: sessionsTable.tableName,
            }),
            metric('TransactionConflict', 'Sum', 300, { TableName: sessionsTable.tableName }),
          ]),
        ],
        [
          new cloudwatch.TextWidget({
            markdown: '## Sessions, UserSessionsIndex',
            width: 24,
            height: 1,
          }),
        ],
        [
          graph('Reads', 8, [
            metric('ConsumedReadCapacityUnits', 'Sum', 300, {
              TableName: sessionsTable.tableName,
              GlobalSecondaryIndexName: 'UserSessionsIndex',
            }),
          ]),
          graph('Writes', 8, [
            metric('ConsumedWriteCapacityUnits', 'Sum', 300, {
              TableName: sessionsTable.tableName,
              GlobalSecondaryIndexName: 'UserSessionsIndex',
            }),
          ]),
          graph('Throttled', 8, [
            metric('ReadThrottleEvents', 'Sum', 300, {
              TableName: sessionsTable.tableName,
              GlobalSecondaryIndexName: 'UserSessionsIndex',
            }),
            metric('WriteThrottleEvents', 'Sum', 300, {
              TableName: sessionsTable.tableName,
              GlobalSecondaryIndexName: 'UserSessionsIndex',
            }),
          ]),
        ],
        [
          new cloudwatch.TextWidget({
            markdown: '## Sessions, PartnerSessionsIndex',
            width: 24,
            height: 1,
          }),
        ],
        [
          graph('Reads', 8, [
            metric('ConsumedReadCapacityUnits', 'Sum', 300, {
              TableName: sessionsTable.tableName,
              GlobalSecondaryIndexName: 'PartnerSessionsIndex',
            }),
          ]),
          graph('Writes', 8, [
            metric('ConsumedWriteCapacityUnits', 'Sum', 300, {
              TableName: sessionsTable.tableName,
              GlobalSecondaryIndexName: 'PartnerSessionsIndex',
            }),
          ]),
          graph('Throttled', 8, [
            metric('ReadThrottleEvents', 'Sum', 300, {
              TableName: sessionsTable.tableName,
              GlobalSecondaryIndexName: 'PartnerSessionsIndex',
            }),
            metric('WriteThrottleEvents', 'Sum', 300, {
              TableName: sessionsTable.tableName,
              GlobalSecondaryIndexName: 'PartnerSessionsIndex',
            }),
          ]),
        ],
      ],
    });

    // Outputs.
    new cdk.CfnOutput(this, 'UsersTableName', {
      value: usersTable.tableName,
      description: 'The name of Users, as it is deployed',
    });
    new cdk.CfnOutput(this, 'SessionsTableName', {
      value: sessionsTable.tableName,
      description: 'The name of Sessions, as it is deployed',
    });
    new cdk.CfnOutput(this, 'MemberPolicyArn', {
      value: memberPolicy.managedPolicyArn,
      description: 'What the patterns of the role member send, each session for one user_id',
    });
    new cdk.CfnOutput(this, 'CallsPolicyArn', {
      value: callsPolicy.managedPolicyArn,
      description: 'What the patterns of the role calls send',
    });
    new cdk.CfnOutput(this, 'MatchmakerPolicyArn', {
      value: matchmakerPolicy.managedPolicyArn,
      description: 'What the patterns of the role matchmaker send',
    });
    new cdk.CfnOutput(this, 'AlarmTopicArn', {
      value: alarmTopic.topicArn,
      description: 'Where alarms go',
    });
  }
}

/** One of DynamoDB's metrics, over so many seconds. */
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

/** A picture of metrics on the dashboard. */
function graph(title: string, width: number, left: cloudwatch.IMetric[]): cloudwatch.GraphWidget {
  return new cloudwatch.GraphWidget({ title, width, height: 6, left });
}

/** Tells the topic when a metric reaches the threshold; silence means that nothing happened. */
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
