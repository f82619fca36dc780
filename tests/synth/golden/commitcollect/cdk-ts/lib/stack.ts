// Made from the design by `sortkey synth`. Change the design and make it anew.
import * as cdk from 'aws-cdk-lib';
import * as cloudwatch from 'aws-cdk-lib/aws-cloudwatch';
import * as actions from 'aws-cdk-lib/aws-cloudwatch-actions';
import * as dynamodb from 'aws-cdk-lib/aws-dynamodb';
import * as iam from 'aws-cdk-lib/aws-iam';
import * as sns from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';

/** The DynamoDB tables of commitcollect in prod, and who may use them. */
export class CommitcollectStack extends cdk.Stack {
  constructor(scope: Construct, id: string, props?: cdk.StackProps) {
    super(scope, id, props);

    // Tables.

    // People, what they did, and what they earned.
    const commitCollectTable = new dynamodb.Table(this, 'CommitCollectTable', {
      tableName: 'CommitCollect',
      partitionKey: { name: 'PK', type: dynamodb.AttributeType.STRING },
      sortKey: { name: 'SK', type: dynamodb.AttributeType.STRING },
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
    commitCollectTable.addGlobalSecondaryIndex({
      indexName: 'GSI1',
      partitionKey: { name: 'GSI1PK', type: dynamodb.AttributeType.STRING },
      sortKey: { name: 'GSI1SK', type: dynamodb.AttributeType.STRING },
      projectionType: dynamodb.ProjectionType.ALL,
    });

    // Who is signed in.
    const commitCollectSessionsTable = new dynamodb.Table(this, 'CommitCollectSessionsTable', {
      tableName: 'CommitCollectSessions',
      partitionKey: { name: 'PK', type: dynamodb.AttributeType.STRING },
      sortKey: { name: 'SK', type: dynamodb.AttributeType.STRING },
      billingMode: dynamodb.BillingMode.PAY_PER_REQUEST,
      timeToLiveAttribute: 'expiresAtUtc',
      pointInTimeRecoverySpecification: {
        pointInTimeRecoveryEnabled: true,
        recoveryPeriodInDays: 35,
      },
      deletionProtection: true,
      tableClass: dynamodb.TableClass.STANDARD,
      encryption: dynamodb.TableEncryption.DEFAULT,
      removalPolicy: cdk.RemovalPolicy.RETAIN,
    });
    commitCollectSessionsTable.addGlobalSecondaryIndex({
      indexName: 'GSI1',
      partitionKey: { name: 'GSI1PK', type: dynamodb.AttributeType.STRING },
      sortKey: { name: 'GSI1SK', type: dynamodb.AttributeType.STRING },
      projectionType: dynamodb.ProjectionType.INCLUDE,
      nonKeyAttributes: ['sessionId', 'userId', 'createdAtUtc', 'expiresAtUtc'],
    });

    // What happened, for ninety days.
    const commitCollectAuditTable = new dynamodb.Table(this, 'CommitCollectAuditTable', {
      tableName: 'CommitCollectAudit',
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
    commitCollectAuditTable.addGlobalSecondaryIndex({
      indexName: 'GSI1',
      partitionKey: { name: 'GSI1PK', type: dynamodb.AttributeType.STRING },
      sortKey: { name: 'GSI1SK', type: dynamodb.AttributeType.STRING },
      projectionType: dynamodb.ProjectionType.ALL,
    });
    commitCollectAuditTable.addGlobalSecondaryIndex({
      indexName: 'GSI2',
      partitionKey: { name: 'GSI2PK', type: dynamodb.AttributeType.STRING },
      sortKey: { name: 'GSI2SK', type: dynamodb.AttributeType.STRING },
      projectionType: dynamodb.ProjectionType.ALL,
    });

    // Which events are being processed, and which were.
    const commitCollectIdempotencyTable = new dynamodb.Table(this, 'CommitCollectIdempotencyTable', {
      tableName: 'CommitCollectIdempotency',
      partitionKey: { name: 'PK', type: dynamodb.AttributeType.STRING },
      sortKey: { name: 'SK', type: dynamodb.AttributeType.STRING },
      billingMode: dynamodb.BillingMode.PAY_PER_REQUEST,
      timeToLiveAttribute: 'expires',
      pointInTimeRecoverySpecification: {
        pointInTimeRecoveryEnabled: true,
        recoveryPeriodInDays: 35,
      },
      deletionProtection: true,
      tableClass: dynamodb.TableClass.STANDARD,
      encryption: dynamodb.TableEncryption.DEFAULT,
      removalPolicy: cdk.RemovalPolicy.RETAIN,
    });

    // Policies.

    const appPolicy = new iam.ManagedPolicy(this, 'AppPolicy', {
      managedPolicyName: 'commitcollect-prod-app',
      description: 'What the patterns of the role app send, each session for one user_id',
      statements: [
        // For profile, workout, milestone, milestone_with_awards, awards.
        new iam.PolicyStatement({
          sid: 'CommitCollectOwn',
          actions: ['dynamodb:GetItem', 'dynamodb:Query'],
          resources: [commitCollectTable.tableArn],
          conditions: {
            'ForAllValues:StringEquals': {
              'dynamodb:LeadingKeys': ['USER#${aws:PrincipalTag/user_id}'],
            },
            Null: { 'dynamodb:LeadingKeys': 'false' },
          },
        }),
        // For workouts_since, recent_workouts, milestones.
        new iam.PolicyStatement({
          sid: 'CommitCollectOwn2',
          actions: ['dynamodb:Query'],
          resources: [`${commitCollectTable.tableArn}/index/GSI1`],
          conditions: {
            'ForAllValues:StringEquals': {
              'dynamodb:LeadingKeys': [
                'USER#${aws:PrincipalTag/user_id}#MILESTONES',
                'USER#${aws:PrincipalTag/user_id}#WORKOUTS',
              ],
            },
            Null: { 'dynamodb:LeadingKeys': 'false' },
          },
        }),
      ],
    });

    const catalogPolicy = new iam.ManagedPolicy(this, 'CatalogPolicy', {
      managedPolicyName: 'commitcollect-prod-catalog',
      description: 'What the patterns of the role catalog send',
      statements: [
        // For active_models, model_with_parts.
        new iam.PolicyStatement({
          sid: 'CommitCollect',
          actions: ['dynamodb:Query'],
          resources: [commitCollectTable.tableArn, `${commitCollectTable.tableArn}/index/GSI1`],
        }),
      ],
    });

    const signInPolicy = new iam.ManagedPolicy(this, 'SignInPolicy', {
      managedPolicyName: 'commitcollect-prod-sign-in',
      description: 'What the patterns of the role sign-in send',
      statements: [
        // For add_profile, open_session.
        new iam.PolicyStatement({
          sid: 'CommitCollect',
          actions: ['dynamodb:ConditionCheckItem', 'dynamodb:PutItem'],
          resources: [commitCollectTable.tableArn],
        }),
        // For open_session, session, end_session.
        new iam.PolicyStatement({
          sid: 'CommitCollectSessions',
          actions: ['dynamodb:DeleteItem', 'dynamodb:GetItem', 'dynamodb:PutItem'],
          resources: [commitCollectSessionsTable.tableArn],
        }),
        // For sessions.
        new iam.PolicyStatement({
          sid: 'CommitCollectSessions2',
          actions: ['dynamodb:Query'],
          resources: [`${commitCollectSessionsTable.tableArn}/index/GSI1`],
        }),
        // For add_audit_event.
        new iam.PolicyStatement({
          sid: 'CommitCollectAudit',
          actions: ['dynamodb:PutItem'],
          resources: [commitCollectAuditTable.tableArn],
        }),
      ],
    });

    const connectorPolicy = new iam.ManagedPolicy(this, 'ConnectorPolicy', {
      managedPolicyName: 'commitcollect-prod-connector',
      description: 'What the patterns of the role connector send',
      statements: [
        // For session, write_state, consume_state.
        new iam.PolicyStatement({
          sid: 'CommitCollectSessions',
          actions: ['dynamodb:DeleteItem', 'dynamodb:GetItem', 'dynamodb:PutItem'],
          resources: [commitCollectSessionsTable.tableArn],
        }),
        // For held_athlete, connect_first, connect_again, connect_other,
        // disconnect_athlete, drop_foreign, drop_unowned.
        new iam.PolicyStatement({
          sid: 'CommitCollect',
          actions: [
            'dynamodb:ConditionCheckItem',
            'dynamodb:DeleteItem',
            'dynamodb:GetItem',
            'dynamodb:PutItem',
          ],
          resources: [commitCollectTable.tableArn],
        }),
        // For add_audit_event.
        new iam.PolicyStatement({
          sid: 'CommitCollectAudit',
          actions: ['dynamodb:PutItem'],
          resources: [commitCollectAuditTable.tableArn],
        }),
      ],
    });

    const webhookPolicy = new iam.ManagedPolicy(this, 'WebhookPolicy', {
      managedPolicyName: 'commitcollect-prod-webhook',
      description: 'What the patterns of the role webhook send',
      statements: [
        // For take_event, claim_of, record_created, record_updated,
        // record_deleted, finish_stale, give_back.
        new iam.PolicyStatement({
          sid: 'CommitCollectIdempotency',
          actions: [
            'dynamodb:DeleteItem',
            'dynamodb:GetItem',
            'dynamodb:PutItem',
            'dynamodb:UpdateItem',
          ],
          resources: [commitCollectIdempotencyTable.tableArn],
        }),
        // For athlete_owner, connection, record_created, record_updated,
        // record_deleted.
        new iam.PolicyStatement({
          sid: 'CommitCollect',
          actions: [
            'dynamodb:ConditionCheckItem',
            'dynamodb:GetItem',
            'dynamodb:PutItem',
            'dynamodb:UpdateItem',
          ],
          resources: [commitCollectTable.tableArn],
        }),
        // For add_audit_event.
        new iam.PolicyStatement({
          sid: 'CommitCollectAudit',
          actions: ['dynamodb:PutItem'],
          resources: [commitCollectAuditTable.tableArn],
        }),
      ],
    });

    const workerPolicy = new iam.ManagedPolicy(this, 'WorkerPolicy', {
      managedPolicyName: 'commitcollect-prod-worker',
      description: 'What the patterns of the role worker send',
      statements: [
        // For milestone, counting_workouts, parts_between, add_milestone, mint.
        new iam.PolicyStatement({
          sid: 'CommitCollect',
          actions: [
            'dynamodb:ConditionCheckItem',
            'dynamodb:GetItem',
            'dynamodb:PutItem',
            'dynamodb:Query',
            'dynamodb:UpdateItem',
          ],
          resources: [commitCollectTable.tableArn],
        }),
        // For add_audit_event.
        new iam.PolicyStatement({
          sid: 'CommitCollectAudit',
          actions: ['dynamodb:PutItem'],
          resources: [commitCollectAuditTable.tableArn],
        }),
      ],
    });

    const eraserPolicy = new iam.ManagedPolicy(this, 'EraserPolicy', {
      managedPolicyName: 'commitcollect-prod-eraser',
      description: 'What the patterns of the role eraser send',
      statements: [
        // For held_athlete, disconnect_athlete, drop_foreign, drop_unowned,
        // delete_profile, workout_keys, delete_workouts, earned, delete_earned.
        new iam.PolicyStatement({
          sid: 'CommitCollect',
          actions: [
            'dynamodb:BatchWriteItem',
            'dynamodb:ConditionCheckItem',
            'dynamodb:DeleteItem',
            'dynamodb:GetItem',
            'dynamodb:Query',
          ],
          resources: [commitCollectTable.tableArn],
        }),
        // For sessions.
        new iam.PolicyStatement({
          sid: 'CommitCollectSessions',
          actions: ['dynamodb:Query'],
          resources: [`${commitCollectSessionsTable.tableArn}/index/GSI1`],
        }),
        // For end_sessions.
        new iam.PolicyStatement({
          sid: 'CommitCollectSessions2',
          actions: ['dynamodb:BatchWriteItem'],
          resources: [commitCollectSessionsTable.tableArn],
        }),
        // For add_audit_event.
        new iam.PolicyStatement({
          sid: 'CommitCollectAudit',
          actions: ['dynamodb:PutItem'],
          resources: [commitCollectAuditTable.tableArn],
        }),
      ],
    });

    const auditorPolicy = new iam.ManagedPolicy(this, 'AuditorPolicy', {
      managedPolicyName: 'commitcollect-prod-auditor',
      description: 'What the patterns of the role auditor send',
      statements: [
        // For audit_of_user, audit_by_correlation, audit_by_type.
        new iam.PolicyStatement({
          sid: 'CommitCollectAudit',
          actions: ['dynamodb:Query'],
          resources: [
            commitCollectAuditTable.tableArn,
            `${commitCollectAuditTable.tableArn}/index/GSI1`,
            `${commitCollectAuditTable.tableArn}/index/GSI2`,
          ],
        }),
      ],
    });

    const editorPolicy = new iam.ManagedPolicy(this, 'EditorPolicy', {
      managedPolicyName: 'commitcollect-prod-editor',
      description: 'What the patterns of the role editor send',
      statements: [
        // For add_model, retire_model, model_with_parts.
        new iam.PolicyStatement({
          sid: 'CommitCollect',
          actions: ['dynamodb:PutItem', 'dynamodb:Query', 'dynamodb:UpdateItem'],
          resources: [commitCollectTable.tableArn],
        }),
        // For active_models.
        new iam.PolicyStatement({
          sid: 'CommitCollect2',
          actions: ['dynamodb:Query'],
          resources: [`${commitCollectTable.tableArn}/index/GSI1`],
        }),
      ],
    });

    // Alarms.

    const alarmTopic = new sns.Topic(this, 'AlarmTopic', {
      topicName: 'commitcollect-prod-alarms',
    });
    alarm(
      this,
      'CommitCollectTableReadThrottledAlarm',
      'CommitCollect-read-throttled',
      'CommitCollect: Reads were throttled',
      metric('ReadThrottleEvents', 'Sum', 300, { TableName: commitCollectTable.tableName }),
      1,
      alarmTopic,
    );
    alarm(
      this,
      'CommitCollectTableWriteThrottledAlarm',
      'CommitCollect-write-throttled',
      'CommitCollect: Writes were throttled',
      metric('WriteThrottleEvents', 'Sum', 300, { TableName: commitCollectTable.tableName }),
      1,
      alarmTopic,
    );
    alarm(
      this,
      'CommitCollectTableGSI1ReadThrottledAlarm',
      'CommitCollect-GSI1-read-throttled',
      'CommitCollect, GSI1: Reads were throttled',
      metric('ReadThrottleEvents', 'Sum', 300, {
        TableName: commitCollectTable.tableName,
        GlobalSecondaryIndexName: 'GSI1',
      }),
      1,
      alarmTopic,
    );
    alarm(
      this,
      'CommitCollectTableGSI1WriteThrottledAlarm',
      'CommitCollect-GSI1-write-throttled',
      'CommitCollect, GSI1: Writes were throttled',
      metric('WriteThrottleEvents', 'Sum', 300, {
        TableName: commitCollectTable.tableName,
        GlobalSecondaryIndexName: 'GSI1',
      }),
      1,
      alarmTopic,
    );
    alarm(
      this,
      'CommitCollectTableBatchWriteItemSystemErrorsAlarm',
      'CommitCollect-batch-write-item-system-errors',
      'CommitCollect: BatchWriteItem failed within DynamoDB',
      metric('SystemErrors', 'Sum', 300, {
        TableName: commitCollectTable.tableName,
        Operation: 'BatchWriteItem',
      }),
      1,
      alarmTopic,
    );
    alarm(
      this,
      'CommitCollectTableDeleteItemSystemErrorsAlarm',
      'CommitCollect-delete-item-system-errors',
      'CommitCollect: DeleteItem failed within DynamoDB',
      metric('SystemErrors', 'Sum', 300, {
        TableName: commitCollectTable.tableName,
        Operation: 'DeleteItem',
      }),
      1,
      alarmTopic,
    );
    alarm(
      this,
      'CommitCollectTableGetItemSystemErrorsAlarm',
      'CommitCollect-get-item-system-errors',
      'CommitCollect: GetItem failed within DynamoDB',
      metric('SystemErrors', 'Sum', 300, {
        TableName: commitCollectTable.tableName,
        Operation: 'GetItem',
      }),
      1,
      alarmTopic,
    );
    alarm(
      this,
      'CommitCollectTablePutItemSystemErrorsAlarm',
      'CommitCollect-put-item-system-errors',
      'CommitCollect: PutItem failed within DynamoDB',
      metric('SystemErrors', 'Sum', 300, {
        TableName: commitCollectTable.tableName,
        Operation: 'PutItem',
      }),
      1,
      alarmTopic,
    );
    alarm(
      this,
      'CommitCollectTableQuerySystemErrorsAlarm',
      'CommitCollect-query-system-errors',
      'CommitCollect: Query failed within DynamoDB',
      metric('SystemErrors', 'Sum', 300, {
        TableName: commitCollectTable.tableName,
        Operation: 'Query',
      }),
      1,
      alarmTopic,
    );
    alarm(
      this,
      'CommitCollectTableTransactWriteItemsSystemErrorsAlarm',
      'CommitCollect-transact-write-items-system-errors',
      'CommitCollect: TransactWriteItems failed within DynamoDB',
      metric('SystemErrors', 'Sum', 300, {
        TableName: commitCollectTable.tableName,
        Operation: 'TransactWriteItems',
      }),
      1,
      alarmTopic,
    );
    alarm(
      this,
      'CommitCollectTableUpdateItemSystemErrorsAlarm',
      'CommitCollect-update-item-system-errors',
      'CommitCollect: UpdateItem failed within DynamoDB',
      metric('SystemErrors', 'Sum', 300, {
        TableName: commitCollectTable.tableName,
        Operation: 'UpdateItem',
      }),
      1,
      alarmTopic,
    );
    alarm(
      this,
      'CommitCollectTableConditionalFailuresAlarm',
      'CommitCollect-conditional-failures',
      'CommitCollect: Many conditions of writes did not hold',
      metric('ConditionalCheckFailedRequests', 'Sum', 300, {
        TableName: commitCollectTable.tableName,
      }),
      1000,
      alarmTopic,
    );
    alarm(
      this,
      'CommitCollectTableTransactionConflictsAlarm',
      'CommitCollect-transaction-conflicts',
      'CommitCollect: Many requests met a transaction on the same record',
      metric('TransactionConflict', 'Sum', 300, { TableName: commitCollectTable.tableName }),
      100,
      alarmTopic,
    );
    alarm(
      this,
      'CommitCollectSessionsTableReadThrottledAlarm',
      'CommitCollectSessions-read-throttled',
      'CommitCollectSessions: Reads were throttled',
      metric('ReadThrottleEvents', 'Sum', 300, { TableName: commitCollectSessionsTable.tableName }),
      1,
      alarmTopic,
    );
    alarm(
      this,
      'CommitCollectSessionsTableWriteThrottledAlarm',
      'CommitCollectSessions-write-throttled',
      'CommitCollectSessions: Writes were throttled',
      metric('WriteThrottleEvents', 'Sum', 300, {
        TableName: commitCollectSessionsTable.tableName,
      }),
      1,
      alarmTopic,
    );
    alarm(
      this,
      'CommitCollectSessionsTableGSI1ReadThrottledAlarm',
      'CommitCollectSessions-GSI1-read-throttled',
      'CommitCollectSessions, GSI1: Reads were throttled',
      metric('ReadThrottleEvents', 'Sum', 300, {
        TableName: commitCollectSessionsTable.tableName,
        GlobalSecondaryIndexName: 'GSI1',
      }),
      1,
      alarmTopic,
    );
    alarm(
      this,
      'CommitCollectSessionsTableGSI1WriteThrottledAlarm',
      'CommitCollectSessions-GSI1-write-throttled',
      'CommitCollectSessions, GSI1: Writes were throttled',
      metric('WriteThrottleEvents', 'Sum', 300, {
        TableName: commitCollectSessionsTable.tableName,
        GlobalSecondaryIndexName: 'GSI1',
      }),
      1,
      alarmTopic,
    );
    alarm(
      this,
      'CommitCollectSessionsTableBatchWriteItemSystemErrorsAlarm',
      'CommitCollectSessions-batch-write-item-system-errors',
      'CommitCollectSessions: BatchWriteItem failed within DynamoDB',
      metric('SystemErrors', 'Sum', 300, {
        TableName: commitCollectSessionsTable.tableName,
        Operation: 'BatchWriteItem',
      }),
      1,
      alarmTopic,
    );
    alarm(
      this,
      'CommitCollectSessionsTableDeleteItemSystemErrorsAlarm',
      'CommitCollectSessions-delete-item-system-errors',
      'CommitCollectSessions: DeleteItem failed within DynamoDB',
      metric('SystemErrors', 'Sum', 300, {
        TableName: commitCollectSessionsTable.tableName,
        Operation: 'DeleteItem',
      }),
      1,
      alarmTopic,
    );
    alarm(
      this,
      'CommitCollectSessionsTableGetItemSystemErrorsAlarm',
      'CommitCollectSessions-get-item-system-errors',
      'CommitCollectSessions: GetItem failed within DynamoDB',
      metric('SystemErrors', 'Sum', 300, {
        TableName: commitCollectSessionsTable.tableName,
        Operation: 'GetItem',
      }),
      1,
      alarmTopic,
    );
    alarm(
      this,
      'CommitCollectSessionsTablePutItemSystemErrorsAlarm',
      'CommitCollectSessions-put-item-system-errors',
      'CommitCollectSessions: PutItem failed within DynamoDB',
      metric('SystemErrors', 'Sum', 300, {
        TableName: commitCollectSessionsTable.tableName,
        Operation: 'PutItem',
      }),
      1,
      alarmTopic,
    );
    alarm(
      this,
      'CommitCollectSessionsTableQuerySystemErrorsAlarm',
      'CommitCollectSessions-query-system-errors',
      'CommitCollectSessions: Query failed within DynamoDB',
      metric('SystemErrors', 'Sum', 300, {
        TableName: commitCollectSessionsTable.tableName,
        Operation: 'Query',
      }),
      1,
      alarmTopic,
    );
    alarm(
      this,
      'CommitCollectSessionsTableTransactWriteItemsSystemErrorsAlarm',
      'CommitCollectSessions-transact-write-items-system-errors',
      'CommitCollectSessions: TransactWriteItems failed within DynamoDB',
      metric('SystemErrors', 'Sum', 300, {
        TableName: commitCollectSessionsTable.tableName,
        Operation: 'TransactWriteItems',
      }),
      1,
      alarmTopic,
    );
    alarm(
      this,
      'CommitCollectSessionsTableConditionalFailuresAlarm',
      'CommitCollectSessions-conditional-failures',
      'CommitCollectSessions: Many conditions of writes did not hold',
      metric('ConditionalCheckFailedRequests', 'Sum', 300, {
        TableName: commitCollectSessionsTable.tableName,
      }),
      1000,
      alarmTopic,
    );
    alarm(
      this,
      'CommitCollectSessionsTableTransactionConflictsAlarm',
      'CommitCollectSessions-transaction-conflicts',
      'CommitCollectSessions: Many requests met a transaction on the same record',
      metric('TransactionConflict', 'Sum', 300, {
        TableName: commitCollectSessionsTable.tableName,
      }),
      100,
      alarmTopic,
    );
    alarm(
      this,
      'CommitCollectAuditTableReadThrottledAlarm',
      'CommitCollectAudit-read-throttled',
      'CommitCollectAudit: Reads were throttled',
      metric('ReadThrottleEvents', 'Sum', 300, { TableName: commitCollectAuditTable.tableName }),
      1,
      alarmTopic,
    );
    alarm(
      this,
      'CommitCollectAuditTableWriteThrottledAlarm',
      'CommitCollectAudit-write-throttled',
      'CommitCollectAudit: Writes were throttled',
      metric('WriteThrottleEvents', 'Sum', 300, { TableName: commitCollectAuditTable.tableName }),
      1,
      alarmTopic,
    );
    alarm(
      this,
      'CommitCollectAuditTableGSI1ReadThrottledAlarm',
      'CommitCollectAudit-GSI1-read-throttled',
      'CommitCollectAudit, GSI1: Reads were throttled',
      metric('ReadThrottleEvents', 'Sum', 300, {
        TableName: commitCollectAuditTable.tableName,
        GlobalSecondaryIndexName: 'GSI1',
      }),
      1,
      alarmTopic,
    );
    alarm(
      this,
      'CommitCollectAuditTableGSI1WriteThrottledAlarm',
      'CommitCollectAudit-GSI1-write-throttled',
      'CommitCollectAudit, GSI1: Writes were throttled',
      metric('WriteThrottleEvents', 'Sum', 300, {
        TableName: commitCollectAuditTable.tableName,
        GlobalSecondaryIndexName: 'GSI1',
      }),
      1,
      alarmTopic,
    );
    alarm(
      this,
      'CommitCollectAuditTableGSI2ReadThrottledAlarm',
      'CommitCollectAudit-GSI2-read-throttled',
      'CommitCollectAudit, GSI2: Reads were throttled',
      metric('ReadThrottleEvents', 'Sum', 300, {
        TableName: commitCollectAuditTable.tableName,
        GlobalSecondaryIndexName: 'GSI2',
      }),
      1,
      alarmTopic,
    );
    alarm(
      this,
      'CommitCollectAuditTableGSI2WriteThrottledAlarm',
      'CommitCollectAudit-GSI2-write-throttled',
      'CommitCollectAudit, GSI2: Writes were throttled',
      metric('WriteThrottleEvents', 'Sum', 300, {
        TableName: commitCollectAuditTable.tableName,
        GlobalSecondaryIndexName: 'GSI2',
      }),
      1,
      alarmTopic,
    );
    alarm(
      this,
      'CommitCollectAuditTablePutItemSystemErrorsAlarm',
      'CommitCollectAudit-put-item-system-errors',
      'CommitCollectAudit: PutItem failed within DynamoDB',
      metric('SystemErrors', 'Sum', 300, {
        TableName: commitCollectAuditTable.tableName,
        Operation: 'PutItem',
      }),
      1,
      alarmTopic,
    );
    alarm(
      this,
      'CommitCollectAuditTableQuerySystemErrorsAlarm',
      'CommitCollectAudit-query-system-errors',
      'CommitCollectAudit: Query failed within DynamoDB',
      metric('SystemErrors', 'Sum', 300, {
        TableName: commitCollectAuditTable.tableName,
        Operation: 'Query',
      }),
      1,
      alarmTopic,
    );
    alarm(
      this,
      'CommitCollectAuditTableConditionalFailuresAlarm',
      'CommitCollectAudit-conditional-failures',
      'CommitCollectAudit: Many conditions of writes did not hold',
      metric('ConditionalCheckFailedRequests', 'Sum', 300, {
        TableName: commitCollectAuditTable.tableName,
      }),
      1000,
      alarmTopic,
    );
    alarm(
      this,
      'CommitCollectIdempotencyTableReadThrottledAlarm',
      'CommitCollectIdempotency-read-throttled',
      'CommitCollectIdempotency: Reads were throttled',
      metric('ReadThrottleEvents', 'Sum', 300, {
        TableName: commitCollectIdempotencyTable.tableName,
      }),
      1,
      alarmTopic,
    );
    alarm(
      this,
      'CommitCollectIdempotencyTableWriteThrottledAlarm',
      'CommitCollectIdempotency-write-throttled',
      'CommitCollectIdempotency: Writes were throttled',
      metric('WriteThrottleEvents', 'Sum', 300, {
        TableName: commitCollectIdempotencyTable.tableName,
      }),
      1,
      alarmTopic,
    );
    alarm(
      this,
      'CommitCollectIdempotencyTableDeleteItemSystemErrorsAlarm',
      'CommitCollectIdempotency-delete-item-system-errors',
      'CommitCollectIdempotency: DeleteItem failed within DynamoDB',
      metric('SystemErrors', 'Sum', 300, {
        TableName: commitCollectIdempotencyTable.tableName,
        Operation: 'DeleteItem',
      }),
      1,
      alarmTopic,
    );
    alarm(
      this,
      'CommitCollectIdempotencyTableGetItemSystemErrorsAlarm',
      'CommitCollectIdempotency-get-item-system-errors',
      'CommitCollectIdempotency: GetItem failed within DynamoDB',
      metric('SystemErrors', 'Sum', 300, {
        TableName: commitCollectIdempotencyTable.tableName,
        Operation: 'GetItem',
      }),
      1,
      alarmTopic,
    );
    alarm(
      this,
      'CommitCollectIdempotencyTablePutItemSystemErrorsAlarm',
      'CommitCollectIdempotency-put-item-system-errors',
      'CommitCollectIdempotency: PutItem failed within DynamoDB',
      metric('SystemErrors', 'Sum', 300, {
        TableName: commitCollectIdempotencyTable.tableName,
        Operation: 'PutItem',
      }),
      1,
      alarmTopic,
    );
    alarm(
      this,
      'CommitCollectIdempotencyTableTransactWriteItemsSystemErrorsAlarm',
      'CommitCollectIdempotency-transact-write-items-system-errors',
      'CommitCollectIdempotency: TransactWriteItems failed within DynamoDB',
      metric('SystemErrors', 'Sum', 300, {
        TableName: commitCollectIdempotencyTable.tableName,
        Operation: 'TransactWriteItems',
      }),
      1,
      alarmTopic,
    );
    alarm(
      this,
      'CommitCollectIdempotencyTableConditionalFailuresAlarm',
      'CommitCollectIdempotency-conditional-failures',
      'CommitCollectIdempotency: Many conditions of writes did not hold',
      metric('ConditionalCheckFailedRequests', 'Sum', 300, {
        TableName: commitCollectIdempotencyTable.tableName,
      }),
      1000,
      alarmTopic,
    );
    alarm(
      this,
      'CommitCollectIdempotencyTableTransactionConflictsAlarm',
      'CommitCollectIdempotency-transaction-conflicts',
      'CommitCollectIdempotency: Many requests met a transaction on the same record',
      metric('TransactionConflict', 'Sum', 300, {
        TableName: commitCollectIdempotencyTable.tableName,
      }),
      100,
      alarmTopic,
    );
    alarm(
      this,
      'UserErrorsAlarm',
      'commitcollect-prod-user-errors',
      'Requests that DynamoDB refused as wrong, of everybody in this account and region',
      metric('UserErrors', 'Sum', 300, {}),
      100,
      alarmTopic,
    );

    // Dashboard.
    new cloudwatch.Dashboard(this, 'Dashboard', {
      dashboardName: 'commitcollect-prod',
      widgets: [
        [new cloudwatch.TextWidget({ markdown: '## CommitCollect', width: 24, height: 1 })],
        [
          graph('Reads', 4, [
            metric('ConsumedReadCapacityUnits', 'Sum', 300, {
              TableName: commitCollectTable.tableName,
            }),
          ]),
          graph('Writes', 4, [
            metric('ConsumedWriteCapacityUnits', 'Sum', 300, {
              TableName: commitCollectTable.tableName,
            }),
          ]),
          graph('Throttled', 4, [
            metric('ReadThrottleEvents', 'Sum', 300, { TableName: commitCollectTable.tableName }),
            metric('WriteThrottleEvents', 'Sum', 300, { TableName: commitCollectTable.tableName }),
          ]),
          graph('Latency (ms)', 4, [
            metric('SuccessfulRequestLatency', 'Average', 300, {
              TableName: commitCollectTable.tableName,
              Operation: 'BatchWriteItem',
            }),
            metric('SuccessfulRequestLatency', 'Average', 300, {
              TableName: commitCollectTable.tableName,
              Operation: 'DeleteItem',
            }),
            metric('SuccessfulRequestLatency', 'Average', 300, {
              TableName: commitCollectTable.tableName,
              Operation: 'GetItem',
            }),
            metric('SuccessfulRequestLatency', 'Average', 300, {
              TableName: commitCollectTable.tableName,
              Operation: 'PutItem',
            }),
            metric('SuccessfulRequestLatency', 'Average', 300, {
              TableName: commitCollectTable.tableName,
              Operation: 'Query',
            }),
            metric('SuccessfulRequestLatency', 'Average', 300, {
              TableName: commitCollectTable.tableName,
              Operation: 'TransactWriteItems',
            }),
            metric('SuccessfulRequestLatency', 'Average', 300, {
              TableName: commitCollectTable.tableName,
              Operation: 'UpdateItem',
            }),
          ]),
          graph('Failures', 4, [
            metric('SystemErrors', 'Sum', 300, {
              TableName: commitCollectTable.tableName,
              Operation: 'BatchWriteItem',
            }),
            metric('SystemErrors', 'Sum', 300, {
              TableName: commitCollectTable.tableName,
              Operation: 'DeleteItem',
            }),
            metric('SystemErrors', 'Sum', 300, {
              TableName: commitCollectTable.tableName,
              Operation: 'GetItem',
            }),
            metric('SystemErrors', 'Sum', 300, {
              TableName: commitCollectTable.tableName,
              Operation: 'PutItem',
            }),
            metric('SystemErrors', 'Sum', 300, {
              TableName: commitCollectTable.tableName,
              Operation: 'Query',
            }),
            metric('SystemErrors', 'Sum', 300, {
              TableName: commitCollectTable.tableName,
              Operation: 'TransactWriteItems',
            }),
            metric('SystemErrors', 'Sum', 300, {
              TableName: commitCollectTable.tableName,
              Operation: 'UpdateItem',
            }),
            metric('ConditionalCheckFailedRequests', 'Sum', 300, {
              TableName: commitCollectTable.tableName,
            }),
            metric('TransactionConflict', 'Sum', 300, { TableName: commitCollectTable.tableName }),
          ]),
        ],
        [new cloudwatch.TextWidget({ markdown: '## CommitCollect, GSI1', width: 24, height: 1 })],
        [
          graph('Reads', 8, [
            metric('ConsumedReadCapacityUnits', 'Sum', 300, {
              TableName: commitCollectTable.tableName,
              GlobalSecondaryIndexName: 'GSI1',
            }),
          ]),
          graph('Writes', 8, [
            metric('ConsumedWriteCapacityUnits', 'Sum', 300, {
              TableName: commitCollectTable.tableName,
              GlobalSecondaryIndexName: 'GSI1',
            }),
          ]),
          graph('Throttled', 8, [
            metric('ReadThrottleEvents', 'Sum', 300, {
              TableName: commitCollectTable.tableName,
              GlobalSecondaryIndexName: 'GSI1',
            }),
            metric('WriteThrottleEvents', 'Sum', 300, {
              TableName: commitCollectTable.tableName,
              GlobalSecondaryIndexName: 'GSI1',
            }),
          ]),
        ],
        [new cloudwatch.TextWidget({ markdown: '## CommitCollectSessions', width: 24, height: 1 })],
        [
          graph('Reads', 4, [
            metric('ConsumedReadCapacityUnits', 'Sum', 300, {
              TableName: commitCollectSessionsTable.tableName,
            }),
          ]),
          graph('Writes', 4, [
            metric('ConsumedWriteCapacityUnits', 'Sum', 300, {
              TableName: commitCollectSessionsTable.tableName,
            }),
          ]),
          graph('Throttled', 4, [
            metric('ReadThrottleEvents', 'Sum', 300, {
              TableName: commitCollectSessionsTable.tableName,
            }),
            metric('WriteThrottleEvents', 'Sum', 300, {
              TableName: commitCollectSessionsTable.tableName,
            }),
          ]),
          graph('Latency (ms)', 4, [
            metric('SuccessfulRequestLatency', 'Average', 300, {
              TableName: commitCollectSessionsTable.tableName,
              Operation: 'BatchWriteItem',
            }),
            metric('SuccessfulRequestLatency', 'Average', 300, {
              TableName: commitCollectSessionsTable.tableName,
              Operation: 'DeleteItem',
            }),
            metric('SuccessfulRequestLatency', 'Average', 300, {
              TableName: commitCollectSessionsTable.tableName,
              Operation: 'GetItem',
            }),
            metric('SuccessfulRequestLatency', 'Average', 300, {
              TableName: commitCollectSessionsTable.tableName,
              Operation: 'PutItem',
            }),
            metric('SuccessfulRequestLatency', 'Average', 300, {
              TableName: commitCollectSessionsTable.tableName,
              Operation: 'Query',
            }),
            metric('SuccessfulRequestLatency', 'Average', 300, {
              TableName: commitCollectSessionsTable.tableName,
              Operation: 'TransactWriteItems',
            }),
          ]),
          graph('Failures', 4, [
            metric('SystemErrors', 'Sum', 300, {
              TableName: commitCollectSessionsTable.tableName,
              Operation: 'BatchWriteItem',
            }),
            metric('SystemErrors', 'Sum', 300, {
              TableName: commitCollectSessionsTable.tableName,
              Operation: 'DeleteItem',
            }),
            metric('SystemErrors', 'Sum', 300, {
              TableName: commitCollectSessionsTable.tableName,
              Operation: 'GetItem',
            }),
            metric('SystemErrors', 'Sum', 300, {
              TableName: commitCollectSessionsTable.tableName,
              Operation: 'PutItem',
            }),
            metric('SystemErrors', 'Sum', 300, {
              TableName: commitCollectSessionsTable.tableName,
              Operation: 'Query',
            }),
            metric('SystemErrors', 'Sum', 300, {
              TableName: commitCollectSessionsTable.tableName,
              Operation: 'TransactWriteItems',
            }),
            metric('ConditionalCheckFailedRequests', 'Sum', 300, {
              TableName: commitCollectSessionsTable.tableName,
            }),
            metric('TransactionConflict', 'Sum', 300, {
              TableName: commitCollectSessionsTable.tableName,
            }),
          ]),
        ],
        [
          new cloudwatch.TextWidget({
            markdown: '## CommitCollectSessions, GSI1',
            width: 24,
            height: 1,
          }),
        ],
        [
          graph('Reads', 8, [
            metric('ConsumedReadCapacityUnits', 'Sum', 300, {
              TableName: commitCollectSessionsTable.tableName,
              GlobalSecondaryIndexName: 'GSI1',
            }),
          ]),
          graph('Writes', 8, [
            metric('ConsumedWriteCapacityUnits', 'Sum', 300, {
              TableName: commitCollectSessionsTable.tableName,
              GlobalSecondaryIndexName: 'GSI1',
            }),
          ]),
          graph('Throttled', 8, [
            metric('ReadThrottleEvents', 'Sum', 300, {
              TableName: commitCollectSessionsTable.tableName,
              GlobalSecondaryIndexName: 'GSI1',
            }),
            metric('WriteThrottleEvents', 'Sum', 300, {
              TableName: commitCollectSessionsTable.tableName,
              GlobalSecondaryIndexName: 'GSI1',
            }),
          ]),
        ],
        [new cloudwatch.TextWidget({ markdown: '## CommitCollectAudit', width: 24, height: 1 })],
        [
          graph('Reads', 4, [
            metric('ConsumedReadCapacityUnits', 'Sum', 300, {
              TableName: commitCollectAuditTable.tableName,
            }),
          ]),
          graph('Writes', 4, [
            metric('ConsumedWriteCapacityUnits', 'Sum', 300, {
              TableName: commitCollectAuditTable.tableName,
            }),
          ]),
          graph('Throttled', 4, [
            metric('ReadThrottleEvents', 'Sum', 300, {
              TableName: commitCollectAuditTable.tableName,
            }),
            metric('WriteThrottleEvents', 'Sum', 300, {
              TableName: commitCollectAuditTable.tableName,
            }),
          ]),
          graph('Latency (ms)', 4, [
            metric('SuccessfulRequestLatency', 'Average', 300, {
              TableName: commitCollectAuditTable.tableName,
              Operation: 'PutItem',
            }),
            metric('SuccessfulRequestLatency', 'Average', 300, {
              TableName: commitCollectAuditTable.tableName,
              Operation: 'Query',
            }),
          ]),
          graph('Failures', 4, [
            metric('SystemErrors', 'Sum', 300, {
              TableName: commitCollectAuditTable.tableName,
              Operation: 'PutItem',
            }),
            metric('SystemErrors', 'Sum', 300, {
              TableName: commitCollectAuditTable.tableName,
              Operation: 'Query',
            }),
            metric('ConditionalCheckFailedRequests', 'Sum', 300, {
              TableName: commitCollectAuditTable.tableName,
            }),
            metric('TransactionConflict', 'Sum', 300, {
              TableName: commitCollectAuditTable.tableName,
            }),
          ]),
        ],
        [
          new cloudwatch.TextWidget({
            markdown: '## CommitCollectAudit, GSI1',
            width: 24,
            height: 1,
          }),
        ],
        [
          graph('Reads', 8, [
            metric('ConsumedReadCapacityUnits', 'Sum', 300, {
              TableName: commitCollectAuditTable.tableName,
              GlobalSecondaryIndexName: 'GSI1',
            }),
          ]),
          graph('Writes', 8, [
            metric('ConsumedWriteCapacityUnits', 'Sum', 300, {
              TableName: commitCollectAuditTable.tableName,
              GlobalSecondaryIndexName: 'GSI1',
            }),
          ]),
          graph('Throttled', 8, [
            metric('ReadThrottleEvents', 'Sum', 300, {
              TableName: commitCollectAuditTable.tableName,
              GlobalSecondaryIndexName: 'GSI1',
            }),
            metric('WriteThrottleEvents', 'Sum', 300, {
              TableName: commitCollectAuditTable.tableName,
              GlobalSecondaryIndexName: 'GSI1',
            }),
          ]),
        ],
        [
          new cloudwatch.TextWidget({
            markdown: '## CommitCollectAudit, GSI2',
            width: 24,
            height: 1,
          }),
        ],
        [
          graph('Reads', 8, [
            metric('ConsumedReadCapacityUnits', 'Sum', 300, {
              TableName: commitCollectAuditTable.tableName,
              GlobalSecondaryIndexName: 'GSI2',
            }),
          ]),
          graph('Writes', 8, [
            metric('ConsumedWriteCapacityUnits', 'Sum', 300, {
              TableName: commitCollectAuditTable.tableName,
              GlobalSecondaryIndexName: 'GSI2',
            }),
          ]),
          graph('Throttled', 8, [
            metric('ReadThrottleEvents', 'Sum', 300, {
              TableName: commitCollectAuditTable.tableName,
              GlobalSecondaryIndexName: 'GSI2',
            }),
            metric('WriteThrottleEvents', 'Sum', 300, {
              TableName: commitCollectAuditTable.tableName,
              GlobalSecondaryIndexName: 'GSI2',
            }),
          ]),
        ],
        [
          new cloudwatch.TextWidget({
            markdown: '## CommitCollectIdempotency',
            width: 24,
            height: 1,
          }),
        ],
        [
          graph('Reads', 4, [
            metric('ConsumedReadCapacityUnits', 'Sum', 300, {
              TableName: commitCollectIdempotencyTable.tableName,
            }),
          ]),
          graph('Writes', 4, [
            metric('ConsumedWriteCapacityUnits', 'Sum', 300, {
              TableName: commitCollectIdempotencyTable.tableName,
            }),
          ]),
          graph('Throttled', 4, [
            metric('ReadThrottleEvents', 'Sum', 300, {
              TableName: commitCollectIdempotencyTable.tableName,
            }),
            metric('WriteThrottleEvents', 'Sum', 300, {
              TableName: commitCollectIdempotencyTable.tableName,
            }),
          ]),
          graph('Latency (ms)', 4, [
            metric('SuccessfulRequestLatency', 'Average', 300, {
              TableName: commitCollectIdempotencyTable.tableName,
              Operation: 'DeleteItem',
            }),
            metric('SuccessfulRequestLatency', 'Average', 300, {
              TableName: commitCollectIdempotencyTable.tableName,
              Operation: 'GetItem',
            }),
            metric('SuccessfulRequestLatency', 'Average', 300, {
              TableName: commitCollectIdempotencyTable.tableName,
              Operation: 'PutItem',
            }),
            metric('SuccessfulRequestLatency', 'Average', 300, {
              TableName: commitCollectIdempotencyTable.tableName,
              Operation: 'TransactWriteItems',
            }),
          ]),
          graph('Failures', 4, [
            metric('SystemErrors', 'Sum', 300, {
              TableName: commitCollectIdempotencyTable.tableName,
              Operation: 'DeleteItem',
            }),
            metric('SystemErrors', 'Sum', 300, {
              TableName: commitCollectIdempotencyTable.tableName,
              Operation: 'GetItem',
            }),
            metric('SystemErrors', 'Sum', 300, {
              TableName: commitCollectIdempotencyTable.tableName,
              Operation: 'PutItem',
            }),
            metric('SystemErrors', 'Sum', 300, {
              TableName: commitCollectIdempotencyTable.tableName,
              Operation: 'TransactWriteItems',
            }),
            metric('ConditionalCheckFailedRequests', 'Sum', 300, {
              TableName: commitCollectIdempotencyTable.tableName,
            }),
            metric('TransactionConflict', 'Sum', 300, {
              TableName: commitCollectIdempotencyTable.tableName,
            }),
          ]),
        ],
      ],
    });

    // Outputs.
    new cdk.CfnOutput(this, 'CommitCollectTableName', {
      value: commitCollectTable.tableName,
      description: 'The name of CommitCollect, as it is deployed',
    });
    new cdk.CfnOutput(this, 'CommitCollectSessionsTableName', {
      value: commitCollectSessionsTable.tableName,
      description: 'The name of CommitCollectSessions, as it is deployed',
    });
    new cdk.CfnOutput(this, 'CommitCollectAuditTableName', {
      value: commitCollectAuditTable.tableName,
      description: 'The name of CommitCollectAudit, as it is deployed',
    });
    new cdk.CfnOutput(this, 'CommitCollectIdempotencyTableName', {
      value: commitCollectIdempotencyTable.tableName,
      description: 'The name of CommitCollectIdempotency, as it is deployed',
    });
    new cdk.CfnOutput(this, 'AppPolicyArn', {
      value: appPolicy.managedPolicyArn,
      description: 'What the patterns of the role app send, each session for one user_id',
    });
    new cdk.CfnOutput(this, 'CatalogPolicyArn', {
      value: catalogPolicy.managedPolicyArn,
      description: 'What the patterns of the role catalog send',
    });
    new cdk.CfnOutput(this, 'SignInPolicyArn', {
      value: signInPolicy.managedPolicyArn,
      description: 'What the patterns of the role sign-in send',
    });
    new cdk.CfnOutput(this, 'ConnectorPolicyArn', {
      value: connectorPolicy.managedPolicyArn,
      description: 'What the patterns of the role connector send',
    });
    new cdk.CfnOutput(this, 'WebhookPolicyArn', {
      value: webhookPolicy.managedPolicyArn,
      description: 'What the patterns of the role webhook send',
    });
    new cdk.CfnOutput(this, 'WorkerPolicyArn', {
      value: workerPolicy.managedPolicyArn,
      description: 'What the patterns of the role worker send',
    });
    new cdk.CfnOutput(this, 'EraserPolicyArn', {
      value: eraserPolicy.managedPolicyArn,
      description: 'What the patterns of the role eraser send',
    });
    new cdk.CfnOutput(this, 'AuditorPolicyArn', {
      value: auditorPolicy.managedPolicyArn,
      description: 'What the patterns of the role auditor send',
    });
    new cdk.CfnOutput(this, 'EditorPolicyArn', {
      value: editorPolicy.managedPolicyArn,
      description: 'What the patterns of the role editor send',
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
