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
      metric(
        'ReadThrottleEvents',
        'Sum',
        300,
        { TableName: usersTable.tableName, GlobalSecondaryIndexName: 'WaitingIndex' },
      ),
      1,
      alarmTopic,
    );
    alarm(
      this,
      'UsersTableWaitingIndexWriteThrottledAlarm',
      'Users-WaitingIndex-write-throttled',
      'Users, WaitingIndex: Writes were throttled',
      metric(
        'WriteThrottleEvents',
        'Sum',
        300,
        { TableName: usersTable.tableName, GlobalSecondaryIndexName: 'WaitingIndex' },
      ),
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
      metric(
        'SystemErrors',
        'Sum',
        300,
        { TableName: usersTable.tableName, Operation: 'TransactWriteItems' },
      ),
      1,
      alarmTopic,
    );
    alarm(
      this,
      'UsersTableUpdateItemSystemErrorsAlarm',
      'Users-update-item-system-errors',
      'Users: UpdateItem failed within DynamoDB',
      metric(
        'SystemErrors',
        'Sum',
        300,
        { TableName: usersTable.tableName, Operation: 'UpdateItem' },
      ),
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
      metric(
        'ReadThrottleEvents',
        'Sum',
        300,
        { TableName: sessionsTable.tableName, GlobalSecondaryIndexName: 'UserSessionsIndex' },
      ),
      1,
      alarmTopic,
    );
    alarm(
      this,
      'SessionsTableUserSessionsIndexWriteThrottledAlarm',
      'Sessions-UserSessionsIndex-write-throttled',
      'Sessions, UserSessionsIndex: Writes were throttled',
      metric(
        'WriteThrottleEvents',
        'Sum',
        300,
        { TableName: sessionsTable.tableName, GlobalSecondaryIndexName: 'UserSessionsIndex' },
      ),
      1,
      alarmTopic,
    );
    alarm(
      this,
      'SessionsTablePartnerSessionsIndexReadThrottledAlarm',
      'Sessions-PartnerSessionsIndex-read-throttled',
      'Sessions, PartnerSessionsIndex: Reads were throttled',
      metric(
        'ReadThrottleEvents',
        'Sum',
        300,
        { TableName: sessionsTable.tableName, GlobalSecondaryIndexName: 'PartnerSessionsIndex' },
      ),
      1,
      alarmTopic,
    );
    alarm(
      this,
      'SessionsTablePartnerSessionsIndexWriteThrottledAlarm',
      'Sessions-PartnerSessionsIndex-write-throttled',
      'Sessions, PartnerSessionsIndex: Writes were throttled',
      metric(
        'WriteThrottleEvents',
        'Sum',
        300,
        { TableName: sessionsTable.tableName, GlobalSecondaryIndexName: 'PartnerSessionsIndex' },
      ),
      1,
      alarmTopic,
    );
    alarm(
      this,
      'SessionsTableGetItemSystemErrorsAlarm',
      'Sessions-get-item-system-errors',
      'Sessions: GetItem failed within DynamoDB',
      metric(
        'SystemErrors',
        'Sum',
        300,
        { TableName: sessionsTable.tableName, Operation: 'GetItem' },
      ),
      1,
      alarmTopic,
    );
    alarm(
      this,
      'SessionsTableQuerySystemErrorsAlarm',
      'Sessions-query-system-errors',
      'Sessions: Query failed within DynamoDB',
      metric(
        'SystemErrors',
        'Sum',
        300,
        { TableName: sessionsTable.tableName, Operation: 'Query' },
      ),
      1,
      alarmTopic,
    );
    alarm(
      this,
      'SessionsTableTransactWriteItemsSystemErrorsAlarm',
      'Sessions-transact-write-items-system-errors',
      'Sessions: TransactWriteItems failed within DynamoDB',
      metric(
        'SystemErrors',
        'Sum',
        300,
        { TableName: sessionsTable.tableName, Operation: 'TransactWriteItems' },
      ),
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
    new cloudwatch.CfnDashboard(this, 'Dashboard', {
      dashboardName: 'One-on-One-prod',
      dashboardBody: this.toJsonString({
        widgets: [
          { type: 'text', x: 0, y: 0, width: 24, height: 1, properties: { markdown: '## Users' } },
          {
            type: 'metric',
            x: 0,
            y: 1,
            width: 4,
            height: 6,
            properties: {
              title: 'Reads',
              region: this.region,
              period: 300,
              metrics: [
                [
                  'AWS/DynamoDB',
                  'ConsumedReadCapacityUnits',
                  'TableName',
                  'Users',
                  { stat: 'Sum' },
                ],
              ],
            },
          },
          {
            type: 'metric',
            x: 4,
            y: 1,
            width: 4,
            height: 6,
            properties: {
              title: 'Writes',
              region: this.region,
              period: 300,
              metrics: [
                [
                  'AWS/DynamoDB',
                  'ConsumedWriteCapacityUnits',
                  'TableName',
                  'Users',
                  { stat: 'Sum' },
                ],
              ],
            },
          },
          {
            type: 'metric',
            x: 8,
            y: 1,
            width: 4,
            height: 6,
            properties: {
              title: 'Throttled',
              region: this.region,
              period: 300,
              metrics: [
                ['AWS/DynamoDB', 'ReadThrottleEvents', 'TableName', 'Users', { stat: 'Sum' }],
                ['AWS/DynamoDB', 'WriteThrottleEvents', 'TableName', 'Users', { stat: 'Sum' }],
              ],
            },
          },
          {
            type: 'metric',
            x: 12,
            y: 1,
            width: 4,
            height: 6,
            properties: {
              title: 'Latency (ms)',
              region: this.region,
              period: 300,
              metrics: [
                [
                  'AWS/DynamoDB',
                  'SuccessfulRequestLatency',
                  'TableName',
                  'Users',
                  'Operation',
                  'GetItem',
                  { stat: 'Average' },
                ],
                [
                  'AWS/DynamoDB',
                  'SuccessfulRequestLatency',
                  'TableName',
                  'Users',
                  'Operation',
                  'PutItem',
                  { stat: 'Average' },
                ],
                [
                  'AWS/DynamoDB',
                  'SuccessfulRequestLatency',
                  'TableName',
                  'Users',
                  'Operation',
                  'Query',
                  { stat: 'Average' },
                ],
                [
                  'AWS/DynamoDB',
                  'SuccessfulRequestLatency',
                  'TableName',
                  'Users',
                  'Operation',
                  'TransactWriteItems',
                  { stat: 'Average' },
                ],
                [
                  'AWS/DynamoDB',
                  'SuccessfulRequestLatency',
                  'TableName',
                  'Users',
                  'Operation',
                  'UpdateItem',
                  { stat: 'Average' },
                ],
              ],
            },
          },
          {
            type: 'metric',
            x: 16,
            y: 1,
            width: 4,
            height: 6,
            properties: {
              title: 'Failures',
              region: this.region,
              period: 300,
              metrics: [
                [
                  'AWS/DynamoDB',
                  'SystemErrors',
                  'TableName',
                  'Users',
                  'Operation',
                  'GetItem',
                  { stat: 'Sum' },
                ],
                [
                  'AWS/DynamoDB',
                  'SystemErrors',
                  'TableName',
                  'Users',
                  'Operation',
                  'PutItem',
                  { stat: 'Sum' },
                ],
                [
                  'AWS/DynamoDB',
                  'SystemErrors',
                  'TableName',
                  'Users',
                  'Operation',
                  'Query',
                  { stat: 'Sum' },
                ],
                [
                  'AWS/DynamoDB',
                  'SystemErrors',
                  'TableName',
                  'Users',
                  'Operation',
                  'TransactWriteItems',
                  { stat: 'Sum' },
                ],
                [
                  'AWS/DynamoDB',
                  'SystemErrors',
                  'TableName',
                  'Users',
                  'Operation',
                  'UpdateItem',
                  { stat: 'Sum' },
                ],
                [
                  'AWS/DynamoDB',
                  'ConditionalCheckFailedRequests',
                  'TableName',
                  'Users',
                  { stat: 'Sum' },
                ],
                ['AWS/DynamoDB', 'TransactionConflict', 'TableName', 'Users', { stat: 'Sum' }],
              ],
            },
          },
          {
            type: 'text',
            x: 0,
            y: 7,
            width: 24,
            height: 1,
            properties: { markdown: '## Users, WaitingIndex' },
          },
          {
            type: 'metric',
            x: 0,
            y: 8,
            width: 8,
            height: 6,
            properties: {
              title: 'Reads',
              region: this.region,
              period: 300,
              metrics: [
                [
                  'AWS/DynamoDB',
                  'ConsumedReadCapacityUnits',
                  'TableName',
                  'Users',
                  'GlobalSecondaryIndexName',
                  'WaitingIndex',
                  { stat: 'Sum' },
                ],
              ],
            },
          },
          {
            type: 'metric',
            x: 8,
            y: 8,
            width: 8,
            height: 6,
            properties: {
              title: 'Writes',
              region: this.region,
              period: 300,
              metrics: [
                [
                  'AWS/DynamoDB',
                  'ConsumedWriteCapacityUnits',
                  'TableName',
                  'Users',
                  'GlobalSecondaryIndexName',
                  'WaitingIndex',
                  { stat: 'Sum' },
                ],
              ],
            },
          },
          {
            type: 'metric',
            x: 16,
            y: 8,
            width: 8,
            height: 6,
            properties: {
              title: 'Throttled',
              region: this.region,
              period: 300,
              metrics: [
                [
                  'AWS/DynamoDB',
                  'ReadThrottleEvents',
                  'TableName',
                  'Users',
                  'GlobalSecondaryIndexName',
                  'WaitingIndex',
                  { stat: 'Sum' },
                ],
                [
                  'AWS/DynamoDB',
                  'WriteThrottleEvents',
                  'TableName',
                  'Users',
                  'GlobalSecondaryIndexName',
                  'WaitingIndex',
                  { stat: 'Sum' },
                ],
              ],
            },
          },
          {
            type: 'text',
            x: 0,
            y: 14,
            width: 24,
            height: 1,
            properties: { markdown: '## Sessions' },
          },
          {
            type: 'metric',
            x: 0,
            y: 15,
            width: 4,
            height: 6,
            properties: {
              title: 'Reads',
              region: this.region,
              period: 300,
              metrics: [
                [
                  'AWS/DynamoDB',
                  'ConsumedReadCapacityUnits',
                  'TableName',
                  'Sessions',
                  { stat: 'Sum' },
                ],
              ],
            },
          },
          {
            type: 'metric',
            x: 4,
            y: 15,
            width: 4,
            height: 6,
            properties: {
              title: 'Writes',
              region: this.region,
              period: 300,
              metrics: [
                [
                  'AWS/DynamoDB',
                  'ConsumedWriteCapacityUnits',
                  'TableName',
                  'Sessions',
                  { stat: 'Sum' },
                ],
              ],
            },
          },
          {
            type: 'metric',
            x: 8,
            y: 15,
            width: 4,
            height: 6,
            properties: {
              title: 'Throttled',
              region: this.region,
              period: 300,
              metrics: [
                ['AWS/DynamoDB', 'ReadThrottleEvents', 'TableName', 'Sessions', { stat: 'Sum' }],
                ['AWS/DynamoDB', 'WriteThrottleEvents', 'TableName', 'Sessions', { stat: 'Sum' }],
              ],
            },
          },
          {
            type: 'metric',
            x: 12,
            y: 15,
            width: 4,
            height: 6,
            properties: {
              title: 'Latency (ms)',
              region: this.region,
              period: 300,
              metrics: [
                [
                  'AWS/DynamoDB',
                  'SuccessfulRequestLatency',
                  'TableName',
                  'Sessions',
                  'Operation',
                  'GetItem',
                  { stat: 'Average' },
                ],
                [
                  'AWS/DynamoDB',
                  'SuccessfulRequestLatency',
                  'TableName',
                  'Sessions',
                  'Operation',
                  'Query',
                  { stat: 'Average' },
                ],
                [
                  'AWS/DynamoDB',
                  'SuccessfulRequestLatency',
                  'TableName',
                  'Sessions',
                  'Operation',
                  'TransactWriteItems',
                  { stat: 'Average' },
                ],
              ],
            },
          },
          {
            type: 'metric',
            x: 16,
            y: 15,
            width: 4,
            height: 6,
            properties: {
              title: 'Failures',
              region: this.region,
              period: 300,
              metrics: [
                [
                  'AWS/DynamoDB',
                  'SystemErrors',
                  'TableName',
                  'Sessions',
                  'Operation',
                  'GetItem',
                  { stat: 'Sum' },
                ],
                [
                  'AWS/DynamoDB',
                  'SystemErrors',
                  'TableName',
                  'Sessions',
                  'Operation',
                  'Query',
                  { stat: 'Sum' },
                ],
                [
                  'AWS/DynamoDB',
                  'SystemErrors',
                  'TableName',
                  'Sessions',
                  'Operation',
                  'TransactWriteItems',
                  { stat: 'Sum' },
                ],
                [
                  'AWS/DynamoDB',
                  'ConditionalCheckFailedRequests',
                  'TableName',
                  'Sessions',
                  { stat: 'Sum' },
                ],
                ['AWS/DynamoDB', 'TransactionConflict', 'TableName', 'Sessions', { stat: 'Sum' }],
              ],
            },
          },
          {
            type: 'text',
            x: 0,
            y: 21,
            width: 24,
            height: 1,
            properties: { markdown: '## Sessions, UserSessionsIndex' },
          },
          {
            type: 'metric',
            x: 0,
            y: 22,
            width: 8,
            height: 6,
            properties: {
              title: 'Reads',
              region: this.region,
              period: 300,
              metrics: [
                [
                  'AWS/DynamoDB',
                  'ConsumedReadCapacityUnits',
                  'TableName',
                  'Sessions',
                  'GlobalSecondaryIndexName',
                  'UserSessionsIndex',
                  { stat: 'Sum' },
                ],
              ],
            },
          },
          {
            type: 'metric',
            x: 8,
            y: 22,
            width: 8,
            height: 6,
            properties: {
              title: 'Writes',
              region: this.region,
              period: 300,
              metrics: [
                [
                  'AWS/DynamoDB',
                  'ConsumedWriteCapacityUnits',
                  'TableName',
                  'Sessions',
                  'GlobalSecondaryIndexName',
                  'UserSessionsIndex',
                  { stat: 'Sum' },
                ],
              ],
            },
          },
          {
            type: 'metric',
            x: 16,
            y: 22,
            width: 8,
            height: 6,
            properties: {
              title: 'Throttled',
              region: this.region,
              period: 300,
              metrics: [
                [
                  'AWS/DynamoDB',
                  'ReadThrottleEvents',
                  'TableName',
                  'Sessions',
                  'GlobalSecondaryIndexName',
                  'UserSessionsIndex',
                  { stat: 'Sum' },
                ],
                [
                  'AWS/DynamoDB',
                  'WriteThrottleEvents',
                  'TableName',
                  'Sessions',
                  'GlobalSecondaryIndexName',
                  'UserSessionsIndex',
                  { stat: 'Sum' },
                ],
              ],
            },
          },
          {
            type: 'text',
            x: 0,
            y: 28,
            width: 24,
            height: 1,
            properties: { markdown: '## Sessions, PartnerSessionsIndex' },
          },
          {
            type: 'metric',
            x: 0,
            y: 29,
            width: 8,
            height: 6,
            properties: {
              title: 'Reads',
              region: this.region,
              period: 300,
              metrics: [
                [
                  'AWS/DynamoDB',
                  'ConsumedReadCapacityUnits',
                  'TableName',
                  'Sessions',
                  'GlobalSecondaryIndexName',
                  'PartnerSessionsIndex',
                  { stat: 'Sum' },
                ],
              ],
            },
          },
          {
            type: 'metric',
            x: 8,
            y: 29,
            width: 8,
            height: 6,
            properties: {
              title: 'Writes',
              region: this.region,
              period: 300,
              metrics: [
                [
                  'AWS/DynamoDB',
                  'ConsumedWriteCapacityUnits',
                  'TableName',
                  'Sessions',
                  'GlobalSecondaryIndexName',
                  'PartnerSessionsIndex',
                  { stat: 'Sum' },
                ],
              ],
            },
          },
          {
            type: 'metric',
            x: 16,
            y: 29,
            width: 8,
            height: 6,
            properties: {
              title: 'Throttled',
              region: this.region,
              period: 300,
              metrics: [
                [
                  'AWS/DynamoDB',
                  'ReadThrottleEvents',
                  'TableName',
                  'Sessions',
                  'GlobalSecondaryIndexName',
                  'PartnerSessionsIndex',
                  { stat: 'Sum' },
                ],
                [
                  'AWS/DynamoDB',
                  'WriteThrottleEvents',
                  'TableName',
                  'Sessions',
                  'GlobalSecondaryIndexName',
                  'PartnerSessionsIndex',
                  { stat: 'Sum' },
                ],
              ],
            },
          },
        ],
      }),
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
