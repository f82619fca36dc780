// Made from the design by `sortkey synth`. Change the design and make it anew.
import * as cdk from 'aws-cdk-lib';
import * as cloudwatch from 'aws-cdk-lib/aws-cloudwatch';
import * as actions from 'aws-cdk-lib/aws-cloudwatch-actions';
import * as dynamodb from 'aws-cdk-lib/aws-dynamodb';
import * as iam from 'aws-cdk-lib/aws-iam';
import * as sns from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';

/** The DynamoDB tables of shuttle in prod, and who may use them. */
export class ShuttleStack extends cdk.Stack {
  constructor(scope: Construct, id: string, props?: cdk.StackProps) {
    super(scope, id, props);

    // Tables.

    // Everything, on demand.
    const shuttleTable = new dynamodb.Table(this, 'ShuttleTable', {
      tableName: 'InavorShuttleTable',
      partitionKey: { name: 'PK', type: dynamodb.AttributeType.STRING },
      sortKey: { name: 'SK', type: dynamodb.AttributeType.STRING },
      billingMode: dynamodb.BillingMode.PAY_PER_REQUEST,
      timeToLiveAttribute: 'ExpiresAt',
      pointInTimeRecoverySpecification: {
        pointInTimeRecoveryEnabled: true,
        recoveryPeriodInDays: 35,
      },
      deletionProtection: true,
      tableClass: dynamodb.TableClass.STANDARD,
      encryption: dynamodb.TableEncryption.DEFAULT,
      removalPolicy: cdk.RemovalPolicy.RETAIN,
    });
    shuttleTable.addGlobalSecondaryIndex({
      indexName: 'GSI1',
      partitionKey: { name: 'GSI1PK', type: dynamodb.AttributeType.STRING },
      sortKey: { name: 'GSI1SK', type: dynamodb.AttributeType.STRING },
      projectionType: dynamodb.ProjectionType.ALL,
    });
    shuttleTable.addGlobalSecondaryIndex({
      indexName: 'GSI2',
      partitionKey: { name: 'GSI2PK', type: dynamodb.AttributeType.STRING },
      sortKey: { name: 'GSI2SK', type: dynamodb.AttributeType.STRING },
      projectionType: dynamodb.ProjectionType.ALL,
    });
    shuttleTable.addGlobalSecondaryIndex({
      indexName: 'GSI3',
      partitionKey: { name: 'GSI3PK', type: dynamodb.AttributeType.STRING },
      sortKey: { name: 'GSI3SK', type: dynamodb.AttributeType.STRING },
      projectionType: dynamodb.ProjectionType.ALL,
    });
    shuttleTable.addGlobalSecondaryIndex({
      indexName: 'StatusIndex',
      partitionKey: { name: 'ShopDomain', type: dynamodb.AttributeType.STRING },
      sortKey: { name: 'Status', type: dynamodb.AttributeType.STRING },
      projectionType: dynamodb.ProjectionType.ALL,
    });

    // Policies.

    const merchantPolicy = new iam.ManagedPolicy(this, 'MerchantPolicy', {
      managedPolicyName: 'shuttle-prod-merchant',
      description: 'What the patterns of the role merchant send, each session for one domain',
      statements: [
        // For shop_by_domain, job_by_id, jobs_of_shop, usage_of_day,
        // usage_of_month, usage_of_days, usage_of_months, history_between,
        // current_schema, schema_version.
        new iam.PolicyStatement({
          sid: 'ShuttleOwn',
          actions: ['dynamodb:GetItem', 'dynamodb:Query'],
          resources: [shuttleTable.tableArn],
          conditions: {
            'ForAllValues:StringEquals': {
              'dynamodb:LeadingKeys': ['SHOP#${aws:PrincipalTag/domain}'],
            },
            Null: { 'dynamodb:LeadingKeys': 'false' },
          },
        }),
        // For jobs_by_status, jobs_by_status_between.
        new iam.PolicyStatement({
          sid: 'ShuttleOwn2',
          actions: ['dynamodb:Query'],
          resources: [`${shuttleTable.tableArn}/index/GSI1`],
          conditions: {
            'ForAllValues:StringEquals': {
              'dynamodb:LeadingKeys': ['SHOP#${aws:PrincipalTag/domain}'],
            },
            Null: { 'dynamodb:LeadingKeys': 'false' },
          },
        }),
        // For jobs_in_status.
        new iam.PolicyStatement({
          sid: 'ShuttleOwn3',
          actions: ['dynamodb:Query'],
          resources: [`${shuttleTable.tableArn}/index/StatusIndex`],
          conditions: {
            'ForAllValues:StringEquals': { 'dynamodb:LeadingKeys': ['${aws:PrincipalTag/domain}'] },
            Null: { 'dynamodb:LeadingKeys': 'false' },
          },
        }),
        // For set_settings.
        new iam.PolicyStatement({
          sid: 'ShuttleOwn4',
          actions: ['dynamodb:UpdateItem'],
          resources: [shuttleTable.tableArn],
          conditions: {
            'ForAllValues:StringEquals': {
              'dynamodb:LeadingKeys': ['SHOP#${aws:PrincipalTag/domain}'],
              'dynamodb:Attributes': ['PK', 'SK', 'erasingSince', 'settings', 'uninstalledAt'],
            },
            Null: { 'dynamodb:LeadingKeys': 'false', 'dynamodb:Attributes': 'false' },
          },
        }),
        // For submit_import, submit_uncounted.
        new iam.PolicyStatement({
          sid: 'ShuttleOwn5',
          actions: ['dynamodb:UpdateItem'],
          resources: [shuttleTable.tableArn],
          conditions: {
            'ForAllValues:StringEquals': {
              'dynamodb:LeadingKeys': ['SHOP#${aws:PrincipalTag/domain}'],
              'dynamodb:Attributes': [
                'PK',
                'SK',
                'activeJobs',
                'billingStatus',
                'erasingSince',
                'plan',
              ],
            },
            Null: { 'dynamodb:LeadingKeys': 'false', 'dynamodb:Attributes': 'false' },
          },
        }),
        // For submit_import, submit_uncounted.
        new iam.PolicyStatement({
          sid: 'ShuttleOwn6',
          actions: ['dynamodb:PutItem'],
          resources: [shuttleTable.tableArn],
          conditions: {
            'ForAllValues:StringEquals': {
              'dynamodb:LeadingKeys': ['SHOP#${aws:PrincipalTag/domain}'],
              'dynamodb:Attributes': [
                'ExpiresAt',
                'GSI1PK',
                'GSI1SK',
                'PK',
                'SK',
                'ShopDomain',
                'Status',
                '_type',
                'completedAt',
                'createdAt',
                'createdBy',
                'errorSummary',
                'failedProducts',
                'fileKey',
                'isDryRun',
                'jobId',
                'mode',
                'nextBatch',
                'processedProducts',
                'startedAt',
                'successfulProducts',
                'totalProducts',
                'type',
              ],
            },
            Null: { 'dynamodb:LeadingKeys': 'false', 'dynamodb:Attributes': 'false' },
          },
        }),
        // For submit_import.
        new iam.PolicyStatement({
          sid: 'ShuttleOwn7',
          actions: ['dynamodb:UpdateItem'],
          resources: [shuttleTable.tableArn],
          conditions: {
            'ForAllValues:StringEquals': {
              'dynamodb:LeadingKeys': ['SHOP#${aws:PrincipalTag/domain}'],
              'dynamodb:Attributes': [
                'GSI2PK',
                'GSI2SK',
                'PK',
                'SK',
                '_type',
                'apiCalls',
                'day',
                'domain',
                'importsCount',
                'productsImported',
                'storageUsedBytes',
              ],
            },
            Null: { 'dynamodb:LeadingKeys': 'false', 'dynamodb:Attributes': 'false' },
          },
        }),
        // For submit_import.
        new iam.PolicyStatement({
          sid: 'ShuttleOwn8',
          actions: ['dynamodb:UpdateItem'],
          resources: [shuttleTable.tableArn],
          conditions: {
            'ForAllValues:StringEquals': {
              'dynamodb:LeadingKeys': ['SHOP#${aws:PrincipalTag/domain}'],
              'dynamodb:Attributes': [
                'GSI2PK',
                'GSI2SK',
                'PK',
                'SK',
                '_type',
                'apiCalls',
                'domain',
                'importsCount',
                'month',
                'productsImported',
                'storageUsedBytes',
              ],
            },
            Null: { 'dynamodb:LeadingKeys': 'false', 'dynamodb:Attributes': 'false' },
          },
        }),
        // For cancel_job.
        new iam.PolicyStatement({
          sid: 'ShuttleOwn9',
          actions: ['dynamodb:UpdateItem'],
          resources: [shuttleTable.tableArn],
          conditions: {
            'ForAllValues:StringEquals': {
              'dynamodb:LeadingKeys': ['SHOP#${aws:PrincipalTag/domain}'],
              'dynamodb:Attributes': [
                'ExpiresAt',
                'GSI1PK',
                'GSI1SK',
                'PK',
                'SK',
                'Status',
                'completedAt',
                'createdAt',
                'nextBatch',
              ],
            },
            Null: { 'dynamodb:LeadingKeys': 'false', 'dynamodb:Attributes': 'false' },
          },
        }),
        // For cancel_job.
        new iam.PolicyStatement({
          sid: 'ShuttleOwn10',
          actions: ['dynamodb:UpdateItem'],
          resources: [shuttleTable.tableArn],
          conditions: {
            'ForAllValues:StringEquals': {
              'dynamodb:LeadingKeys': ['SHOP#${aws:PrincipalTag/domain}'],
              'dynamodb:Attributes': ['PK', 'SK', 'activeJobs'],
            },
            Null: { 'dynamodb:LeadingKeys': 'false', 'dynamodb:Attributes': 'false' },
          },
        }),
        // For cancel_job.
        new iam.PolicyStatement({
          sid: 'ShuttleOwn11',
          actions: ['dynamodb:PutItem'],
          resources: [shuttleTable.tableArn],
          conditions: {
            'ForAllValues:StringEquals': {
              'dynamodb:LeadingKeys': ['SHOP#${aws:PrincipalTag/domain}'],
              'dynamodb:Attributes': [
                'PK',
                'SK',
                '_type',
                'completedAt',
                'domain',
                'durationMs',
                'errorCount',
                'jobId',
                'mode',
                'productsImported',
              ],
            },
            Null: { 'dynamodb:LeadingKeys': 'false', 'dynamodb:Attributes': 'false' },
          },
        }),
        // For add_schema, replace_schema.
        new iam.PolicyStatement({
          sid: 'ShuttleOwn12',
          actions: ['dynamodb:ConditionCheckItem'],
          resources: [shuttleTable.tableArn],
          conditions: {
            'ForAllValues:StringEquals': {
              'dynamodb:LeadingKeys': ['SHOP#${aws:PrincipalTag/domain}'],
              'dynamodb:Attributes': ['PK', 'SK', 'erasingSince'],
            },
            Null: { 'dynamodb:LeadingKeys': 'false', 'dynamodb:Attributes': 'false' },
          },
        }),
        // For add_schema, replace_schema.
        new iam.PolicyStatement({
          sid: 'ShuttleOwn13',
          actions: ['dynamodb:PutItem'],
          resources: [shuttleTable.tableArn],
          conditions: {
            'ForAllValues:StringEquals': {
              'dynamodb:LeadingKeys': ['SHOP#${aws:PrincipalTag/domain}'],
              'dynamodb:Attributes': [
                'PK',
                'SK',
                '_type',
                'domain',
                'lastValidatedAt',
                'metafieldDefinitions',
                'metaobjectDefinitions',
                'version',
              ],
            },
            Null: { 'dynamodb:LeadingKeys': 'false', 'dynamodb:Attributes': 'false' },
          },
        }),
      ],
    });

    const gatekeeperPolicy = new iam.ManagedPolicy(this, 'GatekeeperPolicy', {
      managedPolicyName: 'shuttle-prod-gatekeeper',
      description: 'What the patterns of the role gatekeeper send',
      statements: [
        // For session_by_id, session_now, shop_by_domain, put_session,
        // extend_session, end_session, end_session_of_shop, end_moving_session,
        // add_shop, renew_shop, take_back_shop, mark_uninstalled.
        new iam.PolicyStatement({
          sid: 'Shuttle',
          actions: [
            'dynamodb:ConditionCheckItem',
            'dynamodb:DeleteItem',
            'dynamodb:GetItem',
            'dynamodb:PutItem',
            'dynamodb:UpdateItem',
          ],
          resources: [shuttleTable.tableArn],
        }),
        // For sessions_of_shop.
        new iam.PolicyStatement({
          sid: 'Shuttle2',
          actions: ['dynamodb:Query'],
          resources: [`${shuttleTable.tableArn}/index/GSI3`],
        }),
      ],
    });

    const workerPolicy = new iam.ManagedPolicy(this, 'WorkerPolicy', {
      managedPolicyName: 'shuttle-prod-worker',
      description: 'What the patterns of the role worker send',
      statements: [
        // For shop_by_domain, job_by_id, current_schema, start_job, count_batch,
        // finish_job, add_api_calls, set_storage, set_validated.
        new iam.PolicyStatement({
          sid: 'Shuttle',
          actions: [
            'dynamodb:ConditionCheckItem',
            'dynamodb:GetItem',
            'dynamodb:PutItem',
            'dynamodb:UpdateItem',
          ],
          resources: [shuttleTable.tableArn],
        }),
        // For jobs_in_status.
        new iam.PolicyStatement({
          sid: 'Shuttle2',
          actions: ['dynamodb:Query'],
          resources: [`${shuttleTable.tableArn}/index/StatusIndex`],
        }),
      ],
    });

    const operatorPolicy = new iam.ManagedPolicy(this, 'OperatorPolicy', {
      managedPolicyName: 'shuttle-prod-operator',
      description: 'What the patterns of the role operator send',
      statements: [
        // For shops_by_install_date, active_shops, shops_due_for_purge,
        // usage_on_day, usage_in_month, sessions_of_shop.
        new iam.PolicyStatement({
          sid: 'Shuttle',
          actions: ['dynamodb:Query'],
          resources: [
            `${shuttleTable.tableArn}/index/GSI1`,
            `${shuttleTable.tableArn}/index/GSI2`,
            `${shuttleTable.tableArn}/index/GSI3`,
          ],
        }),
        // For shop_by_domain, set_plan, set_billing_status.
        new iam.PolicyStatement({
          sid: 'Shuttle2',
          actions: ['dynamodb:GetItem', 'dynamodb:UpdateItem'],
          resources: [shuttleTable.tableArn],
        }),
      ],
    });

    const eraserPolicy = new iam.ManagedPolicy(this, 'EraserPolicy', {
      managedPolicyName: 'shuttle-prod-eraser',
      description: 'What the patterns of the role eraser send',
      statements: [
        // For shop_by_domain, mark_erasing, mark_purging, stored_jobs, erase_jobs,
        // belongings, erase_belongings, end_session, end_moving_session,
        // erase_shop.
        new iam.PolicyStatement({
          sid: 'Shuttle',
          actions: [
            'dynamodb:BatchWriteItem',
            'dynamodb:DeleteItem',
            'dynamodb:GetItem',
            'dynamodb:PutItem',
            'dynamodb:Query',
            'dynamodb:UpdateItem',
          ],
          resources: [shuttleTable.tableArn],
        }),
        // For shops_due_for_purge, stored_session_ids.
        new iam.PolicyStatement({
          sid: 'Shuttle2',
          actions: ['dynamodb:Query'],
          resources: [`${shuttleTable.tableArn}/index/GSI3`],
        }),
      ],
    });

    // Alarms.

    const alarmTopic = new sns.Topic(this, 'AlarmTopic', { topicName: 'shuttle-prod-alarms' });
    alarm(
      this,
      'ShuttleTableReadThrottledAlarm',
      'InavorShuttleTable-read-throttled',
      'InavorShuttleTable: Reads were throttled',
      metric('ReadThrottleEvents', 'Sum', 300, { TableName: shuttleTable.tableName }),
      1,
      alarmTopic,
    );
    alarm(
      this,
      'ShuttleTableWriteThrottledAlarm',
      'InavorShuttleTable-write-throttled',
      'InavorShuttleTable: Writes were throttled',
      metric('WriteThrottleEvents', 'Sum', 300, { TableName: shuttleTable.tableName }),
      1,
      alarmTopic,
    );
    alarm(
      this,
      'ShuttleTableGSI1ReadThrottledAlarm',
      'InavorShuttleTable-GSI1-read-throttled',
      'InavorShuttleTable, GSI1: Reads were throttled',
      metric('ReadThrottleEvents', 'Sum', 300, {
        TableName: shuttleTable.tableName,
        GlobalSecondaryIndexName: 'GSI1',
      }),
      1,
      alarmTopic,
    );
    alarm(
      this,
      'ShuttleTableGSI1WriteThrottledAlarm',
      'InavorShuttleTable-GSI1-write-throttled',
      'InavorShuttleTable, GSI1: Writes were throttled',
      metric('WriteThrottleEvents', 'Sum', 300, {
        TableName: shuttleTable.tableName,
        GlobalSecondaryIndexName: 'GSI1',
      }),
      1,
      alarmTopic,
    );
    alarm(
      this,
      'ShuttleTableGSI2ReadThrottledAlarm',
      'InavorShuttleTable-GSI2-read-throttled',
      'InavorShuttleTable, GSI2: Reads were throttled',
      metric('ReadThrottleEvents', 'Sum', 300, {
        TableName: shuttleTable.tableName,
        GlobalSecondaryIndexName: 'GSI2',
      }),
      1,
      alarmTopic,
    );
    alarm(
      this,
      'ShuttleTableGSI2WriteThrottledAlarm',
      'InavorShuttleTable-GSI2-write-throttled',
      'InavorShuttleTable, GSI2: Writes were throttled',
      metric('WriteThrottleEvents', 'Sum', 300, {
        TableName: shuttleTable.tableName,
        GlobalSecondaryIndexName: 'GSI2',
      }),
      1,
      alarmTopic,
    );
    alarm(
      this,
      'ShuttleTableGSI3ReadThrottledAlarm',
      'InavorShuttleTable-GSI3-read-throttled',
      'InavorShuttleTable, GSI3: Reads were throttled',
      metric('ReadThrottleEvents', 'Sum', 300, {
        TableName: shuttleTable.tableName,
        GlobalSecondaryIndexName: 'GSI3',
      }),
      1,
      alarmTopic,
    );
    alarm(
      this,
      'ShuttleTableGSI3WriteThrottledAlarm',
      'InavorShuttleTable-GSI3-write-throttled',
      'InavorShuttleTable, GSI3: Writes were throttled',
      metric('WriteThrottleEvents', 'Sum', 300, {
        TableName: shuttleTable.tableName,
        GlobalSecondaryIndexName: 'GSI3',
      }),
      1,
      alarmTopic,
    );
    alarm(
      this,
      'ShuttleTableStatusIndexReadThrottledAlarm',
      'InavorShuttleTable-StatusIndex-read-throttled',
      'InavorShuttleTable, StatusIndex: Reads were throttled',
      metric('ReadThrottleEvents', 'Sum', 300, {
        TableName: shuttleTable.tableName,
        GlobalSecondaryIndexName: 'StatusIndex',
      }),
      1,
      alarmTopic,
    );
    alarm(
      this,
      'ShuttleTableStatusIndexWriteThrottledAlarm',
      'InavorShuttleTable-StatusIndex-write-throttled',
      'InavorShuttleTable, StatusIndex: Writes were throttled',
      metric('WriteThrottleEvents', 'Sum', 300, {
        TableName: shuttleTable.tableName,
        GlobalSecondaryIndexName: 'StatusIndex',
      }),
      1,
      alarmTopic,
    );
    alarm(
      this,
      'ShuttleTableBatchWriteItemSystemErrorsAlarm',
      'InavorShuttleTable-batch-write-item-system-errors',
      'InavorShuttleTable: BatchWriteItem failed within DynamoDB',
      metric('SystemErrors', 'Sum', 300, {
        TableName: shuttleTable.tableName,
        Operation: 'BatchWriteItem',
      }),
      1,
      alarmTopic,
    );
    alarm(
      this,
      'ShuttleTableDeleteItemSystemErrorsAlarm',
      'InavorShuttleTable-delete-item-system-errors',
      'InavorShuttleTable: DeleteItem failed within DynamoDB',
      metric('SystemErrors', 'Sum', 300, {
        TableName: shuttleTable.tableName,
        Operation: 'DeleteItem',
      }),
      1,
      alarmTopic,
    );
    alarm(
      this,
      'ShuttleTableGetItemSystemErrorsAlarm',
      'InavorShuttleTable-get-item-system-errors',
      'InavorShuttleTable: GetItem failed within DynamoDB',
      metric('SystemErrors', 'Sum', 300, {
        TableName: shuttleTable.tableName,
        Operation: 'GetItem',
      }),
      1,
      alarmTopic,
    );
    alarm(
      this,
      'ShuttleTablePutItemSystemErrorsAlarm',
      'InavorShuttleTable-put-item-system-errors',
      'InavorShuttleTable: PutItem failed within DynamoDB',
      metric('SystemErrors', 'Sum', 300, {
        TableName: shuttleTable.tableName,
        Operation: 'PutItem',
      }),
      1,
      alarmTopic,
    );
    alarm(
      this,
      'ShuttleTableQuerySystemErrorsAlarm',
      'InavorShuttleTable-query-system-errors',
      'InavorShuttleTable: Query failed within DynamoDB',
      metric('SystemErrors', 'Sum', 300, { TableName: shuttleTable.tableName, Operation: 'Query' }),
      1,
      alarmTopic,
    );
    alarm(
      this,
      'ShuttleTableTransactWriteItemsSystemErrorsAlarm',
      'InavorShuttleTable-transact-write-items-system-errors',
      'InavorShuttleTable: TransactWriteItems failed within DynamoDB',
      metric('SystemErrors', 'Sum', 300, {
        TableName: shuttleTable.tableName,
        Operation: 'TransactWriteItems',
      }),
      1,
      alarmTopic,
    );
    alarm(
      this,
      'ShuttleTableUpdateItemSystemErrorsAlarm',
      'InavorShuttleTable-update-item-system-errors',
      'InavorShuttleTable: UpdateItem failed within DynamoDB',
      metric('SystemErrors', 'Sum', 300, {
        TableName: shuttleTable.tableName,
        Operation: 'UpdateItem',
      }),
      1,
      alarmTopic,
    );
    alarm(
      this,
      'ShuttleTableConditionalFailuresAlarm',
      'InavorShuttleTable-conditional-failures',
      'InavorShuttleTable: Many conditions of writes did not hold',
      metric('ConditionalCheckFailedRequests', 'Sum', 300, { TableName: shuttleTable.tableName }),
      1000,
      alarmTopic,
    );
    alarm(
      this,
      'ShuttleTableTransactionConflictsAlarm',
      'InavorShuttleTable-transaction-conflicts',
      'InavorShuttleTable: Many requests met a transaction on the same record',
      metric('TransactionConflict', 'Sum', 300, { TableName: shuttleTable.tableName }),
      100,
      alarmTopic,
    );
    alarm(
      this,
      'UserErrorsAlarm',
      'shuttle-prod-user-errors',
      'Requests that DynamoDB refused as wrong, of everybody in this account and region',
      metric('UserErrors', 'Sum', 300, {}),
      100,
      alarmTopic,
    );

    // Dashboard.
    new cloudwatch.Dashboard(this, 'Dashboard', {
      dashboardName: 'shuttle-prod',
      widgets: [
        [new cloudwatch.TextWidget({ markdown: '## InavorShuttleTable', width: 24, height: 1 })],
        [
          graph('Reads', 4, [
            metric('ConsumedReadCapacityUnits', 'Sum', 300, { TableName: shuttleTable.tableName }),
          ]),
          graph('Writes', 4, [
            metric('ConsumedWriteCapacityUnits', 'Sum', 300, { TableName: shuttleTable.tableName }),
          ]),
          graph('Throttled', 4, [
            metric('ReadThrottleEvents', 'Sum', 300, { TableName: shuttleTable.tableName }),
            metric('WriteThrottleEvents', 'Sum', 300, { TableName: shuttleTable.tableName }),
          ]),
          graph('Latency (ms)', 4, [
            metric('SuccessfulRequestLatency', 'Average', 300, {
              TableName: shuttleTable.tableName,
              Operation: 'BatchWriteItem',
            }),
            metric('SuccessfulRequestLatency', 'Average', 300, {
              TableName: shuttleTable.tableName,
              Operation: 'DeleteItem',
            }),
            metric('SuccessfulRequestLatency', 'Average', 300, {
              TableName: shuttleTable.tableName,
              Operation: 'GetItem',
            }),
            metric('SuccessfulRequestLatency', 'Average', 300, {
              TableName: shuttleTable.tableName,
              Operation: 'PutItem',
            }),
            metric('SuccessfulRequestLatency', 'Average', 300, {
              TableName: shuttleTable.tableName,
              Operation: 'Query',
            }),
            metric('SuccessfulRequestLatency', 'Average', 300, {
              TableName: shuttleTable.tableName,
              Operation: 'TransactWriteItems',
            }),
            metric('SuccessfulRequestLatency', 'Average', 300, {
              TableName: shuttleTable.tableName,
              Operation: 'UpdateItem',
            }),
          ]),
          graph('Failures', 4, [
            metric('SystemErrors', 'Sum', 300, {
              TableName: shuttleTable.tableName,
              Operation: 'BatchWriteItem',
            }),
            metric('SystemErrors', 'Sum', 300, {
              TableName: shuttleTable.tableName,
              Operation: 'DeleteItem',
            }),
            metric('SystemErrors', 'Sum', 300, {
              TableName: shuttleTable.tableName,
              Operation: 'GetItem',
            }),
            metric('SystemErrors', 'Sum', 300, {
              TableName: shuttleTable.tableName,
              Operation: 'PutItem',
            }),
            metric('SystemErrors', 'Sum', 300, {
              TableName: shuttleTable.tableName,
              Operation: 'Query',
            }),
            metric('SystemErrors', 'Sum', 300, {
              TableName: shuttleTable.tableName,
              Operation: 'TransactWriteItems',
            }),
            metric('SystemErrors', 'Sum', 300, {
              TableName: shuttleTable.tableName,
              Operation: 'UpdateItem',
            }),
            metric('ConditionalCheckFailedRequests', 'Sum', 300, {
              TableName: shuttleTable.tableName,
            }),
            metric('TransactionConflict', 'Sum', 300, { TableName: shuttleTable.tableName }),
          ]),
        ],
        [
          new cloudwatch.TextWidget({
            markdown: '## InavorShuttleTable, GSI1',
            width: 24,
            height: 1,
          }),
        ],
        [
          graph('Reads', 8, [
            metric('ConsumedReadCapacityUnits', 'Sum', 300, {
              TableName: shuttleTable.tableName,
              GlobalSecondaryIndexName: 'GSI1',
            }),
          ]),
          graph('Writes', 8, [
            metric('ConsumedWriteCapacityUnits', 'Sum', 300, {
              TableName: shuttleTable.tableName,
              GlobalSecondaryIndexName: 'GSI1',
            }),
          ]),
          graph('Throttled', 8, [
            metric('ReadThrottleEvents', 'Sum', 300, {
              TableName: shuttleTable.tableName,
              GlobalSecondaryIndexName: 'GSI1',
            }),
            metric('WriteThrottleEvents', 'Sum', 300, {
              TableName: shuttleTable.tableName,
              GlobalSecondaryIndexName: 'GSI1',
            }),
          ]),
        ],
        [
          new cloudwatch.TextWidget({
            markdown: '## InavorShuttleTable, GSI2',
            width: 24,
            height: 1,
          }),
        ],
        [
          graph('Reads', 8, [
            metric('ConsumedReadCapacityUnits', 'Sum', 300, {
              TableName: shuttleTable.tableName,
              GlobalSecondaryIndexName: 'GSI2',
            }),
          ]),
          graph('Writes', 8, [
            metric('ConsumedWriteCapacityUnits', 'Sum', 300, {
              TableName: shuttleTable.tableName,
              GlobalSecondaryIndexName: 'GSI2',
            }),
          ]),
          graph('Throttled', 8, [
            metric('ReadThrottleEvents', 'Sum', 300, {
              TableName: shuttleTable.tableName,
              GlobalSecondaryIndexName: 'GSI2',
            }),
            metric('WriteThrottleEvents', 'Sum', 300, {
              TableName: shuttleTable.tableName,
              GlobalSecondaryIndexName: 'GSI2',
            }),
          ]),
        ],
        [
          new cloudwatch.TextWidget({
            markdown: '## InavorShuttleTable, GSI3',
            width: 24,
            height: 1,
          }),
        ],
        [
          graph('Reads', 8, [
            metric('ConsumedReadCapacityUnits', 'Sum', 300, {
              TableName: shuttleTable.tableName,
              GlobalSecondaryIndexName: 'GSI3',
            }),
          ]),
          graph('Writes', 8, [
            metric('ConsumedWriteCapacityUnits', 'Sum', 300, {
              TableName: shuttleTable.tableName,
              GlobalSecondaryIndexName: 'GSI3',
            }),
          ]),
          graph('Throttled', 8, [
            metric('ReadThrottleEvents', 'Sum', 300, {
              TableName: shuttleTable.tableName,
              GlobalSecondaryIndexName: 'GSI3',
            }),
            metric('WriteThrottleEvents', 'Sum', 300, {
              TableName: shuttleTable.tableName,
              GlobalSecondaryIndexName: 'GSI3',
            }),
          ]),
        ],
        [
          new cloudwatch.TextWidget({
            markdown: '## InavorShuttleTable, StatusIndex',
            width: 24,
            height: 1,
          }),
        ],
        [
          graph('Reads', 8, [
            metric('ConsumedReadCapacityUnits', 'Sum', 300, {
              TableName: shuttleTable.tableName,
              GlobalSecondaryIndexName: 'StatusIndex',
            }),
          ]),
          graph('Writes', 8, [
            metric('ConsumedWriteCapacityUnits', 'Sum', 300, {
              TableName: shuttleTable.tableName,
              GlobalSecondaryIndexName: 'StatusIndex',
            }),
          ]),
          graph('Throttled', 8, [
            metric('ReadThrottleEvents', 'Sum', 300, {
              TableName: shuttleTable.tableName,
              GlobalSecondaryIndexName: 'StatusIndex',
            }),
            metric('WriteThrottleEvents', 'Sum', 300, {
              TableName: shuttleTable.tableName,
              GlobalSecondaryIndexName: 'StatusIndex',
            }),
          ]),
        ],
      ],
    });

    // Outputs.
    new cdk.CfnOutput(this, 'ShuttleTableName', {
      value: shuttleTable.tableName,
      description: 'The name of InavorShuttleTable, as it is deployed',
    });
    new cdk.CfnOutput(this, 'MerchantPolicyArn', {
      value: merchantPolicy.managedPolicyArn,
      description: 'What the patterns of the role merchant send, each session for one domain',
    });
    new cdk.CfnOutput(this, 'GatekeeperPolicyArn', {
      value: gatekeeperPolicy.managedPolicyArn,
      description: 'What the patterns of the role gatekeeper send',
    });
    new cdk.CfnOutput(this, 'WorkerPolicyArn', {
      value: workerPolicy.managedPolicyArn,
      description: 'What the patterns of the role worker send',
    });
    new cdk.CfnOutput(this, 'OperatorPolicyArn', {
      value: operatorPolicy.managedPolicyArn,
      description: 'What the patterns of the role operator send',
    });
    new cdk.CfnOutput(this, 'EraserPolicyArn', {
      value: eraserPolicy.managedPolicyArn,
      description: 'What the patterns of the role eraser send',
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
